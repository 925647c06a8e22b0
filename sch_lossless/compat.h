/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between the kernels that we build for, and nothing else. The code
 * is written for the newest; what an older one lacks is made up for here. LOSSLESS_HAVE_*
 * come from probes of the headers in Kbuild.
 */
#ifndef LOSSLESS_COMPAT_H
#define LOSSLESS_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/netlink.h>
#include <linux/workqueue.h>
#include <net/pkt_cls.h>
#include <net/sch_generic.h>
#ifdef LOSSLESS_HAVE_GSO_H
#include <net/gso.h>
#endif

/* 6.12: lltx is a bit of its own */
static inline bool dev_is_lltx(const struct net_device *dev)
{
#ifdef NETIF_F_LLTX
	return dev->features & NETIF_F_LLTX;
#else
	return dev->lltx;
#endif
}

/* 6.13: hrtimer_setup() */
#ifndef LOSSLESS_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.1.y and later: tcf_classify_qdisc() */
#ifndef LOSSLESS_HAVE_CLASSIFY_QDISC
static inline int tcf_classify_qdisc(struct sk_buff *skb, const struct tcf_proto *tp,
				     struct tcf_result *res, bool compat_mode)
{
	return tcf_classify(skb, NULL, tp, res, compat_mode);
}
#endif

/* 6.2: formatted extack messages. There is no room for one in the older extack: it
 * goes to one of a few static buffers, since the acknowledgment is sent after RTNL was
 * given back.
 */
#ifndef NL_SET_ERR_MSG_FMT
#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {				\
	static char messages[16][80];						\
	static atomic_t next_message;						\
	struct netlink_ext_ack *__extack = (extack);				\
	char *__message = messages[atomic_inc_return(&next_message) & 15];	\
										\
	snprintf(__message, sizeof(messages[0]), fmt, ##args);			\
	if (__extack)								\
		__extack->_msg = __message;					\
} while (0)
#endif

/* 6.6: what is known of a dump's request is a struct genl_info */
#ifndef LOSSLESS_HAVE_GENL_INFO_DUMP
#define genl_info_dump	genl_dumpit_info
#endif

/* 7.x: drop reasons of qdiscs have an enum of their own; what is dropped while a qdisc
 * runs is freed outside its lock.
 */
#ifndef LOSSLESS_HAVE_QDISC_DROP_REASON
enum qdisc_drop_reason {
	QDISC_DROP_GENERIC,
	QDISC_DROP_OVERLIMIT,
	QDISC_DROP_CONGESTED,
};

static inline int lossless_drop_reason(struct sk_buff *skb, struct Qdisc *sch,
				       struct sk_buff **to_free, enum qdisc_drop_reason reason)
{
	return qdisc_drop(skb, sch, to_free);
}

static inline void qdisc_dequeue_drop(struct Qdisc *sch, struct sk_buff *skb,
				      enum qdisc_drop_reason reason)
{
	kfree_skb(skb);
}

/* 6.12 has one of this name, with reasons of another enum */
#define qdisc_drop_reason	lossless_drop_reason
#endif
#ifndef TCQ_F_DEQUEUE_DROPS
#define TCQ_F_DEQUEUE_DROPS	0
#endif

/* 7.x: RTNL no longer protects the operations of every device. __ethtool_* takes the
 * device's own lock, which whoever calls a qdisc or a notifier holds already.
 */
#ifndef LOSSLESS_HAVE_NETIF_GET_LINK_KSETTINGS
#define netif_get_link_ksettings	__ethtool_get_link_ksettings
#endif

/* 7.x: length and backlog are counted by helpers. */
#ifndef LOSSLESS_HAVE_QLEN_HELPERS
static inline void qdisc_qlen_inc(struct Qdisc *sch)
{
	sch->q.qlen++;
}

static inline void qdisc_qlen_dec(struct Qdisc *sch)
{
	sch->q.qlen--;
}
#endif

/* 7.x: a frame's segments are counted in its control block. */
#ifdef LOSSLESS_HAVE_PKT_SEGS
static inline void qdisc_cb_set_segments(struct sk_buff *skb, u16 segments)
{
	qdisc_skb_cb(skb)->pkt_segs = segments;
}
#else
static inline void qdisc_cb_set_segments(struct sk_buff *skb, u16 segments)
{
}
#endif

/* Bottom halves: tasklets, from 6.9 on work queues in softirq context. */
#ifdef LOSSLESS_HAVE_BH_WORKQUEUE
struct lossless_bh {
	struct work_struct work;
	struct workqueue_struct *queue;
	void (*function)(struct lossless_bh *bh);
};

static inline void lossless_bh_work(struct work_struct *work)
{
	struct lossless_bh *bh = container_of(work, struct lossless_bh, work);

	bh->function(bh);
}

static inline void lossless_bh_init(struct lossless_bh *bh, bool is_urgent,
				    void (*function)(struct lossless_bh *bh))
{
	INIT_WORK(&bh->work, lossless_bh_work);
	bh->queue = is_urgent ? system_bh_highpri_wq : system_bh_wq;
	bh->function = function;
}

static inline void lossless_bh_schedule(struct lossless_bh *bh)
{
	queue_work(bh->queue, &bh->work);
}

static inline void lossless_bh_cancel(struct lossless_bh *bh)
{
	cancel_work_sync(&bh->work);
}
#else
struct lossless_bh {
	struct tasklet_struct tasklet;
	bool is_urgent;
	void (*function)(struct lossless_bh *bh);
};

static inline void lossless_bh_tasklet(struct tasklet_struct *tasklet)
{
	struct lossless_bh *bh = container_of(tasklet, struct lossless_bh, tasklet);

	bh->function(bh);
}

static inline void lossless_bh_init(struct lossless_bh *bh, bool is_urgent,
				    void (*function)(struct lossless_bh *bh))
{
	tasklet_setup(&bh->tasklet, lossless_bh_tasklet);
	bh->is_urgent = is_urgent;
	bh->function = function;
}

static inline void lossless_bh_schedule(struct lossless_bh *bh)
{
	if (bh->is_urgent)
		tasklet_hi_schedule(&bh->tasklet);
	else
		tasklet_schedule(&bh->tasklet);
}

static inline void lossless_bh_cancel(struct lossless_bh *bh)
{
	tasklet_kill(&bh->tasklet);
}
#endif

#endif /* LOSSLESS_COMPAT_H */
