// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink attributes of a dump -> text or JSON.
 *
 * The text is a command line again: each word that stands here is one that parse.c reads,
 * and gives the same bits. JSON holds raw values; a key whose attribute the module did
 * not send, or whose setting is not in force, is null. tc's own helpers are not used for
 * numbers: they round.
 */
#include <string.h>

#include "plugin.h"
#include "units.h"

/**
 * struct field - one attribute in the output
 * @word: in text; NULL if the value stands alone
 * @key: in JSON
 * @attr: where the value is
 * @kind: how text writes it
 * @print: writes it; the value is NULL if the module did not send it
 */
struct field {
	const char *word;
	const char *key;
	int attr;
	enum number_kind kind;
	void (*print)(const struct field *f, const struct rtattr *value);
};

static uint64_t get(const struct rtattr *value)
{
	const void *data = RTA_DATA(value);
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (RTA_PAYLOAD(value)) {
	case 8:
		memcpy(&u64, data, sizeof(u64));
		return u64;
	case 4:
		memcpy(&u32, data, sizeof(u32));
		return u32;
	case 2:
		memcpy(&u16, data, sizeof(u16));
		return u16;
	case 1:
		return *(const uint8_t *)data;
	}
	return 0;
}

/* One "word value " of text, or the word alone if @value is NULL. */
static void print_text(const char *name, const char *value)
{
	print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s ", name);
	if (value)
		print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s ", value);
}

static void print_json_number(const char *key, const struct rtattr *value)
{
	if (value)
		print_color_u64(PRINT_JSON, COLOR_NONE, key, NULL, get(value));
	else
		print_color_null(PRINT_JSON, COLOR_NONE, key, NULL, NULL);
}

static void print_json_bool(const char *key, const struct rtattr *value)
{
	if (value)
		print_color_bool(PRINT_JSON, COLOR_NONE, key, NULL, get(value));
	else
		print_color_null(PRINT_JSON, COLOR_NONE, key, NULL, NULL);
}

static void print_number(const struct field *f, const struct rtattr *value)
{
	char text[NUMBER_TEXT_SIZE];

	print_json_number(f->key, value);
	if (!value)
		return;
	number_format(f->kind, get(value), text);
	if (f->word)
		print_text(f->word, text);
	else
		print_text(text, NULL);
}

static void print_rate(const struct field *f, const struct rtattr *value)
{
	char text[NUMBER_TEXT_SIZE];

	print_json_number(f->key, value);
	if (value)
		print_text(f->word, get(value) ? number_format(f->kind, get(value), text) : "none");
}

static void print_switch(const struct field *f, const struct rtattr *value)
{
	print_json_bool(f->key, value);
	if (value)
		print_text(f->word, get(value) ? "on" : "off");
}

/* A value that this plugin does not know is a number: a newer module's. */
static void print_name(const struct field *f, const struct rtattr *value,
		       const char *const *names, unsigned int last)
{
	char number[NUMBER_TEXT_SIZE];
	const char *name;

	if (!value) {
		print_color_null(PRINT_JSON, COLOR_NONE, f->key, NULL, NULL);
		return;
	}
	name = get(value) <= last ? names[get(value)] :
	       number_format(NUMBER_COUNT, get(value), number);
	print_color_string(PRINT_JSON, COLOR_NONE, f->key, NULL, name);
	print_text(f->word, name);
}

static void print_trust(const struct field *f, const struct rtattr *value)
{
	print_name(f, value, trust_names, LOSSLESS_TRUST_MAX);
}

/* Masks: "3,4" in text, ranges from three on; [ 3, 4 ] in JSON. */

static unsigned int run_length(unsigned int mask, unsigned int first)
{
	unsigned int length = 0;

	while (mask & 1U << (first + length))
		length++;
	return length;
}

static void format_mask(unsigned int mask, char *text, size_t size)
{
	unsigned int first, last;
	const char *comma = "";
	size_t used = 0;

	for (first = 0; first < LOSSLESS_PRIORITIES; first++) {
		unsigned int run = run_length(mask, first);

		if (!run)
			continue;
		used += snprintf(text + used, size - used, "%s%u", comma, first);
		comma = ",";
		last = first + run - 1;
		if (run > 2) {
			used += snprintf(text + used, size - used, "-%u", last);
			first = last;
		}
	}
}

static void print_mask_json(const char *key, unsigned int mask)
{
	unsigned int i;

	open_json_array(PRINT_JSON, key);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		if (mask & 1U << i)
			print_color_u64(PRINT_JSON, COLOR_NONE, NULL, NULL, i);
	close_json_array(PRINT_JSON, NULL);
}

static void print_mask(const struct field *f, const struct rtattr *value)
{
	char text[sizeof("0,1,2,3,4,5,6,7")] = "none";
	unsigned int mask;

	if (!value) {
		print_color_null(PRINT_JSON, COLOR_NONE, f->key, NULL, NULL);
		return;
	}
	mask = get(value) & ALL_PRIORITIES;
	if (f->attr == TCA_LOSSLESS_PFC_RX && mask == ALL_PRIORITIES)
		snprintf(text, sizeof(text), "all");
	else if (mask)
		format_mask(mask, text, sizeof(text));
	print_mask_json(f->key, mask);
	print_text(f->word, text);
}

/* Maps: "0-7:0,46:5" in text; in JSON an array whose index is DSCP or PCP. */

#define UNMAPPED	(-1)

static void read_map(const struct rtattr *map, int prio_of[LOSSLESS_DSCPS])
{
	struct tc_lossless_map_entry entry;
	struct rtattr *attr = RTA_DATA(map);
	int left = RTA_PAYLOAD(map);
	unsigned int i;

	for (i = 0; i < LOSSLESS_DSCPS; i++)
		prio_of[i] = UNMAPPED;
	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if (RTA_PAYLOAD(attr) < sizeof(entry))
			continue;
		memcpy(&entry, RTA_DATA(attr), sizeof(entry));
		if (entry.from < LOSSLESS_DSCPS)
			prio_of[entry.from] = entry.priority;
	}
}

static void format_map(const int *prio_of, unsigned int entries, bool ranges, char *text,
		       size_t size)
{
	unsigned int first, last;
	const char *comma = "";
	size_t used = 0;

	for (first = 0; first < entries; first = last + 1) {
		last = first;
		while (ranges && last + 1 < entries && prio_of[last + 1] == prio_of[first])
			last++;
		if (prio_of[first] == UNMAPPED)
			continue;
		used += snprintf(text + used, size - used, "%s%u", comma, first);
		if (last > first)
			used += snprintf(text + used, size - used, "-%u", last);
		used += snprintf(text + used, size - used, ":%u", prio_of[first]);
		comma = ",";
	}
}

static void print_map_json(const char *key, const int *prio_of, unsigned int entries)
{
	unsigned int i;

	open_json_array(PRINT_JSON, key);
	for (i = 0; i < entries; i++) {
		if (prio_of[i] == UNMAPPED)
			print_color_null(PRINT_JSON, COLOR_NONE, NULL, NULL, "");
		else
			print_color_u64(PRINT_JSON, COLOR_NONE, NULL, NULL, prio_of[i]);
	}
	close_json_array(PRINT_JSON, NULL);
}

static void print_map(const struct field *f, const struct rtattr *value)
{
	bool is_dscp = f->attr == TCA_LOSSLESS_DSCP_MAP;
	unsigned int entries = is_dscp ? LOSSLESS_DSCPS : LOSSLESS_PRIORITIES;
	char text[LOSSLESS_DSCPS * sizeof("63:255")] = "";
	int prio_of[LOSSLESS_DSCPS];

	if (!value) {
		print_color_null(PRINT_JSON, COLOR_NONE, f->key, NULL, NULL);
		return;
	}
	read_map(value, prio_of);
	format_map(prio_of, entries, is_dscp, text, sizeof(text));
	print_map_json(f->key, prio_of, entries);
	if (text[0])
		print_text(f->word, text);
}

static void print_json_only(const struct field *f, const struct rtattr *value)
{
	print_json_number(f->key, value);
}

/* The watchdog */

static void print_watchdog(const struct field *f, const struct rtattr *value)
{
	print_json_bool(f->key, value);
	if (value)
		print_text(f->word, get(value) ? NULL : "off");
}

static void print_restore(const struct field *f, const struct rtattr *value)
{
	print_name(f, value, restore_names, LOSSLESS_RESTORE_MAX);
}

static void print_action(const struct field *f, const struct rtattr *value)
{
	print_name(f, value, action_names, LOSSLESS_ACTION_MAX);
}

static bool is_set(const struct rtattr *value)
{
	return value && get(value);
}

static void print_number_or_off(const struct field *f, const struct rtattr *value)
{
	print_number(f, is_set(value) ? value : NULL);
	if (value && !get(value))
		print_text(f->word, "off");
}

/* What is off may have a time all the same, which the grammar has no place for. */
static void forget_what_is_off(struct rtattr **tb)
{
	static const int of_watchdog[] = { TCA_LOSSLESS_DETECT64, TCA_LOSSLESS_RESTORE,
		TCA_LOSSLESS_ACTION, TCA_LOSSLESS_WINDOW64, TCA_LOSSLESS_UNTRUST,
		TCA_LOSSLESS_INGRESS_PASS };
	struct rtattr *restore;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of_watchdog); i++)
		if (!is_set(tb[TCA_LOSSLESS_WATCHDOG]))
			tb[of_watchdog[i]] = NULL;
	restore = tb[TCA_LOSSLESS_RESTORE];
	if (!restore || get(restore) == LOSSLESS_RESTORE_OFF)
		tb[TCA_LOSSLESS_RESTORE_TIME64] = NULL;
	if (!is_set(tb[TCA_LOSSLESS_WINDOW64]))
		tb[TCA_LOSSLESS_DUTY] = NULL;
	if (!is_set(tb[TCA_LOSSLESS_UNTRUST]))
		tb[TCA_LOSSLESS_UNTRUST_TIME64] = NULL;
}

static const struct field port_fields[] = {
	{ "rate", "rate", TCA_LOSSLESS_RATE64, NUMBER_RATE, print_rate },
	{ "overhead", "overhead", TCA_LOSSLESS_OVERHEAD, NUMBER_COUNT, print_number },
	{ "burst", "burst", TCA_LOSSLESS_BURST, NUMBER_COUNT, print_number },
	{ "keep-gso", "keep_gso", TCA_LOSSLESS_KEEP_GSO, NUMBER_COUNT, print_switch },
	{ "keep-socket", "keep_socket", TCA_LOSSLESS_KEEP_SOCKET, NUMBER_COUNT, print_switch },
	{ "trust", "trust", TCA_LOSSLESS_TRUST, NUMBER_COUNT, print_trust },
	{ "dscp-map", "dscp_map", TCA_LOSSLESS_DSCP_MAP, NUMBER_COUNT, print_map },
	{ "pcp-map", "pcp_map", TCA_LOSSLESS_PCP_MAP, NUMBER_COUNT, print_map },
	{ "default-prio", "default_prio", TCA_LOSSLESS_DEFAULT_PRIO, NUMBER_COUNT, print_number },
	{ "cable", "cable_cm", TCA_LOSSLESS_CABLE_CM, NUMBER_LENGTH, print_number },
	{ "response", "response", TCA_LOSSLESS_RESPONSE, NUMBER_SIZE, print_number },
	{ "pfc", "pfc", TCA_LOSSLESS_PFC, NUMBER_COUNT, print_mask },
	{ "pfc-rx", "pfc_rx", TCA_LOSSLESS_PFC_RX, NUMBER_COUNT, print_mask },
	{ "llfc", "llfc", TCA_LOSSLESS_LLFC, NUMBER_COUNT, print_switch },
	{ "quanta", "quanta", TCA_LOSSLESS_QUANTA, NUMBER_COUNT, print_number },
	{ "cell", "cell", TCA_LOSSLESS_CELL, NUMBER_COUNT, print_number },
	/* no option sets it, so text cannot hold it */
	{ NULL, "link_rate", TCA_LOSSLESS_LINK_RATE64, NUMBER_RATE, print_json_only },
	{ "watchdog", "watchdog", TCA_LOSSLESS_WATCHDOG, NUMBER_COUNT, print_watchdog },
	{ "detect", "detect_ns", TCA_LOSSLESS_DETECT64, NUMBER_TIME, print_number },
	{ "restore", "restore", TCA_LOSSLESS_RESTORE, NUMBER_COUNT, print_restore },
	{ NULL, "restore_ns", TCA_LOSSLESS_RESTORE_TIME64, NUMBER_TIME, print_number },
	{ "action", "action", TCA_LOSSLESS_ACTION, NUMBER_COUNT, print_action },
	{ "window", "window_ns", TCA_LOSSLESS_WINDOW64, NUMBER_TIME, print_number_or_off },
	{ "duty", "duty_percent", TCA_LOSSLESS_DUTY, NUMBER_WHOLE_PERCENT, print_number },
	{ "untrust", "untrust", TCA_LOSSLESS_UNTRUST, NUMBER_COUNT, print_number_or_off },
	{ NULL, "untrust_ns", TCA_LOSSLESS_UNTRUST_TIME64, NUMBER_TIME, print_number },
	{ "ingress-pass", "ingress_pass", TCA_LOSSLESS_INGRESS_PASS, NUMBER_COUNT,
	  print_switch },
	{ "pause-timeout", "pause_timeout_ns", TCA_LOSSLESS_PAUSE_TIMEOUT64, NUMBER_TIME,
	  print_number_or_off },
};

/* The fields of a priority that share an attribute or need two. */

static void print_lossless(const struct field *f, const struct rtattr *value)
{
	print_json_bool(f->key, value);
	if (value)
		print_text(get(value) ? "lossless" : "lossy", NULL);
}

static void print_weight(const struct field *f, const struct rtattr *value)
{
	if (!value || get(value)) {
		print_number(f, value);
		return;
	}
	print_json_number(f->key, value);
	print_text("strict", NULL);
}

static void print_alpha(struct rtattr **tb)
{
	const struct rtattr *value = tb[TCA_LOSSLESS_PRIO_ALPHA];
	const struct rtattr *lossless = tb[TCA_LOSSLESS_PRIO_LOSSLESS];
	char text[ALPHA_TEXT_SIZE];
	int k;

	if (!value) {
		print_color_null(PRINT_JSON, COLOR_NONE, "alpha_log2", NULL, NULL);
		return;
	}
	k = (int8_t)get(value);
	print_color_int(PRINT_JSON, COLOR_NONE, "alpha_log2", NULL, k);
	/* parse.c refuses the two together on a lossy priority: limit is in force */
	if (tb[TCA_LOSSLESS_PRIO_LIMIT] && lossless && !get(lossless))
		return;
	print_text("alpha", alpha_format(k, text));
}

static void print_static(struct rtattr **tb)
{
	const struct rtattr *xoff = tb[TCA_LOSSLESS_PRIO_XOFF];
	const struct rtattr *xon = tb[TCA_LOSSLESS_PRIO_XON];
	char text[NUMBER_TEXT_SIZE];

	print_json_number("static_xoff", xoff);
	print_json_number("static_xon", xon);
	if (!xoff || !xon)
		return;
	print_text("static", NULL);
	print_text("xoff", number_format(NUMBER_SIZE, get(xoff), text));
	print_text("xon", number_format(NUMBER_SIZE, get(xon), text));
}

static void print_headroom(struct rtattr **tb)
{
	const struct rtattr *size = tb[TCA_LOSSLESS_PRIO_HEADROOM];
	const struct rtattr *is_auto = tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO];
	char text[NUMBER_TEXT_SIZE];

	print_json_number("headroom", size);
	print_json_bool("headroom_auto", is_auto);
	if (is_auto && get(is_auto))
		print_text("headroom", "auto");
	else if (size)
		print_text("headroom", number_format(NUMBER_SIZE, get(size), text));
}

static void print_ecn(struct rtattr **tb)
{
	const struct rtattr *ecn = tb[TCA_LOSSLESS_PRIO_ECN];
	const struct rtattr *kmin = tb[TCA_LOSSLESS_PRIO_KMIN];
	const struct rtattr *kmax = tb[TCA_LOSSLESS_PRIO_KMAX];
	const struct rtattr *pmax = tb[TCA_LOSSLESS_PRIO_PMAX];
	char text[NUMBER_TEXT_SIZE];

	print_json_bool("ecn", ecn);
	print_json_number("kmin", kmin);
	print_json_number("kmax", kmax);
	print_json_number("pmax_millionths", pmax);
	if (!ecn || !get(ecn) || !kmin || !kmax || !pmax) {
		if (ecn)
			print_text("noecn", NULL);
		return;
	}
	print_text("ecn", NULL);
	print_text(number_format(NUMBER_SIZE, get(kmin), text), NULL);
	print_text(number_format(NUMBER_SIZE, get(kmax), text), NULL);
	print_text(number_format(NUMBER_PERCENT, get(pmax), text), NULL);
}

static void print_prio_fields(struct rtattr **tb)
{
	static const struct field before_thresholds[] = {
		{ "prio", "prio", TCA_LOSSLESS_PRIO_INDEX, NUMBER_COUNT, print_number },
		{ NULL, "lossless", TCA_LOSSLESS_PRIO_LOSSLESS, NUMBER_COUNT, print_lossless },
		{ "weight", "weight", TCA_LOSSLESS_PRIO_WEIGHT, NUMBER_COUNT, print_weight },
		{ "guaranteed", "guaranteed", TCA_LOSSLESS_PRIO_GUARANTEED, NUMBER_SIZE,
		  print_number },
	};
	static const struct field offset = { "xon-offset", "xon_offset",
		TCA_LOSSLESS_PRIO_XON_OFFSET, NUMBER_SIZE, print_number };
	static const struct field limit = { "limit", "limit", TCA_LOSSLESS_PRIO_LIMIT,
		NUMBER_SIZE, print_number };
	static const struct field wred = { "wred", "wred", TCA_LOSSLESS_PRIO_WRED, NUMBER_COUNT,
		print_switch };
	static const struct field max_age = { "max-age", "max_age_ns",
		TCA_LOSSLESS_PRIO_MAX_AGE64, NUMBER_TIME, print_number_or_off };
	const struct field *f;

	for (f = before_thresholds; f < before_thresholds + ARRAY_SIZE(before_thresholds); f++)
		f->print(f, tb[f->attr]);
	print_alpha(tb);
	print_static(tb);
	offset.print(&offset, tb[offset.attr]);
	print_headroom(tb);
	limit.print(&limit, tb[limit.attr]);
	print_ecn(tb);
	wred.print(&wred, tb[wred.attr]);
	max_age.print(&max_age, tb[max_age.attr]);
}

static void parse_prio(struct rtattr **tb, struct rtattr *prio)
{
	parse_rtattr_flags(tb, TCA_LOSSLESS_PRIO_MAX, RTA_DATA(prio), RTA_PAYLOAD(prio),
			   NLA_F_NESTED);
}

/* One nest of TCA_LOSSLESS_PRIO for each, so tb[] cannot hold them. */
static void print_priorities(struct rtattr *options)
{
	struct rtattr *tb[TCA_LOSSLESS_PRIO_MAX + 1];
	struct rtattr *attr = RTA_DATA(options);
	int left = RTA_PAYLOAD(options);

	open_json_array(PRINT_JSON, "priorities");
	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if ((attr->rta_type & NLA_TYPE_MASK) != TCA_LOSSLESS_PRIO)
			continue;
		parse_prio(tb, attr);
		print_nl();
		print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s", "  ");
		open_json_object(NULL);
		print_prio_fields(tb);
		close_json_object();
	}
	close_json_array(PRINT_JSON, NULL);
}

/* Once, not at each port. */
static void note_newer_module(const struct rtattr *version)
{
	static bool told;

	if (told || !version || get(version) <= LOSSLESS_UAPI_VERSION)
		return;
	told = true;
	fprintf(stderr,
		"Note: the module sch_lossless speaks version %u, this plugin %u: options that are new are not shown.\n",
		(unsigned int)get(version), LOSSLESS_UAPI_VERSION);
}

/**
 * options_print() - TCA_OPTIONS of a port
 * @options: of a dump, or NULL
 *
 * Return: 0.
 */
int options_print(struct rtattr *options)
{
	struct rtattr *tb[TCA_LOSSLESS_MAX + 1];
	const struct field *f;

	if (!options)
		return 0;
	parse_rtattr_flags(tb, TCA_LOSSLESS_MAX, RTA_DATA(options), RTA_PAYLOAD(options),
			   NLA_F_NESTED);
	note_newer_module(tb[TCA_LOSSLESS_VERSION]);
	print_json_number("version", tb[TCA_LOSSLESS_VERSION]);
	forget_what_is_off(tb);
	for (f = port_fields; f < port_fields + ARRAY_SIZE(port_fields); f++)
		f->print(f, tb[f->attr]);
	print_priorities(options);
	return 0;
}

/**
 * class_options_print() - TCA_OPTIONS of a class, which is a priority
 * @options: of a dump, or NULL
 *
 * Return: 0.
 */
int class_options_print(struct rtattr *options)
{
	struct rtattr *tb[TCA_LOSSLESS_PRIO_MAX + 1];
	struct rtattr *attr;
	int left;

	if (!options)
		return 0;
	attr = RTA_DATA(options);
	left = RTA_PAYLOAD(options);
	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if ((attr->rta_type & NLA_TYPE_MASK) != TCA_LOSSLESS_PRIO)
			continue;
		parse_prio(tb, attr);
		print_prio_fields(tb);
	}
	return 0;
}
