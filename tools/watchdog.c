// SPDX-License-Identifier: GPL-2.0
/*
 * `lossless watchdog`: what the watchdogs of the ports have found, and ending or forgetting
 * it by hand. How it is configured is tc's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/genetlink.h>

#include "netlink.h"
#include "tool.h"
#include "units.h"
#include "watchdog.h"

#define NS_PER_S	1000000000ULL

/* Reading a message */

static int read_value(const struct nlattr *attr, void *data)
{
	unsigned int type = mnl_attr_get_type(attr);
	struct report *report = data;

	if (type > LOSSLESS_A_WATCHDOG_MAX)
		return MNL_CB_OK;	/* a newer module's */
	if (type == LOSSLESS_A_WATCHDOG_IFNAME) {
		if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			return MNL_CB_OK;
		snprintf(report->ifname, sizeof(report->ifname), "%s", mnl_attr_get_str(attr));
	} else if (!mnl_attr_validate(attr, MNL_TYPE_U64)) {
		report->value[type] = mnl_attr_get_u64(attr);
	} else if (!mnl_attr_validate(attr, MNL_TYPE_U32)) {
		report->value[type] = mnl_attr_get_u32(attr);
	} else if (!mnl_attr_validate(attr, MNL_TYPE_U8)) {
		report->value[type] = mnl_attr_get_u8(attr);
	} else {
		return MNL_CB_OK;
	}
	report->given[type] = true;
	return MNL_CB_OK;
}

/**
 * report_read() - read one message
 * @n: the message
 * @report: result
 *
 * Return: as a callback of libmnl does
 */
int report_read(const struct nlmsghdr *n, struct report *report)
{
	*report = (struct report){ 0 };
	return mnl_attr_parse(n, sizeof(struct genlmsghdr), read_value, report);
}

/* Writing it */

enum form {
	COUNT,
	BOOLEAN,
	NAME,		/* of the port */
	WORD,		/* one of words[] */
	DURATION,	/* ns */
	MOMENT,		/* ns since 1970 */
};

#define WORDS_MAX	8

/**
 * struct field - how an attribute is written
 * @key: in JSON
 * @form: of the value
 * @words: what the value means, for WORD
 */
struct field {
	const char *key;
	enum form form;
	const char *words[WORDS_MAX];
};

static const struct field fields[LOSSLESS_A_WATCHDOG_MAX + 1] = {
	[LOSSLESS_A_WATCHDOG_IFINDEX] = { .key = "ifindex" },
	[LOSSLESS_A_WATCHDOG_IFNAME] = { .key = "ifname", .form = NAME },
	[LOSSLESS_A_WATCHDOG_PRIO] = { .key = "prio" },
	[LOSSLESS_A_WATCHDOG_SEQ] = { .key = "seq" },
	[LOSSLESS_A_WATCHDOG_EVENT] = { .key = "event", .form = WORD, .words = {
		[LOSSLESS_EVENT_STORM] = "storm",
		[LOSSLESS_EVENT_UNTRUST] = "untrust",
		[LOSSLESS_EVENT_RESTORE] = "restore",
		[LOSSLESS_EVENT_TIMEOUT] = "timeout",
		[LOSSLESS_EVENT_TIMEOUT_END] = "timeout-end",
	} },
	[LOSSLESS_A_WATCHDOG_CAUSE] = { .key = "cause", .form = WORD, .words = {
		[LOSSLESS_CAUSE_QUIET] = "quiet",
		[LOSSLESS_CAUSE_FIXED] = "fixed",
		[LOSSLESS_CAUSE_HAND] = "hand",
		[LOSSLESS_CAUSE_CONFIG] = "config",
		[LOSSLESS_CAUSE_DOWN] = "down",
	} },
	[LOSSLESS_A_WATCHDOG_STATE] = { .key = "state", .form = WORD, .words = {
		[LOSSLESS_STATE_OK] = "ok",
		[LOSSLESS_STATE_STORM] = "storm",
		[LOSSLESS_STATE_UNTRUSTED] = "untrusted",
	} },
	[LOSSLESS_A_WATCHDOG_ACTION] = { .key = "action", .form = WORD, .words = {
		[LOSSLESS_ACTION_DROP] = "drop",
		[LOSSLESS_ACTION_FORWARD] = "forward",
		[LOSSLESS_ACTION_ALERT] = "alert",
		[LOSSLESS_ACTION_SHUTDOWN] = "shutdown",
		[LOSSLESS_ACTION_FLAP] = "flap",
	} },
	[LOSSLESS_A_WATCHDOG_TIME] = { .key = "time", .form = MOMENT },
	[LOSSLESS_A_WATCHDOG_DURATION] = { .key = "duration", .form = DURATION },
	[LOSSLESS_A_WATCHDOG_BACKLOG] = { .key = "backlog" },
	[LOSSLESS_A_WATCHDOG_DRAINED] = { .key = "drained" },
	[LOSSLESS_A_WATCHDOG_DROPPED] = { .key = "dropped" },
	[LOSSLESS_A_WATCHDOG_INGRESS_DROPPED] = { .key = "ingress_dropped" },
	[LOSSLESS_A_WATCHDOG_STORMS] = { .key = "storms" },
	[LOSSLESS_A_WATCHDOG_RESTORES] = { .key = "restores" },
	[LOSSLESS_A_WATCHDOG_DRAINED_TOTAL] = { .key = "drained_total" },
	[LOSSLESS_A_WATCHDOG_DROPPED_TOTAL] = { .key = "dropped_total" },
	[LOSSLESS_A_WATCHDOG_INGRESS_DROPPED_TOTAL] = { .key = "ingress_dropped_total" },
	[LOSSLESS_A_WATCHDOG_IS_TIMED_OUT] = { .key = "is_timed_out", .form = BOOLEAN },
};

/* NULL: a newer module's */
static const char *word_of(const struct field *field, uint64_t value)
{
	return value < WORDS_MAX ? field->words[value] : NULL;
}

static void print_moment(uint64_t ns)
{
	time_t seconds = ns / NS_PER_S;
	struct tm utc;
	char text[32];

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
	printf("%s.%09" PRIu64 "Z", text, (uint64_t)(ns % NS_PER_S));
}

static void print_value(const struct report *report, int attr)
{
	const struct field *field = &fields[attr];
	uint64_t value = report->value[attr];
	const char *word = word_of(field, value);
	char text[NUMBER_TEXT_SIZE];

	if (field->form == NAME)
		printf("%s", report->ifname);
	else if (field->form == WORD && word)
		printf("%s", word);
	else if (field->form == DURATION)
		printf("%s", number_format(NUMBER_TIME, value, text));
	else if (field->form == MOMENT)
		print_moment(value);
	else
		printf("%" PRIu64, value);
}

/**
 * report_print_pieces() - write some values as text
 * @report: the message
 * @pieces: which ones
 * @count: of @pieces
 */
void report_print_pieces(const struct report *report, const struct piece *pieces,
			 unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!report->given[pieces[i].attr])
			continue;
		printf("%s", pieces[i].before);
		print_value(report, pieces[i].attr);
	}
}

static struct json_object *json_value(const struct report *report, int attr)
{
	const struct field *field = &fields[attr];
	uint64_t value = report->value[attr];
	const char *word = word_of(field, value);

	if (field->form == NAME)
		return json_object_new_string(report->ifname);
	if (field->form == WORD && word)
		return json_object_new_string(word);
	if (field->form == BOOLEAN)
		return json_object_new_boolean(value);
	return json_object_new_int64(value);
}

/**
 * report_json() - all that is given, in raw numbers
 * @report: the message
 */
struct json_object *report_json(const struct report *report)
{
	struct json_object *object = json_object_new_object();
	int attr;

	for (attr = 0; attr <= LOSSLESS_A_WATCHDOG_MAX; attr++)
		if (fields[attr].key && report->given[attr])
			json_object_object_add(object, fields[attr].key,
					       json_value(report, attr));
	return object;
}

/* watchdog show */

static const struct piece first_line[] = {
	{ "", LOSSLESS_A_WATCHDOG_IFNAME },
	{ " prio ", LOSSLESS_A_WATCHDOG_PRIO },
	{ " state ", LOSSLESS_A_WATCHDOG_STATE },
	{ " action ", LOSSLESS_A_WATCHDOG_ACTION },
	{ " storms ", LOSSLESS_A_WATCHDOG_STORMS },
	{ " restores ", LOSSLESS_A_WATCHDOG_RESTORES },
};

static const struct piece storm_lines[] = {
	{ "\n  last-storm ", LOSSLESS_A_WATCHDOG_TIME },
	{ " duration ", LOSSLESS_A_WATCHDOG_DURATION },
	{ "\n  of-it drained ", LOSSLESS_A_WATCHDOG_DRAINED },
	{ " dropped ", LOSSLESS_A_WATCHDOG_DROPPED },
	{ " ingress-dropped ", LOSSLESS_A_WATCHDOG_INGRESS_DROPPED },
	{ "\n  of-all drained ", LOSSLESS_A_WATCHDOG_DRAINED_TOTAL },
	{ " dropped ", LOSSLESS_A_WATCHDOG_DROPPED_TOTAL },
	{ " ingress-dropped ", LOSSLESS_A_WATCHDOG_INGRESS_DROPPED_TOTAL },
};

static void print_priority(const struct report *report)
{
	report_print_pieces(report, first_line, ARRAY_SIZE(first_line));
	if (report->value[LOSSLESS_A_WATCHDOG_IS_TIMED_OUT])
		printf(" timed-out");
	if (report->value[LOSSLESS_A_WATCHDOG_TIME])
		report_print_pieces(report, storm_lines, ARRAY_SIZE(storm_lines));
	printf("\n");
}

/* With -j into the array that is in *data */
static int take_priority(const struct nlmsghdr *n, void *data)
{
	struct json_object *array = data;
	struct report report;
	int result = report_read(n, &report);

	if (result != MNL_CB_OK)
		return result;
	if (array)
		json_object_array_add(array, report_json(&report));
	else
		print_priority(&report);
	return MNL_CB_OK;
}

/* Which priorities a command is about */

/**
 * struct target - DEV [ prio P ]
 * @ifindex: of the device, 0: none was named
 * @has_priority: @priority was named
 * @priority: 0 to 7
 */
struct target {
	unsigned int ifindex;
	bool has_priority;
	uint64_t priority;
};

static int read_prio(char **words, struct target *target)
{
	static const struct number number = {
		NUMBER_COUNT, 0, LOSSLESS_PRIORITIES - 1, NULL
	};

	if (!*words)
		return DONE;
	if (strcmp(*words, "prio"))
		return bad_word(*words);
	if (!words[1]) {
		fprintf(stderr, "Error: prio needs a value: 0 to %d.\n", LOSSLESS_PRIORITIES - 1);
		return BAD_USAGE;
	}
	if (words[2])
		return bad_word(words[2]);
	target->has_priority = true;
	return number_parse(&number, "prio", words[1], &target->priority) ? BAD_USAGE : DONE;
}

static int read_target(char **words, struct target *target)
{
	*target = (struct target){ 0 };
	if (!*words)
		return DONE;
	target->ifindex = if_nametoindex(*words);
	if (!target->ifindex) {
		fprintf(stderr, "Error: there is no device \"%s\" in this network namespace.\n",
			*words);
		return BAD_USAGE;
	}
	return read_prio(words + 1, target);
}

static void put_target(struct nlmsghdr *n, const struct target *target)
{
	if (target->ifindex)
		mnl_attr_put_u32(n, LOSSLESS_A_WATCHDOG_IFINDEX, target->ifindex);
	if (target->has_priority)
		mnl_attr_put_u8(n, LOSSLESS_A_WATCHDOG_PRIO, target->priority);
}

static int show(struct talk *talk, const struct target *target)
{
	struct json_object *array = json ? json_object_new_array() : NULL;
	struct nlmsghdr *n = request(talk, LOSSLESS_CMD_WATCHDOG_GET);
	int status = DONE;

	if (!target->has_priority)
		n->nlmsg_flags |= NLM_F_DUMP;
	put_target(n, target);
	if (exchange(talk, n, take_priority, array))
		status = kernel_refused();
	if (array && !status)
		print_json(array);
	else if (array)
		json_object_put(array);
	return status;
}

static int act(struct talk *talk, uint8_t command, const struct target *target)
{
	struct nlmsghdr *n = request(talk, command);

	put_target(n, target);
	return exchange(talk, n, NULL, NULL) ? kernel_refused() : DONE;
}

static int run_command(uint8_t command, char **words)
{
	static struct talk talk;
	struct target target;
	int status = read_target(words, &target);

	if (!status)
		status = talk_open(&talk);
	if (!status && command == LOSSLESS_CMD_WATCHDOG_GET)
		status = show(&talk, &target);
	else if (!status)
		status = act(&talk, command, &target);
	talk_close(&talk);
	return status;
}

/**
 * run_watchdog() - the command `watchdog`
 * @words: after it
 *
 * Return: exit status
 */
int run_watchdog(char **words)
{
	bool is_clear = *words && !strcmp(*words, "clear");

	if (!*words)
		return run_command(LOSSLESS_CMD_WATCHDOG_GET, words);
	if (!strcmp(*words, "show"))
		return run_command(LOSSLESS_CMD_WATCHDOG_GET, words + 1);
	if (!is_clear && strcmp(*words, "recover"))
		return bad_word(*words);
	if (!words[1]) {
		fprintf(stderr, "Error: %s needs a device: watchdog %s DEV [ prio P ].\n",
			*words, *words);
		return BAD_USAGE;
	}
	return run_command(is_clear ? LOSSLESS_CMD_WATCHDOG_CLEAR : LOSSLESS_CMD_WATCHDOG_RECOVER,
			   words + 1);
}
