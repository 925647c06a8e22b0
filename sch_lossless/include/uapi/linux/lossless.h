/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What user space and the qdisc `lossless` say to each other: the tc attributes
 * and statistics of a port, and the generic netlink family that configures the
 * buffer of a network namespace.
 */
#ifndef _UAPI_LINUX_LOSSLESS_H
#define _UAPI_LINUX_LOSSLESS_H

#include <linux/types.h>

#define LOSSLESS_PRIORITIES	8
#define LOSSLESS_DSCPS		64

/* Raised when an attribute or a statistic is added; never when one changes its
 * meaning, which does not happen.
 */
#define LOSSLESS_UAPI_VERSION	2

/* What a port trusts to tell a frame's priority, TCA_LOSSLESS_TRUST. */
enum {
	LOSSLESS_TRUST_DSCP,	/* DSCP of IP, else PCP, else the default priority */
	LOSSLESS_TRUST_PCP,	/* PCP of an 802.1Q tag, else the default priority */
	LOSSLESS_TRUST_SKB,	/* skb->priority */
	__LOSSLESS_TRUST_MAX
};

#define LOSSLESS_TRUST_MAX	(__LOSSLESS_TRUST_MAX - 1)

/* What becomes of a priority in storm, TCA_LOSSLESS_ACTION. */
enum {
	LOSSLESS_ACTION_DROP,		/* its queue is flushed, its frames are dropped */
	LOSSLESS_ACTION_FORWARD,	/* its pauses are ignored */
	LOSSLESS_ACTION_ALERT,		/* nothing, it is only told */
	LOSSLESS_ACTION_SHUTDOWN,	/* the port is closed */
	LOSSLESS_ACTION_FLAP,		/* the port is closed and opened again */
	__LOSSLESS_ACTION_MAX
};

#define LOSSLESS_ACTION_MAX	(__LOSSLESS_ACTION_MAX - 1)

/* When a storm is over, TCA_LOSSLESS_RESTORE. By hand it always is. */
enum {
	LOSSLESS_RESTORE_AUTO,		/* no pause has come for RESTORE_TIME64 */
	LOSSLESS_RESTORE_FIXED,		/* after RESTORE_TIME64 in any case */
	LOSSLESS_RESTORE_OFF,		/* by hand only */
	__LOSSLESS_RESTORE_MAX
};

#define LOSSLESS_RESTORE_MAX	(__LOSSLESS_RESTORE_MAX - 1)

/* Attributes in TCA_OPTIONS. One that is absent from a change leaves its setting
 * as it is. A bit i of a mask is priority i.
 */
enum {
	TCA_LOSSLESS_UNSPEC,
	TCA_LOSSLESS_PAD,
	TCA_LOSSLESS_VERSION,		/* u32, LOSSLESS_UAPI_VERSION; dump only */
	TCA_LOSSLESS_RATE64,		/* u64, bytes per second; 0: no shaper */
	TCA_LOSSLESS_OVERHEAD,		/* u32, bytes a frame, for the shaper */
	TCA_LOSSLESS_BURST,		/* u32, frames of one qdisc run */
	TCA_LOSSLESS_KEEP_GSO,		/* u8, 0 or 1 */
	TCA_LOSSLESS_KEEP_SOCKET,	/* u8, 0 or 1 */
	TCA_LOSSLESS_TRUST,		/* u8, LOSSLESS_TRUST_* */
	TCA_LOSSLESS_DSCP_MAP,		/* nest of TCA_LOSSLESS_MAP_ENTRY */
	TCA_LOSSLESS_PCP_MAP,		/* nest of TCA_LOSSLESS_MAP_ENTRY */
	TCA_LOSSLESS_DEFAULT_PRIO,	/* u8 */
	TCA_LOSSLESS_CABLE_CM,		/* u32, centimetres */
	TCA_LOSSLESS_RESPONSE,		/* u32, bytes */
	TCA_LOSSLESS_PFC,		/* u8, mask: lossless, protected by PFC */
	TCA_LOSSLESS_PFC_RX,		/* u8, mask: whose pauses are honoured */
	TCA_LOSSLESS_LLFC,		/* u8, 0 or 1 */
	TCA_LOSSLESS_QUANTA,		/* u16, of each pause sent */
	TCA_LOSSLESS_CELL,		/* u32, bytes; 0: the namespace's */
	TCA_LOSSLESS_PRIO,		/* nest of TCA_LOSSLESS_PRIO_*, one a priority */
	TCA_LOSSLESS_LINK_RATE64,	/* u64, bytes per second that quanta and
					 * headroom are computed with; dump only
					 */
	TCA_LOSSLESS_WATCHDOG,		/* u8, 0 or 1 */
	TCA_LOSSLESS_DETECT64,		/* u64, ns for which a queue in storm was blocked */
	TCA_LOSSLESS_RESTORE,		/* u8, LOSSLESS_RESTORE_* */
	TCA_LOSSLESS_RESTORE_TIME64,	/* u64, ns */
	TCA_LOSSLESS_ACTION,		/* u8, LOSSLESS_ACTION_* */
	TCA_LOSSLESS_WINDOW64,		/* u64, ns; 0: no window */
	TCA_LOSSLESS_DUTY,		/* u8, percent of WINDOW64 that is a storm too */
	TCA_LOSSLESS_UNTRUST,		/* u32, storms in UNTRUST_TIME64 after which a
					 * priority's pauses are ignored; 0: never
					 */
	TCA_LOSSLESS_UNTRUST_TIME64,	/* u64, ns */
	TCA_LOSSLESS_INGRESS_PASS,	/* u8, 0 or 1 */
	TCA_LOSSLESS_PAUSE_TIMEOUT64,	/* u64, ns; 0: off */
	__TCA_LOSSLESS_MAX
};

#define TCA_LOSSLESS_MAX	(__TCA_LOSSLESS_MAX - 1)

/* In TCA_LOSSLESS_DSCP_MAP and TCA_LOSSLESS_PCP_MAP. */
enum {
	TCA_LOSSLESS_MAP_UNSPEC,
	TCA_LOSSLESS_MAP_ENTRY,		/* struct tc_lossless_map_entry */
	__TCA_LOSSLESS_MAP_MAX
};

#define TCA_LOSSLESS_MAP_MAX	(__TCA_LOSSLESS_MAP_MAX - 1)

/**
 * struct tc_lossless_map_entry - one line of a map
 * @from: DSCP (0 to 63) or PCP (0 to 7)
 * @priority: 0 to 7
 */
struct tc_lossless_map_entry {
	__u8 from;
	__u8 priority;
};

/* In TCA_LOSSLESS_PRIO. PRIO_INDEX must be there and names the priority. */
enum {
	TCA_LOSSLESS_PRIO_UNSPEC,
	TCA_LOSSLESS_PRIO_PAD,
	TCA_LOSSLESS_PRIO_INDEX,	/* u8, 0 to 7 */
	TCA_LOSSLESS_PRIO_LOSSLESS,	/* u8, 0 or 1 */
	TCA_LOSSLESS_PRIO_WEIGHT,	/* u32; 0: strict */
	TCA_LOSSLESS_PRIO_GUARANTEED,	/* u64, bytes */
	TCA_LOSSLESS_PRIO_ALPHA,	/* s8, k of alpha = 2^k; not with XOFF */
	TCA_LOSSLESS_PRIO_XOFF,		/* u64, bytes; with XON: static thresholds */
	TCA_LOSSLESS_PRIO_XON,		/* u64, bytes */
	TCA_LOSSLESS_PRIO_XON_OFFSET,	/* u64, bytes */
	TCA_LOSSLESS_PRIO_HEADROOM,	/* u64, bytes; private to the PG */
	TCA_LOSSLESS_PRIO_HEADROOM_AUTO, /* u8, 1: computed from the link; in a
					  * dump HEADROOM then holds the result
					  */
	TCA_LOSSLESS_PRIO_LIMIT,	/* u64, bytes of the shared pool that lossy
					 * and local frames of a queue may hold,
					 * instead of ALPHA
					 */
	TCA_LOSSLESS_PRIO_ECN,		/* u8, 0: off, 1: KMIN, KMAX, PMAX in force */
	TCA_LOSSLESS_PRIO_KMIN,		/* u32, bytes */
	TCA_LOSSLESS_PRIO_KMAX,		/* u32, bytes */
	TCA_LOSSLESS_PRIO_PMAX,		/* u32, millionths */
	TCA_LOSSLESS_PRIO_WRED,		/* u8, 0 or 1 */
	TCA_LOSSLESS_PRIO_MAX_AGE64,	/* u64, ns in the queue; 0: no limit */
	__TCA_LOSSLESS_PRIO_MAX
};

#define TCA_LOSSLESS_PRIO_MAX	(__TCA_LOSSLESS_PRIO_MAX - 1)

/* The ranges that both sides check; the kernel's answer is the one that counts. */
#define LOSSLESS_RATE_MIN	125ULL		/* 1 kbit/s, in bytes per second */
#define LOSSLESS_RATE_MAX	200000000000ULL	/* 1.6 Tbit/s */
#define LOSSLESS_OVERHEAD_MAX	1024
#define LOSSLESS_BURST_MAX	64
#define LOSSLESS_CABLE_CM_MAX	10000000	/* 100 km */
#define LOSSLESS_RESPONSE_MAX	(64U << 20)
#define LOSSLESS_CELL_MAX	65536
#define LOSSLESS_WEIGHT_MAX	1000
#define LOSSLESS_ALPHA_MIN	(-10)
#define LOSSLESS_ALPHA_MAX	7
#define LOSSLESS_PMAX_MAX	1000000
#define LOSSLESS_SIZE_MIN	(16ULL << 10)	/* of a buffer with a fixed size */
#define LOSSLESS_SIZE_MAX	(4ULL << 30)
#define LOSSLESS_PAUSE_NS_MIN	20000		/* the shortest pause of QUANTA */
#define LOSSLESS_DETECT_MIN	1000000ULL	/* ns; also of WINDOW64, PAUSE_TIMEOUT64 */
#define LOSSLESS_DETECT_MAX	60000000000ULL
#define LOSSLESS_RESTORE_TIME_MIN	1000000ULL	/* ns; also of UNTRUST_TIME64 */
#define LOSSLESS_RESTORE_TIME_MAX	86400000000000ULL	/* a day */
#define LOSSLESS_UNTRUST_MAX	16		/* storms */
#define LOSSLESS_MAX_AGE_MIN	1000ULL		/* ns */
#define LOSSLESS_MAX_AGE_MAX	3600000000000ULL

/* TCA_STATS_APP begins with one of these. */
enum {
	TC_LOSSLESS_STATS_PORT = 1,	/* struct tc_lossless_port_stats */
	TC_LOSSLESS_STATS_PRIO,		/* struct tc_lossless_prio_stats */
};

/**
 * struct tc_lossless_port_stats - what `tc -s qdisc show` adds
 * @type: TC_LOSSLESS_STATS_PORT
 * @port_id: number in the stamp of the frames that arrived here
 * @malformed: MAC Control frames received that were none or not for us
 * @llfc_rx: 802.3x pauses (time > 0) received
 * @llfc_rx_resumes: 802.3x resumes received
 * @llfc_ignored: 802.3x frames received while llfc is off
 * @llfc_tx: 802.3x pauses sent
 * @llfc_tx_resumes: 802.3x resumes sent
 * @pfc_deferred: PFC and 802.3x frames that could not go out at once
 * @source_stamp: frames that were to leave here whose ingress port the stamp told
 * @source_iif: ... skb_iif told
 * @source_lower: ... the unique lower device of skb_iif told
 * @source_local: ... that came from this host or from no port
 * @pause_timeouts: times that pauses let the port send nothing for PAUSE_TIMEOUT64
 * @pause_timeout_drops: frames dropped then
 * @is_timed_out: 1 while that lasts
 */
struct tc_lossless_port_stats {
	__u32 type;
	__u32 port_id;
	__u64 malformed;
	__u64 llfc_rx;
	__u64 llfc_rx_resumes;
	__u64 llfc_ignored;
	__u64 llfc_tx;
	__u64 llfc_tx_resumes;
	__u64 pfc_deferred;
	__u64 source_stamp;
	__u64 source_iif;
	__u64 source_lower;
	__u64 source_local;
	__u64 pause_timeouts;
	__u64 pause_timeout_drops;
	__u64 is_timed_out;
};

#define TC_LOSSLESS_PRIO_XOFF	(1 << 0)	/* the PG keeps its upstream paused */
#define TC_LOSSLESS_PRIO_PAUSED	(1 << 1)	/* a received pause holds the queue */
#define TC_LOSSLESS_PRIO_STORM	(1 << 2)	/* pauses have held it for too long */
#define TC_LOSSLESS_PRIO_UNTRUSTED	(1 << 3)	/* its pauses are ignored until it
							 * is recovered by hand
							 */

/**
 * struct tc_lossless_prio_stats - what `tc -s class show` adds for a priority
 * @type: TC_LOSSLESS_STATS_PRIO
 * @flags: TC_LOSSLESS_PRIO_*
 * @queue_bytes: in the queue of this port now (charged lengths)
 * @queue_peak_bytes: the most that was in it
 * @guaranteed_bytes: charged to the PG of this port now
 * @guaranteed_peak_bytes: the most that was
 * @shared_bytes: as above, of the shared pool
 * @shared_peak_bytes: the most that was
 * @headroom_bytes: as above, of the headroom
 * @headroom_peak_bytes: the most that was
 * @headroom_size_bytes: private headroom of the PG
 * @local_bytes: lossy and local frames charged at the queue now
 * @xoff: times that the PG turned XOFF
 * @pfc_tx: pauses sent
 * @pfc_tx_resumes: resumes sent
 * @pfc_rx: pauses received, ignored ones too
 * @pfc_rx_resumes: resumes received, ignored ones too
 * @pfc_ignored: pauses received that pfc-rx does not list
 * @ce_marked: frames of the queue whose ECN became CE
 * @wred_drops: frames that WRED dropped
 * @headroom_drops: frames arrived here that found the headroom full
 * @buffer_drops: lossy frames that found the queue's part of the buffer full
 * @local_drops: local frames that did
 * @txwait_ns: time for which the queue had frames but was paused by its peer
 * @rxwait_ns: time for which the PG kept its upstream paused
 * @age_drops: frames of the queue that were older than MAX_AGE64
 * @storms: times that pauses held the queue for too long
 * @restores: times that this was over
 * @drained: frames flushed from the queue by storms
 * @dropped: frames that came for the queue during storms
 * @ingress_dropped: frames of this priority that arrived on this port during storms
 * @last_drained: of them, those of the storm that is or was the last
 * @last_dropped: as above
 * @last_ingress_dropped: as above
 * @storm_start_ns: when that storm was detected, CLOCK_REALTIME; 0: there was none
 * @storm_ns: how long it lasted, or has lasted so far
 */
struct tc_lossless_prio_stats {
	__u32 type;
	__u32 flags;
	__u64 queue_bytes;
	__u64 queue_peak_bytes;
	__u64 guaranteed_bytes;
	__u64 guaranteed_peak_bytes;
	__u64 shared_bytes;
	__u64 shared_peak_bytes;
	__u64 headroom_bytes;
	__u64 headroom_peak_bytes;
	__u64 headroom_size_bytes;
	__u64 local_bytes;
	__u64 xoff;
	__u64 pfc_tx;
	__u64 pfc_tx_resumes;
	__u64 pfc_rx;
	__u64 pfc_rx_resumes;
	__u64 pfc_ignored;
	__u64 ce_marked;
	__u64 wred_drops;
	__u64 headroom_drops;
	__u64 buffer_drops;
	__u64 local_drops;
	__u64 txwait_ns;
	__u64 rxwait_ns;
	__u64 age_drops;
	__u64 storms;
	__u64 restores;
	__u64 drained;
	__u64 dropped;
	__u64 ingress_dropped;
	__u64 last_drained;
	__u64 last_dropped;
	__u64 last_ingress_dropped;
	__u64 storm_start_ns;
	__u64 storm_ns;
};

#define LOSSLESS_GENL_NAME	"lossless"
#define LOSSLESS_GENL_VERSION	1
#define LOSSLESS_GENL_EVENTS	"events"	/* the multicast group */

enum {
	LOSSLESS_CMD_UNSPEC,
	LOSSLESS_CMD_BUFFER_GET,	/* answers with LOSSLESS_A_BUFFER_* */
	LOSSLESS_CMD_BUFFER_SET,	/* SIZE, HEADROOM_POOL, CELL */
	LOSSLESS_CMD_WATCHDOG_GET,	/* what is known of PRIO of IFINDEX; a dump: of all
					 * priorities of all ports, or of IFINDEX
					 */
	LOSSLESS_CMD_WATCHDOG_RECOVER,	/* ends storms and distrust; IFINDEX, perhaps PRIO */
	LOSSLESS_CMD_WATCHDOG_CLEAR,	/* its counters; IFINDEX, perhaps PRIO */
	LOSSLESS_CMD_EVENT,		/* to the group: LOSSLESS_A_WATCHDOG_* */
	__LOSSLESS_CMD_MAX
};

#define LOSSLESS_CMD_MAX	(__LOSSLESS_CMD_MAX - 1)

enum {
	LOSSLESS_A_BUFFER_UNSPEC,
	LOSSLESS_A_BUFFER_PAD,
	LOSSLESS_A_BUFFER_SIZE,		/* u64, bytes; 0: auto */
	LOSSLESS_A_BUFFER_HEADROOM_POOL, /* u64, bytes */
	LOSSLESS_A_BUFFER_CELL,		/* u32, bytes; of ports without their own */
	LOSSLESS_A_BUFFER_RESERVED,	/* u64, bytes: R; get only */
	LOSSLESS_A_BUFFER_SHARED,	/* u64, bytes: P; get only */
	LOSSLESS_A_BUFFER_SHARED_USED,	/* u64, bytes: S; get only */
	LOSSLESS_A_BUFFER_SHARED_PEAK,	/* u64, bytes; get only */
	LOSSLESS_A_BUFFER_HEADROOM_POOL_USED, /* u64, bytes; get only */
	LOSSLESS_A_BUFFER_PORTS,	/* u32; get only */
	__LOSSLESS_A_BUFFER_MAX
};

#define LOSSLESS_A_BUFFER_MAX	(__LOSSLESS_A_BUFFER_MAX - 1)

/* What an event tells, LOSSLESS_A_WATCHDOG_EVENT. */
enum {
	LOSSLESS_EVENT_STORM,		/* a storm has been detected */
	LOSSLESS_EVENT_UNTRUST,		/* ... one too many: pauses are ignored from now on */
	LOSSLESS_EVENT_RESTORE,		/* a storm or the distrust is over */
	LOSSLESS_EVENT_TIMEOUT,		/* the port drops what it may not send */
	LOSSLESS_EVENT_TIMEOUT_END,	/* it may send again */
};

/* Why something is over, LOSSLESS_A_WATCHDOG_CAUSE. */
enum {
	LOSSLESS_CAUSE_QUIET,		/* no pause has come for a while; the pause ended */
	LOSSLESS_CAUSE_FIXED,		/* the fixed time has passed */
	LOSSLESS_CAUSE_HAND,		/* recovered by hand */
	LOSSLESS_CAUSE_CONFIG,		/* the configuration no longer watches it */
	LOSSLESS_CAUSE_DOWN,		/* the port was closed, reset or removed */
};

/* LOSSLESS_A_WATCHDOG_STATE */
enum {
	LOSSLESS_STATE_OK,
	LOSSLESS_STATE_STORM,
	LOSSLESS_STATE_UNTRUSTED,
};

/* Of a priority, or of an event. In an event the counts are those of the storm, or of the
 * timeout, that it is about.
 */
enum {
	LOSSLESS_A_WATCHDOG_UNSPEC,
	LOSSLESS_A_WATCHDOG_PAD,
	LOSSLESS_A_WATCHDOG_IFINDEX,	/* u32 */
	LOSSLESS_A_WATCHDOG_IFNAME,	/* string */
	LOSSLESS_A_WATCHDOG_PRIO,	/* u8; not in TIMEOUT and TIMEOUT_END */
	LOSSLESS_A_WATCHDOG_SEQ,	/* u32, of the namespace's last event; of this one */
	LOSSLESS_A_WATCHDOG_EVENT,	/* u8, LOSSLESS_EVENT_* */
	LOSSLESS_A_WATCHDOG_CAUSE,	/* u8, LOSSLESS_CAUSE_*; of RESTORE and TIMEOUT_END */
	LOSSLESS_A_WATCHDOG_STATE,	/* u8, LOSSLESS_STATE_* */
	LOSSLESS_A_WATCHDOG_ACTION,	/* u8, LOSSLESS_ACTION_* */
	LOSSLESS_A_WATCHDOG_TIME,	/* u64, ns, CLOCK_REALTIME: of the event; start of the
					 * last storm
					 */
	LOSSLESS_A_WATCHDOG_DURATION,	/* u64, ns: blocked before STORM and TIMEOUT, lasted
					 * at their ends; length of the last storm
					 */
	LOSSLESS_A_WATCHDOG_DRAINED,	/* u64, frames */
	LOSSLESS_A_WATCHDOG_DROPPED,	/* u64, frames */
	LOSSLESS_A_WATCHDOG_INGRESS_DROPPED, /* u64, frames */
	LOSSLESS_A_WATCHDOG_STORMS,	/* u64 */
	LOSSLESS_A_WATCHDOG_RESTORES,	/* u64 */
	LOSSLESS_A_WATCHDOG_DRAINED_TOTAL, /* u64, frames; not in an event */
	LOSSLESS_A_WATCHDOG_DROPPED_TOTAL, /* u64, frames; not in an event */
	LOSSLESS_A_WATCHDOG_INGRESS_DROPPED_TOTAL, /* u64, frames; not in an event */
	LOSSLESS_A_WATCHDOG_IS_TIMED_OUT, /* u8, 0 or 1, of the port; not in an event */
	LOSSLESS_A_WATCHDOG_BACKLOG,	/* u32, frames in the queue, or in all; of an event */
	__LOSSLESS_A_WATCHDOG_MAX
};

#define LOSSLESS_A_WATCHDOG_MAX	(__LOSSLESS_A_WATCHDOG_MAX - 1)

#endif /* _UAPI_LINUX_LOSSLESS_H */
