/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer law: what a frame is charged to, when it is refused, when a PG turns
 * XOFF and when XON again. All values are bytes.
 *
 * The caller holds the lock of the account, and that of the pool for every
 * function that takes a pool (see buffer_charge_private() for the way around it).
 */
#ifndef LOSSLESS_CORE_BUFFER_H
#define LOSSLESS_CORE_BUFFER_H

#include "types.h"

#define BUFFER_ALPHA_MIN	(-10)
#define BUFFER_ALPHA_MAX	7
#define BUFFER_SHARED_AUTO	(16ULL << 20)	/* P of a buffer without a fixed size */

/**
 * struct buffer_pool - what all ports of a namespace share
 * @shared_size: P
 * @shared_used: S, the sum of @shared_used of all accounts
 * @headroom_size: HP, the shared headroom pool
 * @headroom_used: the sum of @pool_headroom_used of all accounts
 */
struct buffer_pool {
	u64 shared_size;
	u64 shared_used;
	u64 headroom_size;
	u64 headroom_used;
};

/* How the threshold T on an account's shared bytes comes about. */
enum buffer_threshold_kind {
	BUFFER_DYNAMIC,		/* T = alpha * max(0, P - S) */
	BUFFER_STATIC,		/* T = xoff - guaranteed; XON at xon */
	BUFFER_LIMIT,		/* T = limit; queues only */
};

/**
 * struct buffer_limits - the sizes that an account is judged by
 * @guaranteed: G
 * @headroom: H, private headroom; 0 for a queue
 * @kind: which of the following hold
 * @alpha: k of alpha = 2^k, BUFFER_ALPHA_MIN to BUFFER_ALPHA_MAX (dynamic)
 * @xon_offset: how far below T the shared bytes must be for XON (dynamic)
 * @xoff: XOFF at this many guaranteed and shared bytes, not below G (static)
 * @xon: XON at this many or fewer, not above @xoff (static)
 * @limit: T itself (limit)
 */
struct buffer_limits {
	u64 guaranteed;
	u64 headroom;
	enum buffer_threshold_kind kind;
	s8 alpha;
	u64 xon_offset;
	u64 xoff;
	u64 xon;
	u64 limit;
};

/**
 * struct buffer_account - what a PG, or a queue for its lossy and local frames, holds
 * @guaranteed_used: g
 * @shared_used: s
 * @headroom_used: h, private headroom, share of the pool, and what a change of
 *	sizes left without a place
 * @pool_headroom_used: the part of h that is charged to the headroom pool
 * @xoff: the upstream is told to pause; always false for a queue
 */
struct buffer_account {
	u64 guaranteed_used;
	u64 shared_used;
	u64 headroom_used;
	u64 pool_headroom_used;
	bool xoff;
};

/**
 * buffer_frame_bytes() - the length L that a frame takes in the buffer
 * @wire_bytes: its length
 * @cell_bytes: size of a cell; 0 and 1: no cells
 *
 * A length that would not fit 32 bits after rounding stays as it is.
 *
 * Return: @wire_bytes, rounded up to whole cells.
 */
static inline u32 buffer_frame_bytes(u32 wire_bytes, u32 cell_bytes)
{
	u32 rest = cell_bytes > 1 ? wire_bytes % cell_bytes : 0;
	u64 rounded = (u64)wire_bytes + (rest ? cell_bytes - rest : 0);

	return rounded > ~0U ? wire_bytes : (u32)rounded;
}

/* Is there nothing to file anew? */
static inline bool buffer_limits_are_same(const struct buffer_limits *a,
					  const struct buffer_limits *b)
{
	return a->guaranteed == b->guaranteed && a->headroom == b->headroom &&
	       a->kind == b->kind && a->alpha == b->alpha && a->xon_offset == b->xon_offset &&
	       a->xoff == b->xoff && a->xon == b->xon && a->limit == b->limit;
}

static inline u64 buffer_account_bytes(const struct buffer_account *account)
{
	return account->guaranteed_used + account->shared_used + account->headroom_used;
}

/* Nothing of the account lies in the pools, so that no pool is needed to judge it. */
static inline bool buffer_account_is_private(const struct buffer_account *account)
{
	return !(account->shared_used | account->headroom_used);
}

/**
 * buffer_charge_private() - charge a frame that fits the guarantee
 * @limits: the account's sizes
 * @account: PG or queue
 * @len: L
 *
 * The short way of buffer_charge() and buffer_charge_queue(), without the pool: a
 * frame that fits the guarantee of an account which holds nothing else changes
 * neither S nor the account's state.
 *
 * Return: false if the long way has to be taken; nothing is charged then.
 */
static inline bool buffer_charge_private(const struct buffer_limits *limits,
					 struct buffer_account *account, u32 len)
{
	if (!buffer_account_is_private(account) ||
	    account->guaranteed_used + len > limits->guaranteed)
		return false;
	account->guaranteed_used += len;
	return true;
}

/**
 * buffer_release_private() - release a frame of an account that holds only guaranteed bytes
 * @account: PG or queue
 * @len: L, as it was charged
 *
 * Return: false if buffer_release() has to be called; nothing is released then.
 */
static inline bool buffer_release_private(struct buffer_account *account, u32 len)
{
	if (!buffer_account_is_private(account) || account->xoff)
		return false;
	account->guaranteed_used -= len;
	return true;
}

u64 buffer_threshold(const struct buffer_pool *pool, const struct buffer_limits *limits);
bool buffer_charge(struct buffer_pool *pool, const struct buffer_limits *limits,
		   struct buffer_account *account, u32 len);
bool buffer_charge_queue(struct buffer_pool *pool, const struct buffer_limits *limits,
			 struct buffer_account *account, u32 len);
void buffer_release(struct buffer_pool *pool, const struct buffer_limits *limits,
		    struct buffer_account *account, u32 len);
void buffer_judge(const struct buffer_pool *pool, const struct buffer_limits *limits,
		  struct buffer_account *account);
void buffer_withdraw(struct buffer_pool *pool, struct buffer_account *account);
void buffer_refile(struct buffer_pool *pool, const struct buffer_limits *limits,
		   struct buffer_account *account);
void buffer_refile_queue(struct buffer_pool *pool, const struct buffer_limits *limits,
			 struct buffer_account *account);

#endif /* LOSSLESS_CORE_BUFFER_H */
