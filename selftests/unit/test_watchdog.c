// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: vectors for each rule. Those of the clock call it, all others run a trial.
 */
#include "watchdog_trial.h"

/* -- the clock alone ----------------------------------------------------------------- */

static void clock_block(struct blocked_clock *clock, u64 from, u64 to)
{
	blocked_begin(clock, 100 * MS, from);
	CHECK_EQUAL(blocked_end(clock, to), to - from);
}

static void clock_counts(void)
{
	struct blocked_clock clock = {};

	CHECK_EQUAL(blocked_held_ns(&clock, START), 0);
	blocked_begin(&clock, 100 * MS, START);
	CHECK(clock.is_running);
	CHECK_EQUAL(blocked_held_ns(&clock, START - 1), 0);
	CHECK_EQUAL(blocked_held_ns(&clock, START), 0);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 5), 5);
	CHECK_EQUAL(clock.total_ns, 0);
	CHECK_EQUAL(blocked_end(&clock, START + 9), 9);
	CHECK(!clock.is_running);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 100), 9);
	CHECK_EQUAL(clock.total_ns, 9);
}

static void clock_ends_before_it_began(void)
{
	struct blocked_clock clock = {};

	clock_block(&clock, START, START + 7);
	blocked_begin(&clock, 100 * MS, START + 10);
	CHECK_EQUAL(blocked_end(&clock, START + 8), 0);
	CHECK_EQUAL(clock.since_ns, START + 10);
	CHECK_EQUAL(clock.total_ns, 7);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 50), 7);
	clock_block(&clock, START + 12, START + 13);
	CHECK_EQUAL(clock.open_ns, 5);
}

/* Many that are as long in sum as is forgiven, and then a nanosecond. */
static void clock_openings(void)
{
	struct blocked_clock clock = {};
	u64 at = START;
	unsigned int i;

	for (i = 0; i <= 10; i++, at += MS + 100 * US)
		clock_block(&clock, at, at + MS);
	CHECK_EQUAL(clock.open_ns, MS);
	CHECK_EQUAL(clock.held_ns, 11 * MS);
	at -= 100 * US;
	clock_block(&clock, at, at + 5);
	CHECK_EQUAL(clock.held_ns, 11 * MS + 5);
	clock_block(&clock, at + 6, at + 9);
	CHECK_EQUAL(clock.held_ns, 3);
	CHECK_EQUAL(clock.open_ns, 0);
	CHECK_EQUAL(clock.total_ns, 11 * MS + 8);
}

/* What was open before a frame left does not count. */
static void clock_openings_after_sent(void)
{
	struct blocked_clock clock = {};

	clock_block(&clock, START, START + MS);
	clock_block(&clock, START + 2 * MS, START + 3 * MS);
	blocked_sent(&clock);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 4 * MS), 0);
	clock_block(&clock, START + 5 * MS, START + 6 * MS);
	clock_block(&clock, START + 7 * MS, START + 8 * MS);
	CHECK_EQUAL(clock.held_ns, 2 * MS);
	CHECK_EQUAL(clock.open_ns, MS);
}

/* The port is blocked by the very departure: the queue that could send has nothing left. */
static void clock_sent_while_running(void)
{
	struct blocked_clock clock = {};

	clock_block(&clock, START, START + MS);
	blocked_begin(&clock, 100 * MS, START + 2 * MS);
	blocked_sent(&clock);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 3 * MS), MS);
	CHECK_EQUAL(blocked_end(&clock, START + 3 * MS), MS);
	clock_block(&clock, START + 4 * MS, START + 5 * MS);
	CHECK_EQUAL(clock.held_ns, 2 * MS);
	CHECK_EQUAL(clock.total_ns, 3 * MS);
}

static void clock_restarts(void)
{
	struct blocked_clock clock = {};

	clock_block(&clock, START, START + MS);
	blocked_begin(&clock, 100 * MS, START + 2 * MS);
	blocked_restart(&clock, START + 4 * MS);
	CHECK(clock.is_running);
	CHECK_EQUAL(clock.total_ns, 3 * MS);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 5 * MS), MS);
	CHECK_EQUAL(blocked_end(&clock, START + 5 * MS), MS);
	clock_block(&clock, START + 6 * MS, START + 7 * MS);
	CHECK_EQUAL(clock.held_ns, 2 * MS);
	blocked_restart(&clock, START + 8 * MS);
	CHECK(!clock.is_running);
	CHECK_EQUAL(blocked_held_ns(&clock, START + 9 * MS), 0);
	CHECK_EQUAL(clock.total_ns, 5 * MS);
}

/* -- laws, and ways to a storm ---------------------------------------------------------- */

static const struct watchdog_law plain = {
	.is_on = true, .detect_ns = 100 * MS, .duty_percent = 90,
	.restore = WATCHDOG_AUTO, .restore_ns = SECOND, .untrust_ns = DAY,
};

/* A window only: detection by itself is far away. */
static struct watchdog_law windowed(u64 window_ns, u32 duty_percent)
{
	struct watchdog_law law = plain;

	law.detect_ns = 1000 * window_ns;
	law.window_ns = window_ns;
	law.duty_percent = duty_percent;
	return law;
}

/* Its timer sleeps: what is found is found by who asks. */
static enum watchdog_step judge_at(u64 at)
{
	t.now = at;
	compare();
	return judge();
}

/* From now on and until a storm is found, which takes the detection time. */
static void storm(void)
{
	block(NEVER);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	judge_at(t.now + t.law.detect_ns);
	CHECK(t.dog.state != WATCHDOG_OK);
}

/* Blocked, and open for long enough to send a frame, until a storm. Returns when it came. */
static u64 blink(u64 blocked_ns, u64 open_ns, unsigned int times)
{
	u64 start = t.now;
	unsigned int i;

	for (i = 0; i < times && !t.found && !failed_checks; i++) {
		block(t.now + blocked_ns);
		advance(t.now + blocked_ns);
		sent();
		advance(t.now + open_ns);
	}
	compare();
	return t.found ? t.dog.storm_ns - start : NEVER;
}

/* -- detection --------------------------------------------------------------------------- */

static void detect_exactly(void)
{
	begin(plain, START);
	block(NEVER);
	CHECK_EQUAL(t.armed_ns, START + 100 * MS);
	CHECK_EQUAL(judge_at(START + 40 * MS), WATCHDOG_STAYS);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 100 * MS);
	CHECK_EQUAL(judge_at(START + 100 * MS - 1), WATCHDOG_STAYS);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	CHECK_EQUAL(judge_at(START + 100 * MS), WATCHDOG_STORMS);
	CHECK_EQUAL(t.dog.state, WATCHDOG_STORM);
	CHECK_EQUAL(t.dog.storm_ns, START + 100 * MS);
	CHECK_EQUAL(judge(), WATCHDOG_STAYS);
	CHECK_EQUAL(t.dog.clock.total_ns, 100 * MS);
}

static void detect_by_timer(void)
{
	begin(plain, START);
	block(NEVER);
	advance(START + 100 * MS - 1);
	CHECK_EQUAL(t.wakes, 0);
	advance(START + 100 * MS);
	CHECK_EQUAL(t.found, 1);
	CHECK_EQUAL(t.wakes, 1);
}

/* A frame has left a nanosecond before. */
static void detect_anew_after_frame(void)
{
	begin(plain, START);
	block(START + 100 * MS - 1);
	advance(START + 100 * MS - 1);
	sent();
	block(NEVER);
	CHECK_EQUAL(judge_at(START + 200 * MS - 2), WATCHDOG_STAYS);
	CHECK_EQUAL(judge_at(START + 200 * MS - 1), WATCHDOG_STORMS);
	CHECK_EQUAL(t.dog.clock.total_ns, 200 * MS - 1);
}

/* In fifty openings, for as long as is forgiven and for @more. */
static u64 detect_with_openings(u64 more)
{
	unsigned int i;

	begin(plain, START);
	for (i = 0; i < 50; i++) {
		block(t.now + MS);
		advance(t.now + MS);
		advance(t.now + 20 * US + (i == 49 ? more : 0));
	}
	block(NEVER);
	advance(t.now + SECOND / 5);
	compare();
	return t.dog.storm_ns - START;
}

static void detect_forgives(void)
{
	CHECK_EQUAL(detect_with_openings(0), 101 * MS);
	CHECK_EQUAL(detect_with_openings(1), 51 * MS + 1 + 100 * MS);
}

/* Half of the detection time, fifteen times, and frames in between (peers.md, 7). */
static void detect_no_bursts(void)
{
	begin(plain, START);
	CHECK_EQUAL(blink(50 * MS, MS, 15), NEVER);
	CHECK_EQUAL(t.dog.clock.total_ns, 750 * MS);
}

/* The pause was over in time, but the timer found that out late; and the other way round. */
static void detect_late(void)
{
	begin(plain, START);
	t.late_ns = 7 * MS;
	block(START + 100 * MS - 1);
	advance(START + 108 * MS);
	CHECK_EQUAL(t.found, 0);
	begin(plain, START);
	t.late_ns = 7 * MS;
	block(START + 100 * MS);
	advance(START + 107 * MS);
	CHECK_EQUAL(t.found, 1);
	CHECK_EQUAL(t.dog.storm_ns, START + 107 * MS);
	CHECK_EQUAL(t.dog.clock.total_ns, 100 * MS);
}

static void detect_off(void)
{
	struct watchdog_law law = windowed(MS, 1);

	law.is_on = false;
	begin(law, START);
	block(NEVER);
	CHECK_EQUAL(t.armed_ns, NEVER);
	CHECK_EQUAL(judge_at(START + DAY), WATCHDOG_STAYS);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
}

static void idle(void)
{
	begin(plain, START);
	CHECK_EQUAL(judge(), WATCHDOG_STAYS);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
	block(START + 99 * MS);
	advance(START + 1000 * DAY);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
	block(NEVER);
	CHECK_EQUAL(t.armed_ns, t.now + 100 * MS);
	advance(t.now + 100 * MS);
	CHECK_EQUAL(t.found, 1);
}

/* -- restoration --------------------------------------------------------------------------- */

static void restore_auto(void)
{
	begin(plain, START);
	t.now = START + 50 * MS;
	paused();
	storm();
	CHECK_EQUAL(t.armed_ns, START + 150 * MS);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 1150 * MS);
	CHECK_EQUAL(judge_at(START + 1150 * MS - 1), WATCHDOG_STAYS);
	CHECK_EQUAL(judge_at(START + 1150 * MS), WATCHDOG_RESTORES_QUIET);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	CHECK_EQUAL(judge(), WATCHDOG_STAYS);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
}

static void restore_auto_after_pauses(void)
{
	unsigned int i;

	begin(plain, START);
	storm();
	for (i = 1; i <= 20; i++) {
		advance(START + i * 500 * MS);
		paused();
	}
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 11 * SECOND);
	advance(START + 11 * SECOND - 1);
	CHECK_EQUAL(t.dog.state, WATCHDOG_STORM);
	advance(START + 11 * SECOND);
	CHECK_EQUAL(t.restored, 1);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
}

static void restore_fixed(void)
{
	struct watchdog_law law = plain;

	law.restore = WATCHDOG_FIXED;
	begin(law, START);
	storm();
	t.now += 999 * MS;
	paused();
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 1100 * MS);
	CHECK_EQUAL(judge_at(START + 1100 * MS - 1), WATCHDOG_STAYS);
	CHECK_EQUAL(judge_at(START + 1100 * MS), WATCHDOG_RESTORES_FIXED);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
}

static void restore_by_hand(void)
{
	struct watchdog_law law = plain;

	law.restore = WATCHDOG_BY_HAND;
	begin(law, START);
	CHECK(!recover());
	storm();
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
	CHECK_EQUAL(judge_at(START + 10000 * DAY), WATCHDOG_STAYS);
	CHECK(recover());
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	CHECK(!recover());
}

/* The port is closed: its storms are over, but not the distrust. */
static void reset_ends_storms(void)
{
	begin(plain, START);
	storm();
	CHECK(watchdog_reset(&t.dog, t.now));
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	CHECK(!watchdog_reset(&t.dog, t.now));
	t.dog.state = WATCHDOG_UNTRUSTED;
	CHECK(!watchdog_reset(&t.dog, t.now));
	CHECK_EQUAL(t.dog.state, WATCHDOG_UNTRUSTED);
}

/* The options of a storm that lasts become others. */
static void restore_otherwise(void)
{
	begin(plain, START);
	t.law.restore = WATCHDOG_BY_HAND;
	storm();
	CHECK_EQUAL(judge_at(START + DAY), WATCHDOG_STAYS);
	t.law.restore = WATCHDOG_FIXED;
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 1100 * MS);
	CHECK_EQUAL(judge(), WATCHDOG_RESTORES_FIXED);
}

/* Pauses are honoured in storm: one that lasts for longer than it takes to restore is one storm,
 * which is over with it; one that does not, holds nothing back.
 */
static void restore_waits_for_a_long_pause(void)
{
	begin(plain, START);
	t.is_alert = true;
	block(START + 3000 * MS);
	advance(START + 3000 * MS - 1);
	CHECK_EQUAL(t.found, 1);
	CHECK_EQUAL(t.restored, 0);
	advance(START + 3000 * MS);
	CHECK_EQUAL(t.restored, 1);
	begin(plain, START);
	t.is_alert = true;
	block(START + 500 * MS);
	advance(START + 1100 * MS - 1);
	CHECK_EQUAL(t.restored, 0);
	advance(START + 1100 * MS);
	CHECK_EQUAL(t.restored, 1);
	CHECK_EQUAL(t.found, 1);
}

/* Pauses are honoured in storm, and it is blocked throughout: what was before is no storm. */
static void restore_detects_anew(void)
{
	begin(plain, START);
	t.law.restore = WATCHDOG_FIXED;
	t.is_alert = true;
	block(NEVER);
	advance(START + 100 * MS);
	CHECK_EQUAL(t.found, 1);
	CHECK(is_running());
	advance(START + 1200 * MS - 1);
	CHECK_EQUAL(t.restored, 1);
	CHECK_EQUAL(t.found, 1);
	advance(START + 1200 * MS);
	CHECK_EQUAL(t.found, 2);
	advance(START + 1250 * MS);
	CHECK(recover());
	advance(START + 1350 * MS - 1);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	advance(START + 1350 * MS);
	CHECK_EQUAL(t.found, 3);
	compare();
	CHECK_EQUAL(t.dog.clock.total_ns, 1350 * MS);
}

/* -- trust ------------------------------------------------------------------------------- */

static struct watchdog_law untrust(u32 storms, u64 ns)
{
	struct watchdog_law law = plain;

	law.restore = WATCHDOG_FIXED;
	law.restore_ns = MS;
	law.untrust_storms = storms;
	law.untrust_ns = ns;
	return law;
}

/* Storms that are found @apart ns from each other. Returns how many it took. */
static unsigned int storms_until_untrusted(u64 apart, unsigned int most)
{
	unsigned int i;

	for (i = 0; i < most && t.dog.state != WATCHDOG_UNTRUSTED && !failed_checks; i++) {
		storm();
		advance(t.now + MS);
		t.now += apart - MS - 100 * MS;
	}
	return t.dog.state == WATCHDOG_UNTRUSTED ? i : 0;
}

/* As many as can be configured, in exactly the time, and in a nanosecond more. */
static void untrust_boundary(void)
{
	unsigned int n;

	for (n = 2; n <= 16; n++) {
		begin(untrust(n, (n - 1) * SECOND), START);
		CHECK_EQUAL(storms_until_untrusted(SECOND, 60), n);
		begin(untrust(n, (n - 1) * SECOND - 1), START);
		CHECK_EQUAL(storms_until_untrusted(SECOND, 60), 0);
		CHECK_EQUAL(t.found, 60);
	}
}

static void untrust_at_once(void)
{
	begin(untrust(1, MS), START);
	block(NEVER);
	CHECK_EQUAL(judge_at(START + 100 * MS), WATCHDOG_DISTRUSTS);
	CHECK_EQUAL(t.dog.state, WATCHDOG_UNTRUSTED);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), NEVER);
	CHECK_EQUAL(judge_at(START + 1000 * DAY), WATCHDOG_STAYS);
	CHECK(recover());
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
}

static void untrust_never(void)
{
	begin(untrust(0, 1000 * DAY), START);
	CHECK_EQUAL(storms_until_untrusted(SECOND, 100), 0);
}

/* Rare for long, and then often enough; what was long ago has no part in it. */
static void untrust_of_late(void)
{
	begin(untrust(3, 10 * SECOND), START);
	CHECK_EQUAL(storms_until_untrusted(6 * SECOND, 40), 0);
	CHECK_EQUAL(storms_until_untrusted(SECOND, 40), 2);
}

static void untrust_recovered(void)
{
	begin(untrust(3, DAY), START);
	CHECK_EQUAL(storms_until_untrusted(SECOND, 3), 3);
	CHECK(recover());
	CHECK_EQUAL(storms_until_untrusted(SECOND, 2), 0);
	CHECK(!recover());
	CHECK_EQUAL(storms_until_untrusted(SECOND, 2), 0);
	CHECK_EQUAL(storms_until_untrusted(SECOND, 3), 1);
}

static void forget_keeps(void)
{
	begin(untrust(2, DAY), START);
	block(NEVER);
	t.now = START + 99 * MS;
	forget();
	CHECK_EQUAL(blocked_held_ns(&t.dog.clock, t.now), 0);
	CHECK_EQUAL(t.dog.clock.total_ns, 99 * MS);
	CHECK_EQUAL(judge_at(START + 199 * MS - 1), WATCHDOG_STAYS);
	CHECK_EQUAL(judge_at(START + 199 * MS), WATCHDOG_STORMS);
	forget();
	CHECK_EQUAL(t.dog.state, WATCHDOG_STORM);
	CHECK_EQUAL(watchdog_deadline(&t.dog, &t.law, t.now), START + 200 * MS);
	CHECK_EQUAL(judge_at(START + 200 * MS), WATCHDOG_RESTORES_FIXED);
	forget();
	storm();
	CHECK_EQUAL(t.dog.state, WATCHDOG_UNTRUSTED);
	forget();
	CHECK_EQUAL(t.dog.state, WATCHDOG_UNTRUSTED);
}

/* -- the window -------------------------------------------------------------------------- */

/* 64 divides some of them. */
static const u64 windows_ns[] = {
	MS, MS + 1, MS + 63, 64 * US * 20, 10 * MS - 1, 100 * MS, 100 * MS + 33, SECOND + 7,
	60 * SECOND, 60 * SECOND - 1,
};

/* Always blocked: found once that was so for the duty's part. */
static void window_fills(void)
{
	static const u32 duties[] = { 1, 2, 50, 90, 99, 100 };
	unsigned int i, j;
	u64 took, exact;

	for (i = 0; i < ARRAY_SIZE(windows_ns); i++) {
		for (j = 0; j < ARRAY_SIZE(duties); j++) {
			begin(windowed(windows_ns[i], duties[j]), START + i);
			took = blink(10 * windows_ns[i], 0, 1);
			exact = naive_duty_ns(&t.law);
			CHECK(took >= exact - (duties[j] == 100 ? 63 : 0));
			CHECK(took <= exact + 2 * windows_ns[i] / WATCHDOG_SLICES);
			CHECK(t.wakes <= 4);
		}
	}
}

/* The machine has not been up for as long as a window. */
static void window_after_boot(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows_ns); i++) {
		begin(windowed(windows_ns[i], 50), i);
		CHECK_EQUAL(blink(windows_ns[i], 0, 1), naive_duty_ns(&t.law));
	}
}

/* A rare and short opening lets a frame out: the harm is nearly the same. */
static void window_mostly_blocked(void)
{
	begin(plain, START);
	CHECK_EQUAL(blink(4950 * US, 50 * US, 1000), NEVER);
	t.law.window_ns = 100 * MS;
	begin(t.law, START);
	CHECK_EQUAL(blink(4950 * US, 50 * US, 1000), 90 * MS + 18 * 50 * US);
}

/* In 100 ms it is blocked for 80 ms, in 70 ms for 50 to 60 ms. */
static void window_blinks(void)
{
	begin(plain, START);
	CHECK_EQUAL(blink(40 * MS, 10 * MS, 300), NEVER);
	begin(windowed(100 * MS, 81), START);
	CHECK_EQUAL(blink(40 * MS, 10 * MS, 300), NEVER);
	begin(windowed(100 * MS, 78), START);
	CHECK(blink(40 * MS, 10 * MS, 300) <= 100 * MS);
	begin(windowed(70 * MS, 86), START);
	CHECK_EQUAL(blink(40 * MS, 10 * MS, 300), NEVER);
	begin(windowed(70 * MS, 85), START);
	CHECK(blink(40 * MS, 10 * MS, 300) <= 90 * MS);
}

/* Full when the pause ended, and no longer when someone looks. */
static void window_judged_late(void)
{
	begin(windowed(100 * MS, 50), START);
	t.late_ns = 90 * MS;
	block(START + 53 * MS);
	advance(START + 53 * MS);
	CHECK_EQUAL(t.found, 1);
	begin(windowed(100 * MS, 50), START);
	t.late_ns = SECOND;
	block(START + 53 * MS);
	advance(START + 200 * MS);
	CHECK_EQUAL(t.found, 1);
	begin(windowed(100 * MS, 50), START);
	t.late_ns = SECOND;
	block(START + 50 * MS - 1);
	advance(START + 200 * MS);
	CHECK_EQUAL(t.found, 0);
}

/* What was no storm when it was blocked is none because a storm is now less than that. */
static void window_duty_changes(void)
{
	begin(windowed(100 * MS, 50), START);
	block(START + 45 * MS);
	advance(START + DAY);
	t.law.duty_percent = 40;
	CHECK_EQUAL(watchdog_judge(&t.dog, &t.law, t.now), WATCHDOG_STAYS);
	block(NEVER);
	advance(t.now + 40 * MS - 1);
	CHECK_EQUAL(t.found, 0);
	t.law.duty_percent = 30;
	CHECK_EQUAL(watchdog_judge(&t.dog, &t.law, t.now), WATCHDOG_STORMS);
}

/* A window that is long past is of no account, nor is one before a storm. */
static void window_is_forgotten(void)
{
	begin(windowed(100 * MS, 50), START);
	t.law.restore = WATCHDOG_FIXED;
	t.is_alert = true;
	CHECK_EQUAL(blink(49 * MS, 1000 * DAY, 2), NEVER);
	block(NEVER);
	advance(t.now + 50 * MS);
	CHECK_EQUAL(t.found, 1);
	advance(t.now + 1050 * MS - 1);
	CHECK_EQUAL(t.found, 1);
	advance(t.now + 1);
	CHECK_EQUAL(t.found, 2);
	CHECK(recover());
	advance(t.now + 49 * MS);
	forget();
	advance(t.now + 50 * MS - 1);
	CHECK_EQUAL(t.dog.state, WATCHDOG_OK);
	advance(t.now + 1);
	CHECK_EQUAL(t.found, 3);
}

/* The timer of a queue that is always on the brink expires twice in a slice, at most. */
static void window_wakes(void)
{
	begin(windowed(100 * MS, 80), START);
	CHECK_EQUAL(blink(7900 * US, 2100 * US, 100), NEVER);
	CHECK(t.wakes <= 2 * WATCHDOG_SLICES * 10 + 100);
	begin(windowed(100 * MS, 100), START);
	CHECK_EQUAL(blink(9900 * US, 100 * US, 100), NEVER);
	CHECK(t.wakes <= 2 * WATCHDOG_SLICES * 10 + 100);
}

static const struct test tests[] = {
	TEST(clock_counts),
	TEST(clock_ends_before_it_began),
	TEST(clock_openings),
	TEST(clock_openings_after_sent),
	TEST(clock_sent_while_running),
	TEST(clock_restarts),
	TEST(detect_exactly),
	TEST(detect_by_timer),
	TEST(detect_anew_after_frame),
	TEST(detect_forgives),
	TEST(detect_no_bursts),
	TEST(detect_late),
	TEST(detect_off),
	TEST(idle),
	TEST(restore_auto),
	TEST(restore_auto_after_pauses),
	TEST(restore_fixed),
	TEST(restore_by_hand),
	TEST(restore_otherwise),
	TEST(restore_detects_anew),
	TEST(reset_ends_storms),
	TEST(restore_waits_for_a_long_pause),
	TEST(untrust_boundary),
	TEST(untrust_at_once),
	TEST(untrust_never),
	TEST(untrust_of_late),
	TEST(untrust_recovered),
	TEST(forget_keeps),
	TEST(window_fills),
	TEST(window_after_boot),
	TEST(window_mostly_blocked),
	TEST(window_blinks),
	TEST(window_judged_late),
	TEST(window_duty_changes),
	TEST(window_is_forgotten),
	TEST(window_wakes),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
