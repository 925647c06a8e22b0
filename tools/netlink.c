// SPDX-License-Identifier: GPL-2.0
/*
 * Talking to the generic netlink family `lossless`: requests, answers, and what the kernel
 * says when it refuses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/lossless.h>

#include "netlink.h"
#include "tool.h"

static struct nlmsghdr *request_of(struct talk *talk, uint16_t family, uint8_t command,
				   uint8_t version)
{
	struct nlmsghdr *n = mnl_nlmsg_put_header(talk->buffer);
	struct genlmsghdr *genl;

	n->nlmsg_type = family;
	n->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	n->nlmsg_seq = ++talk->sequence;
	genl = mnl_nlmsg_put_extra_header(n, sizeof(*genl));
	genl->cmd = command;
	genl->version = version;
	return n;
}

/**
 * request() - begin a message to the family
 * @talk: open
 * @command: LOSSLESS_CMD_*
 *
 * Return: the message, in the buffer of @talk; attributes may be added.
 */
struct nlmsghdr *request(struct talk *talk, uint8_t command)
{
	return request_of(talk, talk->family, command, LOSSLESS_GENL_VERSION);
}

static int find_message(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
		*(const char **)data = mnl_attr_get_str(attr);
	return MNL_CB_OK;
}

/* The sentence of the kernel's extended acknowledgment, if there is one. */
static const char *kernel_message(const struct nlmsghdr *n, unsigned int offset)
{
	const char *message = NULL;

	if (!(n->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (mnl_attr_parse(n, offset, find_message, &message) == MNL_CB_ERROR)
		return NULL;
	return message;
}

/* errno is 0 afterwards if the kernel said why in words. */
static int take_verdict(int error, const char *message)
{
	if (message)
		fprintf(stderr, "%s: %s\n", error ? "Error" : "Warning", message);
	errno = message ? 0 : -error;
	return error ? MNL_CB_ERROR : MNL_CB_STOP;
}

static int take_error(const struct nlmsghdr *n, void *data)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(n);
	unsigned int offset = sizeof(*error);

	(void)data;
	if (mnl_nlmsg_get_payload_len(n) < sizeof(*error)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!(n->nlmsg_flags & NLM_F_CAPPED))
		offset += mnl_nlmsg_get_payload_len(&error->msg);
	return take_verdict(error->error, kernel_message(n, offset));
}

/* The end of a dump, which may be an error too. */
static int take_done(const struct nlmsghdr *n, void *data)
{
	const int *error = mnl_nlmsg_get_payload(n);

	(void)data;
	if (mnl_nlmsg_get_payload_len(n) < sizeof(*error))
		return MNL_CB_STOP;
	return take_verdict(*error, kernel_message(n, sizeof(*error)));
}

static mnl_cb_t control_callbacks[NLMSG_MIN_TYPE] = {
	[NLMSG_ERROR] = take_error,
	[NLMSG_DONE] = take_done,
};

/**
 * exchange() - send a request and take the answers
 * @talk: open
 * @n: request
 * @answer: is called with each message of the answer
 * @data: for @answer
 *
 * Return: 0 once the kernel has acknowledged or the dump is over; else -1, and errno is 0
 * if the kernel said why in words, which then are on stderr.
 */
int exchange(struct talk *talk, const struct nlmsghdr *n, mnl_cb_t answer, void *data)
{
	int result = MNL_CB_OK;

	if (mnl_socket_sendto(talk->socket, n, n->nlmsg_len) < 0)
		return -1;
	while (result > MNL_CB_STOP) {
		ssize_t length = mnl_socket_recvfrom(talk->socket, talk->buffer,
						     sizeof(talk->buffer));

		if (length < 0)
			return -1;
		result = mnl_cb_run2(talk->buffer, length, talk->sequence,
				     mnl_socket_get_portid(talk->socket), answer, data,
				     control_callbacks, ARRAY_SIZE(control_callbacks));
	}
	return result == MNL_CB_STOP ? 0 : -1;
}

/**
 * kernel_refused() - say what errno is about, unless the kernel has said it
 *
 * Return: exit status
 */
int kernel_refused(void)
{
	if (errno)
		fprintf(stderr, "Error: the kernel answers: %s.\n", strerror(errno));
	return KERNEL_REFUSED;
}

static void find_events(struct talk *talk, const struct nlattr *groups)
{
	const struct nlattr *group, *attr;

	mnl_attr_for_each_nested(group, groups) {
		const char *name = "";
		uint32_t id = 0;

		mnl_attr_for_each_nested(attr, group) {
			if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
				name = mnl_attr_get_str(attr);
			else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
				id = mnl_attr_get_u32(attr);
		}
		if (!strcmp(name, LOSSLESS_GENL_EVENTS))
			talk->events = id;
	}
}

static int find_family(const struct nlattr *attr, void *data)
{
	struct talk *talk = data;

	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
	    !mnl_attr_validate(attr, MNL_TYPE_U16))
		talk->family = mnl_attr_get_u16(attr);
	else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
		find_events(talk, attr);
	return MNL_CB_OK;
}

static int take_family(const struct nlmsghdr *n, void *data)
{
	return mnl_attr_parse(n, sizeof(struct genlmsghdr), find_family, data);
}

static int resolve_family(struct talk *talk)
{
	struct nlmsghdr *n = request_of(talk, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);

	mnl_attr_put_strz(n, CTRL_ATTR_FAMILY_NAME, LOSSLESS_GENL_NAME);
	if (!exchange(talk, n, take_family, talk) && talk->family)
		return DONE;
	if (errno && errno != ENOENT)
		return kernel_refused();
	fprintf(stderr,
		"Error: the module sch_lossless is not loaded: the kernel has no generic netlink family \"%s\".\n",
		LOSSLESS_GENL_NAME);
	return KERNEL_REFUSED;
}

/**
 * talk_open() - begin to talk to the module
 * @talk: all zero
 *
 * Return: exit status; if it is not DONE, why is on stderr.
 */
int talk_open(struct talk *talk)
{
	int on = 1;

	talk->socket = mnl_socket_open(NETLINK_GENERIC);
	if (!talk->socket || mnl_socket_bind(talk->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return kernel_refused();
	/* a kernel without them gives numbers only */
	mnl_socket_setsockopt(talk->socket, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(talk->socket, NETLINK_CAP_ACK, &on, sizeof(on));
	return resolve_family(talk);
}

/**
 * talk_close() - end it
 * @talk: open, or not
 */
void talk_close(struct talk *talk)
{
	if (talk->socket)
		mnl_socket_close(talk->socket);
}
