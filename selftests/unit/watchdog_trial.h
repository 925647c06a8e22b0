/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial of the watchdog: it and the naive one side by side, called as recover.c does it,
 * and a timer that follows nothing but deadlines. Each call compares the two, and a verdict
 * with what exact arithmetic makes of it.
 */
#ifndef LOSSLESS_UNIT_WATCHDOG_TRIAL_H
#define LOSSLESS_UNIT_WATCHDOG_TRIAL_H

#include "naive_watchdog.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SECOND		(1000 * MS)
#define DAY		(86400 * SECOND)
#define START		(1000 * SECOND + 7)
#define NEVER		U64_MAX

/**
 * struct trial - the one that runs: a queue, its caller and its timer
 * @until_ns: when the pause ends; valid while the queue is blocked
 * @armed_ns: when the timer expires
 * @late_ns: by how much it is late
 * @is_alert: pauses are honoured in a storm too
 * @wakes: how often the timer has expired
 * @found: storms
 * @restored: how often one has ended by itself
 */
static struct trial {
	struct watchdog_law law;
	struct watchdog dog;
	struct naive naive;
	u64 now;
	u64 until_ns;
	u64 armed_ns;
	u64 late_ns;
	bool is_alert;
	unsigned int wakes;
	unsigned int found;
	unsigned int restored;
} t;

static inline void begin(struct watchdog_law law, u64 now)
{
	memset(&t, 0, sizeof(t));
	t.law = law;
	t.now = now;
	t.armed_ns = NEVER;
}

static inline bool is_running(void)
{
	return t.dog.clock.is_running;
}

static inline void compare(void)
{
	struct blocked_clock clock = t.dog.clock;

	CHECK_EQUAL(t.dog.state, t.naive.state);
	CHECK_EQUAL(is_running(), naive_is_running(&t.naive));
	CHECK_EQUAL(blocked_held_ns(&clock, t.now), naive_held_ns(&t.naive, &t.law, t.now));
	if (clock.is_running)
		blocked_end(&clock, t.now);
	CHECK_EQUAL(clock.total_ns, naive_total_ns(&t.naive, t.now));
}

static inline void arm(void)
{
	u64 at = watchdog_deadline(&t.dog, &t.law, t.now);

	CHECK_EQUAL(at, naive_deadline(&t.naive, &t.law, t.now));
	t.armed_ns = min(t.armed_ns, at);
}

static inline void block(u64 until)
{
	watchdog_block(&t.dog, &t.law, t.now);
	naive_block(&t.naive, t.now);
	t.until_ns = until;
	arm();
}

static inline void unblock(u64 at)
{
	watchdog_unblock(&t.dog, &t.law, at);
	naive_unblock(&t.naive, at);
}

static inline void sent(void)
{
	blocked_sent(&t.dog.clock);
	naive_sent(&t.naive);
}

static inline void paused(void)
{
	t.dog.paused_ns = t.now;
	t.naive.paused_ns = t.now;
}

/* By exact arithmetic, a storm is no mistake. Of a window of 64 slices of whole ns and some
 * ns, the latter are left out when all of it would have to be blocked.
 */
static inline bool may_be_storm(void)
{
	u64 at = naive_at(&t.naive, t.now);
	u64 uncounted = t.law.duty_percent == 100 ? t.law.window_ns % WATCHDOG_SLICES : 0;
	u64 held = naive_held_ns(&t.naive, &t.law, t.now);

	if (held >= t.law.detect_ns)
		return t.late_ns || held == t.law.detect_ns;
	return t.law.window_ns &&
	       naive_window_ns(&t.naive, &t.law, at) + uncounted >= naive_duty_ns(&t.law);
}

/* By exact arithmetic, it has been one for that long already, and has been blocked since. */
static inline bool must_be_storm(u64 ns)
{
	u64 at = naive_at(&t.naive, t.now);

	if (!t.law.window_ns || !t.naive.count || at - min(at, ns) < naive_last(&t.naive)->from)
		return false;
	return naive_window_ns(&t.naive, &t.law, at - ns) >= naive_duty_ns(&t.law) + 63;
}

static inline void note_storm(void)
{
	t.found++;
	if (is_running() && !t.is_alert)
		unblock(min(t.now, t.until_ns));
}

static inline enum watchdog_step judge(void)
{
	u64 slice = t.law.window_ns / WATCHDOG_SLICES;
	bool is_ok = t.dog.state == WATCHDOG_OK, may = may_be_storm();
	bool must = t.law.is_on && must_be_storm(slice);
	bool is_late = !t.late_ns && must_be_storm(2 * slice);
	enum watchdog_step step = watchdog_judge(&t.dog, &t.law, t.now);

	CHECK_EQUAL(step, naive_judge(&t.naive, &t.law, t.now));
	if (step == WATCHDOG_STORMS || step == WATCHDOG_DISTRUSTS) {
		CHECK(is_ok && may && !is_late);
		note_storm();
	} else {
		CHECK(!is_ok || !must);
		t.restored += step != WATCHDOG_STAYS;
	}
	if (step != WATCHDOG_STAYS)
		arm();
	return step;
}

/* A pause that has ended before is ended first. */
static inline void expire(void)
{
	if (!is_running() || t.until_ns > t.now)
		return;
	unblock(t.until_ns);
	judge();
}

static inline void wake(void)
{
	t.now = max(t.now, t.armed_ns + t.late_ns);
	t.armed_ns = NEVER;
	t.wakes++;
	expire();
	judge();
	arm();
	CHECK(t.armed_ns > t.now);
}

/* A check that fails ends it: the timer may be going round and round. */
static inline void advance(u64 to)
{
	while (t.armed_ns != NEVER && t.armed_ns + t.late_ns <= to && !failed_checks)
		wake();
	t.now = to;
	expire();
}

static inline bool recover(void)
{
	bool is_over = watchdog_recover(&t.dog, t.now);

	CHECK_EQUAL(is_over, naive_recover(&t.naive, t.now));
	if (is_over)
		arm();
	return is_over;
}

static inline void forget(void)
{
	watchdog_forget(&t.dog, t.now);
	naive_start_over(&t.naive, t.now);
	arm();
}

#endif /* LOSSLESS_UNIT_WATCHDOG_TRIAL_H */
