/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The egress side of a port: eight queues, which of them may send and which is next.
 * All of it is protected by the qdisc's lock.
 */
#ifndef LOSSLESS_SCHED_H
#define LOSSLESS_SCHED_H

#include <linux/prandom.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>
#include <net/gen_stats.h>
#include <net/pkt_sched.h>

#include "port.h"

/**
 * struct lossless_storm_frames - what a storm costs
 * @drained: flushed from the queue
 * @dropped: came for the queue
 * @ingress_dropped: arrived on the port
 */
struct lossless_storm_frames {
	u64 drained;
	u64 dropped;
	u64 ingress_dropped;
};

/**
 * struct lossless_storm - the storms of a queue
 * @storms: begun
 * @restores: over, or no longer distrusted
 * @total: frames of all storms
 * @last: of the last one
 * @start_ns: of the last one, CLOCK_REALTIME
 * @length_ns: of the last one, once it is over
 */
struct lossless_storm {
	u64 storms;
	u64 restores;
	struct lossless_storm_frames total;
	struct lossless_storm_frames last;
	u64 start_ns;
	u64 length_ns;
};

/**
 * struct lossless_queue - a queue (egress port, priority)
 * @head: oldest frame
 * @tail: newest frame
 * @bytes: charged lengths of all frames
 * @frames: how many
 * @priority: 0 to 7, constant
 * @is_wred: @ecn drops frames that are Not-ECT
 * @is_ecn: @ecn is in force
 * @ecn: marking curve
 * @inverse_weight: 2^24 / weight; 0: strict
 * @start: virtual time at which the next frame may start, if ahead of the port's
 * @account: lossy and local frames
 * @limits: their sizes
 * @peak_bytes: the most that @bytes was
 * @max_age_ns: older frames are dropped, 0: none are
 * @paused_until_ns: end of the received pause; valid while the port's paused bit is set
 * @bstats: frames and bytes sent
 * @ce_marked: frames whose ECN became CE
 * @wred_drops: frames
 * @buffer_drops: lossy frames refused
 * @local_drops: local frames refused
 * @age_drops: frames older than @max_age_ns
 * @lost: frames drained and dropped by storms and timeouts
 * @watchdog: for how long it has been blocked, and whether that is a storm
 * @storm: what storms did to it
 */
struct lossless_queue {
	struct sk_buff *head;
	struct sk_buff *tail;
	u64 bytes;
	u32 frames;
	u8 priority;
	bool is_wred;
	bool is_ecn;
	struct ecn_law ecn;
	u32 inverse_weight;
	u64 start;
	struct buffer_account account;
	struct buffer_limits limits;
	u64 peak_bytes;
	u64 max_age_ns;
	u64 paused_until_ns;
	struct gnet_stats_basic_sync bstats;
	u64 ce_marked;
	u64 wred_drops;
	u64 buffer_drops;
	u64 local_drops;
	u64 age_drops;
	u64 lost;
	struct watchdog watchdog;
	struct lossless_storm storm;
};

/**
 * struct lossless_shaper - the port's rate
 * @per_byte: time on the wire; 0: no rate
 * @overhead_bytes: of every frame
 * @is_waiting: frames have waited for @next without a break: time that has passed since
 *	then was lost by the timer and is made up for
 * @next: when the wire is free again
 */
struct lossless_shaper {
	struct wire_time per_byte;
	u32 overhead_bytes;
	bool is_waiting;
	struct wire_time next;
};

/**
 * struct lossless_received - MAC Control frames that arrived, and what became of them
 * @malformed: none that we understand
 * @link: 802.3x pauses
 * @link_resumes: 802.3x resumes
 * @link_ignored: either while llfc is off
 * @pauses: PFC, per priority, ignored ones too
 * @resumes: PFC, per priority, ignored ones too
 * @ignored: pauses of a priority that pfc-rx does not list
 */
struct lossless_received {
	u64 malformed;
	u64 link;
	u64 link_resumes;
	u64 link_ignored;
	u64 pauses[LOSSLESS_PRIORITIES];
	u64 resumes[LOSSLESS_PRIORITIES];
	u64 ignored[LOSSLESS_PRIORITIES];
};

/**
 * struct lossless_event - a transition that is still to be told
 * @event: LOSSLESS_EVENT_*
 * @cause: LOSSLESS_CAUSE_*, of one that ends something
 * @action: LOSSLESS_ACTION_*
 * @priority: 0 to 7, or LOSSLESS_PRIORITIES: the whole port
 * @backlog: frames in the queue, or in all
 * @time_ns: when, CLOCK_REALTIME
 * @duration_ns: blocked before, or lasted
 * @frames: lost
 * @storms: of the priority
 * @restores: of the priority
 */
struct lossless_event {
	u8 event;
	u8 cause;
	u8 action;
	u8 priority;
	u32 backlog;
	u64 time_ns;
	u64 duration_ns;
	struct lossless_storm_frames frames;
	u64 storms;
	u64 restores;
};

#define LOSSLESS_EVENTS	32

/**
 * struct lossless_recovery - what a port does when pauses do not end
 * @law: of the watchdog
 * @action: LOSSLESS_ACTION_*
 * @ingress_pass: what arrives is not dropped in a storm
 * @storms: bit i: priority i is in storm
 * @wants_closing: an action closes the port, as soon as RTNL is free
 * @pause_timeout_ns: 0: none
 * @timeout_of: bit i: pauses of priority i do so, and too long; all frames are dropped
 * @timeout_ns: since when
 * @timeouts: how many there were
 * @timeout_drops: frames of all of them
 * @last_timeout_drops: frames of the last
 * @armed_ns: when @timer will expire at the latest
 * @timer: judges; soft
 * @bh: flushes queues
 * @events: that are still to be told; a ring
 * @first_event: of the ring
 * @event_count: in the ring
 * @events_lost: transitions that were not told, since the ring was full
 * @work: tells, and closes the port
 * @log: at most so many lines
 */
struct lossless_recovery {
	struct watchdog_law law;
	u8 action;
	bool ingress_pass;
	u8 storms;
	bool wants_closing;
	u64 pause_timeout_ns;
	u8 timeout_of;
	u64 timeout_ns;
	u64 timeouts;
	u64 timeout_drops;
	u64 last_timeout_drops;
	u64 armed_ns;
	struct hrtimer timer;
	struct lossless_bh bh;
	struct lossless_event events[LOSSLESS_EVENTS];
	u32 first_event;
	u32 event_count;
	u32 events_lost;
	struct delayed_work work;
	struct ratelimit_state log;
};

/**
 * struct lossless_sched - the qdisc's private data
 * @port: the other half, which outlives the qdisc while frames of it are queued elsewhere
 * @backlogged: bit i: queue i holds frames
 * @paused: bit i: queue i is paused by the peer, until its paused_until_ns
 * @strict: bit i: queue i is strict
 * @ahead: bit i: the start of queue i is later than @virtual_time
 * @pausable: bit i: pauses of priority i are honoured
 * @ignoring: bit i: but have no effect, because of a storm
 * @dropping: bit i: the frames of queue i are dropped, because of a storm or a timeout
 * @is_llfc: 802.3x instead of PFC
 * @is_burst_over: a qdisc run has handed out @burst_frames; wait for a softirq pass
 * @burst_left: frames
 * @burst_frames: of one run
 * @keep_gso: do not segment
 * @cell_bytes: in force
 * @virtual_time: start of the weighted frame that was sent last
 * @shaper: the port's rate
 * @blocked: for how long pauses have kept the whole port from sending, if that is limited
 * @queues: per priority
 * @sources: frames by how their ingress port was found
 * @received: MAC Control frames
 * @random: for marking
 * @filters: tc filters
 * @block: their block
 * @recovery: when pauses do not end
 * @waker: runs the qdisc when a pause ends or the wire is free
 * @run: runs the qdisc in the next softirq pass
 */
struct lossless_sched {
	struct lossless_port *port;
	u8 backlogged;
	u8 paused;
	u8 strict;
	u8 ahead;
	u8 pausable;
	u8 ignoring;
	u8 dropping;
	bool is_llfc;
	bool is_burst_over;
	bool keep_gso;
	u32 burst_left;
	u32 burst_frames;
	u32 cell_bytes;
	u64 virtual_time;
	struct lossless_shaper shaper;
	struct blocked_clock blocked;
	struct lossless_queue queues[LOSSLESS_PRIORITIES];
	u64 sources[LOSSLESS_SOURCES];
	struct lossless_received received;
	struct rnd_state random;
	struct tcf_proto __rcu *filters;
	struct tcf_block *block;
	struct lossless_recovery recovery;
	struct qdisc_watchdog waker;
	struct lossless_bh run;
};

/* sched.c */
void lossless_sched_configure(struct lossless_sched *q, const struct lossless_config *config);
struct lossless_queue *lossless_sched_next(struct lossless_sched *q);
void lossless_sched_sent(struct lossless_sched *q, struct lossless_queue *queue, u32 wire_bytes);
bool lossless_sched_pause(struct lossless_sched *q, u8 bits, const u64 *pause_ns, u64 now);
void lossless_sched_expire(struct lossless_sched *q, u64 now);
void lossless_sched_unpause(struct lossless_sched *q, unsigned int priority, u64 now);
void lossless_sched_filled(struct lossless_sched *q, struct lossless_queue *queue);
void lossless_sched_emptied(struct lossless_sched *q, struct lossless_queue *queue);
void lossless_sched_reset(struct lossless_sched *q);
u64 lossless_queue_txwait(const struct lossless_sched *q, unsigned int priority, u64 now);

/* port.c */
struct lossless_port *lossless_port_without_stamp(struct lossless_sched *q,
						  const struct sk_buff *skb);

/* qdisc.c */
void lossless_queues_resize(struct Qdisc *sch, const struct lossless_config *config,
			    u32 namespace_cell_bytes, bool pool_changed);
void lossless_queues_withdraw(struct Qdisc *sch);

void lossless_queue_drain(struct lossless_sched *q, unsigned int priority, u32 frames,
			  struct sk_buff **drained);

/* recover.c */
void lossless_recover_init(struct lossless_sched *q);
void lossless_recover_configure(struct lossless_sched *q, const struct lossless_config *config,
				u8 watched, u64 now);
void lossless_recover_reset(struct lossless_sched *q, u64 now);
void lossless_recover_close(struct lossless_sched *q);
void lossless_recover_judge(struct lossless_sched *q, u8 bits, u64 now);
void lossless_recover_follow(struct lossless_sched *q, u64 at);
void lossless_recover_arm(struct lossless_sched *q, u64 at);
bool lossless_recover_drops(struct lossless_sched *q, struct lossless_queue *queue);
bool lossless_recover_ingress(struct lossless_port *port, unsigned int priority,
			      const struct sk_buff *skb);
unsigned int lossless_recover_by_hand(struct lossless_sched *q, u8 bits);
void lossless_recover_clear(struct lossless_sched *q, u8 bits);
int lossless_recover_start(void);
void lossless_recover_stop(void);

/* netlink.c */
int lossless_parse(struct lossless_config *config, struct nlattr *options,
		   struct netlink_ext_ack *extack);
int lossless_dump(struct Qdisc *sch, struct sk_buff *skb);
int lossless_dump_prio(struct Qdisc *sch, unsigned int i, struct sk_buff *skb);
int lossless_dump_port_stats(struct Qdisc *sch, struct gnet_dump *d);
int lossless_dump_prio_stats(struct Qdisc *sch, unsigned int priority, struct gnet_dump *d);

/* How long a queue's last storm was, or has been so far. */
static inline u64 lossless_storm_ns(const struct lossless_queue *queue, u64 now)
{
	if (queue->watchdog.state == WATCHDOG_OK)
		return queue->storm.length_ns;
	return now - queue->watchdog.storm_ns;
}

/* Has the qdisc run soon. Not once it is deactivated: whoever deactivates it waits for
 * what was scheduled before, and frees it then.
 */
static inline void lossless_schedule(struct Qdisc *sch)
{
	rcu_read_lock();
	if (!test_bit(__QDISC_STATE_DEACTIVATED, &sch->state))
		__netif_schedule(sch);
	rcu_read_unlock();
}

#endif /* LOSSLESS_SCHED_H */
