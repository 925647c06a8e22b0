/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Talking to the generic netlink family `lossless`.
 */
#ifndef LOSSLESS_TOOL_NETLINK_H
#define LOSSLESS_TOOL_NETLINK_H

#include <libmnl/libmnl.h>
#include <stdint.h>

#define MESSAGE_MAX	8192

/**
 * struct talk - one open conversation
 * @socket: generic netlink
 * @family: the number of the family `lossless`
 * @events: the number of its multicast group
 * @sequence: of the last request
 * @buffer: for a message, in both directions
 */
struct talk {
	struct mnl_socket *socket;
	uint16_t family;
	uint32_t events;
	uint32_t sequence;
	char buffer[MESSAGE_MAX];
};

int talk_open(struct talk *talk);
void talk_close(struct talk *talk);
struct nlmsghdr *request(struct talk *talk, uint8_t command);
int exchange(struct talk *talk, const struct nlmsghdr *n, mnl_cb_t answer, void *data);
int kernel_refused(void);

#endif /* LOSSLESS_TOOL_NETLINK_H */
