// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer law of a shared-memory switch: charge, release, thresholds and the
 * XOFF / XON decision.
 *
 * A PG charges its guaranteed bytes first, then the pool that all ports share up to
 * a threshold, then its headroom. The dynamic threshold is that of Choudhury and
 * Hahne ("Dynamic queue length thresholds for shared-memory packet switches",
 * IEEE/ACM Transactions on Networking, 1998): a multiple of what is still free.
 *
 * Locks, frames and the sending of pauses are the caller's.
 */
#include "buffer.h"

static u64 scale_by_alpha(u64 bytes, s8 alpha)
{
	return alpha >= 0 ? bytes << alpha : bytes >> -alpha;
}

static u64 shared_free(const struct buffer_pool *pool)
{
	return pool->shared_size - min(pool->shared_size, pool->shared_used);
}

/**
 * buffer_threshold() - T, how many shared bytes an account may hold
 * @pool: the namespace's
 * @limits: the account's sizes
 *
 * Return: T in bytes, computed from the present S.
 */
u64 buffer_threshold(const struct buffer_pool *pool, const struct buffer_limits *limits)
{
	switch (limits->kind) {
	case BUFFER_STATIC:
		return limits->xoff - limits->guaranteed;
	case BUFFER_LIMIT:
		return limits->limit;
	case BUFFER_DYNAMIC:
		break;
	}
	return scale_by_alpha(shared_free(pool), limits->alpha);
}

static bool shared_has_room(const struct buffer_pool *pool, const struct buffer_limits *limits,
			    const struct buffer_account *account, u64 bytes)
{
	return account->shared_used + bytes <= buffer_threshold(pool, limits) &&
	       bytes <= shared_free(pool);
}

static u64 private_headroom_free(const struct buffer_limits *limits,
				 const struct buffer_account *account)
{
	u64 used = account->headroom_used - account->pool_headroom_used;

	return limits->headroom - min(limits->headroom, used);
}

static u64 pool_headroom_free(const struct buffer_pool *pool)
{
	return pool->headroom_size - min(pool->headroom_size, pool->headroom_used);
}

static bool headroom_has_room(const struct buffer_pool *pool, const struct buffer_limits *limits,
			      const struct buffer_account *account, u64 bytes)
{
	return account->headroom_used + bytes <=
	       limits->headroom + account->pool_headroom_used + pool_headroom_free(pool);
}

static void charge_shared(struct buffer_pool *pool, struct buffer_account *account, u64 bytes)
{
	account->shared_used += bytes;
	pool->shared_used += bytes;
}

/* What exceeds private headroom and pool together is charged to neither: only a
 * change of sizes asks for that.
 */
static void charge_headroom(struct buffer_pool *pool, const struct buffer_limits *limits,
			    struct buffer_account *account, u64 bytes)
{
	u64 from_private = min(bytes, private_headroom_free(limits, account));
	u64 from_pool = min(bytes - from_private, pool_headroom_free(pool));

	account->headroom_used += bytes;
	account->pool_headroom_used += from_pool;
	pool->headroom_used += from_pool;
}

static bool must_turn_xoff(const struct buffer_pool *pool, const struct buffer_limits *limits,
			   const struct buffer_account *account)
{
	if (account->headroom_used)
		return true;
	return account->shared_used && account->shared_used >= buffer_threshold(pool, limits);
}

static bool may_turn_xon(const struct buffer_pool *pool, const struct buffer_limits *limits,
			 const struct buffer_account *account)
{
	if (account->headroom_used)
		return false;
	if (limits->kind == BUFFER_STATIC)
		return account->guaranteed_used + account->shared_used <= limits->xon;
	return !account->shared_used ||
	       account->shared_used + limits->xon_offset <= buffer_threshold(pool, limits);
}

/* Places a frame in guaranteed, shared, headroom; false if no place is left. */
static bool place(struct buffer_pool *pool, const struct buffer_limits *limits,
		  struct buffer_account *account, u32 len)
{
	u64 guaranteed = min_t(u64, len, limits->guaranteed - account->guaranteed_used);
	u64 rest = len - guaranteed;

	if (rest) {
		if (shared_has_room(pool, limits, account, rest))
			charge_shared(pool, account, rest);
		else if (headroom_has_room(pool, limits, account, rest))
			charge_headroom(pool, limits, account, rest);
		else
			return false;
	}
	account->guaranteed_used += guaranteed;
	return true;
}

/**
 * buffer_charge() - charge a frame to a PG
 * @pool: the namespace's
 * @limits: the PG's sizes
 * @account: the PG's; its @xoff may turn true
 * @len: L
 *
 * Return: true if the frame is admitted; false if it must be dropped, then nothing
 * is charged and the PG is in XOFF.
 */
bool buffer_charge(struct buffer_pool *pool, const struct buffer_limits *limits,
		   struct buffer_account *account, u32 len)
{
	bool admitted = place(pool, limits, account, len);

	if (!admitted || must_turn_xoff(pool, limits, account))
		account->xoff = true;
	return admitted;
}

/**
 * buffer_charge_queue() - charge a lossy or local frame to its queue
 * @pool: the namespace's
 * @limits: the queue's sizes, without headroom
 * @account: the queue's
 * @len: L
 *
 * Return: true if the frame is admitted; false if it must be dropped.
 */
bool buffer_charge_queue(struct buffer_pool *pool, const struct buffer_limits *limits,
			 struct buffer_account *account, u32 len)
{
	u64 guaranteed = min_t(u64, len, limits->guaranteed - account->guaranteed_used);

	if (len > guaranteed) {
		if (!shared_has_room(pool, limits, account, len - guaranteed))
			return false;
		charge_shared(pool, account, len - guaranteed);
	}
	account->guaranteed_used += guaranteed;
	return true;
}

/**
 * buffer_judge() - judge a PG in XOFF again, without a departure
 * @pool: the namespace's
 * @limits: the PG's sizes
 * @account: the PG's; its @xoff may turn false
 *
 * For every refresh: others may have freed the pool since, and a PG that was refused
 * while it was empty has no departure of its own.
 */
void buffer_judge(const struct buffer_pool *pool, const struct buffer_limits *limits,
		  struct buffer_account *account)
{
	if (account->xoff && may_turn_xon(pool, limits, account))
		account->xoff = false;
}

static void release_headroom(struct buffer_pool *pool, struct buffer_account *account, u64 bytes)
{
	u64 to_pool = min(bytes, account->pool_headroom_used);

	account->headroom_used -= bytes;
	account->pool_headroom_used -= to_pool;
	pool->headroom_used -= to_pool;
}

/**
 * buffer_release() - release a frame of a PG or of a queue
 * @pool: the namespace's
 * @limits: the account's sizes
 * @account: what the frame was charged to; its @xoff may turn false
 * @len: L, as it was charged
 *
 * Headroom is given back first (the pool's before the private one), then shared,
 * then guaranteed: the reverse of the order in which they fill.
 */
void buffer_release(struct buffer_pool *pool, const struct buffer_limits *limits,
		    struct buffer_account *account, u32 len)
{
	u64 headroom = min_t(u64, len, account->headroom_used);
	u64 shared = min(len - headroom, account->shared_used);

	release_headroom(pool, account, headroom);
	account->shared_used -= shared;
	pool->shared_used -= shared;
	account->guaranteed_used -= len - headroom - shared;
	buffer_judge(pool, limits, account);
}

/**
 * buffer_withdraw() - take an account out of the pools
 * @pool: the namespace's
 * @account: PG or queue
 *
 * What the account holds beyond its guarantee becomes headroom that no pool is
 * charged for. Frames may come and leave in this state; buffer_refile() ends it.
 * Needed only where the shared pool shrinks below S: then all accounts are withdrawn
 * before the first is filed anew, so that S <= P holds throughout.
 */
void buffer_withdraw(struct buffer_pool *pool, struct buffer_account *account)
{
	pool->shared_used -= account->shared_used;
	pool->headroom_used -= account->pool_headroom_used;
	account->headroom_used += account->shared_used;
	account->pool_headroom_used = 0;
	account->shared_used = 0;
}

/* The most shared bytes s of one account that are not above the threshold which they
 * lower themselves: s <= alpha * (free - s).
 */
static u64 shared_room_below_threshold(const struct buffer_pool *pool,
				       const struct buffer_limits *limits)
{
	u64 free = shared_free(pool);

	if (limits->kind != BUFFER_DYNAMIC)
		return min(free, buffer_threshold(pool, limits));
	if (limits->alpha >= 0)
		return div64_u64(free << limits->alpha, 1 + (1ULL << limits->alpha));
	return div64_u64(free, 1 + (1ULL << -limits->alpha));
}

/* How many shared bytes an account may be filed for. A dynamic threshold is no size, and may
 * have fallen below what was shared when it was charged: that stays, since headroom is
 * for what is under way.
 */
static u64 shared_room(const struct buffer_pool *pool, const struct buffer_limits *limits,
		       u64 was_shared)
{
	u64 room = shared_room_below_threshold(pool, limits);

	if (limits->kind != BUFFER_DYNAMIC)
		return room;
	return max(room, min(was_shared, shared_free(pool)));
}

/* Returns how many bytes have no place in guaranteed or shared. They stay in headroom. */
static u64 refile(struct buffer_pool *pool, const struct buffer_limits *limits,
		  struct buffer_account *account)
{
	u64 rest = buffer_account_bytes(account);
	u64 was_shared = account->shared_used;
	u64 shared;

	buffer_withdraw(pool, account);
	account->guaranteed_used = min(rest, limits->guaranteed);
	rest -= account->guaranteed_used;
	shared = min(rest, shared_room(pool, limits, was_shared));
	charge_shared(pool, account, shared);
	account->headroom_used = 0;
	return rest - shared;
}

/**
 * buffer_refile() - file what a PG holds under new sizes, and judge it
 * @pool: the namespace's, with the sizes from now on
 * @limits: the PG's sizes from now on
 * @account: the PG's; its @xoff may turn either way
 *
 * In the order guaranteed, shared, headroom. The part that fits nowhere stays in
 * headroom until it leaves.
 */
void buffer_refile(struct buffer_pool *pool, const struct buffer_limits *limits,
		   struct buffer_account *account)
{
	charge_headroom(pool, limits, account, refile(pool, limits, account));
	if (must_turn_xoff(pool, limits, account))
		account->xoff = true;
	else
		buffer_judge(pool, limits, account);
}

/**
 * buffer_refile_queue() - file what a queue holds under new sizes
 * @pool: the namespace's, with the sizes from now on
 * @limits: the queue's sizes from now on
 * @account: the queue's
 */
void buffer_refile_queue(struct buffer_pool *pool, const struct buffer_limits *limits,
			 struct buffer_account *account)
{
	/* a queue has no share of the headroom pool */
	account->headroom_used = refile(pool, limits, account);
}
