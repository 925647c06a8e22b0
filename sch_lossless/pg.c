// SPDX-License-Identifier: GPL-2.0
/*
 * PGs: the buffer law of core/buffer.c under the locks that it needs. What a PG's
 * change of state means for the peer is pfc.c's.
 */
#include <linux/ktime.h>

#include "port.h"

/**
 * lossless_pg_init() - set up an empty lossy PG
 * @pg: in its port
 * @port: with @buffer set
 * @priority: 0 to 7
 */
void lossless_pg_init(struct lossless_pg *pg, struct lossless_port *port, u8 priority)
{
	spin_lock_init(&pg->lock);
	pg->port = port;
	pg->buffer = port->buffer;
	pg->priority = priority;
}

static void pg_update_peak(struct lossless_pg *pg)
{
	pg->peak.guaranteed = max(pg->peak.guaranteed, pg->account.guaranteed_used);
	pg->peak.shared = max(pg->peak.shared, pg->account.shared_used);
	pg->peak.headroom = max(pg->peak.headroom, pg->account.headroom_used);
}

/* After every step of the law: keeps the port's summary and the time in XOFF. */
static void pg_follow_state(struct lossless_pg *pg, bool was_xoff)
{
	if (likely(pg->account.xoff == was_xoff))
		return;
	if (pg->account.xoff) {
		pg->xoff_count++;
		pg->xoff_since_ns = ktime_get_ns();
		set_bit(pg->priority, &pg->port->xoff);
	} else {
		pg->rxwait_ns += ktime_get_ns() - pg->xoff_since_ns;
		clear_bit(pg->priority, &pg->port->xoff);
	}
	smp_mb__after_atomic();	/* before @told is read; pairs with pfc_send_now() */
}

static bool pg_charge_pool(struct lossless_pg *pg, u32 len)
{
	struct lossless_buffer *buffer = pg->buffer;
	bool was_xoff = pg->account.xoff;
	bool admitted;

	spin_lock(&buffer->lock);
	admitted = buffer_charge(&buffer->pool, &pg->limits, &pg->account, len);
	buffer->shared_peak_bytes = max(buffer->shared_peak_bytes, buffer->pool.shared_used);
	spin_unlock(&buffer->lock);

	if (!admitted)
		pg->headroom_drops++;
	pg_follow_state(pg, was_xoff);
	return admitted;
}

/**
 * lossless_pg_charge() - charge a frame to the PG that it came from
 * @pg: of the ingress port and the frame's priority
 * @len: L
 * @admitted: set: queue the frame; clear: drop it
 *
 * Softirq or bottom halves disabled; under the qdisc lock of the egress port. Call
 * lossless_pfc_send() for the PG's port afterwards if lossless_pfc_is_due().
 *
 * Return: false if the frame does not belong to the PG, since its priority is lossy or
 * its port is being removed.
 */
bool lossless_pg_charge(struct lossless_pg *pg, u32 len, bool *admitted)
{
	bool is_lossless;

	spin_lock(&pg->lock);
	is_lossless = pg->is_lossless && !pg->is_dead;
	if (is_lossless) {
		*admitted = buffer_charge_private(&pg->limits, &pg->account, len) ||
			    pg_charge_pool(pg, len);
		pg->frames += *admitted;
		pg_update_peak(pg);
	}
	spin_unlock(&pg->lock);
	return is_lossless;
}

/**
 * lossless_pg_release() - a frame that was charged leaves the buffer
 * @pg: that it was charged to; may be freed by this if its port is gone
 * @len: L, as it was charged
 *
 * Softirq or bottom halves disabled, RCU read side. Call lossless_pfc_send()
 * afterwards as for lossless_pg_charge().
 */
void lossless_pg_release(struct lossless_pg *pg, u32 len)
{
	struct lossless_buffer *buffer = pg->buffer;
	bool was_xoff, is_last;

	spin_lock(&pg->lock);
	was_xoff = pg->account.xoff;
	if (!buffer_release_private(&pg->account, len)) {
		spin_lock(&buffer->lock);
		buffer_release(&buffer->pool, &pg->limits, &pg->account, len);
		spin_unlock(&buffer->lock);
		pg_follow_state(pg, was_xoff);
	}
	is_last = !--pg->frames && pg->is_dead;
	spin_unlock(&pg->lock);
	if (unlikely(is_last))
		lossless_port_put(pg->port);
}

/**
 * lossless_pg_judge() - judge a PG in XOFF again, at a refresh
 * @pg: the PG
 *
 * Bottom halves disabled.
 */
void lossless_pg_judge(struct lossless_pg *pg)
{
	bool was_xoff;

	spin_lock(&pg->lock);
	was_xoff = pg->account.xoff;
	spin_lock(&pg->buffer->lock);
	buffer_judge(&pg->buffer->pool, &pg->limits, &pg->account);
	spin_unlock(&pg->buffer->lock);
	pg_follow_state(pg, was_xoff);
	spin_unlock(&pg->lock);
}

/**
 * lossless_pg_resize() - give a PG its sizes, and file what it holds under them
 * @pg: the PG
 * @limits: in force from now on
 * @is_lossless: whether frames are charged here from now on
 * @pool_changed: the pools have other sizes than before
 *
 * Nothing moves if no size changes. A PG that has become lossy keeps what it holds until
 * it leaves, and is XON. Process context.
 */
void lossless_pg_resize(struct lossless_pg *pg, const struct buffer_limits *limits,
			bool is_lossless, bool pool_changed)
{
	bool was_xoff;

	spin_lock_bh(&pg->lock);
	was_xoff = pg->account.xoff;
	if (pool_changed || !buffer_limits_are_same(&pg->limits, limits)) {
		pg->limits = *limits;
		spin_lock(&pg->buffer->lock);
		buffer_refile(&pg->buffer->pool, limits, &pg->account);
		spin_unlock(&pg->buffer->lock);
	}
	pg->is_lossless = is_lossless;
	if (!is_lossless)
		pg->account.xoff = false;
	pg_follow_state(pg, was_xoff);
	spin_unlock_bh(&pg->lock);
}

static void pg_withdraw(struct lossless_pg *pg)
{
	spin_lock(&pg->buffer->lock);
	buffer_withdraw(&pg->buffer->pool, &pg->account);
	spin_unlock(&pg->buffer->lock);
}

/**
 * lossless_pg_withdraw() - take a PG out of the pools before the shared pool shrinks
 * @pg: the PG; lossless_pg_resize() must follow
 *
 * Process context.
 */
void lossless_pg_withdraw(struct lossless_pg *pg)
{
	spin_lock_bh(&pg->lock);
	pg_withdraw(pg);
	spin_unlock_bh(&pg->lock);
}

/**
 * lossless_pg_kill() - the port is gone: charge nothing any more
 * @pg: the PG
 *
 * What it still holds leaves the pools, in one step with the last moment at which anything
 * can be charged: nobody could withdraw it later. A PG that holds frames takes a reference
 * to the port, and the last of the frames gives it back. Process context.
 */
void lossless_pg_kill(struct lossless_pg *pg)
{
	bool was_xoff;

	spin_lock_bh(&pg->lock);
	was_xoff = pg->account.xoff;
	pg->is_dead = true;
	pg_withdraw(pg);
	pg->account.xoff = false;
	pg_follow_state(pg, was_xoff);
	if (pg->frames)
		refcount_inc(&pg->port->references);
	spin_unlock_bh(&pg->lock);
}
