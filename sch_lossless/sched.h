/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The egress side of a port: eight queues, which of them may send and which is next.
 * All of it is protected by the qdisc's lock.
 */
#ifndef LOSSLESS_SCHED_H
#define LOSSLESS_SCHED_H

#include <linux/prandom.h>
#include <net/gen_stats.h>
#include <net/pkt_sched.h>

#include "port.h"

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
 * @paused_until_ns: end of the received pause; valid while the port's paused bit is set
 * @blocked_since_ns: since when it holds frames and is paused; valid while both is so
 * @txwait_ns: sum of the ended times of that
 * @bstats: frames and bytes sent
 * @ce_marked: frames whose ECN became CE
 * @wred_drops: frames
 * @buffer_drops: lossy frames refused
 * @local_drops: local frames refused
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
	u64 paused_until_ns;
	u64 blocked_since_ns;
	u64 txwait_ns;
	struct gnet_stats_basic_sync bstats;
	u64 ce_marked;
	u64 wred_drops;
	u64 buffer_drops;
	u64 local_drops;
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
 * struct lossless_sched - the qdisc's private data
 * @port: the other half, which outlives the qdisc while frames of it are queued elsewhere
 * @backlogged: bit i: queue i holds frames
 * @paused: bit i: queue i is paused by the peer, until its paused_until_ns
 * @strict: bit i: queue i is strict
 * @ahead: bit i: the start of queue i is later than @virtual_time
 * @pausable: bit i: pauses of priority i are honoured
 * @is_burst_over: a qdisc run has handed out @burst_frames; wait for a softirq pass
 * @burst_left: frames
 * @burst_frames: of one run
 * @keep_gso: do not segment
 * @cell_bytes: in force
 * @virtual_time: start of the weighted frame that was sent last
 * @shaper: the port's rate
 * @queues: per priority
 * @sources: frames by how their ingress port was found
 * @received: MAC Control frames
 * @random: for marking
 * @filters: tc filters
 * @block: their block
 * @watchdog: runs the qdisc when a pause ends or the wire is free
 * @run: runs the qdisc in the next softirq pass
 */
struct lossless_sched {
	struct lossless_port *port;
	u8 backlogged;
	u8 paused;
	u8 strict;
	u8 ahead;
	u8 pausable;
	bool is_burst_over;
	bool keep_gso;
	u32 burst_left;
	u32 burst_frames;
	u32 cell_bytes;
	u64 virtual_time;
	struct lossless_shaper shaper;
	struct lossless_queue queues[LOSSLESS_PRIORITIES];
	u64 sources[LOSSLESS_SOURCES];
	struct lossless_received received;
	struct rnd_state random;
	struct tcf_proto __rcu *filters;
	struct tcf_block *block;
	struct qdisc_watchdog watchdog;
	struct lossless_bh run;
};

/* sched.c */
void lossless_sched_configure(struct lossless_sched *q, const struct lossless_config *config);
struct lossless_queue *lossless_sched_next(struct lossless_sched *q);
void lossless_sched_sent(struct lossless_sched *q, struct lossless_queue *queue, u32 wire_bytes);
bool lossless_sched_pause(struct lossless_sched *q, u8 bits, const u64 *pause_ns, u64 now);
void lossless_sched_reset(struct lossless_sched *q);
u64 lossless_queue_txwait(const struct lossless_sched *q, unsigned int priority, u64 now);

/* port.c */
struct lossless_port *lossless_port_without_stamp(struct lossless_sched *q,
						  const struct sk_buff *skb);

/* qdisc.c */
void lossless_queues_resize(struct Qdisc *sch, const struct lossless_config *config,
			    u32 namespace_cell_bytes, bool pool_changed);
void lossless_queues_withdraw(struct Qdisc *sch);

/* netlink.c */
int lossless_parse(struct lossless_config *config, struct nlattr *options,
		   struct netlink_ext_ack *extack);
int lossless_dump(struct Qdisc *sch, struct sk_buff *skb);
int lossless_dump_prio(struct Qdisc *sch, unsigned int i, struct sk_buff *skb);
int lossless_dump_port_stats(struct Qdisc *sch, struct gnet_dump *d);
int lossless_dump_prio_stats(struct Qdisc *sch, unsigned int priority, struct gnet_dump *d);

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
