// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog, as it is told and asked: rows of what happens when, and of what it must answer.
 * Times count from START.
 */
#include "../core/watchdog.c"
#include "suite.h"

#define US	1000ULL
#define MS	(1000 * US)
#define SECOND	(1000 * MS)
#define START	(1000 * SECOND + 7)
#define NEVER	U64_MAX

enum action { END, BEGIN, FINISH, SENT, PAUSE, IS, DUE, IDLE, RECOVER, FORGET, RESET,
	      HELD, TOTAL };

struct event {
	enum action action;
	u64 at;
	u64 answer;
};

#define BLOCKS(at)		{ BEGIN, at, 0 }
#define UNBLOCKS(at)		{ FINISH, at, 0 }
#define SENDS(at)		{ SENT, at, 0 }		/* a frame leaves */
#define PAUSED(at)		{ PAUSE, at, 0 }	/* a pause comes */
#define STAYS(at)		{ IS, at, WATCHDOG_STAYS }
#define STORMS(at)		{ IS, at, WATCHDOG_STORMS }
#define DISTRUSTS(at)		{ IS, at, WATCHDOG_DISTRUSTS }
#define QUIET(at)		{ IS, at, WATCHDOG_RESTORES_QUIET }
#define FIXED(at)		{ IS, at, WATCHDOG_RESTORES_FIXED }
#define JUDGE_AT(at, when)	{ DUE, at, START + (when) }
#define NEVER_JUDGE(at)		{ IDLE, at, NEVER }
#define RECOVERS(at, is_over)	{ RECOVER, at, is_over }
#define FORGETS(at)		{ FORGET, at, 0 }
#define RESETS(at, is_over)	{ RESET, at, is_over }
#define HELD_FOR(at, ns)	{ HELD, at, ns }
#define TOTAL_IS(ns)		{ TOTAL, 0, ns }

#define DETECT	.is_on = true, .detect_ns = 100 * MS
#define AUTO	.restore = WATCHDOG_AUTO, .restore_ns = SECOND
#define BRIEF	.restore = WATCHDOG_FIXED, .restore_ns = MS
#define WINDOW	.is_on = true, .detect_ns = SECOND, AUTO
#define HALF	.window_ns = 64 * MS, .duty_percent = 50
#define TWICE	.untrust_storms = 2, .untrust_ns

/* A storm blocks nothing */
#define STORM(at)	BLOCKS(at), STORMS((at) + 100 * MS), UNBLOCKS((at) + 100 * MS)

static const struct story {
	const char *what;
	struct watchdog_law law;
	struct event events[16];
} stories[] = {
	{ "nothing happens", { DETECT, AUTO }, {
		STAYS(0), NEVER_JUDGE(0), HELD_FOR(9 * MS, 0), RECOVERS(SECOND, false) } },
	{ "blocked for the detection time", { DETECT, AUTO }, {
		BLOCKS(0), JUDGE_AT(0, 100 * MS), STAYS(100 * MS - 1), STORMS(100 * MS) } },
	{ "judged late", { DETECT, AUTO }, { BLOCKS(0), STORMS(900 * MS) } },
	{ "turned off", { .is_on = false, .detect_ns = 1 }, {
		BLOCKS(0), NEVER_JUDGE(0), STAYS(SECOND) } },
	{ "a frame leaves", { DETECT, AUTO }, {
		BLOCKS(0), UNBLOCKS(60 * MS), SENDS(60 * MS), BLOCKS(61 * MS),
		JUDGE_AT(61 * MS, 161 * MS), STAYS(161 * MS - 1), STORMS(161 * MS) } },
	{ "openings up to 1 %", { DETECT, AUTO }, {
		BLOCKS(0), UNBLOCKS(40 * MS), BLOCKS(40 * MS + 400 * US), UNBLOCKS(60 * MS),
		BLOCKS(60 * MS + 600 * US), HELD_FOR(61 * MS, 60 * MS),
		JUDGE_AT(61 * MS, 101 * MS), STAYS(101 * MS - 1), STORMS(101 * MS) } },
	{ "openings above 1 %", { DETECT, AUTO }, {
		BLOCKS(0), UNBLOCKS(40 * MS), BLOCKS(40 * MS + 400 * US), UNBLOCKS(60 * MS),
		BLOCKS(60 * MS + 600 * US + 1), HELD_FOR(61 * MS, 400 * US - 1),
		STAYS(160 * MS), STORMS(160 * MS + 600 * US + 1) } },
	{ "frames leave between openings", { DETECT, AUTO }, {
		BLOCKS(0), UNBLOCKS(40 * MS), SENDS(40 * MS), BLOCKS(41 * MS), UNBLOCKS(50 * MS),
		BLOCKS(51 * MS), HELD_FOR(51 * MS, 9 * MS), JUDGE_AT(51 * MS, 142 * MS),
		STAYS(142 * MS - 1), STORMS(142 * MS) } },
	{ "half the time, again and again", { DETECT, AUTO }, {
		BLOCKS(0), UNBLOCKS(50 * MS), STAYS(50 * MS), BLOCKS(100 * MS),
		UNBLOCKS(150 * MS), STAYS(150 * MS), BLOCKS(200 * MS), UNBLOCKS(250 * MS),
		STAYS(250 * MS), TOTAL_IS(150 * MS) } },
	{ "ends before it began", { DETECT, AUTO }, {
		BLOCKS(5 * MS), UNBLOCKS(3 * MS), HELD_FOR(9 * MS, 0), TOTAL_IS(0) } },
	{ "auto: quiet", { DETECT, AUTO }, {
		BLOCKS(0), PAUSED(0), STORMS(100 * MS), UNBLOCKS(100 * MS),
		JUDGE_AT(100 * MS, 1100 * MS), STAYS(1100 * MS - 1), QUIET(1100 * MS),
		STAYS(1100 * MS), NEVER_JUDGE(1100 * MS) } },
	{ "auto: a pause begins the wait anew", { DETECT, AUTO }, {
		BLOCKS(0), STORMS(100 * MS), UNBLOCKS(100 * MS), PAUSED(700 * MS),
		JUDGE_AT(700 * MS, 1700 * MS), STAYS(1700 * MS - 1), QUIET(1700 * MS) } },
	{ "fixed: whatever comes", { DETECT, .restore = WATCHDOG_FIXED, .restore_ns = SECOND }, {
		BLOCKS(0), STORMS(100 * MS), UNBLOCKS(100 * MS), PAUSED(700 * MS),
		JUDGE_AT(700 * MS, 1100 * MS), STAYS(1100 * MS - 1), FIXED(1100 * MS) } },
	{ "by hand only", { DETECT, .restore = WATCHDOG_BY_HAND }, {
		BLOCKS(0), STORMS(100 * MS), NEVER_JUDGE(100 * MS), STAYS(90000 * SECOND),
		RECOVERS(90001 * SECOND, true), RECOVERS(90001 * SECOND, false) } },
	{ "by hand, early", { DETECT, AUTO }, {
		BLOCKS(0), STORMS(100 * MS), RECOVERS(200 * MS, true), HELD_FOR(230 * MS, 30 * MS),
		JUDGE_AT(230 * MS, 300 * MS), STAYS(300 * MS - 1), STORMS(300 * MS),
		TOTAL_IS(300 * MS) } },
	{ "auto: a pause that lasts", { DETECT, AUTO }, {
		BLOCKS(0), STORMS(100 * MS), JUDGE_AT(100 * MS, 1100 * MS), STAYS(1100 * MS),
		NEVER_JUDGE(1100 * MS), UNBLOCKS(1500 * MS), QUIET(1500 * MS) } },
	{ "fixed: a pause that lasts", { DETECT, BRIEF }, {
		BLOCKS(0), STORMS(100 * MS), JUDGE_AT(100 * MS, 101 * MS), FIXED(101 * MS),
		STAYS(201 * MS - 1), STORMS(201 * MS) } },
	{ "forgotten, not recovered", { DETECT, BRIEF }, {
		BLOCKS(0), FORGETS(99 * MS), HELD_FOR(100 * MS, MS), STAYS(199 * MS - 1),
		STORMS(199 * MS), FORGETS(199 * MS), JUDGE_AT(199 * MS, 200 * MS),
		FIXED(200 * MS), TOTAL_IS(200 * MS) } },
	{ "reset", { DETECT, AUTO }, {
		BLOCKS(0), RESETS(99 * MS, false), HELD_FOR(100 * MS, MS), STORMS(199 * MS),
		RESETS(200 * MS, true), STAYS(300 * MS - 1), STORMS(300 * MS) } },
	{ "reset, still not trusted", { DETECT, BRIEF, .untrust_storms = 1 }, {
		BLOCKS(0), DISTRUSTS(100 * MS), RESETS(200 * MS, false), STAYS(400 * MS),
		RECOVERS(400 * MS, true), TOTAL_IS(400 * MS) } },
	{ "not trusted", { DETECT, BRIEF, TWICE = 300 * MS }, {
		STORM(0), FIXED(101 * MS), BLOCKS(300 * MS), DISTRUSTS(400 * MS),
		NEVER_JUDGE(400 * MS), STAYS(90000 * SECOND), RECOVERS(90001 * SECOND, true) } },
	{ "trusted, a ns too rare", { DETECT, BRIEF, TWICE = 300 * MS - 1 }, {
		STORM(0), FIXED(101 * MS), STORM(300 * MS), FIXED(401 * MS) } },
	{ "trusted again by hand", { DETECT, BRIEF, TWICE = 300 * MS }, {
		STORM(0), RECOVERS(101 * MS, true), STORM(200 * MS), FIXED(301 * MS),
		BLOCKS(400 * MS), DISTRUSTS(500 * MS) } },
	{ "never distrusted", { DETECT, BRIEF }, {
		STORM(0), FIXED(101 * MS), STORM(200 * MS), FIXED(301 * MS) } },
	{ "window: half of it", { WINDOW, HALF }, {
		BLOCKS(0), STAYS(32 * MS - 1), JUDGE_AT(32 * MS - 1, 32 * MS - 1 + 500 * US),
		STORMS(32 * MS) } },
	{ "window: in two parts", { WINDOW, HALF }, {
		BLOCKS(0), JUDGE_AT(0, 32 * MS), UNBLOCKS(20 * MS), SENDS(20 * MS), STAYS(20 * MS),
		BLOCKS(30 * MS), JUDGE_AT(30 * MS, 42 * MS), STAYS(42 * MS - 1),
		STORMS(42 * MS) } },
	{ "window: the first part is past", { WINDOW, HALF }, {
		BLOCKS(0), UNBLOCKS(20 * MS), SENDS(20 * MS), BLOCKS(80 * MS), STAYS(92 * MS),
		STAYS(112 * MS - 1), STORMS(112 * MS) } },
	{ "window: long past", { WINDOW, HALF }, {
		BLOCKS(0), UNBLOCKS(31 * MS), SENDS(31 * MS), BLOCKS(SECOND),
		STAYS(1032 * MS - 1), STORMS(1032 * MS) } },
	{ "window: judged after it ended", { WINDOW, HALF }, {
		BLOCKS(0), UNBLOCKS(33 * MS), SENDS(33 * MS), STORMS(90 * MS) } },
	{ "window: emptied by a storm", { WINDOW, HALF }, {
		BLOCKS(0), STORMS(32 * MS), RECOVERS(40 * MS, true), STAYS(72 * MS - 1),
		STORMS(72 * MS) } },
	{ "window: all of it, a slice late",
	  { WINDOW, .window_ns = 64 * MS + 63, .duty_percent = 100 }, {
		BLOCKS(0), STAYS(64 * MS), STORMS(65 * MS) } },
};

ROWS(stories);

static u64 tell(struct watchdog *dog, const struct watchdog_law *law, enum action action, u64 now)
{
	switch (action) {
	case BEGIN:
		watchdog_block(dog, law, now);
		break;
	case FINISH:
		watchdog_unblock(dog, law, now);
		break;
	case SENT:
		blocked_sent(&dog->clock);
		break;
	case PAUSE:
		dog->paused_ns = now;
		break;
	case FORGET:
		watchdog_forget(dog, now);
		break;
	case IS:
		return watchdog_judge(dog, law, now);
	case DUE:
	case IDLE:
		return watchdog_deadline(dog, law, now);
	case RECOVER:
		return watchdog_recover(dog, now);
	case RESET:
		return watchdog_reset(dog, now);
	case HELD:
		return blocked_held_ns(&dog->clock, now);
	case TOTAL:
		return dog->clock.total_ns;
	case END:
		break;
	}
	return 0;
}

static void story_case(struct kunit *test)
{
	const struct story *story = test->param_value;
	struct watchdog dog = {};
	const struct event *event;
	u64 answer;

	for (event = story->events; event->action != END; event++) {
		answer = tell(&dog, &story->law, event->action, START + event->at);
		KUNIT_EXPECT_EQ_MSG(test, answer, event->answer, "event %td, at %llu ns",
				    event - story->events, event->at);
	}
}

/* The port's clock has no watchdog: it tells for how long it was blocked */
static void clock_alone(struct kunit *test)
{
	struct blocked_clock clock = {};

	blocked_begin(&clock, 100 * MS, START);
	KUNIT_EXPECT_EQ(test, blocked_held_ns(&clock, START - 1), 0);
	KUNIT_EXPECT_EQ(test, blocked_end(&clock, START + 5 * MS), 5 * MS);
	blocked_restart(&clock, START + 6 * MS);
	KUNIT_EXPECT_FALSE(test, clock.is_running);
	KUNIT_EXPECT_EQ(test, blocked_held_ns(&clock, START + 7 * MS), 0);
	blocked_begin(&clock, 100 * MS, START + 8 * MS);
	blocked_restart(&clock, START + 10 * MS);
	KUNIT_EXPECT_TRUE(test, clock.is_running);
	KUNIT_EXPECT_EQ(test, blocked_held_ns(&clock, START + 11 * MS), MS);
	KUNIT_EXPECT_EQ(test, clock.total_ns, 7 * MS);
}

/* So many storms are remembered: the last of WATCHDOG_HISTORY within the time is the one */
static void long_memory(struct kunit *test)
{
	struct watchdog_law law = {
		DETECT, BRIEF, .untrust_storms = WATCHDOG_HISTORY,
		.untrust_ns = (WATCHDOG_HISTORY - 1) * SECOND,
	};
	struct watchdog dog = {};
	unsigned int i;
	u64 at;

	for (i = 1, at = START; i <= WATCHDOG_HISTORY; i++, at += SECOND) {
		KUNIT_EXPECT_EQ(test, dog.state, WATCHDOG_OK);
		watchdog_block(&dog, &law, at);
		KUNIT_EXPECT_EQ(test, watchdog_judge(&dog, &law, at + 100 * MS),
				i < WATCHDOG_HISTORY ? WATCHDOG_STORMS : WATCHDOG_DISTRUSTS);
		watchdog_unblock(&dog, &law, at + 100 * MS);
		watchdog_judge(&dog, &law, at + 101 * MS);
	}
	KUNIT_EXPECT_EQ(test, dog.state, WATCHDOG_UNTRUSTED);
}

static struct kunit_case watchdog_cases[] = {
	KUNIT_CASE_PARAM(story_case, stories_gen_params),
	KUNIT_CASE(clock_alone),
	KUNIT_CASE(long_memory),
	{}
};

static struct kunit_suite watchdog_suite = {
	.name = "lossless_watchdog",
	.test_cases = watchdog_cases,
};

kunit_test_suite(watchdog_suite);
