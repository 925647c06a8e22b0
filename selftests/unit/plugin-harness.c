// SPDX-License-Identifier: GPL-2.0
/*
 * Loads q_lossless.so as tc does, without tc and without a kernel.
 *
 *	plugin-harness PLUGIN attributes WORD...	what a command line puts on the wire
 *	plugin-harness PLUGIN text WORD...		those attributes as a dump would print
 *	plugin-harness PLUGIN json WORD...		... in JSON
 *	plugin-harness PLUGIN again WORD...		text, read again: the same bits?
 *	plugin-harness PLUGIN dump|dump-json NAME/BYTES=VALUE...
 *			text or JSON of attributes that no command line puts together
 *	plugin-harness PLUGIN stats|stats-json port|prio LENGTH FLAGS [OFFSET=VALUE]...
 *	plugin-harness PLUGIN message|class-message FILE WORD...
 *			a dump of one port, or of one priority, for `tc monitor file` and the like
 *	plugin-harness PLUGIN hint WORD...		as `tc qdisc add`
 *
 * The functions of tc that the plugin uses behave as those of iproute2 6.1. Status: 1 if
 * the plugin refuses, 2 if the harness itself fails.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/lossless.h>
#include <linux/pkt_sched.h>
#include <stdlib.h>
#include <string.h>

#include "tc_abi.h"

#define WORDS_MAX	1024

static bool json;
static bool json_comma;
static FILE *out;

/* What tc exports */

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data, int alen)
{
	unsigned int length = RTA_LENGTH(alen);
	struct rtattr *attr;

	if (NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(length) > (unsigned int)maxlen)
		return -1;
	attr = (struct rtattr *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));
	attr->rta_type = type;
	attr->rta_len = length;
	if (alen)
		memcpy(RTA_DATA(attr), data, alen);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(length);
	return 0;
}

int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta, int len,
		       unsigned short flags)
{
	memset(tb, 0, sizeof(*tb) * (max + 1));
	for (; RTA_OK(rta, len); rta = RTA_NEXT(rta, len)) {
		int type = rta->rta_type & ~flags;

		if (type <= max && !tb[type])
			tb[type] = rta;
	}
	if (len)
		fprintf(stderr, "!!!Deficit %d, rta_len=%d\n", len, rta->rta_len);
	return 0;
}

void print_nl(void)
{
	if (!json)
		fputc('\n', out);
}

static bool begins_json(enum output_type type, const char *key)
{
	if (!json || !(type & (PRINT_JSON | PRINT_ANY)))
		return false;
	if (json_comma)
		fputc(',', out);
	if (key)
		fprintf(out, "\"%s\":", key);
	json_comma = true;
	return true;
}

static bool is_text(enum output_type type)
{
	return !json && type & (PRINT_FP | PRINT_ANY);
}

void open_json_object(const char *key)
{
	if (begins_json(PRINT_JSON, key))
		fputc('{', out);
	json_comma = false;
}

void close_json_object(void)
{
	if (json)
		fputc('}', out);
	json_comma = true;
}

void open_json_array(enum output_type type, const char *key)
{
	if (begins_json(type, key))
		fputc('[', out);
	else if (is_text(type))
		fputs(key, out);
	json_comma = false;
}

void close_json_array(enum output_type type, const char *text)
{
	if (json && type & (PRINT_JSON | PRINT_ANY))
		fputc(']', out);
	else if (is_text(type))
		fputs(text, out);
	json_comma = true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
int print_color_string(enum output_type type, enum color_attr color, const char *key,
		       const char *fmt, const char *value)
{
	(void)color;
	if (begins_json(type, key))
		return fprintf(out, "\"%s\"", value);
	return is_text(type) ? fprintf(out, fmt, value) : 0;
}

int print_color_u64(enum output_type type, enum color_attr color, const char *key,
		    const char *fmt, uint64_t value)
{
	(void)color;
	if (begins_json(type, key))
		return fprintf(out, "%" PRIu64, value);
	return is_text(type) ? fprintf(out, fmt, value) : 0;
}

int print_color_int(enum output_type type, enum color_attr color, const char *key,
		    const char *fmt, int value)
{
	(void)color;
	if (begins_json(type, key))
		return fprintf(out, "%d", value);
	return is_text(type) ? fprintf(out, fmt, value) : 0;
}

int print_color_bool(enum output_type type, enum color_attr color, const char *key,
		     const char *fmt, bool value)
{
	(void)color;
	if (begins_json(type, key))
		return fprintf(out, value ? "true" : "false");
	return is_text(type) ? fprintf(out, fmt, value ? "true" : "false") : 0;
}

int print_color_null(enum output_type type, enum color_attr color, const char *key,
		     const char *fmt, const char *value)
{
	(void)color;
	if (begins_json(type, key))
		return fprintf(out, "null");
	return is_text(type) ? fprintf(out, fmt, value) : 0;
}

#pragma GCC diagnostic pop

/* Attributes by name, in the order of the uapi header */

static const char *const port_names[] = {
	"unspec", "pad", "version", "rate64", "overhead", "burst", "keep_gso", "keep_socket",
	"trust", "dscp_map", "pcp_map", "default_prio", "cable_cm", "response", "pfc", "pfc_rx",
	"llfc", "quanta", "cell", "prio", "link_rate64", "watchdog", "detect64", "restore",
	"restore_time64", "action", "window64", "duty", "untrust", "untrust_time64", "ingress_pass",
	"pause_timeout64",
};

static const char *const prio_names[] = {
	"unspec", "pad", "index", "lossless", "weight", "guaranteed", "alpha", "xoff", "xon",
	"xon_offset", "headroom", "headroom_auto", "limit", "ecn", "kmin", "kmax", "pmax", "wred",
	"max_age64",
};

_Static_assert(sizeof(port_names) / sizeof(*port_names) == TCA_LOSSLESS_MAX + 1,
	       "port_names and the header differ");
_Static_assert(sizeof(prio_names) / sizeof(*prio_names) == TCA_LOSSLESS_PRIO_MAX + 1,
	       "prio_names and the header differ");

static void print_map(const struct rtattr *map)
{
	const struct rtattr *attr = RTA_DATA(map);
	int left = RTA_PAYLOAD(map);

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		const struct tc_lossless_map_entry *entry = RTA_DATA(attr);

		printf("%s%u:%u", attr == RTA_DATA(map) ? "" : ",", entry->from, entry->priority);
	}
}

/* "name/bytes=value", alpha with its sign */
static void print_value(const char *name, const struct rtattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, RTA_DATA(attr), RTA_PAYLOAD(attr) > 8 ? 8 : RTA_PAYLOAD(attr));
	printf("%s/%u=", name, (unsigned int)RTA_PAYLOAD(attr));
	if (!strcmp(name, "alpha"))
		printf("%d", (int8_t)value);
	else
		printf("%" PRIu64, value);
}

static void print_attributes(const struct rtattr *nest, bool in_prio)
{
	const struct rtattr *attr = RTA_DATA(nest);
	int left = RTA_PAYLOAD(nest);

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		int type = attr->rta_type & NLA_TYPE_MASK;

		printf("%s", attr == RTA_DATA(nest) ? "" : " ");
		if (!in_prio && type == TCA_LOSSLESS_PRIO) {
			printf("prio{");
			print_attributes(attr, true);
			printf("}");
		} else if (!in_prio && (type == TCA_LOSSLESS_DSCP_MAP ||
					type == TCA_LOSSLESS_PCP_MAP)) {
			printf("%s{", port_names[type]);
			print_map(attr);
			printf("}");
		} else {
			print_value(in_prio ? prio_names[type] : port_names[type], attr);
		}
	}
}

/* A message as tc has it when it calls the plugin */
struct request {
	struct nlmsghdr n;
	struct tcmsg tc;
	char attributes[TC_MESSAGE_MAX];
};

static struct qdisc_util *plugin;

static int fail(const char *what)
{
	fprintf(stderr, "plugin-harness: %s\n", what);
	exit(2);
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	plugin = library ? dlsym(library, "lossless_qdisc_util") : NULL;
	if (!plugin)
		fail(dlerror());
	if (strcmp(plugin->id, "lossless"))
		fail("the plugin has another id");
}

static void begin(struct request *request, int type, int flags)
{
	memset(request, 0, sizeof(*request));
	request->n.nlmsg_len = NLMSG_LENGTH(sizeof(request->tc));
	request->n.nlmsg_type = type;
	request->n.nlmsg_flags = flags;
	request->tc.tcm_ifindex = 1;
	request->tc.tcm_handle = 0x10000;
	request->tc.tcm_parent = TC_H_ROOT;
	request->tc.tcm_info = 1;
}

/* TCA_OPTIONS is the last attribute, and its place is known. */
static struct rtattr *read_command(struct request *request, int argc, char **argv)
{
	struct rtattr *options = (void *)((char *)request + request->n.nlmsg_len);

	if (plugin->parse_qopt(plugin, argc, argv, &request->n, "lo"))
		exit(1);
	if (options->rta_type != (TCA_OPTIONS | NLA_F_NESTED) ||
	    (char *)options + options->rta_len != (char *)request + request->n.nlmsg_len)
		fail("the message is malformed");
	return options;
}

static int split(char *text, char **words)
{
	int n = 0;

	for (text = strtok(text, "\n "); text && n < WORDS_MAX; text = strtok(NULL, "\n "))
		words[n++] = text;
	return n;
}

static int check_again(struct rtattr *options)
{
	static struct request second;
	char *text, *words[WORDS_MAX];
	struct rtattr *again;
	size_t size;

	out = open_memstream(&text, &size);
	plugin->print_qopt(plugin, out, options);
	fclose(out);
	printf("%s\n", text);
	begin(&second, RTM_NEWQDISC, 0);
	again = read_command(&second, split(text, words), words);
	if (again->rta_len != options->rta_len || memcmp(again, options, again->rta_len)) {
		printf("read again: ");
		print_attributes(again, false);
		printf("\n");
		return 1;
	}
	return 0;
}

/* "264=1000000000" */
static void set_counter(char *stats, size_t size, const char *text)
{
	size_t offset;
	uint64_t value;

	if (sscanf(text, "%zu=%" SCNu64, &offset, &value) != 2 || offset + sizeof(value) > size)
		fail("not OFFSET=VALUE");
	memcpy(stats + offset, &value, sizeof(value));
}

/* Each counter its own offset, so that a swapped pair shows. */
static int show_stats(int argc, char **argv)
{
	struct {
		struct rtattr attr;
		uint32_t words[256];
	} stats = { 0 };
	uint64_t i, value;

	if (argc < 3)
		fail("stats needs port|prio LENGTH FLAGS");
	for (i = 8; i < 512; i += 8) {
		value = i * 1000;
		memcpy((char *)stats.words + i, &value, sizeof(value));
	}
	stats.words[0] = strcmp(argv[0], "port") ? TC_LOSSLESS_STATS_PRIO : TC_LOSSLESS_STATS_PORT;
	stats.words[1] = strtoul(argv[2], NULL, 0);
	stats.attr.rta_len = RTA_LENGTH(strtoul(argv[1], NULL, 0));
	for (argv += 3; *argv; argv++)
		set_counter((char *)stats.words, sizeof(stats.words), *argv);
	if (json)
		open_json_object(NULL);
	plugin->print_xstats(plugin, out, &stats.attr);
	if (json)
		close_json_object();
	print_nl();
	return 0;
}

static void add_statistics(struct request *request, int type)
{
	struct rtattr *stats = (void *)((char *)request + request->n.nlmsg_len);
	uint32_t words[256] = { type, 3 };
	uint64_t basic[2] = { 1500, 1 };
	uint32_t queue[5] = { 0 };

	addattr_l(&request->n, sizeof(*request), TCA_STATS2, NULL, 0);
	addattr_l(&request->n, sizeof(*request), TCA_STATS_BASIC, basic, sizeof(basic));
	addattr_l(&request->n, sizeof(*request), TCA_STATS_QUEUE, queue, sizeof(queue));
	addattr_l(&request->n, sizeof(*request), TCA_STATS_APP, words,
		  type == TC_LOSSLESS_STATS_PORT ? sizeof(struct tc_lossless_port_stats) :
		  sizeof(struct tc_lossless_prio_stats));
	stats->rta_len = (char *)request + request->n.nlmsg_len - (char *)stats;
}

static int write_message(int argc, char **argv, bool is_class)
{
	static struct request request;
	FILE *file;

	if (argc < 1)
		fail("message needs FILE");
	begin(&request, is_class ? RTM_NEWTCLASS : RTM_NEWQDISC, 0);
	request.tc.tcm_handle |= is_class ? 4 : 0;
	request.tc.tcm_info = 0;
	addattr_l(&request.n, sizeof(request), TCA_KIND, "lossless", sizeof("lossless"));
	read_command(&request, argc - 1, argv + 1);
	add_statistics(&request, is_class ? TC_LOSSLESS_STATS_PRIO : TC_LOSSLESS_STATS_PORT);
	file = fopen(argv[0], "w");
	if (!file || fwrite(&request, NLMSG_ALIGN(request.n.nlmsg_len), 1, file) != 1 ||
	    fclose(file))
		fail("cannot write the message");
	return 0;
}

/* As print_value() writes it */
static void put_attribute(struct nlmsghdr *n, const char *text)
{
	const int last = sizeof(port_names) / sizeof(*port_names) - 1;
	int type, bytes;
	uint64_t value;
	char name[32];

	if (sscanf(text, "%31[a-z0-9_]/%d=%" SCNu64, name, &bytes, &value) != 3 || bytes > 8)
		fail("not NAME/BYTES=VALUE");
	for (type = last; type && strcmp(port_names[type], name); type--)
		;
	/* this machine is little-endian, as all that run these tests */
	addattr_l(n, TC_MESSAGE_MAX, type, &value, bytes);
}

static struct rtattr *put_attributes(struct nlmsghdr *n, char **words)
{
	struct rtattr *options = (void *)((char *)n + n->nlmsg_len);

	addattr_l(n, TC_MESSAGE_MAX, TCA_OPTIONS | NLA_F_NESTED, NULL, 0);
	for (; *words; words++)
		put_attribute(n, *words);
	options->rta_len = (char *)n + n->nlmsg_len - (char *)options;
	return options;
}

static int show_options(struct rtattr *options)
{
	if (json)
		open_json_object(NULL);
	plugin->print_qopt(plugin, out, options);
	if (json)
		close_json_object();
	print_nl();
	return 0;
}

int main(int argc, char **argv)
{
	static struct request request;
	struct rtattr *options;
	const char *mode;

	if (argc < 3)
		fail("usage: plugin-harness PLUGIN MODE WORD...");
	out = stdout;
	load(argv[1]);
	mode = argv[2];
	argc -= 3;
	argv += 3;
	json = strstr(mode, "json");
	if (!strncmp(mode, "stats", 5))
		return show_stats(argc, argv);
	if (strstr(mode, "message"))
		return write_message(argc, argv, strstr(mode, "class"));
	begin(&request, RTM_NEWQDISC, strcmp(mode, "hint") ? 0 : NLM_F_CREATE | NLM_F_EXCL);
	if (!strncmp(mode, "dump", 4))
		return show_options(put_attributes(&request.n, argv));
	options = read_command(&request, argc, argv);
	if (!strcmp(mode, "again"))
		return check_again(options);
	if (!strcmp(mode, "attributes") || !strcmp(mode, "hint")) {
		print_attributes(options, false);
		printf("\n");
		return 0;
	}
	return show_options(options);
}
