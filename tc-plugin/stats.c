// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics -> text or JSON, for ports and priorities: one table of counters each.
 *
 * An older module sends a shorter structure, a newer one a longer: a counter beyond what
 * came is null in JSON and missing in text, and what is not known here is passed over.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "plugin.h"
#include "units.h"

#define TIME_TEXT_SIZE	40

/**
 * struct counter - one number of the output
 * @line: the word that begins its line of text, or NULL if its line has begun
 * @word: in text
 * @key: in JSON
 * @offset: in the structure
 * @write: how text writes it
 */
struct counter {
	const char *line;
	const char *word;
	const char *key;
	size_t offset;
	enum { WRITE_COUNT, WRITE_SIZE, WRITE_TIME, WRITE_DATE } write;
};

#define PORT(line, word, name, write) \
	{ line, word, #name, offsetof(struct tc_lossless_port_stats, name), WRITE_##write }

static const struct counter port_counters[] = {
	PORT("source", "stamp", source_stamp, COUNT),
	PORT(NULL, "iif", source_iif, COUNT),
	PORT(NULL, "lower", source_lower, COUNT),
	PORT(NULL, "local", source_local, COUNT),
	PORT("pfc", "malformed", malformed, COUNT),
	PORT(NULL, "deferred", pfc_deferred, COUNT),
	PORT("llfc", "rx", llfc_rx, COUNT),
	PORT(NULL, "rx_resumes", llfc_rx_resumes, COUNT),
	PORT(NULL, "ignored", llfc_ignored, COUNT),
	PORT(NULL, "tx", llfc_tx, COUNT),
	PORT(NULL, "tx_resumes", llfc_tx_resumes, COUNT),
	PORT("pause_timeout", "count", pause_timeouts, COUNT),
	PORT(NULL, "drops", pause_timeout_drops, COUNT),
	PORT(NULL, "now", is_timed_out, COUNT),
};

#define PRIO(line, word, name, write) \
	{ line, word, #name, offsetof(struct tc_lossless_prio_stats, name), WRITE_##write }

static const struct counter prio_counters[] = {
	PRIO("queue", "now", queue_bytes, SIZE),
	PRIO(NULL, "peak", queue_peak_bytes, SIZE),
	PRIO(NULL, "local", local_bytes, SIZE),
	PRIO("pg", "guaranteed", guaranteed_bytes, SIZE),
	PRIO(NULL, "peak", guaranteed_peak_bytes, SIZE),
	PRIO(NULL, "shared", shared_bytes, SIZE),
	PRIO(NULL, "peak", shared_peak_bytes, SIZE),
	PRIO(NULL, "headroom", headroom_bytes, SIZE),
	PRIO(NULL, "peak", headroom_peak_bytes, SIZE),
	PRIO(NULL, "of", headroom_size_bytes, SIZE),
	PRIO("pfc", "xoff", xoff, COUNT),
	PRIO(NULL, "tx", pfc_tx, COUNT),
	PRIO(NULL, "tx_resumes", pfc_tx_resumes, COUNT),
	PRIO(NULL, "rx", pfc_rx, COUNT),
	PRIO(NULL, "rx_resumes", pfc_rx_resumes, COUNT),
	PRIO(NULL, "ignored", pfc_ignored, COUNT),
	PRIO("ecn", "ce_marked", ce_marked, COUNT),
	PRIO("drops", "headroom", headroom_drops, COUNT),
	PRIO(NULL, "buffer", buffer_drops, COUNT),
	PRIO(NULL, "local", local_drops, COUNT),
	PRIO(NULL, "wred", wred_drops, COUNT),
	PRIO(NULL, "age", age_drops, COUNT),
	PRIO("wait", "tx", txwait_ns, TIME),
	PRIO(NULL, "rx", rxwait_ns, TIME),
	PRIO("watchdog", "storms", storms, COUNT),
	PRIO(NULL, "restores", restores, COUNT),
	PRIO(NULL, "drained", drained, COUNT),
	PRIO(NULL, "dropped", dropped, COUNT),
	PRIO(NULL, "ingress_dropped", ingress_dropped, COUNT),
};

static const struct counter last_storm_counters[] = {
	PRIO("last storm", "at", storm_start_ns, DATE),
	PRIO(NULL, "lasted", storm_ns, TIME),
	PRIO(NULL, "drained", last_drained, COUNT),
	PRIO(NULL, "dropped", last_dropped, COUNT),
	PRIO(NULL, "ingress_dropped", last_ingress_dropped, COUNT),
};

/**
 * struct statistics - what the module sent
 * @data: at least @size bytes
 * @size: in bytes
 * @begun: a line of text was written
 */
struct statistics {
	const char *data;
	size_t size;
	bool begun;
};

static bool read_at(const struct statistics *s, size_t offset, void *value, size_t size)
{
	if (offset + size > s->size)
		return false;
	memcpy(value, s->data + offset, size);
	return true;
}

/* "1.234ms": three digits after the point, cut off. JSON has the nanoseconds. */
static const char *format_time(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 ".%03" PRIu64 "%s", ns / units[i].ns,
			 ns % units[i].ns / (units[i].ns / 1000), units[i].name);
		return text;
	}
	snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 "ns", ns);
	return text;
}

/* "2026-07-04 12:00:00.123", local time */
static const char *format_date(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	time_t seconds = ns / 1000000000;
	struct tm local;
	size_t length;

	if (!localtime_r(&seconds, &local))
		return format_time(ns, text);
	length = strftime(text, TIME_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &local);
	snprintf(text + length, TIME_TEXT_SIZE - length, ".%03u",
		 (unsigned int)(ns % 1000000000 / 1000000));
	return text;
}

static void print_line(struct statistics *s, const char *line)
{
	if (s->begun)
		print_nl();
	s->begun = true;
	print_color_string(PRINT_FP, COLOR_NONE, NULL, "  %s", line);
}

static void print_text(const struct counter *c, uint64_t value)
{
	char number[NUMBER_TEXT_SIZE], time[TIME_TEXT_SIZE];
	const char *text;

	if (c->write == WRITE_TIME)
		text = format_time(value, time);
	else if (c->write == WRITE_DATE)
		text = format_date(value, time);
	else
		text = number_format(c->write == WRITE_SIZE ? NUMBER_SIZE : NUMBER_COUNT, value,
				     number);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", c->word);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", text);
}

static void print_counters(struct statistics *s, const struct counter *counters, size_t n,
			   bool in_text)
{
	const struct counter *c;
	uint64_t value;

	for (c = counters; c < counters + n; c++) {
		if (!read_at(s, c->offset, &value, sizeof(value))) {
			print_color_null(PRINT_JSON, COLOR_NONE, c->key, NULL, NULL);
			continue;
		}
		if (in_text && c->line)
			print_line(s, c->line);
		if (in_text)
			print_text(c, value);
		print_color_u64(PRINT_JSON, COLOR_NONE, c->key, NULL, value);
	}
}

/* Both structures have a u32 behind the type. */
static void print_port(struct statistics *s, uint32_t port_id)
{
	print_color_u64(PRINT_JSON, COLOR_NONE, "port_id", NULL, port_id);
	print_line(s, "port");
	print_color_u64(PRINT_FP, COLOR_NONE, NULL, " %" PRIu64, port_id);
	print_counters(s, port_counters, ARRAY_SIZE(port_counters), true);
}

static void print_flags(uint32_t flags)
{
	bool xoff = flags & TC_LOSSLESS_PRIO_XOFF;
	bool paused = flags & TC_LOSSLESS_PRIO_PAUSED;
	bool storm = flags & TC_LOSSLESS_PRIO_STORM;
	bool untrusted = flags & TC_LOSSLESS_PRIO_UNTRUSTED;

	print_color_bool(PRINT_JSON, COLOR_NONE, "pg_xoff", NULL, xoff);
	print_color_bool(PRINT_JSON, COLOR_NONE, "queue_paused", NULL, paused);
	print_color_bool(PRINT_JSON, COLOR_NONE, "storm", NULL, storm);
	print_color_bool(PRINT_JSON, COLOR_NONE, "untrusted", NULL, untrusted);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, " pg %s", xoff ? "xoff" : "xon");
	print_color_string(PRINT_FP, COLOR_NONE, NULL, " queue %s", paused ? "paused" : "open");
	if (storm)
		print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", "storm");
	if (untrusted)
		print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", "untrusted");
}

static bool had_storm(const struct statistics *s)
{
	uint64_t start;

	return read_at(s, offsetof(struct tc_lossless_prio_stats, storm_start_ns), &start,
		       sizeof(start)) && start;
}

static void print_prio(struct statistics *s, uint32_t flags)
{
	print_line(s, "state");
	print_flags(flags);
	print_counters(s, prio_counters, ARRAY_SIZE(prio_counters), true);
	print_counters(s, last_storm_counters, ARRAY_SIZE(last_storm_counters), had_storm(s));
}

/**
 * statistics_print() - TCA_STATS_APP of a port or a class
 * @statistics: of a dump, or NULL
 *
 * Return: 0.
 */
int statistics_print(struct rtattr *statistics)
{
	struct statistics s = { 0 };
	uint32_t type, second;

	if (!statistics)
		return 0;
	s.data = RTA_DATA(statistics);
	s.size = RTA_PAYLOAD(statistics);
	if (!read_at(&s, 0, &type, sizeof(type)) ||
	    !read_at(&s, sizeof(type), &second, sizeof(second)))
		return 0;
	if (type == TC_LOSSLESS_STATS_PORT)
		print_port(&s, second);
	else if (type == TC_LOSSLESS_STATS_PRIO)
		print_prio(&s, second);
	return 0;
}
