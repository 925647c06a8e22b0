/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When pauses do not end: for how long a queue has been held, when that is a storm, and
 * when the storm is over. Time stamps in, transitions out; no clock and no timer of its own.
 */
#ifndef LOSSLESS_CORE_WATCHDOG_H
#define LOSSLESS_CORE_WATCHDOG_H

#include "types.h"

#define WATCHDOG_SLICES		64	/* of a window; a storm is found one slice late */
#define WATCHDOG_HISTORY	16	/* storms that are remembered */

/**
 * struct blocked_clock - for how long pauses have kept something from sending
 * @is_running: it is blocked: it holds frames and is paused
 * @since_ns: when it became so, while it is; else when it was so last
 * @held_ns: ended times of being blocked since a frame left
 * @open_ns: times between them
 * @total_ns: all ended times of being blocked
 */
struct blocked_clock {
	bool is_running;
	u64 since_ns;
	u64 held_ns;
	u64 open_ns;
	u64 total_ns;
};

void blocked_begin(struct blocked_clock *clock, u64 detect_ns, u64 now);
u64 blocked_end(struct blocked_clock *clock, u64 at);
void blocked_restart(struct blocked_clock *clock, u64 now);
u64 blocked_held_ns(const struct blocked_clock *clock, u64 now);
u64 blocked_deadline(const struct blocked_clock *clock, u64 limit_ns);

/**
 * blocked_sent() - a frame has left
 * @clock: if it is running, a new time of being blocked has only just begun
 */
static inline void blocked_sent(struct blocked_clock *clock)
{
	clock->held_ns = 0;
	clock->open_ns = 0;
}

enum watchdog_restore {
	WATCHDOG_AUTO,		/* no pause has come for restore_ns, or lasts */
	WATCHDOG_FIXED,		/* restore_ns after the storm was found */
	WATCHDOG_BY_HAND,
};

/**
 * struct watchdog_law - what a storm is, and when it is over
 * @is_on: else nothing is a storm
 * @detect_ns: a queue that is blocked for so long is in storm
 * @window_ns: 0: none
 * @duty_percent: blocked for this part of the last @window_ns is a storm as well
 * @restore: how a storm ends
 * @restore_ns: after what time
 * @untrust_storms: after so many storms ... 0: never; at most WATCHDOG_HISTORY
 * @untrust_ns: ... within this time pauses are believed no longer
 */
struct watchdog_law {
	bool is_on;
	u64 detect_ns;
	u64 window_ns;
	u32 duty_percent;
	enum watchdog_restore restore;
	u64 restore_ns;
	u32 untrust_storms;
	u64 untrust_ns;
};

enum watchdog_state {
	WATCHDOG_OK,
	WATCHDOG_STORM,
	WATCHDOG_UNTRUSTED,
};

enum watchdog_step {
	WATCHDOG_STAYS,
	WATCHDOG_STORMS,		/* a storm has begun */
	WATCHDOG_DISTRUSTS,		/* a storm too many: pauses are believed no longer */
	WATCHDOG_RESTORES_QUIET,	/* it is over: no pause has come for long enough */
	WATCHDOG_RESTORES_FIXED,	/* it is over: the fixed time has passed */
};

/**
 * struct watchdog_window - how long a queue was blocked in the recent past
 * @counted_ns: up to which moment
 * @newest: number of the newest slice; slice n begins at n times the length of one
 * @was_full: when it was blocked last; a timer may be too late to see it
 * @blocked_ns: of a window's slices and the one that the window is leaving
 */
struct watchdog_window {
	u64 counted_ns;
	u64 newest;
	bool was_full;
	u32 blocked_ns[WATCHDOG_SLICES + 1];
};

/**
 * struct watchdog - of one queue
 * @state: what it is thought to be in
 * @clock: for how long it has been blocked
 * @window: the same, of a window
 * @paused_ns: when a pause (time > 0) came last
 * @storm_ns: when the last storm was found
 * @storms: how many there were since they were last forgotten
 * @storms_ns: when the last of them were found
 */
struct watchdog {
	enum watchdog_state state;
	struct blocked_clock clock;
	struct watchdog_window window;
	u64 paused_ns;
	u64 storm_ns;
	u32 storms;
	u64 storms_ns[WATCHDOG_HISTORY];
};

void watchdog_block(struct watchdog *dog, const struct watchdog_law *law, u64 now);
void watchdog_unblock(struct watchdog *dog, const struct watchdog_law *law, u64 at);
enum watchdog_step watchdog_judge(struct watchdog *dog, const struct watchdog_law *law, u64 now);
u64 watchdog_deadline(struct watchdog *dog, const struct watchdog_law *law, u64 now);
bool watchdog_recover(struct watchdog *dog, u64 now);
void watchdog_forget(struct watchdog *dog, u64 now);
bool watchdog_reset(struct watchdog *dog, u64 now);

#endif /* LOSSLESS_CORE_WATCHDOG_H */
