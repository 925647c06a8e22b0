// SPDX-License-Identifier: GPL-2.0
/*
 * `lossless monitor`: writes events as they come. When some were lost, by the kernel or
 * because we were too slow, it asks for the present state of everything and writes that, so
 * that whoever reads along ends up with the right one.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include <linux/genetlink.h>

#include "netlink.h"
#include "tool.h"
#include "watchdog.h"

/**
 * struct monitor - what has been heard
 * @events: listens
 * @states: asks
 * @seq: number of the last event that was written, or that a written state includes
 * @is_seq_known: else the next event may have any number
 * @is_behind: events were lost
 * @is_over: the module was removed
 */
struct monitor {
	struct talk events;
	struct talk states;
	uint32_t seq;
	bool is_seq_known;
	bool is_behind;
	bool is_over;
};

static const struct piece event_pieces[] = {
	{ "", LOSSLESS_A_WATCHDOG_TIME },
	{ " ", LOSSLESS_A_WATCHDOG_IFNAME },
	{ " prio ", LOSSLESS_A_WATCHDOG_PRIO },
	{ " ", LOSSLESS_A_WATCHDOG_EVENT },
	{ " cause ", LOSSLESS_A_WATCHDOG_CAUSE },
	{ " state ", LOSSLESS_A_WATCHDOG_STATE },
	{ " action ", LOSSLESS_A_WATCHDOG_ACTION },
	{ " duration ", LOSSLESS_A_WATCHDOG_DURATION },
	{ " backlog ", LOSSLESS_A_WATCHDOG_BACKLOG },
	{ " drained ", LOSSLESS_A_WATCHDOG_DRAINED },
	{ " dropped ", LOSSLESS_A_WATCHDOG_DROPPED },
	{ " ingress-dropped ", LOSSLESS_A_WATCHDOG_INGRESS_DROPPED },
	{ " storms ", LOSSLESS_A_WATCHDOG_STORMS },
	{ " restores ", LOSSLESS_A_WATCHDOG_RESTORES },
	{ " seq ", LOSSLESS_A_WATCHDOG_SEQ },
};

static const struct piece state_pieces[] = {
	{ "resync ", LOSSLESS_A_WATCHDOG_IFNAME },
	{ " prio ", LOSSLESS_A_WATCHDOG_PRIO },
	{ " state ", LOSSLESS_A_WATCHDOG_STATE },
	{ " action ", LOSSLESS_A_WATCHDOG_ACTION },
	{ " drained ", LOSSLESS_A_WATCHDOG_DRAINED },
	{ " dropped ", LOSSLESS_A_WATCHDOG_DROPPED },
	{ " ingress-dropped ", LOSSLESS_A_WATCHDOG_INGRESS_DROPPED },
	{ " storms ", LOSSLESS_A_WATCHDOG_STORMS },
	{ " restores ", LOSSLESS_A_WATCHDOG_RESTORES },
	{ " timed-out ", LOSSLESS_A_WATCHDOG_IS_TIMED_OUT },
	{ " seq ", LOSSLESS_A_WATCHDOG_SEQ },
};

/* One object a line, whatever -p says */
static void print_line_of_json(const struct report *report, bool is_event)
{
	struct json_object *object = report_json(report);

	if (!is_event)
		json_object_object_add(object, "event", json_object_new_string("resync"));
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

static void print_line(const struct report *report, bool is_event)
{
	if (json) {
		print_line_of_json(report, is_event);
	} else {
		report_print_pieces(report, is_event ? event_pieces : state_pieces,
				    is_event ? ARRAY_SIZE(event_pieces) :
					       ARRAY_SIZE(state_pieces));
		printf("\n");
	}
}

/* The first state is the oldest: events that came after it are still written. */
static void note_state(struct monitor *monitor, const struct report *report)
{
	if (monitor->is_seq_known)
		return;
	monitor->is_seq_known = true;
	monitor->seq = report->value[LOSSLESS_A_WATCHDOG_SEQ];
}

static int take_first_state(const struct nlmsghdr *n, void *data)
{
	struct report report;
	int result = report_read(n, &report);

	note_state(data, &report);
	return result;
}

static int take_state(const struct nlmsghdr *n, void *data)
{
	struct report report;
	int result = report_read(n, &report);

	note_state(data, &report);
	print_line(&report, false);
	return result;
}

static int ask_for_states(struct monitor *monitor, mnl_cb_t take)
{
	struct nlmsghdr *n = request(&monitor->states, LOSSLESS_CMD_WATCHDOG_GET);

	n->nlmsg_flags |= NLM_F_DUMP;
	monitor->is_behind = false;
	monitor->is_seq_known = false;
	return exchange(&monitor->states, n, take, monitor) ? kernel_refused() : DONE;
}

static int take_event(const struct nlmsghdr *n, struct monitor *monitor)
{
	struct report report;
	int result = report_read(n, &report);
	int32_t ahead = report.value[LOSSLESS_A_WATCHDOG_SEQ] - monitor->seq;

	if (monitor->is_seq_known && ahead <= 0)
		return result;	/* the states that were written include it */
	if (monitor->is_seq_known && ahead > 1)
		monitor->is_behind = true;
	monitor->is_seq_known = true;
	monitor->seq = report.value[LOSSLESS_A_WATCHDOG_SEQ];
	print_line(&report, true);
	return result;
}

static int find_our_family(const struct nlattr *attr, void *data)
{
	struct monitor *monitor = data;

	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
	    !mnl_attr_validate(attr, MNL_TYPE_U16) &&
	    mnl_attr_get_u16(attr) == monitor->events.family)
		monitor->is_over = true;
	return MNL_CB_OK;
}

/* Families come and go; with ours goes its group, and nothing would ever be heard again. */
static int take_family_event(const struct nlmsghdr *n, struct monitor *monitor)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(n);

	if (genl->cmd != CTRL_CMD_DELFAMILY)
		return MNL_CB_OK;
	return mnl_attr_parse(n, sizeof(*genl), find_our_family, monitor);
}

static int take_message(const struct nlmsghdr *n, void *data)
{
	struct monitor *monitor = data;

	if (n->nlmsg_type == GENL_ID_CTRL)
		return take_family_event(n, monitor);
	return n->nlmsg_type == monitor->events.family ? take_event(n, monitor) : MNL_CB_OK;
}

/* Nothing more has come. A socket that was full takes nothing until it is empty: states are
 * asked for only then, or the last event could be lost without a trace.
 */
static int wait_for_more(struct monitor *monitor, int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int status = DONE;

	if (monitor->is_over) {
		fprintf(stderr, "Error: the module sch_lossless has been removed.\n");
		return KERNEL_REFUSED;
	}
	if (monitor->is_behind)
		status = ask_for_states(monitor, take_state);
	if (fflush(stdout)) {
		fprintf(stderr, "Error: events cannot be written: %m.\n");
		return KERNEL_REFUSED;
	}
	if (!status && !monitor->is_behind)
		poll(&pollfd, 1, -1);
	return status;
}

static int follow_events(struct monitor *monitor)
{
	int fd = mnl_socket_get_fd(monitor->events.socket);
	char *buffer = monitor->events.buffer;
	int status = DONE;

	while (!status) {
		ssize_t length = recv(fd, buffer, MESSAGE_MAX, MSG_DONTWAIT);

		if (length >= 0)
			mnl_cb_run(buffer, length, 0, 0, take_message, monitor);
		else if (errno == ENOBUFS)
			monitor->is_behind = true;
		else if (errno == EAGAIN)
			status = wait_for_more(monitor, fd);
		else if (errno != EINTR)
			status = kernel_refused();
	}
	return status;
}

static int join(struct talk *talk, uint32_t group)
{
	return mnl_socket_setsockopt(talk->socket, NETLINK_ADD_MEMBERSHIP, &group,
				     sizeof(group)) ? kernel_refused() : DONE;
}

/* The group of the family of families has the number of that family. */
static int join_groups(struct talk *talk)
{
	int status = join(talk, talk->events);

	return status ? status : join(talk, GENL_ID_CTRL);
}

/**
 * run_monitor() - the command `monitor`
 * @words: after it
 *
 * Return: exit status, if there is an error; it goes on for ever otherwise
 */
int run_monitor(char **words)
{
	static struct monitor monitor;
	int status;

	if (*words)
		return bad_word(*words);
	status = talk_open(&monitor.events);
	if (!status)
		status = talk_open(&monitor.states);
	if (!status)
		status = join_groups(&monitor.events);
	if (!status)
		status = ask_for_states(&monitor, take_first_state);
	if (!status) {
		fprintf(stderr, "lossless: listening\n");
		status = follow_events(&monitor);
	}
	talk_close(&monitor.states);
	talk_close(&monitor.events);
	return status;
}
