// SPDX-License-Identifier: GPL-2.0
/*
 * Sends tc attributes of `lossless` that the tc plugin would not send, to see what the kernel
 * makes of them: the plugin checks a command line, but anybody can send a message.
 *
 *	badattr DEV WORD...		a change of the root qdisc of DEV
 *	badattr -c DEV WORD...		the same, but create or replace
 *
 *	NAME/BYTES=VALUE	an attribute, in a nest if it stands in one; VALUE, in this
 *				machine's order of bytes, may be negative; zero without it
 *	NAME: ... end		a nest, as in PRIO: PRIO_INDEX/1=3 end
 *
 * NAME is that of linux/lossless.h without TCA_LOSSLESS_, or a number. Says what the kernel
 * says; exit 0: accepted, 2: refused, 1: bad words.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/lossless.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTS_MAX	4
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define NAME(name)	{ #name, TCA_LOSSLESS_##name }

static const struct {
	const char *name;
	unsigned int id;
} names[] = {
	NAME(VERSION), NAME(RATE64), NAME(OVERHEAD), NAME(BURST), NAME(KEEP_GSO), NAME(KEEP_SOCKET),
	NAME(TRUST), NAME(DSCP_MAP), NAME(PCP_MAP), NAME(MAP_ENTRY), NAME(DEFAULT_PRIO),
	NAME(CABLE_CM), NAME(RESPONSE), NAME(PFC), NAME(PFC_RX), NAME(LLFC), NAME(QUANTA),
	NAME(CELL), NAME(PRIO), NAME(LINK_RATE64), NAME(PRIO_INDEX), NAME(PRIO_LOSSLESS),
	NAME(PRIO_WEIGHT), NAME(PRIO_GUARANTEED), NAME(PRIO_ALPHA), NAME(PRIO_XOFF),
	NAME(PRIO_XON), NAME(PRIO_XON_OFFSET), NAME(PRIO_HEADROOM), NAME(PRIO_HEADROOM_AUTO),
	NAME(PRIO_LIMIT), NAME(PRIO_ECN), NAME(PRIO_KMIN), NAME(PRIO_KMAX), NAME(PRIO_PMAX),
	NAME(PRIO_WRED), NAME(PRIO_MAX_AGE64), NAME(WATCHDOG), NAME(DETECT64), NAME(RESTORE),
	NAME(RESTORE_TIME64), NAME(ACTION), NAME(WINDOW64), NAME(DUTY), NAME(UNTRUST),
	NAME(UNTRUST_TIME64), NAME(INGRESS_PASS), NAME(PAUSE_TIMEOUT64),
};

static int find_id(const char *name)
{
	unsigned int i;
	char *end;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].id;
	i = strtoul(name, &end, 10);
	return *end ? -1 : (int)i;
}

static int bad_word(const char *word)
{
	fprintf(stderr, "badattr: not NAME/BYTES[=VALUE], NAME: or end: \"%s\"\n", word);
	return -1;
}

static void put_value(struct nlmsghdr *message, unsigned int id, unsigned int bytes,
		      long long value)
{
	char data[256] = "";

	/* the machine is little-endian, as all that run these tests */
	memcpy(data, &value, sizeof(value));
	mnl_attr_put(message, id, bytes < sizeof(data) ? bytes : sizeof(data), data);
}

static int put_words(struct nlmsghdr *message, char **words)
{
	struct nlattr *nests[NESTS_MAX];
	unsigned int depth = 0, bytes;
	char name[32], sign;
	long long value;

	for (; *words; words++) {
		value = 0;
		if (!strcmp(*words, "end") && depth) {
			mnl_attr_nest_end(message, nests[--depth]);
			continue;
		}
		if (sscanf(*words, "%31[A-Z0-9_]%c", name, &sign) != 2 || find_id(name) < 0)
			return bad_word(*words);
		if (sign == ':' && depth < NESTS_MAX)
			nests[depth++] = mnl_attr_nest_start(message, find_id(name));
		else if (sscanf(*words, "%31[A-Z0-9_]/%u=%lli", name, &bytes, &value) >= 2)
			put_value(message, find_id(name), bytes, value);
		else
			return bad_word(*words);
	}
	return depth ? bad_word("(no end)") : 0;
}

static int find_message(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
		*(const char **)data = mnl_attr_get_str(attr);
	return MNL_CB_OK;
}

static int show_answer(const struct nlmsghdr *answer)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(answer);
	const char *text = NULL;

	if (answer->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(answer, sizeof(*error), find_message, &text);
	if (text)
		printf("%s\n", text);
	else if (error->error)
		printf("(no message: %s)\n", strerror(-error->error));
	return error->error ? 2 : 0;
}

static struct mnl_socket *open_socket(void)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_ROUTE);
	int on = 1;

	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID)) {
		perror("badattr");
		exit(1);
	}
	mnl_socket_setsockopt(socket, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(socket, NETLINK_CAP_ACK, &on, sizeof(on));
	return socket;
}

static struct nlmsghdr *put_request(char *buffer, const char *dev, bool create)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct tcmsg *tcm;

	message->nlmsg_type = RTM_NEWQDISC;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (create)
		message->nlmsg_flags |= NLM_F_CREATE | NLM_F_REPLACE;
	tcm = mnl_nlmsg_put_extra_header(message, sizeof(*tcm));
	tcm->tcm_family = AF_UNSPEC;
	tcm->tcm_ifindex = if_nametoindex(dev);
	tcm->tcm_parent = TC_H_ROOT;
	tcm->tcm_handle = create ? TC_H_MAKE(1 << 16, 0) : 0;
	mnl_attr_put_strz(message, TCA_KIND, "lossless");
	return message;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	bool create = argc > 1 && !strcmp(argv[1], "-c");
	char **words = argv + 1 + create;
	struct mnl_socket *socket;
	struct nlmsghdr *message;
	struct nlattr *options;

	if (!*words || !if_nametoindex(*words)) {
		fprintf(stderr, "usage: badattr [-c] DEV WORD...\n");
		return 1;
	}
	socket = open_socket();
	message = put_request(buffer, *words, create);
	options = mnl_attr_nest_start(message, TCA_OPTIONS);
	if (put_words(message, words + 1))
		return 1;
	mnl_attr_nest_end(message, options);
	if (mnl_socket_sendto(socket, message, message->nlmsg_len) < 0 ||
	    mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) < 0) {
		perror("badattr");
		return 1;
	}
	return show_answer((struct nlmsghdr *)buffer);
}
