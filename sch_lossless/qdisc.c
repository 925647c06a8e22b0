// SPDX-License-Identifier: GPL-2.0
/*
 * Qdisc `lossless`: makes a netdev a port of a lossless Ethernet switch.
 *
 * A frame that leaves by this port is charged to the PG of the port and priority that
 * it came in by, waits in the queue of its priority, and is released when it goes out.
 * This file is its way through the port; the law is in core/, the choice of the next
 * queue in sched.c, the pauses in pfc.c. See Documentation/ and tc-lossless(8).
 */
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>

#include "classify.h"
#include "genl.h"
#include "sched.h"

/* Of one dequeue, which holds the qdisc's lock; then it is run again. */
#define DEQUEUE_DROPS_MAX	64

/**
 * struct lossless_cb - what a queued frame carries
 * @pg: that it is charged to; NULL: the account of its queue
 * @queued_ns: since when it waits, if its queue limits that; 0: unknown
 * @len_bytes: charged length
 */
struct lossless_cb {
	struct lossless_pg *pg;
	u64 queued_ns;
	u32 len_bytes;
} __packed __aligned(4);	/* a qdisc has 20 bytes */

static struct lossless_cb *lossless_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct lossless_cb));
	return (struct lossless_cb *)qdisc_skb_cb(skb)->data;
}

/* The account of lossy and local frames: a queue's, under its qdisc's lock. */
static bool queue_charge(struct lossless_sched *q, struct lossless_queue *queue, u32 len)
{
	struct lossless_buffer *buffer = q->port->buffer;
	bool admitted;

	if (buffer_charge_private(&queue->limits, &queue->account, len))
		return true;
	spin_lock(&buffer->lock);
	admitted = buffer_charge_queue(&buffer->pool, &queue->limits, &queue->account, len);
	buffer->shared_peak_bytes = max(buffer->shared_peak_bytes, buffer->pool.shared_used);
	spin_unlock(&buffer->lock);
	return admitted;
}

static void queue_release(struct lossless_sched *q, struct lossless_queue *queue, u32 len)
{
	struct lossless_buffer *buffer = q->port->buffer;

	if (buffer_release_private(&queue->account, len))
		return;
	spin_lock(&buffer->lock);
	buffer_release(&buffer->pool, &queue->limits, &queue->account, len);
	spin_unlock(&buffer->lock);
}

static void queue_append(struct lossless_sched *q, struct lossless_queue *queue,
			 struct sk_buff *skb)
{
	skb->next = NULL;
	if (queue->head) {
		queue->tail->next = skb;
	} else {
		queue->head = skb;
		q->backlogged |= BIT(queue->priority);
		if (unlikely(q->paused))
			lossless_sched_filled(q, queue);
	}
	queue->tail = skb;
	queue->frames++;
	queue->bytes += lossless_cb(skb)->len_bytes;
	queue->peak_bytes = max(queue->peak_bytes, queue->bytes);
}

static __always_inline struct sk_buff *queue_take(struct lossless_sched *q,
						  struct lossless_queue *queue)
{
	struct sk_buff *skb = queue->head;

	queue->head = skb->next;
	skb_mark_not_on_list(skb);
	queue->frames--;
	queue->bytes -= lossless_cb(skb)->len_bytes;
	if (!queue->head) {
		q->backlogged &= ~BIT(queue->priority);
		if (unlikely(q->paused))
			lossless_sched_emptied(q, queue);
	}
	return skb;
}

/* Gives back what the frame was charged, wherever that was. RCU read side. */
static __always_inline void release_frame(struct lossless_sched *q, struct lossless_queue *queue,
					  const struct sk_buff *skb)
{
	const struct lossless_cb *cb = lossless_cb(skb);
	struct lossless_port *port;

	if (!cb->pg) {
		queue_release(q, queue, cb->len_bytes);
		return;
	}
	port = cb->pg->port;
	lossless_pg_release(cb->pg, cb->len_bytes);
	if (lossless_pfc_is_due(port))
		lossless_pfc_send(port);
}

/* Charges a frame to its PG, or to the queue if no PG is responsible for it. */
static bool charge_frame(struct lossless_sched *q, struct lossless_queue *queue,
			 struct lossless_pg *pg, struct lossless_cb *cb)
{
	bool admitted;

	if (pg && lossless_pg_charge(pg, cb->len_bytes, &admitted)) {
		cb->pg = pg;
		if (lossless_pfc_is_due(pg->port))
			lossless_pfc_send(pg->port);
		return admitted;
	}
	cb->pg = NULL;
	admitted = queue_charge(q, queue, cb->len_bytes);
	if (!admitted && pg)
		queue->buffer_drops++;
	else if (!admitted)
		queue->local_drops++;
	return admitted;
}

static int enqueue_frame(struct sk_buff *skb, struct Qdisc *sch, struct lossless_queue *queue,
			 struct lossless_pg *pg, struct sk_buff **to_free)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_cb *cb = lossless_cb(skb);

	if (unlikely(q->dropping) && lossless_recover_drops(q, queue))
		return qdisc_drop_reason(skb, sch, to_free, QDISC_DROP_CONGESTED);
	cb->queued_ns = unlikely(queue->max_age_ns) ? ktime_get_ns() : 0;
	cb->len_bytes = buffer_frame_bytes(qdisc_pkt_len(skb), q->cell_bytes);
	if (!charge_frame(q, queue, pg, cb))
		return qdisc_drop_reason(skb, sch, to_free, QDISC_DROP_OVERLIMIT);
	queue_append(q, queue, skb);
	qdisc_qstats_backlog_inc(sch, skb);
	qdisc_qlen_inc(sch);
	return NET_XMIT_SUCCESS;
}

/* A super-frame cannot be paused in its middle, and is charged and paced frame by frame.
 * The root has no parents whose queue lengths would have to be corrected. As in tbf, a size
 * table of tc does not apply to segments.
 */
static noinline int enqueue_segments(struct sk_buff *skb, struct Qdisc *sch,
				     struct lossless_queue *queue, struct lossless_pg *pg,
				     struct sk_buff **to_free)
{
	netdev_features_t features = netif_skb_features(skb);
	struct sk_buff *segment, *next;
	unsigned int queued = 0;

	segment = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	/* segmenting uses the part of the control block that says why a frame is dropped */
	if (IS_ERR_OR_NULL(segment))
		return qdisc_drop_reason(skb, sch, to_free, QDISC_DROP_GENERIC);
	skb_list_walk_safe(segment, segment, next) {
		skb_mark_not_on_list(segment);
		qdisc_skb_cb(segment)->pkt_len = segment->len;
		qdisc_cb_set_segments(segment, 1);
		if (enqueue_frame(segment, sch, queue, pg, to_free) == NET_XMIT_SUCCESS)
			queued++;
	}
	if (!queued) {
		kfree_skb(skb);
		return NET_XMIT_DROP;
	}
	consume_skb(skb);
	return NET_XMIT_SUCCESS;
}

/* What a tc filter of this port says about the queue. Returns its priority, or a negative
 * result of enqueue if the frame is not to be queued at all.
 */
static noinline int filter_priority(struct sk_buff *skb, const struct tcf_proto *filters,
				    u8 priority)
{
	struct tcf_result class;
	int verdict = tcf_classify_qdisc(skb, filters, &class, false);
	u32 chosen;

	switch (verdict) {
#ifdef CONFIG_NET_CLS_ACT
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
	case TC_ACT_REDIRECT:
		return -(NET_XMIT_SUCCESS | __NET_XMIT_STOLEN);
	case TC_ACT_SHOT:
		return -(NET_XMIT_SUCCESS | __NET_XMIT_BYPASS);
#endif
	case TC_ACT_UNSPEC:
		return priority;
	}
	chosen = TC_H_MIN(class.classid) - 1;
	return chosen < LOSSLESS_PRIORITIES ? chosen : priority;
}

static int drop_filtered(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free,
			 int result)
{
	if (result & __NET_XMIT_BYPASS)
		qdisc_qstats_drop(sch);
	__qdisc_drop(skb, to_free);
	return result;
}

static int lossless_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct lossless_sched *q = qdisc_priv(sch);
	const struct tcf_proto *filters = rcu_dereference_bh(q->filters);
	struct lossless_port *ingress = lossless_port_by_stamp(q->port, skb->tc_index);
	struct lossless_pg *pg = NULL;
	int priority;

	if (likely(ingress)) {
		q->sources[LOSSLESS_SOURCE_STAMP]++;
		priority = lossless_stamp_priority(skb->tc_index);
	} else {
		ingress = lossless_port_without_stamp(q, skb);
		priority = lossless_classify(rcu_dereference_bh((ingress ?: q->port)->config),
					     skb);
	}
	if (ingress)
		pg = &ingress->pgs[priority];
	if (unlikely(filters)) {
		priority = filter_priority(skb, filters, priority);
		if (priority < 0)
			return drop_filtered(skb, sch, to_free, -priority);
	}
	skb_set_queue_mapping(skb, 0);
	if (skb_is_gso(skb) && !q->keep_gso)
		return enqueue_segments(skb, sch, &q->queues[priority], pg, to_free);
	return enqueue_frame(skb, sch, &q->queues[priority], pg, to_free);
}

static noinline bool mark_ce(struct sk_buff *skb, struct lossless_queue *queue)
{
	unsigned int header;
	int dsfield;

	if (lossless_network_header_is_tag(skb))
		return false;
	dsfield = skb_get_dsfield(skb);
	if (dsfield < 0 || INET_ECN_is_not_ect(dsfield))
		return false;
	if (INET_ECN_is_ce(dsfield))
		return true;
	header = skb_protocol(skb, true) == htons(ETH_P_IP) ? sizeof(struct iphdr) :
							     sizeof(struct ipv6hdr);
	/* Copies of a flooded frame share their data: CE must not leak to other ports. */
	if (!skb_ensure_writable(skb, skb_network_offset(skb) + header))
		queue->ce_marked += INET_ECN_set_ce(skb) == 1;
	return true;
}

/* The marking law at a departure. Returns false if WRED drops the frame: only one that no
 * PG admitted, and that would not understand a mark.
 */
static bool mark_or_keep(struct lossless_sched *q, struct lossless_queue *queue,
			 struct sk_buff *skb, u64 queue_bytes)
{
	if (likely(!queue->is_ecn || queue_bytes < queue->ecn.kmin))
		return true;
	if (!ecn_marks(&queue->ecn, queue_bytes, prandom_u32_state(&q->random)))
		return true;
	if (mark_ce(skb, queue) || !queue->is_wred || lossless_cb(skb)->pg)
		return true;
	queue->wred_drops++;
	return false;
}

static noinline bool is_too_old(struct lossless_queue *queue, const struct sk_buff *skb)
{
	u64 since = lossless_cb(skb)->queued_ns;

	if (!since || ktime_get_ns() - since <= queue->max_age_ns)
		return false;
	queue->age_drops++;
	return true;
}

static struct sk_buff *lossless_dequeue(struct Qdisc *sch)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_queue *queue;
	struct sk_buff *skb;
	unsigned int dropped = 0;
	u64 queue_bytes;

	for (;;) {
		queue = lossless_sched_next(q);
		if (!queue)
			return NULL;
		queue_bytes = queue->bytes;
		skb = queue_take(q, queue);
		release_frame(q, queue, skb);
		qdisc_qstats_backlog_dec(sch, skb);
		qdisc_qlen_dec(sch);
		if (likely((!queue->max_age_ns || !is_too_old(queue, skb)) &&
			   mark_or_keep(q, queue, skb, queue_bytes)))
			break;
		qdisc_qstats_drop(sch);
		qdisc_dequeue_drop(sch, skb, QDISC_DROP_CONGESTED);
		if (++dropped == DEQUEUE_DROPS_MAX) {
			lossless_schedule(sch);
			return NULL;
		}
	}
	lossless_sched_sent(q, queue, qdisc_pkt_len(skb));
	qdisc_bstats_update(sch, skb);
	bstats_update(&queue->bstats, skb);
	return skb;
}

/* The next softirq pass has begun: what a run handed out has been read. */
static void lossless_run(struct lossless_bh *bh)
{
	struct lossless_sched *q = container_of(bh, struct lossless_sched, run);
	struct Qdisc *sch = q->port->sch;

	spin_lock(qdisc_lock(sch));
	q->is_burst_over = false;
	q->burst_left = q->burst_frames;
	spin_unlock(qdisc_lock(sch));
	lossless_schedule(sch);
}

static void queue_flush(struct lossless_sched *q, struct lossless_queue *queue)
{
	struct sk_buff *skb;

	while (queue->head) {
		skb = queue_take(q, queue);
		release_frame(q, queue, skb);
		rtnl_kfree_skbs(skb, skb);
	}
}

/**
 * lossless_queue_drain() - flush frames from a queue
 * @q: the port
 * @priority: of the queue
 * @frames: how many; the queue holds them
 * @drained: list that they are put on, for the caller to free
 *
 * Under the qdisc's lock, RCU read side, softirq.
 */
void lossless_queue_drain(struct lossless_sched *q, unsigned int priority, u32 frames,
			  struct sk_buff **drained)
{
	struct lossless_queue *queue = &q->queues[priority];
	struct Qdisc *sch = q->port->sch;
	struct sk_buff *skb;

	while (frames--) {
		skb = queue_take(q, queue);
		release_frame(q, queue, skb);
		qdisc_qstats_backlog_dec(sch, skb);
		qdisc_qlen_dec(sch);
		qdisc_qstats_drop(sch);
		skb->next = *drained;
		*drained = skb;
	}
}

static void lossless_reset(struct Qdisc *sch)
{
	struct lossless_sched *q = qdisc_priv(sch);
	unsigned int i;

	if (!q->port)
		return;
	lossless_sched_reset(q);
	rcu_read_lock_bh();
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		queue_flush(q, &q->queues[i]);
	if (q->port->is_leaf)
		lossless_pfc_silence(q->port);
	rcu_read_unlock_bh();
	qdisc_watchdog_cancel(&q->waker);
}

static void queue_resize(struct lossless_queue *queue, const struct buffer_limits *limits,
			 struct lossless_buffer *buffer, bool pool_changed)
{
	if (!pool_changed && buffer_limits_are_same(&queue->limits, limits))
		return;
	queue->limits = *limits;
	spin_lock(&buffer->lock);
	buffer_refile_queue(&buffer->pool, limits, &queue->account);
	spin_unlock(&buffer->lock);
}

/**
 * lossless_queues_resize() - take over a port's configuration
 * @sch: its qdisc
 * @config: new configuration
 * @namespace_cell_bytes: cell of ports without their own
 * @pool_changed: the pools have other sizes than before
 *
 * What the queues hold of lossy and local frames is filed anew where a size changes. RTNL.
 */
void lossless_queues_resize(struct Qdisc *sch, const struct lossless_config *config,
			    u32 namespace_cell_bytes, bool pool_changed)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct buffer_limits limits;
	unsigned int i;
	bool run;

	spin_lock_bh(qdisc_lock(sch));
	q->keep_gso = config->keep_gso;
	q->cell_bytes = config->cell_bytes ?: namespace_cell_bytes;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		struct lossless_queue *queue = &q->queues[i];

		queue->is_ecn = config->prio[i].is_ecn;
		queue->is_wred = config->prio[i].is_wred;
		queue->max_age_ns = config->prio[i].max_age_ns;
		queue->ecn = config->prio[i].ecn;
		limits = lossless_config_queue_limits(config, i);
		queue_resize(queue, &limits, q->port->buffer, pool_changed);
	}
	lossless_sched_configure(q, config);
	run = q->backlogged;
	spin_unlock_bh(qdisc_lock(sch));
	if (run)
		lossless_schedule(sch);
}

/**
 * lossless_queues_withdraw() - as lossless_pg_withdraw(), for the queues of a port
 * @sch: its qdisc
 */
void lossless_queues_withdraw(struct Qdisc *sch)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_buffer *buffer = q->port->buffer;
	unsigned int i;

	spin_lock_bh(qdisc_lock(sch));
	spin_lock(&buffer->lock);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		buffer_withdraw(&buffer->pool, &q->queues[i].account);
	spin_unlock(&buffer->lock);
	spin_unlock_bh(qdisc_lock(sch));
}

static struct lossless_config *config_copy(const struct lossless_config *config)
{
	return config ? kmemdup(config, sizeof(*config), GFP_KERNEL_ACCOUNT) :
			kzalloc(sizeof(*config), GFP_KERNEL_ACCOUNT);
}

/* A new configuration from options on top of the present one, or of the defaults: parsed,
 * complete and found to fit, or an error pointer.
 */
static struct lossless_config *config_make(struct lossless_port *port, struct nlattr *options,
					   struct netlink_ext_ack *extack)
{
	struct lossless_config *present = rtnl_dereference(port->config);
	struct lossless_config *config = config_copy(present);
	int err;

	if (!config)
		return ERR_PTR(-ENOMEM);
	if (!present)
		lossless_config_init(config);
	err = options ? lossless_parse(config, options, extack) : 0;
	if (!err) {
		lossless_config_resolve(config, port->dev);
		err = lossless_port_check(port, config, extack);
	}
	if (err) {
		kfree(config);
		return ERR_PTR(err);
	}
	return config;
}

static int lossless_change(struct Qdisc *sch, struct nlattr *options,
			   struct netlink_ext_ack *extack)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_config *config = config_make(q->port, options, extack);

	if (IS_ERR(config))
		return PTR_ERR(config);
	lossless_port_commit(q->port, config);
	return 0;
}

static int check_place(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	const struct net_device *dev = qdisc_dev(sch);

	if (sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG_FMT(extack, "lossless works at the root only, not under %x:%x",
				   TC_H_MAJ(sch->parent) >> 16, TC_H_MIN(sch->parent));
		return -EOPNOTSUPP;
	}
	if (dev->type != ARPHRD_ETHER && dev->type != ARPHRD_LOOPBACK) {
		NL_SET_ERR_MSG_FMT(extack, "lossless needs an Ethernet device, %s is of type %u",
				   dev->name, dev->type);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int lossless_init(struct Qdisc *sch, struct nlattr *options,
			 struct netlink_ext_ack *extack)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_config *config;
	unsigned int i;
	int err;

	qdisc_watchdog_init(&q->waker, sch);
	lossless_bh_init(&q->run, false, lossless_run);
	lossless_recover_init(q);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		q->queues[i].priority = i;
		gnet_stats_basic_sync_init(&q->queues[i].bstats);
	}
	prandom_seed_state(&q->random, get_random_u64());
	/* all frames go to queue 0; bulk dequeue then follows the device's byte limit, and
	 * does not take eight frames whatever has been paused
	 */
	sch->flags |= TCQ_F_ONETXQUEUE | TCQ_F_DEQUEUE_DROPS;

	err = check_place(sch, extack);
	if (err)
		return err;
	err = tcf_block_get(&q->block, &q->filters, sch, extack);
	if (err)
		return err;
	q->port = lossless_port_create(sch);
	if (!q->port)
		return -ENOMEM;
	config = config_make(q->port, options, extack);
	if (IS_ERR(config))
		return PTR_ERR(config);
	err = lossless_port_open(q->port, config, extack);
	if (err)
		return err;
	lossless_port_commit(q->port, config);
	return 0;
}

/* From 7.2 on frames stay queued while the device's queue length changes, but a timer
 * that expires meanwhile runs nothing: run the qdisc once it is active again.
 */
static int lossless_change_tx_queue_len(struct Qdisc *sch, unsigned int length)
{
	struct lossless_sched *q = qdisc_priv(sch);

	hrtimer_start(&q->waker.timer, ktime_add_ms(ktime_get(), 10),
		      HRTIMER_MODE_ABS_PINNED);
	return 0;
}

static void lossless_destroy(struct Qdisc *sch)
{
	struct lossless_sched *q = qdisc_priv(sch);

	tcf_block_put(q->block);
	if (q->port)
		lossless_port_close(q->port);
	qdisc_watchdog_cancel(&q->waker);
	lossless_bh_cancel(&q->run);
	lossless_recover_close(q);
	if (q->port)
		lossless_port_put(q->port);
}

/* Class 1 + i is priority i. There are no others, and none can be added. */

static unsigned long lossless_class_find(struct Qdisc *sch, u32 classid)
{
	unsigned long class = TC_H_MIN(classid);

	return class <= LOSSLESS_PRIORITIES ? class : 0;
}

static int lossless_class_graft(struct Qdisc *sch, unsigned long class, struct Qdisc *new,
				struct Qdisc **old, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "lossless: a priority takes no qdisc of its own");
	return -EOPNOTSUPP;
}

static struct Qdisc *lossless_class_leaf(struct Qdisc *sch, unsigned long class)
{
	return NULL;
}

static struct tcf_block *lossless_tcf_block(struct Qdisc *sch, unsigned long class,
					    struct netlink_ext_ack *extack)
{
	struct lossless_sched *q = qdisc_priv(sch);

	if (class) {
		NL_SET_ERR_MSG(extack, "lossless: filters go to the qdisc, not to a priority");
		return NULL;
	}
	return q->block;
}

static unsigned long lossless_bind_tcf(struct Qdisc *sch, unsigned long parent, u32 classid)
{
	return lossless_class_find(sch, classid);
}

static void lossless_unbind_tcf(struct Qdisc *sch, unsigned long class)
{
}

static int lossless_class_dump(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
			       struct tcmsg *tcm)
{
	tcm->tcm_parent = TC_H_ROOT;
	tcm->tcm_handle = TC_H_MAKE(sch->handle, class);
	return lossless_dump_prio(sch, class - 1, skb);
}

static int lossless_class_dump_stats(struct Qdisc *sch, unsigned long class,
				     struct gnet_dump *d)
{
	return lossless_dump_prio_stats(sch, class - 1, d);
}

static void lossless_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	unsigned long class;

	if (walker->stop)
		return;
	for (class = 1; class <= LOSSLESS_PRIORITIES; class++)
		if (!tc_qdisc_stats_dump(sch, class, walker))
			return;
}

static const struct Qdisc_class_ops lossless_class_ops = {
	.graft		= lossless_class_graft,
	.leaf		= lossless_class_leaf,
	.find		= lossless_class_find,
	.walk		= lossless_walk,
	.tcf_block	= lossless_tcf_block,
	.bind_tcf	= lossless_bind_tcf,
	.unbind_tcf	= lossless_unbind_tcf,
	.dump		= lossless_class_dump,
	.dump_stats	= lossless_class_dump_stats,
};

static struct Qdisc_ops lossless_qdisc_ops __read_mostly = {
	.id		= "lossless",
	.cl_ops		= &lossless_class_ops,
	.priv_size	= sizeof(struct lossless_sched),
	.enqueue	= lossless_enqueue,
	.dequeue	= lossless_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= lossless_init,
	.change		= lossless_change,
	.reset		= lossless_reset,
	.destroy	= lossless_destroy,
	.change_tx_queue_len = lossless_change_tx_queue_len,
	.dump		= lossless_dump,
	.dump_stats	= lossless_dump_port_stats,
	.owner		= THIS_MODULE,
};

static int __init lossless_module_init(void)
{
	int err = lossless_ports_init();

	if (err)
		return err;
	err = lossless_genl_init();
	if (err)
		goto exit_ports;
	err = lossless_recover_start();
	if (err)
		goto exit_genl;
	err = register_qdisc(&lossless_qdisc_ops);
	if (err)
		goto exit_recover;
	return 0;

exit_recover:
	lossless_recover_stop();
exit_genl:
	lossless_genl_exit();
exit_ports:
	lossless_ports_exit();
	return err;
}

static void __exit lossless_module_exit(void)
{
	unregister_qdisc(&lossless_qdisc_ops);
	lossless_recover_stop();
	lossless_genl_exit();
	lossless_ports_exit();
}

module_init(lossless_module_init);
module_exit(lossless_module_exit);
MODULE_DESCRIPTION("Lossless Ethernet switch port: PFC, shared buffer, ECN");
MODULE_LICENSE("GPL");
/* up to 6.1 a qdisc's module is asked for by name, from 6.12 on by this alias */
MODULE_ALIAS("net-sch-lossless");
