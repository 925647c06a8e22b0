// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: random traces, with a bias to the moments beside which something changes.
 *
 * test_watchdog_random [SEED]	the first of them, by default 1
 */
#include "watchdog_trial.h"

#define TRACES		20000
#define TRACE_EVENTS	80

static u64 first_seed = 1;
static u64 random_state;

static u64 below(u64 bound)
{
	return next_random(&random_state) % bound;
}

/* Each order of magnitude is as likely. */
static u64 magnitude(u64 low, unsigned int doublings)
{
	u64 ns = low << below(doublings + 1);

	return ns + below(ns);
}

static struct watchdog_law random_law(void)
{
	struct watchdog_law law = {
		.is_on = below(50),
		.detect_ns = magnitude(MS, 7),
		.window_ns = below(5) < 2 ? 0 : magnitude(MS, 7),
		.duty_percent = below(8) ? 1 + below(100) : 100,
		.restore = below(3),
		.restore_ns = magnitude(MS, 8),
		.untrust_storms = below(2) ? below(4) : below(17),
		.untrust_ns = magnitude(10 * MS, 10),
	};

	if (!below(3))
		law.window_ns -= law.window_ns % (WATCHDOG_SLICES * 4);
	return law;
}

/* Those beside which something changes, and any others. */
static u64 random_ns(void)
{
	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return below(2 * US);
	case 2:
		return t.law.detect_ns / 100 + below(3) - 1;
	case 3:
		return below(t.law.detect_ns / 50);
	case 4:
		return below(t.law.window_ns / 16 + 1);
	case 5:
		return below(t.law.window_ns + 1);
	case 6:
		return t.law.detect_ns + below(3) - 1;
	case 7:
		if (t.armed_ns != NEVER && t.armed_ns > t.now)
			return t.armed_ns - t.now + below(3) - 1;
		if (t.armed_ns == NEVER && !below(4))
			return below(1000 * DAY);
		return below(t.law.restore_ns);
	default:
		return below(t.law.detect_ns);
	}
}

/* By a resume, or since the last frame was dropped: that is judged by the timer only. */
static void random_unblock(void)
{
	unblock(t.now);
	if (below(8))
		judge();
}

/* The pause may be over already, and what blocks the queue may be that a frame leaves. */
static void random_block(void)
{
	if (t.dog.state != WATCHDOG_OK && !t.is_alert)
		return;
	if (!below(10))
		block(t.now - min(t.now, random_ns()));
	else
		block(below(6) ? t.now + random_ns() : NEVER);
	if (!below(20))
		sent();
}

static void random_event(void)
{
	advance(t.now + random_ns());
	switch (below(16)) {
	case 0:
		judge();
		break;
	case 1:
	case 2:
		paused();
		judge();
		break;
	case 3:
		if (!is_running())
			sent();
		break;
	case 4:
		if (!below(6))
			recover();
		break;
	case 5:
		if (!below(6))
			forget();
		break;
	default:
		if (is_running())
			random_unblock();
		else
			random_block();
	}
	compare();
}

/* Just booted, or up for long; or the number of a slice outgrows 32 bits. */
static u64 random_start(u64 window_ns)
{
	static const u64 starts[] = { 0, MS, START, 1ULL << 40, 1ULL << 60 };

	if (window_ns && !below(8))
		return (window_ns / WATCHDOG_SLICES << 32) - below(window_ns);
	return starts[below(ARRAY_SIZE(starts))] + below(SECOND);
}

static void random_begin(u64 number)
{
	struct watchdog_law law;

	random_state = number * 0x9e3779b97f4a7c15ULL | 1;
	below(2);
	law = random_law();
	begin(law, random_start(law.window_ns));
	t.late_ns = below(2) ? 0 : below(5 * MS);
	t.is_alert = below(2);
}

/* The timer expires for what has happened, and twice in a slice on the brink of a storm. */
static u64 wakes_max(void)
{
	u64 slice = t.law.window_ns / WATCHDOG_SLICES;
	u64 blocked_ns = naive_total_ns(&t.naive, t.now);

	return 2 * (TRACE_EVENTS + t.found + t.restored) + (slice ? 2 * blocked_ns / slice : 0);
}

static bool random_trace(u64 number)
{
	unsigned int i;

	random_begin(number);
	for (i = 0; i < TRACE_EVENTS && !failed_checks; i++)
		random_event();
	CHECK(t.wakes <= wakes_max());
	if (failed_checks)
		printf("# seed %" PRIu64 ", event %u\n", number, i);
	return !failed_checks;
}

static void random_traces(void)
{
	u64 i, storms = 0, restored = 0, wakes = 0;

	for (i = 0; i < TRACES && random_trace(first_seed + i); i++) {
		storms += t.found;
		restored += t.restored;
		wakes += t.wakes;
	}
	printf("# %" PRIu64 " traces from seed %" PRIu64 ": %" PRIu64 " storms, %" PRIu64
	       " restored, %" PRIu64 " times woken\n", i, first_seed, storms, restored, wakes);
}

static const struct test tests[] = {
	TEST(random_traces),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 0);
	return run_tests(tests, ARRAY_SIZE(tests));
}
