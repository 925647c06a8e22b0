/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The watchdog once more, the slow way: every time of being blocked is kept, and whatever
 * is asked is worked out anew from the list of all of them.
 */
#ifndef LOSSLESS_UNIT_NAIVE_WATCHDOG_H
#define LOSSLESS_UNIT_NAIVE_WATCHDOG_H

#include "ktap.h"
#include "watchdog.h"

#define NAIVE_BLOCKS	8192
#define NAIVE_STORMS	1024

/**
 * struct naive_block - a time of being blocked
 * @from: ns
 * @to: U64_MAX: it lasts
 * @is_fresh: a frame has left since the one before
 */
struct naive_block {
	u64 from;
	u64 to;
	bool is_fresh;
};

/**
 * struct naive - a queue, and what was found about it
 * @blocks: all that there were
 * @count: of them
 * @first: judged by those from here on
 * @has_sent: a frame has left since the last of them
 * @storms_ns: when storms were found, since the last recovery
 */
struct naive {
	enum watchdog_state state;
	struct naive_block blocks[NAIVE_BLOCKS];
	unsigned int count;
	unsigned int first;
	bool has_sent;
	u64 paused_ns;
	u64 storm_ns;
	u64 storms_ns[NAIVE_STORMS];
	unsigned int storms;
};

static inline struct naive_block *naive_last(struct naive *n)
{
	return &n->blocks[n->count - 1];
}

static inline bool naive_is_running(struct naive *n)
{
	return n->count && naive_last(n)->to == U64_MAX;
}

static inline void naive_block(struct naive *n, u64 now)
{
	if (n->count == NAIVE_BLOCKS)
		exit(EXIT_FAILURE);
	n->blocks[n->count++] = (struct naive_block){ now, U64_MAX, n->has_sent };
	n->has_sent = false;
}

static inline void naive_unblock(struct naive *n, u64 at)
{
	naive_last(n)->to = max(at, naive_last(n)->from);
}

static inline void naive_sent(struct naive *n)
{
	if (naive_is_running(n))
		naive_last(n)->is_fresh = true;
	else
		n->has_sent = true;
}

static inline void naive_start_over(struct naive *n, u64 now)
{
	bool was_running = naive_is_running(n);

	if (was_running)
		naive_unblock(n, now);
	n->first = n->count;
	n->has_sent = false;
	if (was_running)
		naive_block(n, now);
}

/* What a time of being blocked has in common with another time. */
static inline u64 naive_common_ns(const struct naive_block *block, u64 from, u64 to)
{
	u64 begin = max(block->from, from), end = min(block->to, to);

	return end > begin ? end - begin : 0;
}

static inline u64 naive_total_ns(const struct naive *n, u64 now)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < n->count; i++)
		sum += naive_common_ns(&n->blocks[i], 0, now);
	return sum;
}

/* Blocked since a frame left, or openings added up to more than 1 % of the detection time. */
static inline u64 naive_held_ns(struct naive *n, const struct watchdog_law *law, u64 now)
{
	u64 held = 0, open = 0;
	unsigned int i;

	for (i = n->first; i < n->count; i++) {
		if (held)
			open += n->blocks[i].from - n->blocks[i - 1].to;
		if (n->blocks[i].is_fresh || open > law->detect_ns / 100)
			held = 0;
		if (!held)
			open = 0;
		held += naive_common_ns(&n->blocks[i], 0, now);
	}
	return n->has_sent ? 0 : held;
}

static inline u64 naive_blocked_ns(const struct naive *n, u64 from, u64 to)
{
	u64 sum = 0;
	unsigned int i;

	for (i = n->first; i < n->count; i++)
		sum += naive_common_ns(&n->blocks[i], from, to);
	return sum;
}

/* Exact: blocked in the last window. */
static inline u64 naive_window_ns(const struct naive *n, const struct watchdog_law *law, u64 at)
{
	return naive_blocked_ns(n, at - min(at, law->window_ns), at);
}

/* As the slices show it: less what may already have gone of the oldest. */
static inline u64 naive_slices_ns(const struct naive *n, const struct watchdog_law *law, u64 at)
{
	u64 slice = law->window_ns / WATCHDOG_SLICES;
	u64 newest = at - at % slice, gone, oldest;

	if (newest < WATCHDOG_SLICES * slice)
		return naive_blocked_ns(n, 0, at);
	oldest = newest - WATCHDOG_SLICES * slice;
	gone = min(naive_blocked_ns(n, oldest, oldest + slice), at - newest);
	return naive_blocked_ns(n, oldest, at) - gone;
}

/* Exact: so much of a window is a storm, rounded up. */
static inline u64 naive_duty_ns(const struct watchdog_law *law)
{
	return (law->window_ns * law->duty_percent + 99) / 100;
}

static inline u64 naive_limit_ns(const struct watchdog_law *law)
{
	return min(naive_duty_ns(law), law->window_ns - law->window_ns % WATCHDOG_SLICES);
}

/* The last moment at which it was blocked: judged late, it is judged by that. */
static inline u64 naive_at(struct naive *n, u64 now)
{
	return n->count && !naive_is_running(n) ? naive_last(n)->to : now;
}

static inline bool naive_is_storm(struct naive *n, const struct watchdog_law *law, u64 now)
{
	if (!law->is_on)
		return false;
	if (naive_held_ns(n, law, now) >= law->detect_ns)
		return true;
	return law->window_ns &&
	       naive_slices_ns(n, law, naive_at(n, now)) >= naive_limit_ns(law);
}

static inline enum watchdog_step naive_storm(struct naive *n, const struct watchdog_law *law,
					     u64 now)
{
	unsigned int i, recent = 0;

	if (n->storms == NAIVE_STORMS)
		exit(EXIT_FAILURE);
	n->storms_ns[n->storms++] = now;
	n->storm_ns = now;
	naive_start_over(n, now);
	for (i = 0; i < n->storms; i++)
		recent += now - n->storms_ns[i] <= law->untrust_ns;
	if (law->untrust_storms && recent >= law->untrust_storms) {
		n->state = WATCHDOG_UNTRUSTED;
		return WATCHDOG_DISTRUSTS;
	}
	n->state = WATCHDOG_STORM;
	return WATCHDOG_STORMS;
}

static inline u64 naive_restore_at(const struct naive *n, const struct watchdog_law *law)
{
	u64 from = n->storm_ns;

	if (law->restore == WATCHDOG_BY_HAND)
		return U64_MAX;
	if (law->restore == WATCHDOG_AUTO && n->paused_ns > from)
		from = n->paused_ns;
	return from + law->restore_ns;
}

static inline enum watchdog_step naive_judge(struct naive *n, const struct watchdog_law *law,
					     u64 now)
{
	if (n->state == WATCHDOG_OK && naive_is_storm(n, law, now))
		return naive_storm(n, law, now);
	if (n->state != WATCHDOG_STORM || now < naive_restore_at(n, law))
		return WATCHDOG_STAYS;
	if (law->restore == WATCHDOG_AUTO && naive_is_running(n))
		return WATCHDOG_STAYS;
	n->state = WATCHDOG_OK;
	naive_start_over(n, now);
	return law->restore == WATCHDOG_FIXED ? WATCHDOG_RESTORES_FIXED :
						WATCHDOG_RESTORES_QUIET;
}

static inline u64 naive_deadline(struct naive *n, const struct watchdog_law *law, u64 now)
{
	u64 at, full, blocked;

	if (n->state == WATCHDOG_STORM) {
		at = naive_restore_at(n, law);
		if (law->restore == WATCHDOG_AUTO && naive_is_running(n) && at <= now)
			return U64_MAX;
		return at;
	}
	if (n->state == WATCHDOG_UNTRUSTED || !law->is_on || !naive_is_running(n))
		return U64_MAX;
	at = now + law->detect_ns - min(law->detect_ns, naive_held_ns(n, law, now));
	if (!law->window_ns)
		return at;
	blocked = naive_slices_ns(n, law, now);
	full = now + max(law->window_ns / WATCHDOG_SLICES / 2,
			 naive_limit_ns(law) - min(naive_limit_ns(law), blocked));
	return min(at, full);
}

static inline bool naive_recover(struct naive *n, u64 now)
{
	n->storms = 0;
	if (n->state == WATCHDOG_OK)
		return false;
	n->state = WATCHDOG_OK;
	naive_start_over(n, now);
	return true;
}

#endif /* LOSSLESS_UNIT_NAIVE_WATCHDOG_H */
