// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer law, step by step: a pool, sizes and what an account holds, one event, and what the
 * account holds then. What others hold of the pools must stay as it is.
 */
#include "../core/buffer.c"
#include "suite.h"

#define GIB	(1024 * 1024 * 1024ULL)

/* P, S, HP, and what is used of HP */
#define POOL(p, s, hp, used)	((struct buffer_pool){ p, s, hp, used })
#define DYNAMIC(g, h, k, offset)	\
	((struct buffer_limits){ g, h, BUFFER_DYNAMIC, .alpha = (k), .xon_offset = (offset) })
#define STATIC(g, h, off, on)	\
	((struct buffer_limits){ g, h, BUFFER_STATIC, .xoff = (off), .xon = (on) })
#define LIMIT(g, t)	((struct buffer_limits){ g, 0, BUFFER_LIMIT, .limit = (t) })
/* g, s, h, the part of h that is the pool's, and the state */
#define HOLDS(g, s, h, hp, state)	((struct buffer_account){ g, s, h, hp, state })
#define NOTHING	HOLDS(0, 0, 0, 0, XON)
#define XOFF	true
#define XON	false
#define DROPPED	true

enum event { CHARGE, CHARGE_QUEUE, RELEASE, JUDGE, WITHDRAW, REFILE, REFILE_QUEUE };

struct step {
	const char *what;
	struct buffer_pool pool;
	struct buffer_limits limits;
	struct buffer_account account;
	enum event event;
	u32 len;
	struct buffer_account expected;
	bool is_dropped;
};

static const struct step steps[] = {
	{ "charge 2: the guarantee, to the byte", POOL(0, 0, 0, 0), DYNAMIC(3000, 0, 0, 0),
	  HOLDS(1500, 0, 0, 0, XON), CHARGE, 1500, HOLDS(3000, 0, 0, 0, XON) },
	{ "charge 3: the rest of a frame is shared", POOL(10000, 0, 0, 0), DYNAMIC(1000, 0, 0, 0),
	  NOTHING, CHARGE, 1500, HOLDS(1000, 500, 0, 0, XON) },
	{ "charge 3: up to T, to the byte", POOL(10000, 3999, 0, 0), STATIC(0, 1000, 4000, 4000),
	  HOLDS(0, 3999, 0, 0, XON), CHARGE, 1, HOLDS(0, 4000, 0, 0, XOFF) },
	{ "charge 3: a byte above T is headroom", POOL(10000, 3999, 0, 0),
	  STATIC(0, 1000, 4000, 4000),
	  HOLDS(0, 3999, 0, 0, XON), CHARGE, 2, HOLDS(0, 3999, 2, 0, XOFF) },
	{ "charge 3: up to P, to the byte", POOL(10000, 9000, 0, 0), DYNAMIC(0, 0, 7, 0),
	  NOTHING, CHARGE, 1000, HOLDS(0, 1000, 0, 0, XOFF) },
	{ "charge 3: not above P", POOL(10000, 9000, 0, 0), DYNAMIC(0, 0, 7, 0),
	  NOTHING, CHARGE, 1001, HOLDS(0, 0, 0, 0, XOFF), DROPPED },
	{ "charge 4: private headroom first", POOL(0, 0, 500, 0), DYNAMIC(0, 1000, 0, 0),
	  NOTHING, CHARGE, 1000, HOLDS(0, 0, 1000, 0, XOFF) },
	{ "charge 4: then the pool's", POOL(0, 0, 500, 0), DYNAMIC(0, 1000, 0, 0),
	  HOLDS(0, 0, 800, 0, XOFF), CHARGE, 300, HOLDS(0, 0, 1100, 100, XOFF) },
	{ "charge 4: all of the pool's", POOL(0, 0, 500, 0), DYNAMIC(0, 1000, 0, 0),
	  HOLDS(0, 0, 1000, 0, XOFF), CHARGE, 500, HOLDS(0, 0, 1500, 500, XOFF) },
	{ "charge 4: and no more", POOL(0, 0, 500, 0), DYNAMIC(0, 1000, 0, 0),
	  HOLDS(0, 0, 1000, 0, XOFF), CHARGE, 501, HOLDS(0, 0, 1000, 0, XOFF), DROPPED },
	{ "charge 4: what others left of HP", POOL(0, 0, 1000, 700), DYNAMIC(0, 100, 0, 0),
	  NOTHING, CHARGE, 400, HOLDS(0, 0, 400, 300, XOFF) },
	{ "charge 4: not what others have of HP", POOL(0, 0, 1000, 700), DYNAMIC(0, 100, 0, 0),
	  NOTHING, CHARGE, 401, HOLDS(0, 0, 0, 0, XOFF), DROPPED },
	{ "charge 4: guarantee and headroom", POOL(0, 0, 0, 0), DYNAMIC(1000, 1000, 0, 0),
	  NOTHING, CHARGE, 1500, HOLDS(1000, 0, 500, 0, XOFF) },
	{ "charge 4: no room above H after a change", POOL(0, 0, 4000, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 0, 9000, 0, XOFF), CHARGE, 1, HOLDS(0, 0, 9000, 0, XOFF), DROPPED },
	{ "charge 5: nothing of it stays", POOL(1000, 0, 0, 0), DYNAMIC(500, 300, 0, 0),
	  NOTHING, CHARGE, 2000, HOLDS(0, 0, 0, 0, XOFF), DROPPED },
	{ "charge 6: T is computed anew", POOL(1000, 499, 0, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 499, 0, 0, XON), CHARGE, 1, HOLDS(0, 500, 0, 0, XOFF) },
	{ "charge 6: a byte below the new T", POOL(1000, 498, 0, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 498, 0, 0, XON), CHARGE, 1, HOLDS(0, 499, 0, 0, XON) },
	{ "charge 6: no pause inside the guarantee", POOL(1000, 1000, 0, 0),
	  DYNAMIC(3000, 0, -10, 0),
	  NOTHING, CHARGE, 3000, HOLDS(3000, 0, 0, 0, XON) },
	{ "charge 6: a charge turns nothing XON", POOL(1000, 0, 0, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 0, 0, 0, XOFF), CHARGE, 1, HOLDS(0, 1, 0, 0, XOFF) },
	/* the defaults at an MTU of 1500: s = T at a ninth of 16 MiB */
	{ "charge a default PG, below a ninth of P", POOL(BUFFER_SHARED_AUTO, 1864133, 0, 0),
	  DYNAMIC(3036, 0, -3, 3036), HOLDS(3036, 1864133, 0, 0, XON), CHARGE, 1,
	  HOLDS(3036, 1864134, 0, 0, XON) },
	{ "charge a default PG, at a ninth of P", POOL(BUFFER_SHARED_AUTO, 1864134, 0, 0),
	  DYNAMIC(3036, 0, -3, 3036), HOLDS(3036, 1864134, 0, 0, XON), CHARGE, 1,
	  HOLDS(3036, 1864135, 0, 0, XOFF) },
	{ "charge the largest frame", POOL(4 * GIB, 0, 0, 0), STATIC(0, 0, 8 * GIB, 0),
	  NOTHING, CHARGE, U32_MAX, HOLDS(0, U32_MAX, 0, 0, XON) },
	{ "charge a queue: guaranteed, then shared", POOL(10000, 0, 9000, 0), LIMIT(1000, 500),
	  NOTHING, CHARGE_QUEUE, 1500, HOLDS(1000, 500, 0, 0, XON) },
	{ "charge a queue: not above its limit", POOL(10000, 0, 9000, 0), LIMIT(1000, 500),
	  NOTHING, CHARGE_QUEUE, 1501, NOTHING, DROPPED },
	{ "charge a queue: not above T", POOL(1000, 500, 9000, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 500, 0, 0, XON), CHARGE_QUEUE, 1, HOLDS(0, 500, 0, 0, XON), DROPPED },
	{ "charge a queue: up to P", POOL(1000, 900, 0, 0), LIMIT(0, 5000),
	  NOTHING, CHARGE_QUEUE, 100, HOLDS(0, 100, 0, 0, XON) },
	{ "charge a queue: not above P", POOL(1000, 900, 0, 0), LIMIT(0, 5000),
	  NOTHING, CHARGE_QUEUE, 101, NOTHING, DROPPED },
	{ "charge a queue: the guarantee is its own", POOL(1000, 1000, 0, 0), LIMIT(1000, 0),
	  HOLDS(400, 0, 0, 0, XON), CHARGE_QUEUE, 600, HOLDS(1000, 0, 0, 0, XON) },

	{ "release: the pool's headroom first", POOL(9000, 500, 500, 400),
	  STATIC(1000, 1000, 1500, 1500),
	  HOLDS(1000, 500, 1300, 300, XOFF), RELEASE, 200, HOLDS(1000, 500, 1100, 100, XOFF) },
	{ "release: then private headroom", POOL(9000, 500, 500, 400),
	  STATIC(1000, 1000, 1500, 1500),
	  HOLDS(1000, 500, 1300, 300, XOFF), RELEASE, 400, HOLDS(1000, 500, 900, 0, XOFF) },
	{ "release: then shared", POOL(9000, 500, 500, 400), STATIC(1000, 1000, 1500, 1500),
	  HOLDS(1000, 500, 1300, 300, XOFF), RELEASE, 1301, HOLDS(1000, 499, 0, 0, XON) },
	{ "release: then guaranteed", POOL(9000, 600, 500, 400), STATIC(1000, 1000, 1500, 1500),
	  HOLDS(1000, 500, 1300, 300, XOFF), RELEASE, 1801, HOLDS(999, 0, 0, 0, XON) },
	{ "release: all", POOL(9000, 600, 500, 400), STATIC(1000, 1000, 1500, 1500),
	  HOLDS(1000, 500, 1300, 300, XOFF), RELEASE, 2800, NOTHING },
	{ "release: static: a byte above xon", POOL(9000, 3000, 0, 0), STATIC(1000, 0, 4000, 3000),
	  HOLDS(1000, 3000, 0, 0, XOFF), RELEASE, 999, HOLDS(1000, 2001, 0, 0, XOFF) },
	{ "release: static: at xon", POOL(9000, 3000, 0, 0), STATIC(1000, 0, 4000, 3000),
	  HOLDS(1000, 3000, 0, 0, XOFF), RELEASE, 1000, HOLDS(1000, 2000, 0, 0, XON) },
	{ "release: static: headroom forbids XON", POOL(9000, 2000, 0, 0),
	  STATIC(1000, 5000, 4000, 4000),
	  HOLDS(1000, 2000, 5000, 0, XOFF), RELEASE, 4999, HOLDS(1000, 2000, 1, 0, XOFF) },
	{ "release: dynamic: headroom forbids XON", POOL(9000, 0, 0, 0), DYNAMIC(1000, 5000, 0, 0),
	  HOLDS(1000, 0, 5000, 0, XOFF), RELEASE, 4999, HOLDS(1000, 0, 1, 0, XOFF) },
	/* s + 100 <= 1000 - s: 450 */
	{ "release: dynamic: less than xon-offset", POOL(1000, 500, 0, 0), DYNAMIC(0, 0, 0, 100),
	  HOLDS(0, 500, 0, 0, XOFF), RELEASE, 49, HOLDS(0, 451, 0, 0, XOFF) },
	{ "release: dynamic: xon-offset below T", POOL(1000, 500, 0, 0), DYNAMIC(0, 0, 0, 100),
	  HOLDS(0, 500, 0, 0, XOFF), RELEASE, 50, HOLDS(0, 450, 0, 0, XON) },
	{ "release: dynamic: xon-offset above P", POOL(1000, 500, 0, 0), DYNAMIC(0, 0, 0, 5000),
	  HOLDS(0, 500, 0, 0, XOFF), RELEASE, 499, HOLDS(0, 1, 0, 0, XOFF) },
	{ "release: dynamic: nothing shared", POOL(1000, 500, 0, 0), DYNAMIC(0, 0, 0, 5000),
	  HOLDS(0, 500, 0, 0, XOFF), RELEASE, 500, NOTHING },
	{ "release: a release turns nothing XOFF", POOL(1000, 600, 0, 0), DYNAMIC(0, 0, 0, 0),
	  HOLDS(0, 600, 0, 0, XON), RELEASE, 10, HOLDS(0, 590, 0, 0, XON) },
	{ "refresh: refused while empty", POOL(1000, 0, 0, 0), DYNAMIC(0, 0, 0, 100),
	  HOLDS(0, 0, 0, 0, XOFF), JUDGE, 0, NOTHING },
	{ "refresh: others hold too much", POOL(1000, 700, 0, 0), DYNAMIC(0, 0, 0, 1),
	  HOLDS(0, 300, 0, 0, XOFF), JUDGE, 0, HOLDS(0, 300, 0, 0, XOFF) },
	{ "refresh: others freed the pool", POOL(1000, 699, 0, 0), DYNAMIC(0, 0, 0, 1),
	  HOLDS(0, 300, 0, 0, XOFF), JUDGE, 0, HOLDS(0, 300, 0, 0, XON) },
	{ "refresh: static, above xon", POOL(9000, 0, 0, 0), STATIC(3000, 0, 3000, 1000),
	  HOLDS(1001, 0, 0, 0, XOFF), JUDGE, 0, HOLDS(1001, 0, 0, 0, XOFF) },

	{ "withdrawn", POOL(9000, 700, 1000, 800), STATIC(500, 100, 1000, 1000),
	  HOLDS(500, 500, 600, 500, XOFF), WITHDRAW, 0, HOLDS(500, 0, 1100, 0, XOFF) },
	{ "refile: guarantee larger", POOL(2000, 1000, 500, 300), STATIC(1500, 500, 3000, 1800),
	  HOLDS(0, 1000, 800, 300, XOFF), REFILE, 0, HOLDS(1500, 300, 0, 0, XON) },
	{ "refile: guarantee smaller, no place", POOL(5000, 0, 100, 0),
	  STATIC(1000, 200, 1500, 1000),
	  HOLDS(3000, 0, 0, 0, XON), REFILE, 0, HOLDS(1000, 500, 1500, 100, XOFF) },
	{ "refile: others hold the pool", POOL(1000, 800, 0, 0), STATIC(0, 0, 5000, 5000),
	  HOLDS(1000, 0, 0, 0, XON), REFILE, 0, HOLDS(0, 200, 800, 0, XOFF) },
	{ "refile: between xon and xoff", POOL(9000, 700, 0, 0), STATIC(0, 0, 1000, 600),
	  HOLDS(0, 700, 0, 0, XOFF), REFILE, 0, HOLDS(0, 700, 0, 0, XOFF) },
	/* not above the T that it lowers itself: s <= alpha * (3000 - s) */
	{ "refile: alpha 1/2", POOL(3000, 0, 0, 0), DYNAMIC(0, 5000, -1, 0),
	  HOLDS(3000, 0, 0, 0, XON), REFILE, 0, HOLDS(0, 1000, 2000, 0, XOFF) },
	{ "refile: alpha 1", POOL(3000, 0, 0, 0), DYNAMIC(0, 5000, 0, 0),
	  HOLDS(3000, 0, 0, 0, XON), REFILE, 0, HOLDS(0, 1500, 1500, 0, XOFF) },
	{ "refile: alpha 2", POOL(3000, 0, 0, 0), DYNAMIC(0, 5000, 1, 0),
	  HOLDS(3000, 0, 0, 0, XON), REFILE, 0, HOLDS(0, 2000, 1000, 0, XOFF) },
	{ "refile: what was shared stays shared", POOL(3000, 2000, 0, 0), DYNAMIC(0, 5000, -1, 0),
	  HOLDS(0, 2000, 0, 0, XOFF), REFILE, 0, HOLDS(0, 2000, 0, 0, XOFF) },
	{ "refile: as far as the pool has room", POOL(1500, 2000, 0, 0), DYNAMIC(0, 5000, -1, 0),
	  HOLDS(0, 2000, 0, 0, XOFF), REFILE, 0, HOLDS(0, 1500, 500, 0, XOFF) },
	{ "refile a queue: spares the headroom pool", POOL(5000, 5000, 1000, 0), LIMIT(0, 1000),
	  HOLDS(0, 5000, 0, 0, XON), REFILE_QUEUE, 0, HOLDS(0, 1000, 4000, 0, XON) },
	{ "refile a queue: its limit rises", POOL(5000, 1000, 1000, 0), LIMIT(500, 5000),
	  HOLDS(0, 1000, 4000, 0, XON), REFILE_QUEUE, 0, HOLDS(500, 4500, 0, 0, XON) },
};

ROWS(steps);

static bool perform(const struct step *step, struct buffer_pool *pool,
		    struct buffer_account *account)
{
	switch (step->event) {
	case CHARGE:
		return buffer_charge(pool, &step->limits, account, step->len);
	case CHARGE_QUEUE:
		return buffer_charge_queue(pool, &step->limits, account, step->len);
	case RELEASE:
		buffer_release(pool, &step->limits, account, step->len);
		break;
	case JUDGE:
		buffer_judge(pool, &step->limits, account);
		break;
	case WITHDRAW:
		buffer_withdraw(pool, account);
		break;
	case REFILE:
		buffer_refile(pool, &step->limits, account);
		break;
	case REFILE_QUEUE:
		buffer_refile_queue(pool, &step->limits, account);
		break;
	}
	return true;
}

static void step_case(struct kunit *test)
{
	const struct step *step = test->param_value;
	struct buffer_account account = step->account;
	struct buffer_pool pool = step->pool;

	KUNIT_EXPECT_EQ(test, perform(step, &pool, &account), !step->is_dropped);
	KUNIT_EXPECT_EQ(test, account.guaranteed_used, step->expected.guaranteed_used);
	KUNIT_EXPECT_EQ(test, account.shared_used, step->expected.shared_used);
	KUNIT_EXPECT_EQ(test, account.headroom_used, step->expected.headroom_used);
	KUNIT_EXPECT_EQ(test, account.pool_headroom_used, step->expected.pool_headroom_used);
	KUNIT_EXPECT_EQ(test, account.xoff, step->expected.xoff);
	KUNIT_EXPECT_EQ(test, pool.shared_used - account.shared_used,
			step->pool.shared_used - step->account.shared_used);
	KUNIT_EXPECT_EQ(test, pool.headroom_used - account.pool_headroom_used,
			step->pool.headroom_used - step->account.pool_headroom_used);
	KUNIT_EXPECT_EQ(test, pool.shared_size, step->pool.shared_size);
	KUNIT_EXPECT_EQ(test, pool.headroom_size, step->pool.headroom_size);
}

static const struct {
	const char *what;
	struct buffer_pool pool;
	struct buffer_limits limits;
	u64 threshold;
} thresholds[] = {
	{ "alpha 1/1024", POOL(4 * GIB, 1024, 0, 0), DYNAMIC(0, 0, -10, 0), 4194303 },
	{ "alpha 1/8", POOL(BUFFER_SHARED_AUTO, 0, 0, 0), DYNAMIC(0, 0, -3, 0), 2097152 },
	{ "alpha 1/2, odd", POOL(1000, 1, 0, 0), DYNAMIC(0, 0, -1, 0), 499 },
	{ "alpha 1", POOL(1000, 300, 0, 0), DYNAMIC(0, 0, 0, 0), 700 },
	{ "alpha 2", POOL(1000, 300, 0, 0), DYNAMIC(0, 0, 1, 0), 1400 },
	{ "alpha 128", POOL(4 * GIB, 0, 0, 0), DYNAMIC(0, 0, 7, 0), 512 * GIB },
	{ "pool full", POOL(1000, 1000, 0, 0), DYNAMIC(0, 0, 7, 0), 0 },
	{ "pool overfull", POOL(1000, 1001, 0, 0), DYNAMIC(0, 0, 7, 0), 0 },
	{ "static", POOL(1000, 1000, 0, 0), STATIC(3000, 0, 5000, 1000), 2000 },
	{ "static, xoff = G", POOL(1000, 0, 0, 0), STATIC(3000, 0, 3000, 1000), 0 },
	{ "limit", POOL(1000, 1000, 0, 0), LIMIT(3000, 777), 777 },
};

ROWS(thresholds);

static void threshold_case(struct kunit *test)
{
	const typeof(thresholds[0]) *row = test->param_value;

	KUNIT_EXPECT_EQ(test, buffer_threshold(&row->pool, &row->limits), row->threshold);
}

/* 120,000 bytes, of which one static PG has 46,000 up to xoff, xon at 32,000, the rest headroom */
static const struct {
	const char *what;
	u32 len;
	unsigned int frames_to_xoff;
	unsigned int departures_to_xon;
	unsigned int frames_in_all;
} examples[] = {
	{ "1000 bytes", 1000, 46, 14, 120 },	/* 46,000 is xoff, 32,000 xon */
	{ "1500 bytes", 1500, 31, 10, 79 },	/* 46,500 is above xoff, 31,500 below xon */
};

ROWS(examples);

static void example_case(struct kunit *test)
{
	const typeof(examples[0]) *row = test->param_value;
	struct buffer_limits limits = STATIC(0, 120000 - 46000, 46000, 32000);
	struct buffer_pool pool = POOL(46000, 0, 0, 0);
	struct buffer_account pg = {};
	unsigned int frames = 0, departures = 0;

	for (; !pg.xoff && buffer_charge(&pool, &limits, &pg, row->len); frames++)
		;
	KUNIT_EXPECT_EQ(test, frames, row->frames_to_xoff);
	for (; pg.xoff && departures < frames; departures++)
		buffer_release(&pool, &limits, &pg, row->len);
	KUNIT_EXPECT_EQ(test, departures, row->departures_to_xon);
	for (frames -= departures; buffer_charge(&pool, &limits, &pg, row->len); frames++)
		;
	KUNIT_EXPECT_EQ(test, frames, row->frames_in_all);
}

#define ACCOUNTS	5	/* four PGs and a queue */

static bool charge_any(struct buffer_pool *pool, struct buffer_account *account, unsigned int i)
{
	struct buffer_limits pg = DYNAMIC(500, 1000, (int)i - 2, 300), queue = LIMIT(700, 4000);

	return i < ACCOUNTS - 1 ? buffer_charge(pool, &pg, account, 100) :
				  buffer_charge_queue(pool, &queue, account, 100);
}

/* S <= P throughout, a refused frame leaves XOFF, and nothing is left when all have gone */
static void fill_and_drain(struct kunit *test)
{
	struct buffer_limits limits = DYNAMIC(500, 1000, 0, 300);
	struct buffer_account accounts[ACCOUNTS] = {}, *account;
	struct buffer_pool pool = POOL(10000, 0, 1500, 0);
	unsigned int round;

	for (round = 0; round < 200; round++) {
		account = &accounts[round % ACCOUNTS];
		if (!charge_any(&pool, account, round % ACCOUNTS))
			KUNIT_EXPECT_EQ(test, account->xoff, round % ACCOUNTS < ACCOUNTS - 1);
		KUNIT_EXPECT_LE(test, pool.shared_used, pool.shared_size);
		KUNIT_EXPECT_LE(test, pool.headroom_used, pool.headroom_size);
	}
	KUNIT_EXPECT_EQ(test, pool.headroom_used, pool.headroom_size);
	for (round = 0; round < ACCOUNTS; round++) {
		account = &accounts[round];
		buffer_release(&pool, &limits, account, buffer_account_bytes(account));
		KUNIT_EXPECT_EQ(test, buffer_account_bytes(account), 0);
		KUNIT_EXPECT_FALSE(test, account->xoff);
	}
	KUNIT_EXPECT_EQ(test, pool.shared_used, 0);
	KUNIT_EXPECT_EQ(test, pool.headroom_used, 0);
}

/* The short way, without the pool, is open only where the long way would do the same */
static void private_way(struct kunit *test)
{
	struct buffer_limits limits = DYNAMIC(3000, 9000, 0, 0);
	struct buffer_account pg = {}, shared = HOLDS(0, 1, 0, 0, XON);
	struct buffer_account headroom = HOLDS(0, 0, 1, 0, XON), paused = HOLDS(10, 0, 0, 0, XOFF);

	KUNIT_EXPECT_TRUE(test, buffer_account_is_private(&pg));
	KUNIT_EXPECT_TRUE(test, buffer_charge_private(&limits, &pg, 3000));
	KUNIT_EXPECT_FALSE(test, buffer_charge_private(&limits, &pg, 1));
	KUNIT_EXPECT_FALSE(test, buffer_charge_private(&limits, &pg, U32_MAX));
	KUNIT_EXPECT_EQ(test, buffer_account_bytes(&pg), 3000);
	KUNIT_EXPECT_TRUE(test, buffer_release_private(&pg, 2999));
	KUNIT_EXPECT_EQ(test, pg.guaranteed_used, 1);
	KUNIT_EXPECT_FALSE(test, buffer_account_is_private(&shared));
	KUNIT_EXPECT_FALSE(test, buffer_charge_private(&limits, &shared, 1));
	KUNIT_EXPECT_FALSE(test, buffer_release_private(&shared, 1));
	KUNIT_EXPECT_FALSE(test, buffer_charge_private(&limits, &headroom, 1));
	KUNIT_EXPECT_FALSE(test, buffer_release_private(&headroom, 1));
	KUNIT_EXPECT_TRUE(test, buffer_charge_private(&limits, &paused, 1));
	KUNIT_EXPECT_FALSE(test, buffer_release_private(&paused, 1));
}

static const struct {
	const char *what;
	u32 wire_bytes;
	u32 cell_bytes;
	u32 bytes;
} cells[] = {
	{ "no cells", 1, 0, 1 },
	{ "cells of a byte", 1500, 1, 1500 },
	{ "one cell", 208, 208, 208 },
	{ "one cell and a byte", 209, 208, 416 },
	{ "one byte", 1, 208, 208 },
	{ "up to 32 bits", 4294967000U, 256, 4294967040U },
	{ "beyond 32 bits", U32_MAX, 256, U32_MAX },
};

ROWS(cells);

static void cell_case(struct kunit *test)
{
	const typeof(cells[0]) *row = test->param_value;

	KUNIT_EXPECT_EQ(test, buffer_frame_bytes(row->wire_bytes, row->cell_bytes), row->bytes);
}

static const struct {
	const char *what;
	struct buffer_limits limits;
} others[] = {
	{ "guaranteed", { 2, 1, BUFFER_STATIC, 1, 1, 1, 1, 1 } },
	{ "headroom", { 1, 2, BUFFER_STATIC, 1, 1, 1, 1, 1 } },
	{ "kind", { 1, 1, BUFFER_LIMIT, 1, 1, 1, 1, 1 } },
	{ "alpha", { 1, 1, BUFFER_STATIC, 2, 1, 1, 1, 1 } },
	{ "xon-offset", { 1, 1, BUFFER_STATIC, 1, 2, 1, 1, 1 } },
	{ "xoff", { 1, 1, BUFFER_STATIC, 1, 1, 2, 1, 1 } },
	{ "xon", { 1, 1, BUFFER_STATIC, 1, 1, 1, 2, 1 } },
	{ "limit", { 1, 1, BUFFER_STATIC, 1, 1, 1, 1, 2 } },
};

ROWS(others);

static void other_limits_case(struct kunit *test)
{
	const typeof(others[0]) *row = test->param_value;
	struct buffer_limits limits = { 1, 1, BUFFER_STATIC, 1, 1, 1, 1, 1 }, same = limits;

	KUNIT_EXPECT_TRUE(test, buffer_limits_are_same(&limits, &same));
	KUNIT_EXPECT_FALSE(test, buffer_limits_are_same(&limits, &row->limits));
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE_PARAM(threshold_case, thresholds_gen_params),
	KUNIT_CASE_PARAM(step_case, steps_gen_params),
	KUNIT_CASE_PARAM(example_case, examples_gen_params),
	KUNIT_CASE(fill_and_drain),
	KUNIT_CASE(private_way),
	KUNIT_CASE_PARAM(cell_case, cells_gen_params),
	KUNIT_CASE_PARAM(other_limits_case, others_gen_params),
	{}
};

static struct kunit_suite buffer_suite = {
	.name = "lossless_buffer",
	.test_cases = buffer_cases,
};

kunit_test_suite(buffer_suite);
