// SPDX-License-Identifier: GPL-2.0
/*
 * What a port does when pauses do not end: carries out what the watchdog of a queue and the
 * pause timeout of the port decide, and tells everyone. When that is, is core/watchdog.c's.
 *
 * Decisions are made under the qdisc's lock, in softirq or by the timer; frames are flushed
 * a few at a time from a bottom half; process context tells, and closes the port.
 */
#include <linux/ktime.h>
#include <linux/rtnetlink.h>

#include "genl.h"
#include "sched.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* In one hold of the qdisc's lock. */
#define DRAIN_FRAMES	256

/* As many lines as there are when all priorities storm and are restored, and some. */
#define LOG_BURST	20
#define LOG_BURST_OF_ALL	(10 * LOG_BURST)	/* ports */
#define LOG_INTERVAL	(5 * HZ)

static struct workqueue_struct *recover_queue;

static void tell_later(struct lossless_sched *q)
{
	queue_delayed_work(recover_queue, &q->recovery.work, 0);
}

/* Under the qdisc's lock. When the ring is full the oldest is lost: the state that something
 * has come to is told in any case.
 */
static void note_event(struct lossless_sched *q, const struct lossless_event *event)
{
	struct lossless_recovery *r = &q->recovery;

	trace_lossless_watchdog(q->port->dev, event);
	if (r->event_count == LOSSLESS_EVENTS) {
		r->first_event = (r->first_event + 1) % LOSSLESS_EVENTS;
		r->event_count--;
		r->events_lost++;
	}
	r->events[(r->first_event + r->event_count++) % LOSSLESS_EVENTS] = *event;
	tell_later(q);
}

static u64 realtime(u64 now)
{
	return ktime_to_ns(ktime_mono_to_real(ns_to_ktime(now)));
}

static void note_priority(struct lossless_sched *q, unsigned int priority, u8 kind, u8 cause,
			  u64 duration_ns, u64 now)
{
	const struct lossless_queue *queue = &q->queues[priority];
	struct lossless_event event = {
		.event = kind,
		.cause = cause,
		.action = q->recovery.action,
		.priority = priority,
		.backlog = queue->frames,
		.time_ns = realtime(now),
		.duration_ns = duration_ns,
		.frames = queue->storm.last,
		.storms = queue->storm.storms,
		.restores = queue->storm.restores,
	};

	note_event(q, &event);
}

static void note_timeout(struct lossless_sched *q, u8 kind, u8 cause, u64 duration_ns, u64 now)
{
	struct lossless_event event = {
		.event = kind,
		.cause = cause,
		.action = q->recovery.action,
		.priority = LOSSLESS_PRIORITIES,
		.backlog = q->port->sch->q.qlen,
		.time_ns = realtime(now),
		.duration_ns = duration_ns,
		.frames.dropped = q->recovery.last_timeout_drops,
		.storms = q->recovery.timeouts,
	};

	note_event(q, &event);
}

static bool action_closes(u8 action)
{
	return action == LOSSLESS_ACTION_SHUTDOWN || action == LOSSLESS_ACTION_FLAP;
}

static bool action_drops(u8 action)
{
	return action != LOSSLESS_ACTION_FORWARD && action != LOSSLESS_ACTION_ALERT;
}

/* Puts in force what the states of the watchdogs and of the timeout mean for the queues. */
static void follow_states(struct lossless_sched *q, u64 now)
{
	struct lossless_recovery *r = &q->recovery;
	u8 untrusted = 0, storms = 0;
	unsigned long ignored;
	unsigned int i;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		if (q->queues[i].watchdog.state == WATCHDOG_STORM)
			storms |= BIT(i);
		if (q->queues[i].watchdog.state == WATCHDOG_UNTRUSTED)
			untrusted |= BIT(i);
	}
	r->storms = storms;
	q->ignoring = untrusted | (r->action == LOSSLESS_ACTION_ALERT ? 0 : storms);
	q->dropping = action_drops(r->action) ? storms : 0;
	WRITE_ONCE(q->port->ingress_dropping, r->ingress_pass ? 0 : q->dropping);
	if (r->timeout_of)
		q->dropping = LOSSLESS_ALL_PRIORITIES;

	ignored = q->paused & q->ignoring;
	for_each_set_bit(i, &ignored, LOSSLESS_PRIORITIES)
		lossless_sched_unpause(q, i, now);
	if (q->dropping & q->backlogged)
		lossless_bh_schedule(&r->bh);
	if (q->backlogged)
		lossless_schedule(q->port->sch);
}

static void storm_begins(struct lossless_sched *q, unsigned int priority, u64 held_ns, u64 now)
{
	struct lossless_storm *storm = &q->queues[priority].storm;

	storm->storms++;
	storm->last = (struct lossless_storm_frames){};
	storm->start_ns = realtime(now);
	if (action_closes(q->recovery.action))
		WRITE_ONCE(q->recovery.wants_closing, true);
	note_priority(q, priority, LOSSLESS_EVENT_STORM, 0, held_ns, now);
}

static void storm_ends(struct lossless_sched *q, unsigned int priority, u8 cause, u64 now)
{
	struct lossless_queue *queue = &q->queues[priority];

	queue->storm.restores++;
	queue->storm.length_ns = now - queue->watchdog.storm_ns;
	note_priority(q, priority, LOSSLESS_EVENT_RESTORE, cause, queue->storm.length_ns, now);
}

static void judge_priority(struct lossless_sched *q, unsigned int priority, u64 now)
{
	struct watchdog *dog = &q->queues[priority].watchdog;
	u64 held_ns = blocked_held_ns(&dog->clock, now);

	switch (watchdog_judge(dog, &q->recovery.law, now)) {
	case WATCHDOG_STAYS:
		return;
	case WATCHDOG_STORMS:
		storm_begins(q, priority, held_ns, now);
		break;
	case WATCHDOG_DISTRUSTS:
		storm_begins(q, priority, held_ns, now);
		note_priority(q, priority, LOSSLESS_EVENT_UNTRUST, 0, 0, now);
		break;
	case WATCHDOG_RESTORES_QUIET:
		storm_ends(q, priority, LOSSLESS_CAUSE_QUIET, now);
		break;
	case WATCHDOG_RESTORES_FIXED:
		storm_ends(q, priority, LOSSLESS_CAUSE_FIXED, now);
		break;
	}
	follow_states(q, now);
	lossless_recover_arm(q, watchdog_deadline(dog, &q->recovery.law, now));
}

static void timeout_begins(struct lossless_sched *q, u64 now)
{
	struct lossless_recovery *r = &q->recovery;

	r->timeout_of = q->backlogged & q->paused;
	r->timeout_ns = now;
	r->timeouts++;
	r->last_timeout_drops = 0;
	note_timeout(q, LOSSLESS_EVENT_TIMEOUT, 0, blocked_held_ns(&q->blocked, now), now);
	blocked_restart(&q->blocked, now);
}

static void timeout_ends(struct lossless_sched *q, u8 cause, u64 now)
{
	struct lossless_recovery *r = &q->recovery;

	r->timeout_of = 0;
	blocked_restart(&q->blocked, now);
	note_timeout(q, LOSSLESS_EVENT_TIMEOUT_END, cause, now - r->timeout_ns, now);
}

static bool is_timed_out(const struct lossless_sched *q, u64 now)
{
	return q->blocked.is_running &&
	       blocked_held_ns(&q->blocked, now) >= q->recovery.pause_timeout_ns;
}

/* When there is something new about the pause timeout, if nothing happens. */
static u64 timeout_deadline(const struct lossless_sched *q)
{
	const struct lossless_recovery *r = &q->recovery;
	unsigned long paused = r->timeout_of;
	u64 at = U64_MAX;
	unsigned int i;

	for_each_set_bit(i, &paused, LOSSLESS_PRIORITIES)
		at = min(at, q->queues[i].paused_until_ns);
	return r->timeout_of ? at : blocked_deadline(&q->blocked, r->pause_timeout_ns);
}

static void judge_timeout(struct lossless_sched *q, u64 now)
{
	struct lossless_recovery *r = &q->recovery;
	u8 before = r->timeout_of;

	if (r->timeout_of & ~q->paused)
		timeout_ends(q, LOSSLESS_CAUSE_QUIET, now);
	else if (!r->timeout_of && is_timed_out(q, now))
		timeout_begins(q, now);
	if (r->timeout_of != before)
		follow_states(q, now);
	/* also without a change: a pause may have been shortened */
	lossless_recover_arm(q, timeout_deadline(q));
}

/**
 * lossless_recover_judge() - has a storm begun, or ended? Do what follows
 * @q: the port, under the qdisc's lock
 * @bits: the priorities that something has happened to; their pauses that are over have
 *	been ended
 * @now: present time
 */
void lossless_recover_judge(struct lossless_sched *q, u8 bits, u64 now)
{
	unsigned long todo = bits;
	unsigned int i;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		judge_priority(q, i, now);
	judge_timeout(q, now);
}

/**
 * lossless_recover_follow() - do pauses keep the whole port from sending?
 * @q: the port, under the qdisc's lock, after every change of what is backlogged and paused
 * @at: when that changed
 */
void lossless_recover_follow(struct lossless_sched *q, u64 at)
{
	struct lossless_recovery *r = &q->recovery;
	bool is_blocked = r->pause_timeout_ns && q->backlogged && !(q->backlogged & ~q->paused);

	if (likely(is_blocked == q->blocked.is_running))
		return;
	if (is_blocked) {
		blocked_begin(&q->blocked, r->pause_timeout_ns, at);
		lossless_recover_arm(q, timeout_deadline(q));
	} else {
		blocked_end(&q->blocked, at);
	}
}

/**
 * lossless_recover_arm() - judge again at a deadline
 * @q: the port, under the qdisc's lock
 * @at: deadline; U64_MAX: there is none
 *
 * A timer that expires before that stays as it is, and is set anew then.
 */
void lossless_recover_arm(struct lossless_sched *q, u64 at)
{
	struct lossless_recovery *r = &q->recovery;

	if (at >= r->armed_ns)
		return;
	r->armed_ns = at;
	hrtimer_start(&r->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static u64 next_deadline(struct lossless_sched *q, u64 now)
{
	u64 at = timeout_deadline(q);
	unsigned int i;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		at = min(at, watchdog_deadline(&q->queues[i].watchdog, &q->recovery.law, now));
	return at;
}

static enum hrtimer_restart recover_timer(struct hrtimer *timer)
{
	struct lossless_sched *q = container_of(timer, struct lossless_sched, recovery.timer);
	struct Qdisc *sch = q->port->sch;
	u64 now;

	spin_lock(qdisc_lock(sch));
	now = ktime_get_ns();
	q->recovery.armed_ns = U64_MAX;
	if (!q->port->is_dead) {
		lossless_sched_expire(q, now);
		lossless_recover_judge(q, LOSSLESS_ALL_PRIORITIES, now);
		lossless_recover_arm(q, next_deadline(q, now));
	}
	spin_unlock(qdisc_lock(sch));
	return HRTIMER_NORESTART;
}

/* A queue's frames that are not to be sent: because of its storm, else of the timeout. */
static void count_lost(struct lossless_sched *q, struct lossless_queue *queue, u32 frames,
		       bool is_drained)
{
	struct lossless_storm *storm = &queue->storm;

	queue->lost += frames;
	if (!(q->recovery.storms & BIT(queue->priority)) || !action_drops(q->recovery.action)) {
		q->recovery.timeout_drops += frames;
		q->recovery.last_timeout_drops += frames;
	} else if (is_drained) {
		storm->total.drained += frames;
		storm->last.drained += frames;
	} else {
		storm->total.dropped += frames;
		storm->last.dropped += frames;
	}
}

/**
 * lossless_recover_drops() - is a frame that comes for a queue to be dropped?
 * @q: the port, under the qdisc's lock
 * @queue: its queue
 *
 * Return: true if so; it is counted then.
 */
bool lossless_recover_drops(struct lossless_sched *q, struct lossless_queue *queue)
{
	if (!(q->dropping & BIT(queue->priority)))
		return false;
	count_lost(q, queue, 1, false);
	return true;
}

/* Before the hook frames may have been put together. */
static u32 frames_of(const struct sk_buff *skb)
{
	if (!skb_is_gso(skb))
		return 1;
	return skb_shinfo(skb)->gso_segs ?: DIV_ROUND_UP(skb->len, skb_shinfo(skb)->gso_size);
}

/**
 * lossless_recover_ingress() - does a frame that arrives belong to a priority in storm?
 * @port: that it arrives on
 * @priority: as it was classified
 * @skb: the frame
 *
 * Softirq, without any lock of ours.
 *
 * Return: true if it has to be dropped; it is counted then.
 */
bool lossless_recover_ingress(struct lossless_port *port, unsigned int priority,
			      const struct sk_buff *skb)
{
	struct Qdisc *sch = port->sch;
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_storm *storm = &q->queues[priority].storm;
	u32 frames = frames_of(skb);
	bool is_dropped;

	spin_lock(qdisc_lock(sch));
	is_dropped = !port->is_dead && port->ingress_dropping & BIT(priority);
	if (is_dropped) {
		storm->total.ingress_dropped += frames;
		storm->last.ingress_dropped += frames;
	}
	spin_unlock(qdisc_lock(sch));
	return is_dropped;
}

/* Returns what was flushed, linked by next. */
static struct sk_buff *drain(struct lossless_sched *q)
{
	unsigned long todo = q->dropping & q->backlogged;
	struct sk_buff *drained = NULL;
	u32 left = DRAIN_FRAMES;
	unsigned int i;
	u32 frames;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES) {
		/* a queue that gets empty is judged, which may end what this is for */
		if (!(q->dropping & BIT(i)))
			continue;
		frames = min(left, q->queues[i].frames);
		count_lost(q, &q->queues[i], frames, true);
		lossless_queue_drain(q, i, frames, &drained);
		left -= frames;
	}
	return drained;
}

static void recover_bh(struct lossless_bh *bh)
{
	struct lossless_sched *q = container_of(bh, struct lossless_sched, recovery.bh);
	struct Qdisc *sch = q->port->sch;
	struct sk_buff *drained;
	bool is_more;

	rcu_read_lock_bh();
	spin_lock(qdisc_lock(sch));
	lossless_sched_expire(q, ktime_get_ns());
	drained = drain(q);
	is_more = q->dropping & q->backlogged;
	spin_unlock(qdisc_lock(sch));
	rcu_read_unlock_bh();
	kfree_skb_list(drained);
	if (is_more)
		lossless_bh_schedule(bh);
}

/* Returns how many priorities were in storm or not trusted. */
static unsigned int recover_all(struct lossless_sched *q, u8 bits, u8 cause, u64 now)
{
	unsigned long todo = bits;
	unsigned int i, count = 0;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES) {
		if (!watchdog_recover(&q->queues[i].watchdog, now))
			continue;
		storm_ends(q, i, cause, now);
		count++;
	}
	follow_states(q, now);
	if (!q->recovery.storms)
		WRITE_ONCE(q->recovery.wants_closing, false);
	return count;
}

/**
 * lossless_recover_by_hand() - whatever the watchdog has found is over
 * @q: the port
 * @bits: priorities
 *
 * Process context, RTNL.
 *
 * Return: how many of them were in storm or not trusted.
 */
unsigned int lossless_recover_by_hand(struct lossless_sched *q, u8 bits)
{
	unsigned int count;
	u64 now;

	spin_lock_bh(qdisc_lock(q->port->sch));
	now = ktime_get_ns();
	lossless_sched_expire(q, now);
	count = recover_all(q, bits, LOSSLESS_CAUSE_HAND, now);
	lossless_recover_arm(q, next_deadline(q, now));
	spin_unlock_bh(qdisc_lock(q->port->sch));
	return count;
}

/**
 * lossless_recover_clear() - zero what is counted about storms
 * @q: the port
 * @bits: priorities; the port's timeouts are cleared with all of them
 *
 * What lasts is kept as the only one. Process context, RTNL.
 */
void lossless_recover_clear(struct lossless_sched *q, u8 bits)
{
	unsigned long todo = bits;
	unsigned int i;

	spin_lock_bh(qdisc_lock(q->port->sch));
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES) {
		struct lossless_queue *queue = &q->queues[i];
		bool is_ok = queue->watchdog.state == WATCHDOG_OK;

		queue->storm = (struct lossless_storm){
			.storms = !is_ok,
			.start_ns = is_ok ? 0 : queue->storm.start_ns,
		};
	}
	if (bits == LOSSLESS_ALL_PRIORITIES) {
		q->recovery.timeouts = q->recovery.timeout_of != 0;
		q->recovery.timeout_drops = 0;
		q->recovery.last_timeout_drops = 0;
	}
	spin_unlock_bh(qdisc_lock(q->port->sch));
}

static struct watchdog_law law_of(const struct lossless_config *config)
{
	return (struct watchdog_law){
		.is_on = config->watchdog,
		.detect_ns = config->detect_ns,
		.window_ns = config->window_ns,
		.duty_percent = config->duty_percent,
		.restore = config->restore == LOSSLESS_RESTORE_AUTO ? WATCHDOG_AUTO :
			   config->restore == LOSSLESS_RESTORE_FIXED ? WATCHDOG_FIXED :
								       WATCHDOG_BY_HAND,
		.restore_ns = config->restore_ns,
		.untrust_storms = config->untrust_storms,
		.untrust_ns = config->untrust_ns,
	};
}

/* Priorities that are no longer watched, or about which no distrust is wanted any more. */
static u8 no_longer_watched(const struct lossless_sched *q, u8 watched)
{
	const struct watchdog_law *law = &q->recovery.law;
	u8 bits = law->is_on ? ~watched : LOSSLESS_ALL_PRIORITIES;
	unsigned int i;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		if (!law->untrust_storms && q->queues[i].watchdog.state == WATCHDOG_UNTRUSTED)
			bits |= BIT(i);
	return bits;
}

/* A queue that is not blocked was judged when it was so last, by what was in force then. */
static void forget_former_times(struct lossless_sched *q, bool all, u64 now)
{
	unsigned int i;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		if (all || !q->queues[i].watchdog.clock.is_running)
			watchdog_forget(&q->queues[i].watchdog, now);
	if (!q->blocked.is_running)
		blocked_restart(&q->blocked, now);
}

/**
 * lossless_recover_configure() - take over the options of the watchdog
 * @q: the port, under the qdisc's lock
 * @config: new configuration
 * @watched: bit i: pauses of priority i are honoured, and those of the same kind as before
 * @now: present time
 *
 * A storm goes on under the new options; that of a priority which is no longer watched
 * ends.
 */
void lossless_recover_configure(struct lossless_sched *q, const struct lossless_config *config,
				u8 watched, u64 now)
{
	struct lossless_recovery *r = &q->recovery;
	bool starts = (config->watchdog && !r->law.is_on) || config->window_ns != r->law.window_ns;
	bool is_sooner = config->detect_ns < r->law.detect_ns ||
			 config->pause_timeout_ns < r->pause_timeout_ns;

	r->law = law_of(config);
	r->action = config->action;
	r->ingress_pass = config->ingress_pass;
	r->pause_timeout_ns = config->pause_timeout_ns;
	if (starts || is_sooner)
		forget_former_times(q, starts, now);
	if (r->timeout_of && !r->pause_timeout_ns)
		timeout_ends(q, LOSSLESS_CAUSE_CONFIG, now);
	lossless_recover_follow(q, now);
	recover_all(q, no_longer_watched(q, watched), LOSSLESS_CAUSE_CONFIG, now);
	lossless_recover_judge(q, LOSSLESS_ALL_PRIORITIES, now);
	lossless_recover_arm(q, next_deadline(q, now));
	WRITE_ONCE(r->wants_closing, r->storms && action_closes(r->action));
	if (r->wants_closing)
		tell_later(q);
}

/**
 * lossless_recover_reset() - the port is closed or reset: its storms are over
 * @q: the port; nothing is paused any more
 * @now: present time
 *
 * A peer that is not trusted stays so.
 */
void lossless_recover_reset(struct lossless_sched *q, u64 now)
{
	unsigned int i;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		if (watchdog_reset(&q->queues[i].watchdog, now))
			storm_ends(q, i, LOSSLESS_CAUSE_DOWN, now);
	WRITE_ONCE(q->recovery.wants_closing, false);
	if (q->recovery.timeout_of)
		timeout_ends(q, LOSSLESS_CAUSE_DOWN, now);
	follow_states(q, now);
}

static bool take_event(struct lossless_sched *q, struct lossless_event *event, u32 *lost)
{
	struct lossless_recovery *r = &q->recovery;
	bool is_there;

	spin_lock_bh(qdisc_lock(q->port->sch));
	is_there = r->event_count;
	if (is_there) {
		*event = r->events[r->first_event];
		r->first_event = (r->first_event + 1) % LOSSLESS_EVENTS;
		r->event_count--;
	}
	*lost = r->events_lost;
	r->events_lost = 0;
	spin_unlock_bh(qdisc_lock(q->port->sch));
	return is_there;
}

static void log_timeout(const char *dev, const struct lossless_event *event)
{
	if (event->event == LOSSLESS_EVENT_TIMEOUT)
		pr_warn("%s: lossless: pauses have let nothing out for %llu us: all frames are dropped, %u in the queues\n",
			dev, div_u64(event->duration_ns, NSEC_PER_USEC), event->backlog);
	else
		pr_warn("%s: lossless: may send again after %llu us, %llu frames dropped\n", dev,
			div_u64(event->duration_ns, NSEC_PER_USEC), event->frames.dropped);
}

/* The kernel names this function when it says how many lines it left out. */
static void lossless_log(struct lossless_recovery *r, const char *dev,
			 const struct lossless_event *event)
{
	static const char * const actions[] = { "drop", "forward", "alert", "shutdown", "flap" };
	static const char * const causes[] = {
		"no pause came", "fixed time", "by hand", "configuration", "port down"
	};
	static DEFINE_RATELIMIT_STATE(all_ports, LOG_INTERVAL, LOG_BURST_OF_ALL);
	u64 us = div_u64(event->duration_ns, NSEC_PER_USEC);

	if (!__ratelimit(&r->log) || !__ratelimit(&all_ports))
		return;
	switch (event->event) {
	case LOSSLESS_EVENT_STORM:
		pr_warn("%s: lossless: prio %u in storm: blocked by pauses for %llu us, %u frames in the queue, action %s\n",
			dev, event->priority, us, event->backlog, actions[event->action]);
		break;
	case LOSSLESS_EVENT_UNTRUST:
		pr_warn("%s: lossless: prio %u is not trusted any more after %llu storms: its pauses are ignored until it is recovered by hand\n",
			dev, event->priority, event->storms);
		break;
	case LOSSLESS_EVENT_RESTORE:
		pr_warn("%s: lossless: prio %u restored after %llu us (%s): drained %llu, dropped %llu, dropped at ingress %llu\n",
			dev, event->priority, us, causes[event->cause], event->frames.drained,
			event->frames.dropped, event->frames.ingress_dropped);
		break;
	default:
		log_timeout(dev, event);
	}
}

static void tell(struct lossless_sched *q)
{
	struct lossless_event event;
	u32 lost;

	while (take_event(q, &event, &lost)) {
		lossless_genl_tell(q->port, &event, lost);
		lossless_log(&q->recovery, q->port->dev->name, &event);
	}
}

/* RTNL. */
static void close_port(struct lossless_sched *q)
{
	struct net_device *dev = q->port->dev;
	bool reopen = q->recovery.action == LOSSLESS_ACTION_FLAP;
	int err;

	if (!READ_ONCE(q->recovery.wants_closing))
		return;
	WRITE_ONCE(q->recovery.wants_closing, false);
	if (!netif_running(dev))
		return;
	dev_close(dev);
	if (!reopen)
		return;
	err = dev_open(dev, NULL);
	if (err)
		netdev_err(dev, "lossless: cannot be opened again (error %d)\n", err);
}

/* lossless_recover_close() waits for us under RTNL, so RTNL may not be waited for here. */
static void recover_work(struct work_struct *work)
{
	struct lossless_sched *q = container_of(to_delayed_work(work), struct lossless_sched,
						recovery.work);

	tell(q);
	if (!READ_ONCE(q->recovery.wants_closing))
		return;
	if (!rtnl_trylock()) {
		queue_delayed_work(recover_queue, &q->recovery.work, 1);
		return;
	}
	close_port(q);
	rtnl_unlock();
}

/**
 * lossless_recover_init() - set up a new qdisc's part
 * @q: its private data
 */
void lossless_recover_init(struct lossless_sched *q)
{
	struct lossless_recovery *r = &q->recovery;

	r->armed_ns = U64_MAX;
	hrtimer_setup(&r->timer, recover_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	lossless_bh_init(&r->bh, false, recover_bh);
	INIT_DELAYED_WORK(&r->work, recover_work);
	ratelimit_state_init(&r->log, LOG_INTERVAL, LOG_BURST);
}

/* Whoever comes after this port begins with trust. */
static void forget_distrust(struct lossless_sched *q)
{
	spin_lock_bh(qdisc_lock(q->port->sch));
	recover_all(q, LOSSLESS_ALL_PRIORITIES, LOSSLESS_CAUSE_DOWN, ktime_get_ns());
	spin_unlock_bh(qdisc_lock(q->port->sch));
}

/**
 * lossless_recover_close() - the qdisc goes away
 * @q: its private data; the port is dead, and was reset before
 *
 * What has not been told yet is told now. RTNL.
 */
void lossless_recover_close(struct lossless_sched *q)
{
	if (q->port)
		forget_distrust(q);
	lossless_bh_cancel(&q->recovery.bh);
	hrtimer_cancel(&q->recovery.timer);
	cancel_delayed_work_sync(&q->recovery.work);
	if (q->port)
		tell(q);
}

/**
 * lossless_recover_start() - get what all ports need
 */
int __init lossless_recover_start(void)
{
	recover_queue = alloc_workqueue("lossless", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return recover_queue ? 0 : -ENOMEM;
}

/**
 * lossless_recover_stop() - give it back
 *
 * There are no ports any more.
 */
void lossless_recover_stop(void)
{
	destroy_workqueue(recover_queue);
}
