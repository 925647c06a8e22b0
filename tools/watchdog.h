/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel tells about watchdogs, LOSSLESS_A_WATCHDOG_*: of a priority, or an event.
 */
#ifndef LOSSLESS_TOOL_WATCHDOG_H
#define LOSSLESS_TOOL_WATCHDOG_H

#include <libmnl/libmnl.h>
#include <linux/lossless.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct report - one message
 * @value: of each attribute that is a number
 * @given: whether it is there
 * @ifname: name of the port
 */
struct report {
	uint64_t value[LOSSLESS_A_WATCHDOG_MAX + 1];
	bool given[LOSSLESS_A_WATCHDOG_MAX + 1];
	char ifname[IFNAMSIZ];
};

/**
 * struct piece - a value in a line of text
 * @before: the words before it
 * @attr: LOSSLESS_A_WATCHDOG_*; what is not given is left out, words and all
 */
struct piece {
	const char *before;
	int attr;
};

int report_read(const struct nlmsghdr *n, struct report *report);
void report_print_pieces(const struct report *report, const struct piece *pieces,
			 unsigned int count);
struct json_object *report_json(const struct report *report);

#endif /* LOSSLESS_TOOL_WATCHDOG_H */
