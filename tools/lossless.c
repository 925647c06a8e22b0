// SPDX-License-Identifier: GPL-2.0
/*
 * lossless: what belongs to a network namespace's switch as a whole, over the generic
 * netlink family `lossless`. What belongs to one port is tc's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/lossless.h>

#include "units.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define NETNS_DIR	"/run/netns/"
#define MESSAGE_MAX	8192

enum exit_status {
	DONE = 0,
	BAD_USAGE = 1,
	KERNEL_REFUSED = 2,
};

static bool json, pretty;

static void print_usage(FILE *f)
{
	fprintf(f,
		"Usage: lossless [ OPTIONS ] buffer [ show ]\n"
		"       lossless [ OPTIONS ] buffer set [ size auto|SIZE ] [ headroom-pool SIZE ] [ cell BYTES ]\n"
		"OPTIONS := -j, --json      print JSON\n"
		"           -p, --pretty    ... on many lines\n"
		"           -n, --netns NAME  the buffer of that network namespace\n"
		"           -V, --version   print the version of the interface to the kernel\n"
		"           -h, --help      print this\n");
}

static int bad_usage(void)
{
	print_usage(stderr);
	return BAD_USAGE;
}

/* Talking to the kernel */

/**
 * struct talk - one open conversation
 * @socket: generic netlink
 * @family: the number of the family `lossless`
 * @sequence: of the last request
 * @buffer: for a message, in both directions
 */
struct talk {
	struct mnl_socket *socket;
	uint16_t family;
	uint32_t sequence;
	char buffer[MESSAGE_MAX];
};

static struct nlmsghdr *request(struct talk *talk, uint16_t family, uint8_t command,
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

static int find_message(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
		*(const char **)data = mnl_attr_get_str(attr);
	return MNL_CB_OK;
}

/* The sentence of the kernel's extended acknowledgment, if there is one. */
static const char *kernel_message(const struct nlmsghdr *n)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(n);
	unsigned int offset = sizeof(*error);
	const char *message = NULL;

	if (!(n->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(n->nlmsg_flags & NLM_F_CAPPED))
		offset += mnl_nlmsg_get_payload_len(&error->msg);
	if (mnl_attr_parse(n, offset, find_message, &message) == MNL_CB_ERROR)
		return NULL;
	return message;
}

static int take_error(const struct nlmsghdr *n, void *data)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(n);
	const char *message;

	(void)data;
	if (mnl_nlmsg_get_payload_len(n) < sizeof(*error)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	message = kernel_message(n);
	if (message)
		fprintf(stderr, "%s: %s\n", error->error ? "Error" : "Warning", message);
	errno = message ? 0 : -error->error;	/* 0: already told */
	return error->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

static mnl_cb_t control_callbacks[NLMSG_MIN_TYPE] = {
	[NLMSG_ERROR] = take_error,
};

/* Return: 0 once the kernel has acknowledged; else -1, and errno is 0 if the kernel
 * said why in words, which then are on stderr.
 */
static int exchange(struct talk *talk, const struct nlmsghdr *n, mnl_cb_t answer, void *data)
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

static int kernel_refused(void)
{
	if (errno)
		fprintf(stderr, "Error: the kernel answers: %s.\n", strerror(errno));
	return KERNEL_REFUSED;
}

static int find_family(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
	    !mnl_attr_validate(attr, MNL_TYPE_U16))
		*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static int take_family(const struct nlmsghdr *n, void *data)
{
	return mnl_attr_parse(n, sizeof(struct genlmsghdr), find_family, data);
}

static int resolve_family(struct talk *talk)
{
	struct nlmsghdr *n = request(talk, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);

	mnl_attr_put_strz(n, CTRL_ATTR_FAMILY_NAME, LOSSLESS_GENL_NAME);
	if (!exchange(talk, n, take_family, &talk->family) && talk->family)
		return DONE;
	if (errno && errno != ENOENT)
		return kernel_refused();
	fprintf(stderr,
		"Error: the module sch_lossless is not loaded: the kernel has no generic netlink family \"%s\".\n",
		LOSSLESS_GENL_NAME);
	return KERNEL_REFUSED;
}

static int talk_open(struct talk *talk)
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

static void talk_close(struct talk *talk)
{
	if (talk->socket)
		mnl_socket_close(talk->socket);
}

/* buffer show */

struct buffer {
	uint64_t value[LOSSLESS_A_BUFFER_MAX + 1];
	bool given[LOSSLESS_A_BUFFER_MAX + 1];
};

static int read_value(const struct nlattr *attr, void *data)
{
	unsigned int type = mnl_attr_get_type(attr);
	struct buffer *buffer = data;

	if (type > LOSSLESS_A_BUFFER_MAX)
		return MNL_CB_OK;	/* a newer module's */
	if (!mnl_attr_validate(attr, MNL_TYPE_U64))
		buffer->value[type] = mnl_attr_get_u64(attr);
	else if (!mnl_attr_validate(attr, MNL_TYPE_U32))
		buffer->value[type] = mnl_attr_get_u32(attr);
	else
		return MNL_CB_OK;
	buffer->given[type] = true;
	return MNL_CB_OK;
}

static int take_buffer(const struct nlmsghdr *n, void *data)
{
	return mnl_attr_parse(n, sizeof(struct genlmsghdr), read_value, data);
}

/**
 * struct field - one attribute in the output
 * @text: the words before its value; those of the first line are input of `set`
 * @key: in JSON
 * @attr: LOSSLESS_A_BUFFER_*
 * @kind: how text writes it
 * @or_word: what text writes for 0 instead, or NULL
 */
struct field {
	const char *text;
	const char *key;
	int attr;
	enum number_kind kind;
	const char *or_word;
};

static const struct field fields[] = {
	{ "size ", "size", LOSSLESS_A_BUFFER_SIZE, NUMBER_SIZE, "auto" },
	{ " headroom-pool ", "headroom_pool", LOSSLESS_A_BUFFER_HEADROOM_POOL, NUMBER_SIZE, NULL },
	{ " cell ", "cell", LOSSLESS_A_BUFFER_CELL, NUMBER_COUNT, NULL },
	{ "\n  ports ", "ports", LOSSLESS_A_BUFFER_PORTS, NUMBER_COUNT, NULL },
	{ " reserved ", "reserved", LOSSLESS_A_BUFFER_RESERVED, NUMBER_SIZE, NULL },
	{ "\n  shared ", "shared", LOSSLESS_A_BUFFER_SHARED, NUMBER_SIZE, NULL },
	{ " used ", "shared_used", LOSSLESS_A_BUFFER_SHARED_USED, NUMBER_SIZE, NULL },
	{ " peak ", "shared_peak", LOSSLESS_A_BUFFER_SHARED_PEAK, NUMBER_SIZE, NULL },
	{ "\n  headroom-pool used ", "headroom_pool_used", LOSSLESS_A_BUFFER_HEADROOM_POOL_USED,
	  NUMBER_SIZE, NULL },
};

static void print_buffer_text(const struct buffer *buffer)
{
	char text[NUMBER_TEXT_SIZE];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];
		uint64_t value = buffer->value[f->attr];

		if (buffer->given[f->attr])
			printf("%s%s", f->text, !value && f->or_word ? f->or_word :
			       number_format(f->kind, value, text));
	}
	printf("\n");
}

/* Raw values; what an older module does not send is null. */
static void print_buffer_json(const struct buffer *buffer)
{
	struct json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		int attr = fields[i].attr;

		json_object_object_add(object, fields[i].key, buffer->given[attr] ?
				       json_object_new_int64(buffer->value[attr]) : NULL);
	}
	json_object_object_add(object, "size_auto",
			       json_object_new_boolean(!buffer->value[LOSSLESS_A_BUFFER_SIZE]));
	printf("%s\n", json_object_to_json_string_ext(object, pretty ? JSON_C_TO_STRING_PRETTY :
						      JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

static int buffer_show(struct talk *talk)
{
	struct buffer buffer = { 0 };
	struct nlmsghdr *n;
	int status = talk_open(talk);

	if (status)
		return status;
	n = request(talk, talk->family, LOSSLESS_CMD_BUFFER_GET, LOSSLESS_GENL_VERSION);
	if (exchange(talk, n, take_buffer, &buffer))
		return kernel_refused();
	if (json)
		print_buffer_json(&buffer);
	else
		print_buffer_text(&buffer);
	return DONE;
}

/* buffer set */

/**
 * struct setting - a word of `buffer set`
 * @name: the word
 * @takes: what must follow
 * @number: its range; or_word stands for 0
 * @attr: LOSSLESS_A_BUFFER_*
 */
struct setting {
	const char *name;
	const char *takes;
	struct number number;
	int attr;
};

static const struct setting settings[] = {
	{ "size", "auto or SIZE", { NUMBER_SIZE, LOSSLESS_SIZE_MIN, LOSSLESS_SIZE_MAX, "auto" },
	  LOSSLESS_A_BUFFER_SIZE },
	{ "headroom-pool", "SIZE", { NUMBER_SIZE, 0, LOSSLESS_SIZE_MAX, NULL },
	  LOSSLESS_A_BUFFER_HEADROOM_POOL },
	{ "cell", "BYTES", { NUMBER_COUNT, 1, LOSSLESS_CELL_MAX, NULL },
	  LOSSLESS_A_BUFFER_CELL },
};

static const struct setting *find_setting(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

static int read_setting(const struct setting *s, const char *text, struct buffer *buffer)
{
	if (!text) {
		fprintf(stderr, "Error: %s needs a value: %s.\n", s->name, s->takes);
		return -1;
	}
	if (buffer->given[s->attr]) {
		fprintf(stderr, "Error: duplicate \"%s\": \"%s\" is the second value.\n", s->name,
			text);
		return -1;
	}
	buffer->given[s->attr] = true;
	if (s->number.or_word && !strcmp(text, s->number.or_word))
		return 0;
	return number_parse(&s->number, s->name, text, &buffer->value[s->attr]);
}

/* All of the command line is read before anything is sent. */
static int read_settings(char **words, struct buffer *buffer)
{
	const struct setting *s;

	if (!*words)
		return bad_usage();
	for (; *words; words += 2) {
		s = find_setting(*words);
		if (!s) {
			fprintf(stderr, "What is \"%s\"?\n", *words);
			return bad_usage();
		}
		if (read_setting(s, words[1], buffer))
			return BAD_USAGE;
	}
	return DONE;
}

static void put_settings(struct nlmsghdr *n, const struct buffer *buffer)
{
	if (buffer->given[LOSSLESS_A_BUFFER_SIZE])
		mnl_attr_put_u64(n, LOSSLESS_A_BUFFER_SIZE,
				 buffer->value[LOSSLESS_A_BUFFER_SIZE]);
	if (buffer->given[LOSSLESS_A_BUFFER_HEADROOM_POOL])
		mnl_attr_put_u64(n, LOSSLESS_A_BUFFER_HEADROOM_POOL,
				 buffer->value[LOSSLESS_A_BUFFER_HEADROOM_POOL]);
	if (buffer->given[LOSSLESS_A_BUFFER_CELL])
		mnl_attr_put_u32(n, LOSSLESS_A_BUFFER_CELL,
				 buffer->value[LOSSLESS_A_BUFFER_CELL]);
}

static int buffer_set(struct talk *talk, char **words)
{
	struct buffer buffer = { 0 };
	struct nlmsghdr *n;
	int status = read_settings(words, &buffer);

	if (!status)
		status = talk_open(talk);
	if (status)
		return status;
	n = request(talk, talk->family, LOSSLESS_CMD_BUFFER_SET, LOSSLESS_GENL_VERSION);
	put_settings(n, &buffer);
	return exchange(talk, n, NULL, NULL) ? kernel_refused() : DONE;
}

/* The command line */

static int run_buffer(char **words)
{
	static struct talk talk;
	int status;

	if (!*words || (!strcmp(*words, "show") && !words[1])) {
		status = buffer_show(&talk);
	} else if (!strcmp(*words, "set")) {
		status = buffer_set(&talk, words + 1);
	} else {
		fprintf(stderr, "What is \"%s\"?\n", words[strcmp(*words, "show") ? 0 : 1]);
		return bad_usage();
	}
	talk_close(&talk);
	return status;
}

static int run(char **words)
{
	if (!*words)
		return bad_usage();
	if (!strcmp(*words, "help")) {
		print_usage(stdout);
		return DONE;
	}
	if (!strcmp(*words, "buffer"))
		return run_buffer(words + 1);
	fprintf(stderr, "What is \"%s\"?\n", *words);
	return bad_usage();
}

static int enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s", NETNS_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "Error: netns \"%s\" cannot be opened: %s.\n", name,
			strerror(errno));
		return BAD_USAGE;
	}
	if (setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "Error: netns \"%s\" cannot be entered: %s.\n", name,
			strerror(errno));
		return KERNEL_REFUSED;
	}
	close(fd);
	return DONE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *netns = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "+jpn:Vh", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'p':
			pretty = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'V':
			printf("lossless, interface version %d\n", LOSSLESS_GENL_VERSION);
			return DONE;
		case 'h':
			print_usage(stdout);
			return DONE;
		default:
			return bad_usage();
		}
	}
	status = netns ? enter_netns(netns) : DONE;
	return status ? status : run(argv + optind);
}
