// SPDX-License-Identifier: GPL-2.0
/*
 * Command line -> netlink attributes. Options are three tables, those of the port, of its
 * watchdog and of a priority; an option is written into the message as it is read, so a
 * message holds what the user gave and nothing else. Only what is wrong by itself is refused
 * here; what fits together, and fits the buffer, is for the kernel to say.
 */
#include <string.h>

#include "plugin.h"
#include "units.h"

#define OPTION_NAME_SIZE	64

/**
 * struct parser - how far a command line is read
 * @n: the message
 * @argc: words left, the current one included
 * @argv: the current word
 * @section: the open nest of a priority, or NULL
 * @prio: that priority
 * @prios: a bit for each priority that had its section
 * @watchdog: the options of the watchdog follow its word, as long as no other option stands
 *	between; after "off" none may
 * @port_given: options of the port so far, by attribute
 * @prio_given: options of this section so far, by attribute
 * @pfc: the text of a pfc list with a priority in it, or NULL
 * @llfc: "llfc on" was given
 * @lossy: "lossy" was given in this section
 */
struct parser {
	struct nlmsghdr *n;
	int argc;
	char **argv;
	struct rtattr *section;
	unsigned int prio;
	unsigned int prios;
	enum { WATCHDOG_CLOSED, WATCHDOG_ON, WATCHDOG_OFF } watchdog;
	const char *port_given[TCA_LOSSLESS_MAX + 1];
	const char *prio_given[TCA_LOSSLESS_PRIO_MAX + 1];
	const char *pfc;
	bool llfc;
	bool lossy;
};

/**
 * struct option - a word of the grammar
 * @name: the word
 * @takes: what must follow, as usage writes it; NULL if nothing must
 * @attr: the attribute that it sets; options with the same exclude each other
 * @bytes: its length on the wire
 * @number: the range of the value
 * @value: for a word that is a value itself
 * @parse: reads what follows and writes it
 */
struct option {
	const char *name;
	const char *takes;
	int attr;
	int bytes;
	struct number number;
	unsigned int value;
	int (*parse)(struct parser *p, const struct option *o);
};

/* Writing the message */

static int put(struct parser *p, int attr, int bytes, uint64_t value)
{
	uint8_t u8 = value;
	uint16_t u16 = value;
	uint32_t u32 = value;
	const void *data = bytes == 1 ? (void *)&u8 : bytes == 2 ? (void *)&u16 :
			   bytes == 4 ? (void *)&u32 : (void *)&value;

	return addattr_l(p->n, TC_MESSAGE_MAX, attr, data, bytes);
}

static void *message_tail(struct parser *p)
{
	return (char *)p->n + NLMSG_ALIGN(p->n->nlmsg_len);
}

/* iproute2's addattr_nest() cannot tell that the message is full. */
static struct rtattr *nest_open(struct parser *p, int attr)
{
	struct rtattr *nest = message_tail(p);

	if (addattr_l(p->n, TC_MESSAGE_MAX, attr | NLA_F_NESTED, NULL, 0))
		return NULL;
	return nest;
}

static void nest_close(struct parser *p, struct rtattr *nest)
{
	nest->rta_len = (char *)message_tail(p) - (char *)nest;
}

/* Reading words */

static const char *word(const struct parser *p)
{
	return p->argc > 0 ? *p->argv : NULL;
}

static void next(struct parser *p)
{
	p->argc--;
	p->argv++;
}

/* "ecn" and "kmin" -> "prio 3 ecn kmin", "detect" -> "watchdog detect", as messages name it;
 * @sub may be NULL.
 */
static const char *full_name(const struct parser *p, const struct option *o, const char *sub,
			     char text[OPTION_NAME_SIZE])
{
	char section[sizeof("prio 4294967295 ")] = "";

	if (p->section)
		snprintf(section, sizeof(section), "prio %u ", p->prio);
	else if (p->watchdog)
		snprintf(section, sizeof(section), "watchdog ");
	snprintf(text, OPTION_NAME_SIZE, "%s%s%s%s", section, o->name, sub ? " " : "",
		 sub ? sub : "");
	return text;
}

static const char *take_value(struct parser *p, const struct option *o)
{
	const char *value = word(p);
	char name[OPTION_NAME_SIZE];

	if (value)
		next(p);
	else
		fprintf(stderr, "Error: %s needs a value: %s.\n", full_name(p, o, NULL, name),
			o->takes);
	return value;
}

static int refuse(const struct parser *p, const struct option *o, const char *text,
		  const char *is, const char *allowed)
{
	char name[OPTION_NAME_SIZE];

	fprintf(stderr, "Error: %s \"%s\" is %s; allowed: %s.\n", full_name(p, o, NULL, name),
		text, is, allowed);
	return -1;
}

/* A number that stands after @sub, a word of the option's own, which may be NULL. */
static int take_number(struct parser *p, const struct option *o, const char *sub,
		       const struct number *number, uint64_t *value)
{
	const char *text = take_value(p, o);
	char name[OPTION_NAME_SIZE];

	if (!text)
		return -1;
	return number_parse(number, full_name(p, o, sub, name), text, value);
}

/* The values of options */

static int parse_number(struct parser *p, const struct option *o)
{
	uint64_t value;

	if (take_number(p, o, NULL, &o->number, &value))
		return -1;
	return put(p, o->attr, o->bytes, value);
}

/* Takes the next word if it is this one. */
static bool take_if(struct parser *p, const char *expected)
{
	if (!word(p) || strcmp(word(p), expected))
		return false;
	next(p);
	return true;
}

/* The word that stands for no limit is 0 on the wire. */
static int parse_number_or_word(struct parser *p, const struct option *o)
{
	if (take_if(p, o->number.or_word))
		return put(p, o->attr, o->bytes, 0);
	return parse_number(p, o);
}

static int parse_headroom(struct parser *p, const struct option *o)
{
	if (take_if(p, "auto"))
		return put(p, TCA_LOSSLESS_PRIO_HEADROOM_AUTO, 1, 1);
	return parse_number(p, o);
}

static int parse_constant(struct parser *p, const struct option *o)
{
	return put(p, o->attr, o->bytes, o->value);
}

static int parse_lossy(struct parser *p, const struct option *o)
{
	p->lossy = true;
	return parse_constant(p, o);
}

static int on_off(const char *text)
{
	if (text && !strcmp(text, "on"))
		return 1;
	if (text && !strcmp(text, "off"))
		return 0;
	return -1;
}

/* The word alone means on. */
static int parse_switch(struct parser *p, const struct option *o)
{
	int on = on_off(word(p));

	if (on >= 0)
		next(p);
	return put(p, o->attr, o->bytes, on != 0);
}

static int parse_llfc(struct parser *p, const struct option *o)
{
	const char *text = take_value(p, o);
	int on = on_off(text);

	if (!text)
		return -1;
	if (on < 0)
		return refuse(p, o, text, "unknown", "on, off");
	p->llfc = on;
	return put(p, o->attr, o->bytes, on);
}

/* One of @names, whose index is sent; returns it, or -1. */
static int take_name(struct parser *p, const struct option *o, const char *const *names,
		     int last, const char *allowed)
{
	const char *text = take_value(p, o);
	int i;

	if (!text)
		return -1;
	for (i = 0; i <= last; i++)
		if (!strcmp(text, names[i]))
			return put(p, o->attr, o->bytes, i) ? -1 : i;
	return refuse(p, o, text, "unknown", allowed);
}

static int parse_trust(struct parser *p, const struct option *o)
{
	return take_name(p, o, trust_names, LOSSLESS_TRUST_MAX, "dscp, pcp, skb") < 0 ? -1 : 0;
}

/* Spelt as number_format() would: "1/8", not "0.125", "2/16" or "01/8". */
static int parse_alpha(struct parser *p, const struct option *o)
{
	const char *text = take_value(p, o);
	char name[ALPHA_TEXT_SIZE];
	int k;

	if (!text)
		return -1;
	for (k = LOSSLESS_ALPHA_MIN; k <= LOSSLESS_ALPHA_MAX; k++)
		if (!strcmp(text, alpha_format(k, name)))
			return put(p, o->attr, o->bytes, k);
	return refuse(p, o, text, "not a power of two", "1/1024, 1/512, .. 1/2, 1, 2, .. 128");
}

static int take_word(struct parser *p, const struct option *o, const char *expected)
{
	const char *text = take_value(p, o);

	if (!text)
		return -1;
	return strcmp(text, expected) ? refuse(p, o, text, "unexpected", o->takes) : 0;
}

static int parse_static(struct parser *p, const struct option *o)
{
	static const struct number above_zero = { NUMBER_SIZE, 1, LOSSLESS_SIZE_MAX, NULL };
	uint64_t xoff, xon;

	if (take_word(p, o, "xoff") || take_number(p, o, "xoff", &above_zero, &xoff) ||
	    take_word(p, o, "xon") || take_number(p, o, "xon", &o->number, &xon))
		return -1;
	if (xon > xoff) {
		fprintf(stderr, "Error: prio %u static xon \"%s\" is more than xoff.\n",
			p->prio, p->argv[-1]);
		return -1;
	}
	return put(p, TCA_LOSSLESS_PRIO_XOFF, o->bytes, xoff) ||
	       put(p, TCA_LOSSLESS_PRIO_XON, o->bytes, xon) ? -1 : 0;
}

static int parse_ecn(struct parser *p, const struct option *o)
{
	static const struct number percent = { .kind = NUMBER_PERCENT, .max = LOSSLESS_PMAX_MAX };
	uint64_t kmin, kmax, pmax;

	if (take_number(p, o, "kmin", &o->number, &kmin) ||
	    take_number(p, o, "kmax", &o->number, &kmax) ||
	    take_number(p, o, "pmax", &percent, &pmax))
		return -1;
	if (kmin > kmax) {
		fprintf(stderr, "Error: prio %u ecn kmin \"%s\" is more than kmax \"%s\".\n",
			p->prio, p->argv[-3], p->argv[-2]);
		return -1;
	}
	return put(p, o->attr, o->bytes, 1) ||
	       put(p, TCA_LOSSLESS_PRIO_KMIN, 4, kmin) ||
	       put(p, TCA_LOSSLESS_PRIO_KMAX, 4, kmax) ||
	       put(p, TCA_LOSSLESS_PRIO_PMAX, 4, pmax) ? -1 : 0;
}

/* The watchdog */

static int parse_watchdog(struct parser *p, const struct option *o)
{
	p->watchdog = on_off(word(p)) ? WATCHDOG_ON : WATCHDOG_OFF;
	return parse_switch(p, o);
}

static int parse_action(struct parser *p, const struct option *o)
{
	return take_name(p, o, action_names, LOSSLESS_ACTION_MAX,
			 "drop, forward, alert, shutdown, flap") < 0 ? -1 : 0;
}

/* A word that begins with a letter is the next option. */
static bool time_follows(const struct parser *p)
{
	char first = word(p) ? *word(p) | 0x20 : 'a';

	return first < 'a' || first > 'z';
}

static int parse_restore(struct parser *p, const struct option *o)
{
	int restore = take_name(p, o, restore_names, LOSSLESS_RESTORE_MAX, "auto, fixed, off");
	uint64_t time;

	if (restore < 0)
		return -1;
	if (restore == LOSSLESS_RESTORE_OFF ||
	    (restore == LOSSLESS_RESTORE_AUTO && !time_follows(p)))
		return 0;
	if (take_number(p, o, restore_names[restore], &o->number, &time))
		return -1;
	return put(p, TCA_LOSSLESS_RESTORE_TIME64, 8, time);
}

static int parse_window(struct parser *p, const struct option *o)
{
	static const struct number percent = { .kind = NUMBER_WHOLE_PERCENT, .min = 1, .max = 100 };
	uint64_t window, duty;

	if (take_if(p, "off"))
		return put(p, o->attr, o->bytes, 0);
	if (take_number(p, o, NULL, &o->number, &window) || take_word(p, o, "duty") ||
	    take_number(p, o, "duty", &percent, &duty))
		return -1;
	return put(p, o->attr, o->bytes, window) || put(p, TCA_LOSSLESS_DUTY, 1, duty) ? -1 : 0;
}

static int parse_untrust(struct parser *p, const struct option *o)
{
	static const struct number within = { .kind = NUMBER_TIME, .min = LOSSLESS_RESTORE_TIME_MIN,
		.max = LOSSLESS_RESTORE_TIME_MAX };
	uint64_t storms, time;

	if (take_if(p, "off"))
		return put(p, o->attr, o->bytes, 0);
	if (take_number(p, o, NULL, &o->number, &storms) ||
	    take_number(p, o, "time", &within, &time))
		return -1;
	return put(p, o->attr, o->bytes, storms) ||
	       put(p, TCA_LOSSLESS_UNTRUST_TIME64, 8, time) ? -1 : 0;
}

/* Lists and maps. A small number is digits and nothing else. */

static bool read_small(const char **text, unsigned int max, unsigned int *value)
{
	const char *c = *text;

	for (*value = 0; *c >= '0' && *c <= '9' && *value <= max; c++)
		*value = *value * 10 + (*c - '0');
	if (c == *text || *value > max)
		return false;
	*text = c;
	return true;
}

/* "3" or "3-5" */
static bool read_range(const char **text, unsigned int max, unsigned int *first,
		       unsigned int *last)
{
	if (!read_small(text, max, first))
		return false;
	*last = *first;
	if (**text != '-')
		return true;
	(*text)++;
	return read_small(text, max, last) && *first <= *last;
}

/* At the end of an item: is there another one, or the end, or something else? */
static bool read_comma(const char **text)
{
	return **text == ',' ? *++*text : !**text;
}

static int refuse_twice(const struct parser *p, const struct option *o, const char *text,
			const char *what, unsigned int number)
{
	char name[OPTION_NAME_SIZE];

	fprintf(stderr, "Error: %s \"%s\" names %s %u twice.\n", full_name(p, o, NULL, name),
		text, what, number);
	return -1;
}

static int read_priorities(const struct parser *p, const struct option *o, const char *text,
			   unsigned int *mask)
{
	const char *rest = text;
	unsigned int i, last;

	*mask = 0;
	do {
		if (!read_range(&rest, LOSSLESS_PRIORITIES - 1, &i, &last) || !read_comma(&rest))
			return refuse(p, o, text, "not a list of priorities", o->takes);
		for (; i <= last; i++) {
			if (*mask & 1U << i)
				return refuse_twice(p, o, text, "priority", i);
			*mask |= 1U << i;
		}
	} while (*rest);
	return 0;
}

static int parse_priorities(struct parser *p, const struct option *o)
{
	const char *text = take_value(p, o);
	unsigned int mask;

	if (!text)
		return -1;
	if (!strcmp(text, "none"))
		mask = 0;
	else if (o->attr == TCA_LOSSLESS_PFC_RX && !strcmp(text, "all"))
		mask = ALL_PRIORITIES;
	else if (read_priorities(p, o, text, &mask))
		return -1;
	if (o->attr == TCA_LOSSLESS_PFC && mask)
		p->pfc = text;
	return put(p, o->attr, o->bytes, mask);
}

/* One "D:P" or, in a DSCP map, "D-D:P". */
static bool read_mapping(const char **text, const struct option *o, unsigned int *first,
			 unsigned int *last, unsigned int *prio)
{
	if (!read_range(text, o->number.max, first, last) || *(*text)++ != ':')
		return false;
	if (o->attr == TCA_LOSSLESS_PCP_MAP && *first != *last)
		return false;
	return read_small(text, LOSSLESS_PRIORITIES - 1, prio) && read_comma(text);
}

static int put_mapping(struct parser *p, unsigned int from, unsigned int prio)
{
	struct tc_lossless_map_entry entry = { .from = from, .priority = prio };

	return addattr_l(p->n, TC_MESSAGE_MAX, TCA_LOSSLESS_MAP_ENTRY, &entry, sizeof(entry));
}

static int put_map(struct parser *p, const struct option *o, const char *text)
{
	const char *what = o->attr == TCA_LOSSLESS_DSCP_MAP ? "DSCP" : "PCP";
	unsigned int i, last, prio;
	const char *rest = text;
	uint64_t named = 0;

	do {
		if (!read_mapping(&rest, o, &i, &last, &prio))
			return refuse(p, o, text, "not a map", o->takes);
		for (; i <= last; i++) {
			if (named & 1ULL << i)
				return refuse_twice(p, o, text, what, i);
			named |= 1ULL << i;
			if (put_mapping(p, i, prio))
				return -1;
		}
	} while (*rest);
	return 0;
}

static int parse_map(struct parser *p, const struct option *o)
{
	const char *text = take_value(p, o);
	struct rtattr *nest;

	if (!text)
		return -1;
	nest = nest_open(p, o->attr);
	if (!nest || put_map(p, o, text))
		return -1;
	nest_close(p, nest);
	return 0;
}

/* The grammar */

#define RANGE(kind_, min_, max_) { .kind = NUMBER_##kind_, .min = (min_), .max = (max_) }

static const struct option port_options[] = {
	{ "rate", "RATE or none", TCA_LOSSLESS_RATE64, 8,
	  { NUMBER_RATE, LOSSLESS_RATE_MIN, LOSSLESS_RATE_MAX, "none" },
	  .parse = parse_number_or_word },
	{ "overhead", "BYTES", TCA_LOSSLESS_OVERHEAD, 4,
	  RANGE(COUNT, 0, LOSSLESS_OVERHEAD_MAX), .parse = parse_number },
	{ "burst", "FRAMES", TCA_LOSSLESS_BURST, 4,
	  RANGE(COUNT, 1, LOSSLESS_BURST_MAX), .parse = parse_number },
	{ "keep-gso", NULL, TCA_LOSSLESS_KEEP_GSO, 1, .parse = parse_switch },
	{ "keep-socket", NULL, TCA_LOSSLESS_KEEP_SOCKET, 1, .parse = parse_switch },
	{ "trust", "dscp, pcp or skb", TCA_LOSSLESS_TRUST, 1, .parse = parse_trust },
	{ "dscp-map", "DSCP 0 to 63 and priority 0 to 7 as in 24-31:3,46:5",
	  TCA_LOSSLESS_DSCP_MAP, .number = RANGE(COUNT, 0, LOSSLESS_DSCPS - 1),
	  .parse = parse_map },
	{ "pcp-map", "PCP 0 to 7 and priority 0 to 7 as in 0:0,1:3",
	  TCA_LOSSLESS_PCP_MAP, .number = RANGE(COUNT, 0, LOSSLESS_PRIORITIES - 1),
	  .parse = parse_map },
	{ "default-prio", "a priority", TCA_LOSSLESS_DEFAULT_PRIO, 1,
	  RANGE(COUNT, 0, LOSSLESS_PRIORITIES - 1), .parse = parse_number },
	{ "cable", "LENGTH", TCA_LOSSLESS_CABLE_CM, 4,
	  RANGE(LENGTH, 0, LOSSLESS_CABLE_CM_MAX), .parse = parse_number },
	{ "response", "SIZE", TCA_LOSSLESS_RESPONSE, 4,
	  RANGE(SIZE, 0, LOSSLESS_RESPONSE_MAX), .parse = parse_number },
	{ "pfc", "priorities 0 to 7 as in 3,4 or 3-5, or none", TCA_LOSSLESS_PFC, 1,
	  .parse = parse_priorities },
	{ "pfc-rx", "priorities 0 to 7 as in 3,4 or 3-5, or all, or none",
	  TCA_LOSSLESS_PFC_RX, 1, .parse = parse_priorities },
	{ "llfc", "on or off", TCA_LOSSLESS_LLFC, 1, .parse = parse_llfc },
	{ "quanta", "N", TCA_LOSSLESS_QUANTA, 2, RANGE(COUNT, 1, 65535),
	  .parse = parse_number },
	{ "cell", "BYTES", TCA_LOSSLESS_CELL, 4, RANGE(COUNT, 0, LOSSLESS_CELL_MAX),
	  .parse = parse_number },
	{ "watchdog", NULL, TCA_LOSSLESS_WATCHDOG, 1, .parse = parse_watchdog },
	{ "pause-timeout", "TIME or off", TCA_LOSSLESS_PAUSE_TIMEOUT64, 8,
	  { NUMBER_TIME, LOSSLESS_DETECT_MIN, LOSSLESS_DETECT_MAX, "off" },
	  .parse = parse_number_or_word },
	{ .name = NULL }
};

static const struct option watchdog_options[] = {
	{ "detect", "TIME", TCA_LOSSLESS_DETECT64, 8,
	  RANGE(TIME, LOSSLESS_DETECT_MIN, LOSSLESS_DETECT_MAX), .parse = parse_number },
	{ "restore", "auto [TIME], fixed TIME or off", TCA_LOSSLESS_RESTORE, 1,
	  RANGE(TIME, LOSSLESS_RESTORE_TIME_MIN, LOSSLESS_RESTORE_TIME_MAX),
	  .parse = parse_restore },
	{ "action", "drop, forward, alert, shutdown or flap", TCA_LOSSLESS_ACTION, 1,
	  .parse = parse_action },
	{ "window", "TIME duty PERCENT, or off", TCA_LOSSLESS_WINDOW64, 8,
	  { NUMBER_TIME, LOSSLESS_DETECT_MIN, LOSSLESS_DETECT_MAX, "off" },
	  .parse = parse_window },
	{ "untrust", "N TIME, or off", TCA_LOSSLESS_UNTRUST, 4,
	  { NUMBER_COUNT, 1, LOSSLESS_UNTRUST_MAX, "off" }, .parse = parse_untrust },
	{ "ingress-pass", NULL, TCA_LOSSLESS_INGRESS_PASS, 1, .parse = parse_switch },
	{ .name = NULL }
};

static const struct option prio_options[] = {
	{ "lossless", NULL, TCA_LOSSLESS_PRIO_LOSSLESS, 1, .value = 1,
	  .parse = parse_constant },
	{ "lossy", NULL, TCA_LOSSLESS_PRIO_LOSSLESS, 1, .value = 0, .parse = parse_lossy },
	{ "strict", NULL, TCA_LOSSLESS_PRIO_WEIGHT, 4, .value = 0, .parse = parse_constant },
	{ "weight", "N", TCA_LOSSLESS_PRIO_WEIGHT, 4, RANGE(COUNT, 1, LOSSLESS_WEIGHT_MAX),
	  .parse = parse_number },
	{ "guaranteed", "SIZE", TCA_LOSSLESS_PRIO_GUARANTEED, 8,
	  RANGE(SIZE, 0, LOSSLESS_SIZE_MAX), .parse = parse_number },
	{ "alpha", "1/1024 to 128", TCA_LOSSLESS_PRIO_ALPHA, 1, .parse = parse_alpha },
	{ "static", "xoff SIZE xon SIZE", TCA_LOSSLESS_PRIO_ALPHA, 8,
	  RANGE(SIZE, 0, LOSSLESS_SIZE_MAX), .parse = parse_static },
	{ "xon-offset", "SIZE", TCA_LOSSLESS_PRIO_XON_OFFSET, 8,
	  RANGE(SIZE, 0, LOSSLESS_SIZE_MAX), .parse = parse_number },
	{ "headroom", "auto or SIZE", TCA_LOSSLESS_PRIO_HEADROOM, 8,
	  { NUMBER_SIZE, 0, LOSSLESS_SIZE_MAX, "auto" }, .parse = parse_headroom },
	{ "limit", "SIZE", TCA_LOSSLESS_PRIO_LIMIT, 8, RANGE(SIZE, 0, LOSSLESS_SIZE_MAX),
	  .parse = parse_number },
	{ "ecn", "KMIN KMAX PMAX", TCA_LOSSLESS_PRIO_ECN, 1, RANGE(SIZE, 0, UINT32_MAX),
	  .parse = parse_ecn },
	{ "noecn", NULL, TCA_LOSSLESS_PRIO_ECN, 1, .value = 0, .parse = parse_constant },
	{ "wred", NULL, TCA_LOSSLESS_PRIO_WRED, 1, .parse = parse_switch },
	{ "max-age", "TIME or off", TCA_LOSSLESS_PRIO_MAX_AGE64, 8,
	  { NUMBER_TIME, LOSSLESS_MAX_AGE_MIN, LOSSLESS_MAX_AGE_MAX, "off" },
	  .parse = parse_number_or_word },
	{ .name = NULL }
};

static const struct option *find_option(const struct option *options, const char *name)
{
	for (; options->name; options++)
		if (!strcmp(options->name, name))
			return options;
	return NULL;
}

static int refuse_again(const struct parser *p, const struct option *o, const char *before)
{
	char name[OPTION_NAME_SIZE];
	const char *value = word(p);

	full_name(p, o, NULL, name);
	if (strcmp(o->name, before))
		fprintf(stderr, "Error: %s and %s exclude each other.\n", name, before);
	else if (o->takes && value)
		fprintf(stderr, "Error: duplicate \"%s\": \"%s\" is the second value.\n", name,
			value);
	else
		fprintf(stderr, "Error: duplicate \"%s\".\n", name);
	return -1;
}

static int parse_option(struct parser *p, const struct option *o)
{
	const char **given = p->section ? p->prio_given : p->port_given;

	next(p);
	if (given[o->attr])
		return refuse_again(p, o, given[o->attr]);
	given[o->attr] = o->name;
	return o->parse(p, o);
}

static int parse_watchdog_option(struct parser *p, const struct option *o)
{
	if (p->watchdog == WATCHDOG_ON)
		return parse_option(p, o);
	fprintf(stderr, "Error: watchdog off takes no options, but %s follows it.\n", o->name);
	return -1;
}

/* Sections: "prio P" and the options of a priority up to the next word that is none. */

static bool section_is_empty(const struct parser *p)
{
	unsigned int attr;

	for (attr = 0; attr < ARRAY_SIZE(p->prio_given); attr++)
		if (p->prio_given[attr])
			return false;
	return true;
}

static int section_close(struct parser *p)
{
	if (!p->section)
		return 0;
	if (section_is_empty(p)) {
		fprintf(stderr, "Error: prio %u is not followed by an option of a priority.\n",
			p->prio);
		return -1;
	}
	/* alpha is the queue's then, as limit is; else it is the PG's */
	if (p->lossy && p->prio_given[TCA_LOSSLESS_PRIO_ALPHA] &&
	    p->prio_given[TCA_LOSSLESS_PRIO_LIMIT]) {
		fprintf(stderr, "Error: prio %u is lossy: %s and limit exclude each other.\n",
			p->prio, p->prio_given[TCA_LOSSLESS_PRIO_ALPHA]);
		return -1;
	}
	nest_close(p, p->section);
	p->section = NULL;
	return 0;
}

static int section_open(struct parser *p)
{
	static const struct option prio = { "prio", "a priority and its options",
		.number = RANGE(COUNT, 0, LOSSLESS_PRIORITIES - 1) };
	uint64_t number;

	next(p);
	if (take_number(p, &prio, NULL, &prio.number, &number))
		return -1;
	if (p->prios & 1U << number) {
		fprintf(stderr, "Error: duplicate \"prio %u\".\n", (unsigned int)number);
		return -1;
	}
	memset(p->prio_given, 0, sizeof(p->prio_given));
	p->lossy = false;
	p->prios |= 1U << number;
	p->prio = number;
	p->section = nest_open(p, TCA_LOSSLESS_PRIO);
	if (!p->section)
		return -1;
	return put(p, TCA_LOSSLESS_PRIO_INDEX, 1, number);
}

static int refuse_unknown(const struct parser *p)
{
	if (find_option(watchdog_options, word(p))) {
		fprintf(stderr,
			"Error: %s is an option of the watchdog: write it after watchdog.\n",
			word(p));
		return -1;
	}
	if (find_option(prio_options, word(p))) {
		fprintf(stderr, "Error: %s is an option of a priority: write it after prio P.\n",
			word(p));
		return -1;
	}
	fprintf(stderr, "What is \"%s\"?\n", word(p));
	explain();
	return -1;
}

static int parse_word(struct parser *p)
{
	const struct option *o;
	bool is_prio;

	if (!strcmp(word(p), "help")) {
		explain();
		return -1;
	}
	o = p->section ? find_option(prio_options, word(p)) : NULL;
	if (o)
		return parse_option(p, o);
	o = p->watchdog ? find_option(watchdog_options, word(p)) : NULL;
	if (o)
		return parse_watchdog_option(p, o);
	is_prio = !strcmp(word(p), "prio");
	o = find_option(port_options, word(p));
	if (!is_prio && !o)
		return refuse_unknown(p);
	p->watchdog = WATCHDOG_CLOSED;
	if (section_close(p))
		return -1;
	return is_prio ? section_open(p) : parse_option(p, o);
}

static int refuse_contradiction(const struct parser *p)
{
	if (!p->llfc || !p->pfc)
		return 0;
	fprintf(stderr, "Error: llfc on and pfc %s exclude each other.\n", p->pfc);
	return -1;
}

/**
 * options_parse() - the options of `tc qdisc add|change|replace ... lossless`
 * @argc: number of words after the kind
 * @argv: they
 * @n: the message that TCA_OPTIONS is added to
 *
 * Return: 0, or -1 with a sentence on stderr.
 */
int options_parse(int argc, char **argv, struct nlmsghdr *n)
{
	struct parser p = { .n = n, .argc = argc, .argv = argv };
	struct rtattr *options = nest_open(&p, TCA_OPTIONS);

	if (!options)
		return -1;
	while (word(&p))
		if (parse_word(&p))
			return -1;
	if (section_close(&p) || refuse_contradiction(&p))
		return -1;
	nest_close(&p, options);
	return 0;
}
