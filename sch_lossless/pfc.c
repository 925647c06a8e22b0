// SPDX-License-Identifier: GPL-2.0
/*
 * Sends pauses and resumes, repeats and refreshes them.
 *
 * The PGs' states and what the peer was last told are two bit masks; a frame is due
 * whenever they differ, and is composed from the present state of the whole port. A
 * frame that could not go out needs no memory of its own: the masks still differ.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "core/pause.h"
#include "port.h"

/* Pauses overtake each other between CPUs, and a pause that arrives after its resume
 * would hold the peer until it expires: the resume is said twice.
 */
#define RESUME_REPEAT_NS	NSEC_PER_MSEC
#define RETRY_NS_MIN		(20 * NSEC_PER_USEC)
#define RETRY_NS_MAX		NSEC_PER_MSEC	/* of a device that stands still */
#define SILENCE_TRIES		50
#define SILENCE_TRY_US		10

static bool direct = true;
module_param(direct, bool, 0644);
MODULE_PARM_DESC(direct, "Transmit pauses at once; 0: always from a bottom half");

enum xmit_result {
	XMIT_SENT,
	XMIT_BUSY,
};

static struct sk_buff *pfc_alloc(struct net_device *dev, const struct pause_frame *pause)
{
	struct sk_buff *skb = alloc_skb(LL_RESERVED_SPACE(dev) + PAUSE_FRAME_BYTES +
					dev->needed_tailroom, GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, LL_RESERVED_SPACE(dev));
	pause_build(skb_put(skb, PAUSE_FRAME_BYTES), pause, dev->dev_addr);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb->dev = dev;
	skb->protocol = htons(ETH_P_PAUSE);
	skb->priority = TC_PRIO_CONTROL;
	return skb;
}

/* Around every queue discipline, so that the pause does not wait behind the data which
 * it is there to stop. Bottom halves disabled. The lock may not be waited for: on another
 * CPU it may be held by someone who waits for a qdisc lock of ours.
 */
static enum xmit_result pfc_xmit(struct net_device *dev, const struct pause_frame *pause)
{
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct sk_buff *skb = pfc_alloc(dev, pause);
	int rc = NETDEV_TX_BUSY;

	if (!skb)
		return XMIT_BUSY;
	if (HARD_TX_TRYLOCK(dev, txq)) {
		if (!netif_xmit_frozen_or_drv_stopped(txq)) {
			if (dev_nit_active(dev))
				dev_queue_xmit_nit(skb, dev);
			rc = netdev_start_xmit(skb, dev, txq, false);
		}
		HARD_TX_UNLOCK(dev, txq);
	}
	if (!dev_xmit_complete(rc))
		kfree_skb(skb);
	/* a veth drops it and says so when its peer's backlog is full */
	return net_xmit_eval(rc) ? XMIT_BUSY : XMIT_SENT;
}

static struct pause_frame pfc_compose(const struct lossless_pfc *pfc, u8 bits, u8 xoff)
{
	struct pause_frame pause = { .kind = PAUSE_PFC, .enabled = bits };
	unsigned long todo = xoff;
	unsigned int i;

	if (pfc->is_link) {
		pause.kind = PAUSE_LINK;
		pause.quanta[0] = xoff ? pfc->quanta : 0;
		return pause;
	}
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		pause.quanta[i] = pfc->quanta;
	return pause;
}

static void pfc_count(struct lossless_pfc *pfc, u8 bits, u8 xoff)
{
	unsigned long todo = bits;
	unsigned int i;

	if (pfc->is_link) {
		if (xoff)
			pfc->link_tx++;
		else
			pfc->link_tx_resumes++;
		return;
	}
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES) {
		if (xoff & BIT(i))
			pfc->tx[i]++;
		else
			pfc->tx_resumes[i]++;
	}
}

static void pfc_arm(struct lossless_pfc *pfc)
{
	u64 at = pfc->retry_at_ns ?: U64_MAX;
	unsigned long todo = pfc->repeat;
	unsigned int i;

	if (pfc->told)
		at = min3(at, pfc->refresh_at_ns, pfc->judge_at_ns);
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		at = min(at, pfc->repeat_at_ns[i]);
	if (at != U64_MAX)
		hrtimer_start(&pfc->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static void pfc_sent(struct lossless_pfc *pfc, u8 bits, u8 xoff, u64 now)
{
	unsigned long resumed = pfc->is_link && xoff ? 0 : pfc->told & ~xoff;
	unsigned int i;

	for_each_set_bit(i, &resumed, LOSSLESS_PRIORITIES)
		pfc->repeat_at_ns[i] = now + RESUME_REPEAT_NS;
	pfc->repeat = pfc->is_link && xoff ? 0 : (pfc->repeat | resumed) & ~xoff;
	pfc->refresh_at_ns = now + pfc->pause_ns / 2;
	/* not put off by what other PGs have to say, as the refresh is */
	if (!pfc->told || pfc->judge_at_ns > pfc->refresh_at_ns)
		pfc->judge_at_ns = pfc->refresh_at_ns;
	pfc->retry_at_ns = 0;
	pfc->retry_ns = 0;
	WRITE_ONCE(pfc->told, xoff);
	pfc_count(pfc, bits, xoff);
}

/* A peer without a link has no pause of ours to be freed from. */
static bool pfc_link_is_up(const struct lossless_port *port)
{
	return netif_running(port->dev) && netif_carrier_ok(port->dev);
}

static void pfc_forget(struct lossless_pfc *pfc)
{
	WRITE_ONCE(pfc->told, 0);
	pfc->repeat = 0;
	pfc->retry_at_ns = 0;
}

/* The resumes whose second time has come; takes them off the list. */
static u8 pfc_take_repeats(struct lossless_pfc *pfc, u64 now)
{
	unsigned long todo = pfc->repeat;
	u8 due = 0;
	unsigned int i;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		if (pfc->repeat_at_ns[i] <= now)
			due |= BIT(i);
	pfc->repeat &= ~due;
	return due;
}

static void pfc_retry_later(struct lossless_pfc *pfc, u8 repeats, u64 now)
{
	unsigned long todo = repeats;
	unsigned int i;

	pfc->deferred++;
	pfc->retry_ns = clamp_t(u64, 2 * pfc->retry_ns, RETRY_NS_MIN, RETRY_NS_MAX);
	pfc->retry_at_ns = now + pfc->retry_ns;
	pfc->refresh_at_ns = max(pfc->refresh_at_ns, pfc->retry_at_ns);
	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		pfc->repeat_at_ns[i] = pfc->retry_at_ns;
	pfc->repeat |= repeats;
}

/* What the peer was told is forgotten with the link. While the port closes it is not:
 * lossless_pfc_silence() is to come, and must know what to resume.
 */
static bool pfc_is_closing(const struct lossless_port *port)
{
	return port->is_dead || port->pfc.is_going_down ||
	       (port->is_leaf && !netif_running(port->dev));
}

/* Under pfc->lock, with no qdisc lock held if the device is stacked. */
static void pfc_send_now(struct lossless_port *port, u8 repeats, u64 now)
{
	struct lossless_pfc *pfc = &port->pfc;
	u8 xoff = READ_ONCE(port->xoff);
	u8 bits = pfc->told | xoff | repeats;
	struct pause_frame pause = pfc_compose(pfc, bits, xoff);

	if (pfc_is_closing(port))
		return;
	if (!pfc_link_is_up(port)) {
		pfc_forget(pfc);
		return;
	}
	if (pfc_xmit(port->dev, &pause) == XMIT_SENT) {
		pfc_sent(pfc, bits, xoff, now);
		/* a PG that changed meanwhile may have seen the old @told; pg_follow_state() */
		smp_mb();
		if (lossless_pfc_is_due(port))
			lossless_bh_schedule(&pfc->bh);
	} else {
		pfc_retry_later(pfc, repeats, now);
	}
	pfc_arm(pfc);
}

static bool pfc_may_send_directly(const struct lossless_port *port)
{
	return !port->pfc.retry_at_ns && READ_ONCE(direct);
}

/**
 * lossless_pfc_send() - tell the peer what it does not know yet
 * @port: whose PGs changed their state; lossless_pfc_is_due()
 *
 * At once on a leaf device, else from a bottom half. From any context but hard
 * interrupts, also under the qdisc lock of this or another port; no PG lock held.
 */
void lossless_pfc_send(struct lossless_port *port)
{
	struct lossless_pfc *pfc = &port->pfc;
	bool is_retry_ahead;

	/* pfc->lock of a stacked device is held while qdisc locks are taken, ours perhaps */
	if (!port->is_leaf) {
		if (!READ_ONCE(port->is_dead))
			lossless_bh_schedule(&pfc->bh);
		return;
	}
	spin_lock_bh(&pfc->lock);
	is_retry_ahead = pfc->retry_at_ns;
	if (lossless_pfc_is_due(port) && pfc_may_send_directly(port))
		pfc_send_now(port, 0, ktime_get_ns());
	if (lossless_pfc_is_due(port) && !is_retry_ahead && !pfc_is_closing(port))
		lossless_bh_schedule(&pfc->bh);
	spin_unlock_bh(&pfc->lock);
}

static void pfc_bh(struct lossless_bh *bh)
{
	struct lossless_pfc *pfc = container_of(bh, struct lossless_pfc, bh);
	struct lossless_port *port = container_of(pfc, struct lossless_port, pfc);

	spin_lock_bh(&pfc->lock);
	if (lossless_pfc_is_due(port))
		pfc_send_now(port, 0, ktime_get_ns());
	spin_unlock_bh(&pfc->lock);
}

static void pfc_judge(struct lossless_port *port)
{
	unsigned long todo = READ_ONCE(port->xoff);
	unsigned int i;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		lossless_pg_judge(&port->pgs[i]);
}

static enum hrtimer_restart pfc_timer(struct hrtimer *timer)
{
	struct lossless_pfc *pfc = container_of(timer, struct lossless_pfc, timer);
	struct lossless_port *port = container_of(pfc, struct lossless_port, pfc);
	u64 now = ktime_get_ns();
	bool is_refresh;
	u8 repeats;

	if (READ_ONCE(pfc->told) &&
	    min(READ_ONCE(pfc->refresh_at_ns), READ_ONCE(pfc->judge_at_ns)) <= now)
		pfc_judge(port);

	spin_lock_bh(&pfc->lock);
	if (min(pfc->refresh_at_ns, pfc->judge_at_ns) <= now)
		pfc->judge_at_ns = now + pfc->pause_ns / 2;
	pfc->retry_at_ns = 0;
	is_refresh = pfc->told && pfc->refresh_at_ns <= now;
	repeats = pfc_take_repeats(pfc, now);
	if (is_refresh || repeats || lossless_pfc_is_due(port))
		pfc_send_now(port, repeats, now);
	else
		pfc_arm(pfc);
	spin_unlock_bh(&pfc->lock);
	return HRTIMER_NORESTART;
}

/* There is no later at which it could be tried again. */
static void pfc_resume_all(struct lossless_port *port)
{
	struct lossless_pfc *pfc = &port->pfc;
	struct pause_frame pause = pfc_compose(pfc, pfc->told, 0);
	unsigned int tries = SILENCE_TRIES;

	while (pfc->told && netif_carrier_ok(port->dev) && tries--) {
		if (pfc_xmit(port->dev, &pause) == XMIT_SENT) {
			pfc_count(pfc, pfc->told, 0);
			break;
		}
		udelay(SILENCE_TRY_US);
	}
	pfc_forget(pfc);
}

/**
 * lossless_pfc_silence() - leave no peer paused
 * @port: that goes down, is reset or destroyed
 *
 * Sends a resume of all that the peer was told to pause, also between the moment in
 * which the device is no longer running and the one in which it is closed. Same context
 * as lossless_pfc_send(), but on a stacked device without any qdisc lock.
 */
void lossless_pfc_silence(struct lossless_port *port)
{
	spin_lock_bh(&port->pfc.lock);
	pfc_resume_all(port);
	spin_unlock_bh(&port->pfc.lock);
}

/**
 * lossless_pfc_going_down() - a stacked device is about to be closed
 * @port: its port
 *
 * When it is reset, a qdisc lock is held. So the resume goes out now, and no pause any
 * more until it is up again: the peer answers the resume with frames. Process context.
 */
void lossless_pfc_going_down(struct lossless_port *port)
{
	spin_lock_bh(&port->pfc.lock);
	port->pfc.is_going_down = true;
	pfc_resume_all(port);
	spin_unlock_bh(&port->pfc.lock);
}

/**
 * lossless_pfc_link_up() - the port has a link, again perhaps
 * @port: its PGs may have been in XOFF without anyone to tell it
 *
 * Process context, RTNL.
 */
void lossless_pfc_link_up(struct lossless_port *port)
{
	local_bh_disable();
	WRITE_ONCE(port->pfc.is_going_down, !netif_running(port->dev) && !port->is_leaf);
	pfc_judge(port);
	if (lossless_pfc_is_due(port))
		lossless_pfc_send(port);
	local_bh_enable();
}

/**
 * lossless_pfc_configure() - what pauses will look like from now on
 * @port: its PGs may be in XOFF
 * @config: PFC or 802.3x, and the time of a pause
 *
 * Process context, RTNL.
 */
void lossless_pfc_configure(struct lossless_port *port, const struct lossless_config *config)
{
	struct lossless_pfc *pfc = &port->pfc;

	spin_lock_bh(&pfc->lock);
	if (pfc->is_link != config->llfc)
		pfc_resume_all(port);
	pfc->is_link = config->llfc;
	pfc->quanta = config->quanta;
	pfc->pause_ns = pause_ns(config->link_per_byte, config->quanta);
	spin_unlock_bh(&pfc->lock);
}

/**
 * lossless_pfc_init() - set up the sender of a new port
 * @port: its port
 */
void lossless_pfc_init(struct lossless_port *port)
{
	static struct lock_class_key stacked;
	struct lossless_pfc *pfc = &port->pfc;

	spin_lock_init(&pfc->lock);
	if (!port->is_leaf)
		lockdep_set_class(&pfc->lock, &stacked);
	hrtimer_setup(&pfc->timer, pfc_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	lossless_bh_init(&pfc->bh, true, pfc_bh);
}

/**
 * lossless_pfc_destroy() - stop, and leave the peer unpaused
 * @port: whose PGs are all XON and dead; it is_dead
 *
 * Process context without any lock of ours.
 */
void lossless_pfc_destroy(struct lossless_port *port)
{
	lossless_pfc_silence(port);
	/* lossless_pfc_send() looks at @is_dead of a stacked device without the lock */
	if (!port->is_leaf)
		synchronize_net();
	hrtimer_cancel(&port->pfc.timer);
	lossless_bh_cancel(&port->pfc.bh);
}
