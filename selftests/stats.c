// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics of a port as "KEY VALUE" lines, raw: `tc -j class show` prints plain text
 * before iproute2 6.2, and the plain text is scaled.
 *
 *	stats [-n NETNS] DEV		port keys, then "P.key" for each priority P
 *	stats [-n NETNS] DEV KEY...	only the values of these, each on a line of its own
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/lossless.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const char *name;
	size_t offset;
};

#define PORT(field)	{ #field, offsetof(struct tc_lossless_port_stats, field) }
static const struct key port_keys[] = {
	PORT(malformed), PORT(llfc_rx), PORT(llfc_rx_resumes), PORT(llfc_ignored),
	PORT(llfc_tx), PORT(llfc_tx_resumes), PORT(pfc_deferred), PORT(source_stamp),
	PORT(source_iif), PORT(source_lower), PORT(source_local), PORT(pause_timeouts),
	PORT(pause_timeout_drops), PORT(is_timed_out), { NULL, 0 },
};

#define PRIO(field)	{ #field, offsetof(struct tc_lossless_prio_stats, field) }
static const struct key prio_keys[] = {
	PRIO(queue_bytes), PRIO(queue_peak_bytes), PRIO(guaranteed_bytes),
	PRIO(guaranteed_peak_bytes), PRIO(shared_bytes), PRIO(shared_peak_bytes),
	PRIO(headroom_bytes), PRIO(headroom_peak_bytes), PRIO(headroom_size_bytes),
	PRIO(local_bytes), PRIO(xoff), PRIO(pfc_tx), PRIO(pfc_tx_resumes), PRIO(pfc_rx),
	PRIO(pfc_rx_resumes), PRIO(pfc_ignored), PRIO(ce_marked), PRIO(wred_drops),
	PRIO(headroom_drops), PRIO(buffer_drops), PRIO(local_drops), PRIO(txwait_ns),
	PRIO(rxwait_ns), PRIO(age_drops), PRIO(storms), PRIO(restores), PRIO(drained),
	PRIO(dropped), PRIO(ingress_dropped), PRIO(last_drained), PRIO(last_dropped),
	PRIO(last_ingress_dropped), PRIO(storm_start_ns), PRIO(storm_ns), { NULL, 0 },
};

#define KEYS_MAX	512

static int found;
static struct {
	char name[48];
	unsigned long long value;
} values[KEYS_MAX];
static unsigned int values_used;

static void add(const char *prefix, const char *name, unsigned long long value)
{
	if (values_used == KEYS_MAX)
		return;
	snprintf(values[values_used].name, sizeof(values->name), "%s%s", prefix, name);
	values[values_used++].value = value;
}

static void print_keys(const struct key *keys, const char *prefix, const void *stats)
{
	for (; keys->name; keys++)
		add(prefix, keys->name,
		    *(const unsigned long long *)((const char *)stats + keys->offset));
}

static void print_prio(const char *prefix, const struct tc_lossless_prio_stats *stats)
{
	add(prefix, "is_xoff", !!(stats->flags & TC_LOSSLESS_PRIO_XOFF));
	add(prefix, "is_paused", !!(stats->flags & TC_LOSSLESS_PRIO_PAUSED));
	add(prefix, "is_storm", !!(stats->flags & TC_LOSSLESS_PRIO_STORM));
	add(prefix, "is_untrusted", !!(stats->flags & TC_LOSSLESS_PRIO_UNTRUSTED));
	print_keys(prio_keys, prefix, stats);
}

static void print_totals(const char *prefix, const struct nlattr *attr)
{
	const struct gnet_stats_queue *queue;
	const struct gnet_stats_basic *basic;

	if (mnl_attr_get_type(attr) == TCA_STATS_BASIC) {
		basic = mnl_attr_get_payload(attr);
		add(prefix, "bytes", basic->bytes);
		add(prefix, "packets", basic->packets);
	} else if (mnl_attr_get_type(attr) == TCA_STATS_QUEUE) {
		queue = mnl_attr_get_payload(attr);
		add(prefix, "qlen", queue->qlen);
		add(prefix, "backlog", queue->backlog);
		add(prefix, "drops", queue->drops);
	}
}

static int print_message(const struct nlmsghdr *message, void *data)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr, *inner;
	char prefix[16] = "";

	if (tcm->tcm_ifindex != *(int *)data)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, message, sizeof(*tcm))
		if (mnl_attr_get_type(attr) == TCA_KIND &&
		    strcmp(mnl_attr_get_str(attr), "lossless"))
			return MNL_CB_OK;
	if (message->nlmsg_type == RTM_NEWTCLASS)
		snprintf(prefix, sizeof(prefix), "%u.", (tcm->tcm_handle & 0xffff) - 1);
	mnl_attr_for_each(attr, message, sizeof(*tcm)) {
		if (mnl_attr_get_type(attr) != TCA_STATS2)
			continue;
		mnl_attr_for_each_nested(inner, attr) {
			if (mnl_attr_get_type(inner) != TCA_STATS_APP)
				print_totals(prefix, inner);
			else if (*prefix)
				print_prio(prefix, mnl_attr_get_payload(inner));
			else
				print_keys(port_keys, prefix, mnl_attr_get_payload(inner));
		}
	}
	found++;
	return MNL_CB_OK;
}

static void dump(struct mnl_socket *socket, int type, int ifindex)
{
	static char buffer[1 << 17];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct tcmsg *tcm;
	int bytes, more = 1;

	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	tcm = mnl_nlmsg_put_extra_header(request, sizeof(*tcm));
	tcm->tcm_ifindex = ifindex;
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		exit(2);
	while (more > 0) {
		bytes = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (bytes < 0) {
			perror("stats");
			exit(2);
		}
		more = mnl_cb_run(buffer, bytes, 0, mnl_socket_get_portid(socket), print_message,
				  &ifindex);
	}
}

static int enter(const char *netns)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : setns(fd, CLONE_NEWNET);
}

static int print_value(const char *key)
{
	unsigned int i;

	for (i = 0; i < values_used; i++)
		if (!strcmp(values[i].name, key))
			return printf("%llu\n", values[i].value) < 0;
	fprintf(stderr, "stats: no key \"%s\"\n", key);
	return 3;
}

static int print_all(void)
{
	unsigned int i;

	for (i = 0; i < values_used; i++)
		printf("%s %llu\n", values[i].name, values[i].value);
	return 0;
}

int main(int argc, char **argv)
{
	struct mnl_socket *socket;
	int ifindex, status = 0;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		if (enter(argv[2])) {
			perror(argv[2]);
			return 1;
		}
		argc -= 2;
		argv += 2;
	}
	ifindex = argc > 1 ? if_nametoindex(argv[1]) : 0;
	socket = mnl_socket_open(NETLINK_ROUTE);
	if (!ifindex || !socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID)) {
		fprintf(stderr, "usage: stats [-n NETNS] DEV [KEY]... (%s)\n", strerror(errno));
		return 1;
	}
	dump(socket, RTM_GETQDISC, ifindex);
	dump(socket, RTM_GETTCLASS, ifindex);
	mnl_socket_close(socket);
	if (!found)
		return 3;
	if (argc == 2)
		return print_all();
	for (argv += 2; *argv; argv++)
		status |= print_value(*argv);
	return status;
}
