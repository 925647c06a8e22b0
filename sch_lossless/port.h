/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A port, its PGs, and the table of ports of a network namespace.
 *
 * Locks, in the order in which they may be taken:
 *
 *	RTNL				configuration, the table of ports
 *	  qdisc lock of a port		its queues, shaper and received pauses
 *	    PG lock			what one PG holds
 *	      pool lock			what all ports of the namespace share
 *	    pfc.lock of another port	composing and sending its pauses
 *	      transmit queue lock	by trylock only
 *
 * A PG lock is never held while a pause is sent. A port on a stacked device is the
 * exception: its pauses go through the qdisc of the device below, so its pfc.lock comes
 * before all qdisc locks, and is never taken under one.
 */
#ifndef LOSSLESS_PORT_H
#define LOSSLESS_PORT_H

#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/pkt_sched.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include <uapi/linux/lossless.h>

#include "compat.h"
#include "core/buffer.h"
#include "core/ecn.h"
#include "core/rate.h"
#include "core/watchdog.h"

#define LOSSLESS_PORT_ID_BITS	12
#define LOSSLESS_PORT_IDS	BIT(LOSSLESS_PORT_ID_BITS)
#define LOSSLESS_ALL_PRIORITIES	0xff

struct lossless_port;

/**
 * struct lossless_buffer - the buffer of one network namespace
 * @lock: protects @pool and the peak; innermost of all
 * @pool: the parts that the ports share
 * @shared_peak_bytes: the most that S was
 * @size_bytes: as configured, 0: auto (RTNL)
 * @cell_bytes: of ports without their own (RTNL writes, data path reads)
 * @ports: all, struct lossless_port.in_namespace (RTNL)
 * @by_ifindex: the same, by device (RTNL writes, RCU reads); the newest first
 * @events_lock: events of the namespace are told one after the other
 * @event_seq: number of the last one, under @events_lock
 */
struct lossless_buffer {
	spinlock_t lock;	/* the pools; innermost */
	struct buffer_pool pool;
	u64 shared_peak_bytes;
	u64 size_bytes;
	u32 cell_bytes;
	struct list_head ports;
	struct hlist_head by_ifindex[64];
	struct mutex events_lock;	/* telling */
	u32 event_seq;
};

/**
 * struct lossless_pg - accounting of one (ingress port, priority)
 * @lock: protects all of the following; taken by every egress port that queues or
 *	sends a frame which came in here
 * @is_lossless: frames of this priority are charged here
 * @is_dead: the port is gone; frames that are charged still leave
 * @priority: 0 to 7, constant
 * @port: constant
 * @buffer: the namespace's, constant
 * @limits: sizes in force
 * @account: what is charged
 * @frames: how many frames that is
 * @xoff_since_ns: when it turned XOFF
 * @rxwait_ns: sum of the ended times in XOFF
 * @xoff_count: times that it turned XOFF
 * @headroom_drops: frames refused
 * @peak: the most that each part of @account was
 */
struct lossless_pg {
	spinlock_t lock;	/* all of the PG */
	bool is_lossless;
	bool is_dead;
	u8 priority;
	struct lossless_port *port;
	struct lossless_buffer *buffer;
	struct buffer_limits limits;
	struct buffer_account account;
	u32 frames;
	u64 xoff_since_ns;
	u64 rxwait_ns;
	u64 xoff_count;
	u64 headroom_drops;
	struct {
		u64 guaranteed;
		u64 shared;
		u64 headroom;
	} peak;
} ____cacheline_aligned_in_smp;

/**
 * struct lossless_prio_config - what is configured for a priority, resolved
 * @given: bit i: attribute TCA_LOSSLESS_PRIO_i was given, so that no default replaces
 *	it when the MTU or the kind of the priority changes
 * @weight: 0: strict
 * @guaranteed: bytes; of the PG, or of the queue if the priority is lossy
 * @is_static: @xoff and @xon instead of @alpha and @xon_offset
 * @alpha: k of alpha = 2^k; of the PG, or of the queue if the priority is lossy
 * @xoff: bytes
 * @xon: bytes
 * @xon_offset: bytes
 * @headroom: bytes
 * @has_limit: @limit instead of alpha for lossy and local frames
 * @limit: bytes
 * @is_ecn: @ecn is in force
 * @ecn: the marking curve
 * @is_wred: the curve drops frames that are Not-ECT
 * @max_age_ns: frames that have been in the queue for longer are dropped, 0: none
 */
struct lossless_prio_config {
	u32 given;
	u32 weight;
	u64 guaranteed;
	bool is_static;
	s8 alpha;
	u64 xoff;
	u64 xon;
	u64 xon_offset;
	u64 headroom;
	bool has_limit;
	u64 limit;
	bool is_ecn;
	struct ecn_law ecn;
	bool is_wred;
	u64 max_age_ns;
};

/**
 * struct lossless_config - everything that tc configures about a port
 * @rate_bytes_per_s: of the shaper, 0: none
 * @link_rate_bytes_per_s: @rate_bytes_per_s, else the link's speed, else 10 Gbit/s
 * @overhead_bytes: a frame's, for the shaper
 * @burst_frames: that one qdisc run may hand out of priorities whose pauses are honoured
 * @keep_gso: do not segment
 * @keep_socket: do not orphan
 * @trust: LOSSLESS_TRUST_*
 * @default_priority: of frames that tell none
 * @dscp_map: DSCP -> priority
 * @pcp_map: PCP -> priority
 * @cable_cm: length of the link
 * @response_bytes: what the peer's software still sends after a pause
 * @lossless: bit i: priority i is lossless
 * @pfc_rx: bit i: received pauses of priority i are honoured
 * @pfc_rx_given: else it follows @lossless
 * @llfc: 802.3x instead of PFC
 * @quanta: of every pause sent
 * @cell_bytes: 0: the namespace's
 * @watchdog: watches for storms
 * @action: in a storm, LOSSLESS_ACTION_*
 * @restore: how a storm ends, LOSSLESS_RESTORE_*
 * @ingress_pass: frames that arrive here are not dropped in a storm
 * @duty_percent: of @window_ns
 * @untrust_storms: in @untrust_ns; 0: never
 * @detect_ns: a queue that is blocked for so long is in storm
 * @restore_ns: after what time a storm ends
 * @window_ns: 0: none
 * @untrust_ns: see @untrust_storms
 * @pause_timeout_ns: for which pauses may keep the port from sending; 0: for ever
 * @prio: per priority
 * @link_per_byte: time on the wire at @link_rate_bytes_per_s, for quanta
 * @rcu: to free it
 */
struct lossless_config {
	u64 rate_bytes_per_s;
	u64 link_rate_bytes_per_s;
	u32 overhead_bytes;
	u32 burst_frames;
	bool keep_gso;
	bool keep_socket;
	u8 trust;
	u8 default_priority;
	u8 dscp_map[LOSSLESS_DSCPS];
	u8 pcp_map[LOSSLESS_PRIORITIES];
	u32 cable_cm;
	u32 response_bytes;
	u8 lossless;
	u8 pfc_rx;
	bool pfc_rx_given;
	bool llfc;
	u16 quanta;
	u32 cell_bytes;
	bool watchdog;
	u8 action;
	u8 restore;
	bool ingress_pass;
	u8 duty_percent;
	u32 untrust_storms;
	u64 detect_ns;
	u64 restore_ns;
	u64 window_ns;
	u64 untrust_ns;
	u64 pause_timeout_ns;
	struct lossless_prio_config prio[LOSSLESS_PRIORITIES];
	struct wire_time link_per_byte;
	struct rcu_head rcu;
};

/**
 * struct lossless_pfc - what a port has told its peer
 * @lock: composing and sending is one step under it; protects the following
 * @is_link: 802.3x instead of PFC
 * @quanta: of every pause
 * @pause_ns: time of a pause of @quanta
 * @told: bit i: the peer was last told to pause priority i
 * @repeat: bit i: a resume of priority i will be sent once more
 * @repeat_at_ns: when
 * @refresh_at_ns: when the pauses are sent again
 * @judge_at_ns: when the PGs in XOFF are judged again, at the latest
 * @retry_at_ns: when a frame that could not go out is tried again, 0: there is none
 * @retry_ns: how long after the last try that is
 * @is_going_down: a stacked device is being closed: no pauses
 * @link_tx: 802.3x pauses sent
 * @link_tx_resumes: 802.3x resumes sent
 * @deferred: frames that could not go out at once
 * @tx: PFC pauses sent, per priority
 * @tx_resumes: PFC resumes sent, per priority
 * @timer: refreshes, repeats, retries; soft
 * @bh: sends where the caller must not or could not
 */
struct lossless_pfc {
	spinlock_t lock;	/* composing and sending */
	bool is_link;
	u16 quanta;
	u64 pause_ns;
	u8 told;
	u8 repeat;
	u64 repeat_at_ns[LOSSLESS_PRIORITIES];
	u64 refresh_at_ns;
	u64 judge_at_ns;
	u64 retry_at_ns;
	u64 retry_ns;
	bool is_going_down;
	u64 link_tx;
	u64 link_tx_resumes;
	u64 deferred;
	u64 tx[LOSSLESS_PRIORITIES];
	u64 tx_resumes[LOSSLESS_PRIORITIES];
	struct hrtimer timer;
	struct lossless_bh bh;
};

/**
 * struct lossless_port - a netdev whose root qdisc is `lossless`
 * @xoff: bit i: PG i is in XOFF (set and cleared under the PG's lock)
 * @ingress_dropping: bit i: priority i is in storm, and what arrives is dropped (written
 *	under the qdisc's lock)
 * @id: of the stamp, constant
 * @is_leaf: a pause may be transmitted under the lock of another port's qdisc
 * @is_dead: the qdisc is being destroyed (written under the qdisc lock and pfc.lock)
 * @dev: constant; valid until @is_dead
 * @sch: the qdisc, constant; valid until @is_dead
 * @net: the namespace, constant
 * @buffer: its buffer, constant
 * @config: what is in force; replaced as a whole (RTNL writes, RCU reads)
 * @pfc: what the peer was told
 * @pgs: per priority
 * @hook: the receive hook
 * @in_namespace: in struct lossless_buffer.ports
 * @by_ifindex: in struct lossless_buffer.by_ifindex
 * @references: the qdisc's one, and one of each PG that was not empty when the qdisc went
 * @rcu: to free it
 */
struct lossless_port {
	unsigned long xoff;
	u8 ingress_dropping;
	u16 id;
	bool is_leaf;
	bool is_dead;
	struct net_device *dev;
	struct Qdisc *sch;
	struct net *net;
	struct lossless_buffer *buffer;
	struct lossless_config __rcu *config;
	struct lossless_pfc pfc;
	struct lossless_pg pgs[LOSSLESS_PRIORITIES];
	struct nf_hook_ops hook;
	struct list_head in_namespace;
	struct hlist_node by_ifindex;
	refcount_t references;
	struct rcu_head rcu;
};

/* Why a frame is charged where it is: how its ingress port was found. */
enum lossless_source {
	LOSSLESS_SOURCE_STAMP,
	LOSSLESS_SOURCE_IIF,
	LOSSLESS_SOURCE_LOWER,
	LOSSLESS_SOURCE_LOCAL,
	LOSSLESS_SOURCES
};

/* port.c */
struct lossless_buffer *lossless_buffer_of(const struct net *net);
struct lossless_port *lossless_port_create(struct Qdisc *sch);
int lossless_port_open(struct lossless_port *port, struct lossless_config *config,
		       struct netlink_ext_ack *extack);
void lossless_port_close(struct lossless_port *port);
void lossless_port_put(struct lossless_port *port);
int lossless_port_check(struct lossless_port *port, const struct lossless_config *config,
			struct netlink_ext_ack *extack);
void lossless_port_commit(struct lossless_port *port, struct lossless_config *config);
int lossless_ports_init(void);
void lossless_ports_exit(void);

/* The namespace's buffer, port.c. */
int lossless_buffer_set(struct net *net, u64 size_bytes, u64 headroom_bytes, u32 cell_bytes,
			struct netlink_ext_ack *extack);
u64 lossless_buffer_reserved(const struct lossless_buffer *buffer);
u32 lossless_buffer_ports(const struct lossless_buffer *buffer);

/* pg.c */
void lossless_pg_init(struct lossless_pg *pg, struct lossless_port *port, u8 priority);
bool lossless_pg_charge(struct lossless_pg *pg, u32 len, bool *admitted);
void lossless_pg_release(struct lossless_pg *pg, u32 len);
void lossless_pg_judge(struct lossless_pg *pg);
void lossless_pg_resize(struct lossless_pg *pg, const struct buffer_limits *limits,
			bool is_lossless, bool pool_changed);
void lossless_pg_withdraw(struct lossless_pg *pg);
void lossless_pg_kill(struct lossless_pg *pg);

/* ingress.c */
unsigned int lossless_ingress(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);

/* pfc.c */
void lossless_pfc_init(struct lossless_port *port);
void lossless_pfc_configure(struct lossless_port *port, const struct lossless_config *config);
void lossless_pfc_send(struct lossless_port *port);
void lossless_pfc_silence(struct lossless_port *port);
void lossless_pfc_going_down(struct lossless_port *port);
void lossless_pfc_link_up(struct lossless_port *port);
void lossless_pfc_destroy(struct lossless_port *port);

/* The stamp in skb->tc_index: valid, priority, port. */
#define LOSSLESS_STAMP_VALID	BIT(15)

static inline u16 lossless_stamp(const struct lossless_port *port, u8 priority)
{
	return LOSSLESS_STAMP_VALID | priority << LOSSLESS_PORT_ID_BITS | port->id;
}

static inline u8 lossless_stamp_priority(u16 stamp)
{
	return stamp >> LOSSLESS_PORT_ID_BITS & 7;
}

/* All ports of all namespaces by the number in the stamp, since a stamp crosses a veth.
 * RTNL writes, RCU reads.
 */
extern struct lossless_port __rcu *lossless_ports_by_id[LOSSLESS_PORT_IDS];

/**
 * lossless_port_by_stamp() - the port that a frame came in by
 * @egress: the port that it leaves by
 * @stamp: its skb->tc_index
 *
 * RCU read side.
 *
 * Return: a port of the same namespace, or NULL if the stamp does not tell.
 */
static inline struct lossless_port *
lossless_port_by_stamp(const struct lossless_port *egress, u16 stamp)
{
	struct lossless_port *port;

	if (!(stamp & LOSSLESS_STAMP_VALID))
		return NULL;
	port = rcu_dereference_bh(lossless_ports_by_id[stamp & (LOSSLESS_PORT_IDS - 1)]);
	return port && port->buffer == egress->buffer ? port : NULL;
}

/* The peer has to be told something that it does not know yet. */
static inline bool lossless_pfc_is_due(const struct lossless_port *port)
{
	return unlikely(READ_ONCE(port->xoff) != READ_ONCE(port->pfc.told));
}

/* config.c */
void lossless_config_init(struct lossless_config *config);
void lossless_config_resolve(struct lossless_config *config, struct net_device *dev);
int lossless_config_check(const struct lossless_config *config, const struct net_device *dev,
			  u64 headroom_pool_bytes, u32 namespace_cell_bytes,
			  struct netlink_ext_ack *extack);
bool lossless_config_is_same(const struct lossless_config *a, const struct lossless_config *b);
u64 lossless_config_reserved(const struct lossless_config *config);
struct buffer_limits lossless_config_pg_limits(const struct lossless_config *config, u8 priority);
struct buffer_limits lossless_config_queue_limits(const struct lossless_config *config,
						  u8 priority);

/* F: one frame of the MTU, with addresses, EtherType and FCS. */
static inline u32 lossless_mtu_frame(const struct net_device *dev)
{
	return READ_ONCE(dev->mtu) + ETH_HLEN + ETH_FCS_LEN;
}

#endif /* LOSSLESS_PORT_H */
