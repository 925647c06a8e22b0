// SPDX-License-Identifier: GPL-2.0
/*
 * Which queue is next: pauses honoured, strict before weighted, at the port's rate.
 *
 * Weighted queues share by start-time fair queueing (Goyal, Vin, Cheng, IEEE/ACM
 * Transactions on Networking, 1997), which gives the bandwidth sharing of IEEE Std
 * 802.1Qaz to within one frame: a frame of L bytes puts its queue's next start L / weight
 * later, and the queue with the earliest start is next. A queue that was empty or paused
 * begins at the present virtual time and claims nothing for the past.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>

#include "sched.h"

#define WEIGHT_SHIFT		24

/* The shaper makes up for its timer being late by this much, and for nothing else: what
 * it sends in a burst is what the peer's headroom must hold.
 */
#define SHAPER_CREDIT_NS	(10 * NSEC_PER_USEC)

static u64 queue_start(const struct lossless_sched *q, unsigned int priority)
{
	return q->ahead & BIT(priority) ? q->queues[priority].start : q->virtual_time;
}

static unsigned int next_weighted(const struct lossless_sched *q, unsigned long candidates)
{
	unsigned int best = __ffs(candidates);
	unsigned int i;

	if (is_power_of_2(candidates))
		return best;
	for_each_set_bit(i, &candidates, LOSSLESS_PRIORITIES)
		if ((s64)(queue_start(q, i) - queue_start(q, best)) < 0)
			best = i;
	return best;
}

static unsigned int next_priority(const struct lossless_sched *q, u8 eligible)
{
	u8 strict = eligible & q->strict;

	return strict ? __fls(strict) : next_weighted(q, eligible);
}

/* Starts that virtual time has reached are forgotten, so that the differences between
 * those that are kept stay far below the width of the clock.
 */
static void advance_virtual_time(struct lossless_sched *q, u64 to)
{
	unsigned long ahead = q->ahead;
	unsigned int i;

	q->virtual_time = to;
	for_each_set_bit(i, &ahead, LOSSLESS_PRIORITIES)
		if ((s64)(q->queues[i].start - to) <= 0)
			q->ahead &= ~BIT(i);
}

static void charge_weighted(struct lossless_sched *q, struct lossless_queue *queue, u32 bytes)
{
	if (!(q->backlogged & ~q->strict & ~BIT(queue->priority))) {
		/* nobody to share with: all begin alike when another one comes */
		q->ahead = 0;
		return;
	}
	advance_virtual_time(q, queue_start(q, queue->priority));
	queue->start = q->virtual_time + (u64)bytes * queue->inverse_weight;
	q->ahead |= BIT(queue->priority);
}

static bool shaper_is_on(const struct lossless_shaper *shaper)
{
	return shaper->per_byte.ns | shaper->per_byte.frac;
}

/* The moment from which the next frame occupies the wire. */
static void shaper_begin(struct lossless_shaper *shaper, u64 now)
{
	u64 earliest = shaper->is_waiting ? now - SHAPER_CREDIT_NS : now;

	if (shaper->next.ns < earliest)
		shaper->next = (struct wire_time){ .ns = earliest };
}

static void shaper_charge(struct lossless_shaper *shaper, u32 wire_bytes)
{
	struct wire_time time = wire_time_of(shaper->per_byte,
					     wire_bytes + shaper->overhead_bytes);

	shaper->next = wire_time_add(shaper->next, time);
}

/* The priority among them whose pause ends first. */
static unsigned int first_to_end(const struct lossless_sched *q, unsigned long priorities)
{
	unsigned int first = __ffs(priorities);
	unsigned int i;

	for_each_set_bit(i, &priorities, LOSSLESS_PRIORITIES)
		if (q->queues[i].paused_until_ns < q->queues[first].paused_until_ns)
			first = i;
	return first;
}

/* A queue holds frames, and is paused, from now on. */
static void block(struct lossless_sched *q, struct lossless_queue *queue, u64 now)
{
	watchdog_block(&queue->watchdog, &q->recovery.law, now);
	lossless_recover_follow(q, now);
	lossless_recover_arm(q, watchdog_deadline(&queue->watchdog, &q->recovery.law, now));
}

/**
 * lossless_sched_filled() - the first frame has come to a queue while there are pauses
 * @q: the port
 * @queue: its queue
 */
void lossless_sched_filled(struct lossless_sched *q, struct lossless_queue *queue)
{
	u64 now = ktime_get_ns();

	if (q->paused & BIT(queue->priority))
		block(q, queue, now);
	else
		lossless_recover_follow(q, now);
}

/**
 * lossless_sched_unpause() - the pause of a queue ends
 * @q: the port
 * @priority: that is paused
 * @now: present time; the pause may have ended before
 *
 * The queue has to be judged afterwards.
 */
void lossless_sched_unpause(struct lossless_sched *q, unsigned int priority, u64 now)
{
	struct lossless_queue *queue = &q->queues[priority];
	u64 at = min(now, queue->paused_until_ns);

	if (q->backlogged & BIT(priority))
		watchdog_unblock(&queue->watchdog, &q->recovery.law, at);
	q->paused &= ~BIT(priority);
	lossless_recover_follow(q, at);
}

/**
 * lossless_sched_emptied() - the last frame has left a queue while there are pauses
 * @q: the port
 * @queue: its queue
 */
void lossless_sched_emptied(struct lossless_sched *q, struct lossless_queue *queue)
{
	u64 now = ktime_get_ns();

	if (queue->watchdog.clock.is_running)
		watchdog_unblock(&queue->watchdog, &q->recovery.law,
				 min(now, queue->paused_until_ns));
	lossless_recover_follow(q, now);
	lossless_recover_judge(q, BIT(queue->priority), now);
}

/**
 * lossless_sched_expire() - end the pauses whose time has passed
 * @q: the port
 * @now: present time
 */
void lossless_sched_expire(struct lossless_sched *q, u64 now)
{
	unsigned int first;
	u8 ended = 0;

	while (q->paused) {
		first = first_to_end(q, q->paused);
		if (q->queues[first].paused_until_ns > now)
			break;
		lossless_sched_unpause(q, first, now);
		ended |= BIT(first);
	}
	if (ended)
		lossless_recover_judge(q, ended, now);
}

static u64 earliest_pause_end(const struct lossless_sched *q)
{
	u8 waiting = q->backlogged & q->paused & ~q->dropping;

	return waiting ? q->queues[first_to_end(q, waiting)].paused_until_ns : U64_MAX;
}

/* A qdisc run ends here by itself: the next one may hand out a burst again. */
static void end_run(struct lossless_sched *q, bool is_shaper_waiting)
{
	if (q->is_burst_over)
		return;
	q->burst_left = q->burst_frames;
	q->shaper.is_waiting = is_shaper_waiting;
}

/* Has the qdisc run at a moment at which something may be sent that may not be now. */
static void wake_at(struct lossless_sched *q, u64 ns)
{
	if (ns != U64_MAX)
		qdisc_watchdog_schedule_ns(&q->waker, ns);
}

/* The queues that hold frames and may send them, were it not for the rate. */
static u8 eligible_queues(struct lossless_sched *q, u64 now)
{
	u8 eligible;

	if (q->paused)
		lossless_sched_expire(q, now);
	eligible = q->backlogged & ~(q->paused | q->dropping);
	if (q->is_burst_over)
		eligible &= ~q->pausable;
	return eligible;
}

/**
 * lossless_sched_next() - the queue that may send a frame now
 * @q: the port
 *
 * Return: the queue, or NULL; then the qdisc is run again as soon as there may be one.
 */
struct lossless_queue *lossless_sched_next(struct lossless_sched *q)
{
	bool is_shaped = shaper_is_on(&q->shaper);
	u8 eligible;
	u64 now = 0;

	if (!q->backlogged) {
		end_run(q, false);
		return NULL;
	}
	if (q->paused || is_shaped)
		now = ktime_get_ns();
	eligible = eligible_queues(q, now);
	if (!eligible) {
		end_run(q, false);
		wake_at(q, earliest_pause_end(q));
		return NULL;
	}
	if (is_shaped && q->shaper.next.ns > now) {
		end_run(q, true);
		wake_at(q, q->shaper.next.ns);
		return NULL;
	}
	if (is_shaped)
		shaper_begin(&q->shaper, now);
	return &q->queues[next_priority(q, eligible)];
}

/* What a run hands out to one CPU's backlog stands before the pause that answers it. */
static void count_burst(struct lossless_sched *q, unsigned int priority)
{
	if (!(q->pausable & BIT(priority)) || --q->burst_left)
		return;
	q->is_burst_over = true;
	lossless_bh_schedule(&q->run);
}

/**
 * lossless_sched_sent() - a frame of a queue goes out
 * @q: the port
 * @queue: that lossless_sched_next() chose
 * @wire_bytes: length of the frame
 */
void lossless_sched_sent(struct lossless_sched *q, struct lossless_queue *queue, u32 wire_bytes)
{
	if (queue->inverse_weight)
		charge_weighted(q, queue, wire_bytes);
	if (shaper_is_on(&q->shaper))
		shaper_charge(&q->shaper, wire_bytes);
	blocked_sent(&queue->watchdog.clock);
	blocked_sent(&q->blocked);
	count_burst(q, queue->priority);
}

/* Reloads the timer of a priority; it does not add to it (802.3, 31D.3.2). Returns true
 * if the queue may send earlier than it could before.
 */
static bool pause_queue(struct lossless_sched *q, unsigned int priority, u64 pause_ns, u64 now)
{
	struct lossless_queue *queue = &q->queues[priority];
	bool was_paused = q->paused & BIT(priority);
	u64 old_end = queue->paused_until_ns;

	if (!pause_ns) {
		if (was_paused)
			lossless_sched_unpause(q, priority, now);
		return was_paused;
	}
	queue->paused_until_ns = now + pause_ns;
	if (was_paused)
		return now + pause_ns < old_end;
	q->paused |= BIT(priority);
	if (q->backlogged & BIT(priority))
		block(q, queue, now);
	return false;
}

/**
 * lossless_sched_pause() - honour a received pause or resume
 * @q: the port
 * @bits: the priorities that it means and whose pauses are honoured; those that are
 *	ignored because of a storm among them
 * @pause_ns: how long for each priority; 0: resume
 * @now: when it arrived
 *
 * Return: true if the qdisc has to be run, since a queue may send earlier.
 */
bool lossless_sched_pause(struct lossless_sched *q, u8 bits, const u64 *pause_ns, u64 now)
{
	unsigned long todo;
	bool run = false;
	unsigned int i;

	lossless_sched_expire(q, now);
	todo = bits & ~q->ignoring;	/* a storm may just have been found */
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		run |= pause_queue(q, i, pause_ns[i], now);
	lossless_recover_judge(q, bits, now);
	return run && q->backlogged;
}

/**
 * lossless_sched_reset() - forget received pauses and what was sent
 * @q: the port
 */
void lossless_sched_reset(struct lossless_sched *q)
{
	unsigned long paused = q->paused;
	u64 now = ktime_get_ns();
	unsigned int i;

	for_each_set_bit(i, &paused, LOSSLESS_PRIORITIES)
		lossless_sched_unpause(q, i, now);
	lossless_recover_reset(q, now);
	q->ahead = 0;
	q->virtual_time = 0;
	q->is_burst_over = false;
	q->burst_left = q->burst_frames;
	q->shaper.is_waiting = false;
	q->shaper.next = (struct wire_time){};
}

/**
 * lossless_queue_txwait() - time for which a queue had frames but was paused
 * @q: the port
 * @priority: of the queue
 * @now: present time
 *
 * Under the qdisc's lock.
 *
 * Return: nanoseconds, those of a pause that still lasts included.
 */
u64 lossless_queue_txwait(const struct lossless_sched *q, unsigned int priority, u64 now)
{
	const struct lossless_queue *queue = &q->queues[priority];
	struct blocked_clock clock = queue->watchdog.clock;

	if (clock.is_running)
		blocked_end(&clock, min(now, queue->paused_until_ns));
	return clock.total_ns;
}

/**
 * lossless_sched_configure() - take over what the choice depends on
 * @q: the port, under the qdisc's lock
 * @config: new configuration
 *
 * Pauses of priorities that are no longer honoured end, and all if the kind of pauses
 * changes.
 */
void lossless_sched_configure(struct lossless_sched *q, const struct lossless_config *config)
{
	struct wire_time per_byte = {};
	u64 now = ktime_get_ns();
	unsigned long dropped;
	unsigned int i;
	u8 kept;

	lossless_sched_expire(q, now);
	q->pausable = config->llfc ? LOSSLESS_ALL_PRIORITIES : config->pfc_rx;
	kept = q->is_llfc == config->llfc ? q->pausable : 0;
	q->is_llfc = config->llfc;
	dropped = q->paused & ~kept;
	for_each_set_bit(i, &dropped, LOSSLESS_PRIORITIES)
		lossless_sched_unpause(q, i, now);
	lossless_recover_configure(q, config, kept, now);

	q->strict = 0;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		u32 weight = config->prio[i].weight;

		q->queues[i].inverse_weight = weight ? BIT(WEIGHT_SHIFT) / weight : 0;
		if (!weight)
			q->strict |= BIT(i);
	}
	q->burst_frames = config->burst_frames;
	q->burst_left = config->burst_frames;
	q->shaper.overhead_bytes = config->overhead_bytes;
	if (config->rate_bytes_per_s)
		per_byte = wire_time_per_byte(config->rate_bytes_per_s);
	if (per_byte.ns != q->shaper.per_byte.ns || per_byte.frac != q->shaper.per_byte.frac) {
		/* a frame sent at the old rate keeps the wire for no longer than that */
		q->shaper.per_byte = per_byte;
		q->shaper.is_waiting = false;
		q->shaper.next = (struct wire_time){};
	}
}
