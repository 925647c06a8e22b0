// SPDX-License-Identifier: GPL-2.0
/*
 * Vectors for each step of the buffer law (DESIGN section 5). differential.py holds the
 * law in random company; here each sentence of it has a test that can be read.
 */
#include "buffer.h"
#include "ktap.h"

#define GIB (1ULL << 30)

static struct buffer_limits dynamic(u64 guaranteed, u64 headroom, s8 alpha, u64 xon_offset)
{
	return (struct buffer_limits){
		.kind = BUFFER_DYNAMIC, .guaranteed = guaranteed, .headroom = headroom,
		.alpha = alpha, .xon_offset = xon_offset,
	};
}

static struct buffer_limits fixed(u64 guaranteed, u64 headroom, u64 xoff, u64 xon)
{
	return (struct buffer_limits){
		.kind = BUFFER_STATIC, .guaranteed = guaranteed, .headroom = headroom,
		.xoff = xoff, .xon = xon,
	};
}

static struct buffer_limits limited(u64 guaranteed, u64 limit)
{
	return (struct buffer_limits){
		.kind = BUFFER_LIMIT, .guaranteed = guaranteed, .limit = limit,
	};
}

#define CHECK_HELD(account, g, s, h)				\
	do {							\
		CHECK_EQUAL((account).guaranteed_used, g);	\
		CHECK_EQUAL((account).shared_used, s);		\
		CHECK_EQUAL((account).headroom_used, h);	\
	} while (0)

/* Steps 1 and 2. */
static void charge_guaranteed(void)
{
	struct buffer_pool pool = { .shared_size = 0 };
	struct buffer_limits limits = dynamic(3000, 0, 0, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 1500));
	CHECK(buffer_charge(&pool, &limits, &pg, 1500));
	CHECK_HELD(pg, 3000, 0, 0);
	CHECK(!pg.xoff);
}

/* Steps 1 and 3: the rest of a frame goes to the shared pool. */
static void charge_shared_rest(void)
{
	struct buffer_pool pool = { .shared_size = 10000 };
	struct buffer_limits limits = dynamic(1000, 0, 0, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 1500));
	CHECK_HELD(pg, 1000, 500, 0);
	CHECK_EQUAL(pool.shared_used, 500);
	CHECK(!pg.xoff);
}

/* Step 3: s + r <= T, to the byte. */
static void charge_up_to_threshold(void)
{
	struct buffer_pool pool = { .shared_size = 10000 };
	struct buffer_limits limits = fixed(0, 1000, 4000, 4000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 4000));
	CHECK_HELD(pg, 0, 4000, 0);
	pg = (struct buffer_account){};
	pool.shared_used = 0;
	CHECK(buffer_charge(&pool, &limits, &pg, 3999));
	CHECK(!pg.xoff);
	CHECK(buffer_charge(&pool, &limits, &pg, 2));
	CHECK_HELD(pg, 0, 3999, 2);
	CHECK(pg.xoff);
}

/* Step 3: S + r <= P, to the byte, however large alpha is. */
static void charge_up_to_shared_size(void)
{
	struct buffer_pool pool = { .shared_size = 10000 };
	struct buffer_limits limits = dynamic(0, 0, 7, 0);
	struct buffer_account a = {}, b = {};

	CHECK(buffer_charge(&pool, &limits, &a, 9000));
	CHECK(!buffer_charge(&pool, &limits, &b, 1001));
	CHECK_HELD(b, 0, 0, 0);
	CHECK(b.xoff);
	CHECK(buffer_charge(&pool, &limits, &b, 1000));
	CHECK_HELD(b, 0, 1000, 0);
	CHECK_EQUAL(pool.shared_used, 10000);
}

/* Step 4: private headroom first, then the pool's, to the byte. */
static void charge_headroom_order(void)
{
	struct buffer_pool pool = { .headroom_size = 500 };
	struct buffer_limits limits = dynamic(0, 1000, 0, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 1000));
	CHECK_EQUAL(pg.pool_headroom_used, 0);
	CHECK(buffer_charge(&pool, &limits, &pg, 1));
	CHECK_EQUAL(pool.headroom_used, 1);
	CHECK(!buffer_charge(&pool, &limits, &pg, 500));
	CHECK(buffer_charge(&pool, &limits, &pg, 499));
	CHECK_HELD(pg, 0, 0, 1500);
	CHECK_EQUAL(pg.pool_headroom_used, 500);
	CHECK_EQUAL(pool.headroom_used, 500);
}

/* Step 4: what another PG has of the headroom pool is not there for this one. */
static void charge_headroom_of_others(void)
{
	struct buffer_pool pool = { .headroom_size = 1000 };
	struct buffer_limits limits = dynamic(0, 100, 0, 0);
	struct buffer_account a = {}, b = {};

	CHECK(buffer_charge(&pool, &limits, &a, 800));
	CHECK(!buffer_charge(&pool, &limits, &b, 401));
	CHECK(buffer_charge(&pool, &limits, &b, 400));
	CHECK_EQUAL(b.pool_headroom_used, 300);
	buffer_release(&pool, &limits, &a, 800);
	CHECK(buffer_charge(&pool, &limits, &b, 700));
}

/* Step 5: nothing of a refused frame stays, not even its guaranteed part. */
static void refuse_charges_nothing(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(500, 300, 0, 0);
	struct buffer_account pg = {};

	CHECK(!buffer_charge(&pool, &limits, &pg, 2000));
	CHECK_HELD(pg, 0, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	CHECK(pg.xoff);
}

/* Step 6: T is computed anew, after the charge: alpha 1, 500 of 1000. */
static void xoff_by_new_threshold(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 499));
	CHECK(!pg.xoff);
	CHECK(buffer_charge(&pool, &limits, &pg, 1));
	CHECK_EQUAL(buffer_threshold(&pool, &limits), 500);
	CHECK(pg.xoff);
}

/* Step 6: with s = 0 a PG stays XON even where T is 0: all fits the guarantee. */
static void no_xoff_inside_guarantee(void)
{
	struct buffer_pool pool = { .shared_size = 1000, .shared_used = 1000 };
	struct buffer_limits limits = dynamic(3000, 0, -10, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 3000));
	CHECK(!pg.xoff);
	limits = fixed(3000, 0, 3000, 0);
	pg = (struct buffer_account){};
	CHECK(buffer_charge(&pool, &limits, &pg, 3000));
	CHECK(!pg.xoff);
}

/* A PG that was refused while it was empty has no departure: the refresh frees it. */
static void judge_refused_while_empty(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 100);
	struct buffer_account pg = {};

	CHECK(!buffer_charge(&pool, &limits, &pg, 1001));
	CHECK(pg.xoff);
	buffer_judge(&pool, &limits, &pg);
	CHECK(!pg.xoff);
}

static void release_in_reverse(void)
{
	struct buffer_pool pool = { .shared_size = 10000, .headroom_size = 500 };
	struct buffer_limits limits = fixed(1000, 700, 3000, 3000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 3000));
	CHECK(buffer_charge(&pool, &limits, &pg, 1200));
	CHECK_HELD(pg, 1000, 2000, 1200);
	buffer_release(&pool, &limits, &pg, 400);
	CHECK_EQUAL(pool.headroom_used, 100);
	buffer_release(&pool, &limits, &pg, 200);
	CHECK_EQUAL(pool.headroom_used, 0);
	CHECK_HELD(pg, 1000, 2000, 600);
	buffer_release(&pool, &limits, &pg, 1000);
	CHECK_HELD(pg, 1000, 1600, 0);
	CHECK_EQUAL(pool.shared_used, 1600);
	buffer_release(&pool, &limits, &pg, 1700);
	CHECK_HELD(pg, 900, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	buffer_release(&pool, &limits, &pg, 900);
	CHECK_HELD(pg, 0, 0, 0);
}

/* XON where s + xon_offset <= T, to the byte. */
static void hysteresis_dynamic(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 100);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 500));
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 49);	/* s 451, T 549 */
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 1);		/* s 450, T 550 */
	CHECK(!pg.xoff);
	CHECK(buffer_charge(&pool, &limits, &pg, 49));	/* between: it stays as it is */
	CHECK(!pg.xoff);
}

/* An empty PG turns XON even where T is below the offset. */
static void hysteresis_dynamic_empty(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 5000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 500));
	buffer_release(&pool, &limits, &pg, 499);
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 1);
	CHECK(!pg.xoff);
}

/* XON where g + s <= xon, to the byte; bytes in headroom forbid it. */
static void hysteresis_static(void)
{
	struct buffer_pool pool = { .shared_size = 10000 };
	struct buffer_limits limits = fixed(1000, 5000, 4000, 3000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 4000));
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 999);
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 1);
	CHECK(!pg.xoff);
	limits.xon = 4000;
	CHECK(buffer_charge(&pool, &limits, &pg, 5000));
	CHECK_HELD(pg, 1000, 2000, 5000);
	buffer_release(&pool, &limits, &pg, 4999);
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 1);
	CHECK(!pg.xoff);
}

/* Others free the pool: no departure of one's own, the refresh sees it. */
static void judge_after_others(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 1);
	struct buffer_account a = {}, b = {};

	CHECK(buffer_charge(&pool, &limits, &a, 400));
	CHECK(buffer_charge(&pool, &limits, &b, 300));
	CHECK(b.xoff);
	buffer_judge(&pool, &limits, &b);
	CHECK(b.xoff);
	buffer_release(&pool, &limits, &a, 400);
	CHECK(b.xoff);
	buffer_judge(&pool, &limits, &b);
	CHECK(!b.xoff);
}

/*
 * A buffer of 120,000 bytes with one static PG, xoff 46,000, xon 32,000 and the rest as
 * headroom, under frames of 1,000 and of 1,500 bytes.
 */
static void static_example(u32 len, unsigned int frames_to_xoff, unsigned int departures_to_xon)
{
	struct buffer_pool pool = { .shared_size = 46000 };
	struct buffer_limits limits = fixed(0, 120000 - 46000, 46000, 32000);
	struct buffer_account pg = {};
	unsigned int frames, departures;

	for (frames = 0; !pg.xoff && frames < 1000; frames++)
		CHECK(buffer_charge(&pool, &limits, &pg, len));
	CHECK_EQUAL(frames, frames_to_xoff);
	for (departures = 0; pg.xoff && departures < frames; departures++)
		buffer_release(&pool, &limits, &pg, len);
	CHECK_EQUAL(departures, departures_to_xon);
	for (frames = 0; buffer_charge(&pool, &limits, &pg, len) && frames < 1000; frames++)
		;
	CHECK_EQUAL(pg.shared_used, 46000 / len * len);
	CHECK_EQUAL(pg.headroom_used, 74000 / len * len);
}

static void static_example_1000(void)
{
	static_example(1000, 46, 14);		/* 46000 reaches xoff; 32000 is xon */
}

static void static_example_1500(void)
{
	static_example(1500, 31, 10);		/* 46500 is above xoff; 31500 below xon */
}

static void alpha_values(void)
{
	struct buffer_pool pool = { .shared_size = 4 * GIB, .shared_used = 1024 };
	struct buffer_limits limits = dynamic(0, 0, 0, 0);
	u64 free_bytes = 4 * GIB - 1024;
	int k;

	for (k = BUFFER_ALPHA_MIN; k <= BUFFER_ALPHA_MAX; k++) {
		limits.alpha = k;
		CHECK_EQUAL(buffer_threshold(&pool, &limits),
			    k < 0 ? free_bytes / (1U << -k) : free_bytes * (1U << k));
	}
	pool.shared_used = 4 * GIB + 1;		/* a change of sizes may ask in between */
	CHECK_EQUAL(buffer_threshold(&pool, &limits), 0);
}

/* The largest length, of a size table, in the largest buffer. */
static void largest_frame(void)
{
	struct buffer_pool pool = { .shared_size = 4 * GIB };
	struct buffer_limits limits = fixed(0, 0, 8 * GIB, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, UINT32_MAX));
	CHECK_HELD(pg, 0, UINT32_MAX, 0);
	CHECK(!buffer_charge(&pool, &limits, &pg, UINT32_MAX));
	CHECK(!buffer_charge(&pool, &limits, &pg, 2));
	CHECK(buffer_charge(&pool, &limits, &pg, 1));
	CHECK_EQUAL(pool.shared_used, 4 * GIB);
	buffer_release(&pool, &limits, &pg, UINT32_MAX);
	CHECK_HELD(pg, 0, 1, 0);
}

/* Guaranteed, then shared up to the limit, then a tail drop that charges nothing. */
static void queue_limit(void)
{
	struct buffer_pool pool = { .shared_size = 10000, .headroom_size = 10000 };
	struct buffer_limits limits = limited(1000, 500);
	struct buffer_account queue = {};

	CHECK(buffer_charge_queue(&pool, &limits, &queue, 1499));
	CHECK(!buffer_charge_queue(&pool, &limits, &queue, 2));
	CHECK_HELD(queue, 1000, 499, 0);
	CHECK(buffer_charge_queue(&pool, &limits, &queue, 1));
	CHECK_HELD(queue, 1000, 500, 0);
	CHECK(!queue.xoff);
	buffer_release(&pool, &limits, &queue, 1500);
	CHECK_HELD(queue, 0, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	CHECK_EQUAL(pool.headroom_used, 0);
}

static void queue_alpha(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = dynamic(0, 0, 0, 0);
	struct buffer_account queue = {};

	CHECK(buffer_charge_queue(&pool, &limits, &queue, 500));
	CHECK(!buffer_charge_queue(&pool, &limits, &queue, 1));
	limits.alpha = 1;
	CHECK(buffer_charge_queue(&pool, &limits, &queue, 100));
}

static void queue_refused_keeps_guarantee(void)
{
	struct buffer_pool pool = { .shared_size = 1000 };
	struct buffer_limits limits = limited(1000, 100);
	struct buffer_account queue = {};

	CHECK(!buffer_charge_queue(&pool, &limits, &queue, 1101));
	CHECK_HELD(queue, 0, 0, 0);
	CHECK(buffer_charge_queue(&pool, &limits, &queue, 1100));
}

/* A larger guarantee takes bytes out of shared and headroom, and the PG turns XON. */
static void refile_into_larger_guarantee(void)
{
	struct buffer_pool pool = { .shared_size = 2000, .headroom_size = 500 };
	struct buffer_limits limits = fixed(0, 500, 1000, 1000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 1000));
	CHECK(buffer_charge(&pool, &limits, &pg, 800));
	CHECK_HELD(pg, 0, 1000, 800);
	CHECK_EQUAL(pool.headroom_used, 300);
	limits = fixed(1500, 500, 3000, 1800);
	buffer_refile(&pool, &limits, &pg);
	CHECK_HELD(pg, 1500, 300, 0);
	CHECK_EQUAL(pool.shared_used, 300);
	CHECK_EQUAL(pool.headroom_used, 0);
	CHECK(!pg.xoff);
}

/* A smaller guarantee pushes bytes on, and the PG turns XOFF. */
static void refile_into_smaller_guarantee(void)
{
	struct buffer_pool pool = { .shared_size = 5000, .headroom_size = 100 };
	struct buffer_limits limits = fixed(3000, 0, 3000, 1000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 3000));
	CHECK(!pg.xoff);
	limits = fixed(1000, 200, 1500, 1000);
	buffer_refile(&pool, &limits, &pg);
	CHECK_HELD(pg, 1000, 500, 1500);	/* 1200 of them without a place */
	CHECK_EQUAL(pg.pool_headroom_used, 100);
	CHECK(pg.xoff);
	buffer_release(&pool, &limits, &pg, 3000);
	CHECK_HELD(pg, 0, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	CHECK_EQUAL(pool.headroom_used, 0);
	CHECK(!pg.xoff);
}

/* Dynamic: the shared part is not above the threshold that it lowers itself. */
static void refile_dynamic(void)
{
	struct buffer_pool pool = { .shared_size = 3000 };
	struct buffer_limits limits = dynamic(3000, 0, 0, 0);
	struct buffer_account pg = {};
	int k;

	CHECK(buffer_charge(&pool, &limits, &pg, 3000));
	for (k = BUFFER_ALPHA_MIN; k <= BUFFER_ALPHA_MAX; k++) {
		limits = dynamic(0, 5000, k, 0);
		buffer_refile(&pool, &limits, &pg);
		CHECK(pg.shared_used <= buffer_threshold(&pool, &limits));
		pool.shared_used++;
		CHECK(pg.shared_used + 1 > buffer_threshold(&pool, &limits));
		pool.shared_used--;
		CHECK_EQUAL(buffer_account_bytes(&pg), 3000);
		CHECK(pg.xoff);
	}
	limits = dynamic(3000, 0, 0, 0);
	buffer_refile(&pool, &limits, &pg);
	CHECK_HELD(pg, 3000, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	CHECK(!pg.xoff);
}

/* P shrinks below S: all are withdrawn first, so that S <= P at every step. */
static void refile_all_into_smaller_pool(void)
{
	struct buffer_pool pool = { .shared_size = 10000 };
	struct buffer_limits limits = fixed(0, 4000, 5000, 5000);
	struct buffer_account pg[2] = {};
	unsigned int i;

	for (i = 0; i < 2; i++)
		CHECK(buffer_charge(&pool, &limits, &pg[i], 4000));
	pool.shared_size = 5000;
	for (i = 0; i < 2; i++) {
		buffer_withdraw(&pool, &pg[i]);
		CHECK_HELD(pg[i], 0, 0, 4000);
	}
	CHECK_EQUAL(pool.shared_used, 0);
	for (i = 0; i < 2; i++) {
		buffer_refile(&pool, &limits, &pg[i]);
		CHECK(pool.shared_used <= pool.shared_size);
	}
	CHECK_HELD(pg[0], 0, 4000, 0);
	CHECK_HELD(pg[1], 0, 1000, 3000);
	CHECK(!pg[0].xoff && pg[1].xoff);
	CHECK_EQUAL(pool.shared_used, 5000);
}

/* Frames may leave between withdrawing and filing anew. */
static void withdraw_and_leave(void)
{
	struct buffer_pool pool = { .shared_size = 10000, .headroom_size = 1000 };
	struct buffer_limits limits = fixed(500, 100, 1000, 1000);
	struct buffer_account pg = {};

	CHECK(buffer_charge(&pool, &limits, &pg, 1000));
	CHECK(buffer_charge(&pool, &limits, &pg, 600));
	CHECK_HELD(pg, 500, 500, 600);
	buffer_withdraw(&pool, &pg);
	CHECK_HELD(pg, 500, 0, 1100);
	CHECK_EQUAL(pg.pool_headroom_used, 0);
	CHECK_EQUAL(pool.shared_used, 0);
	CHECK_EQUAL(pool.headroom_used, 0);
	buffer_release(&pool, &limits, &pg, 600);
	buffer_refile(&pool, &limits, &pg);
	CHECK_HELD(pg, 500, 500, 0);
	buffer_release(&pool, &limits, &pg, 1000);
	CHECK_HELD(pg, 0, 0, 0);
	CHECK_EQUAL(pool.shared_used, 0);
}

/*
 * A PG that a change left above its headroom has no room for more, even when another PG
 * gives pool bytes back: h + r <= H + what others leave of HP.
 */
static void refile_leaves_no_room(void)
{
	struct buffer_pool pool = { .headroom_size = 4000 };
	struct buffer_limits limits = dynamic(0, 10000, 0, 0), none = dynamic(0, 0, 0, 0);
	struct buffer_account a = {}, b = {};

	CHECK(buffer_charge(&pool, &limits, &a, 10000));
	CHECK(buffer_charge(&pool, &none, &b, 4000));
	buffer_refile(&pool, &none, &a);	/* H is 0 now: 10000 without a place */
	CHECK_HELD(a, 0, 0, 10000);
	buffer_release(&pool, &none, &b, 4000);
	CHECK(!buffer_charge(&pool, &none, &a, 1));
	buffer_release(&pool, &none, &a, 10000);
	CHECK(buffer_charge(&pool, &none, &a, 4000));
}

/* The headroom pool is there for PGs: what a change leaves over at a queue is not in it. */
static void refile_queue_spares_headroom(void)
{
	struct buffer_pool pool = { .shared_size = 5000, .headroom_size = 1000 };
	struct buffer_limits limits = limited(0, 5000), lossless = dynamic(0, 0, 0, 0);
	struct buffer_account queue = {}, pg = {};

	CHECK(buffer_charge_queue(&pool, &limits, &queue, 5000));
	limits = limited(0, 1000);
	buffer_refile_queue(&pool, &limits, &queue);
	CHECK_EQUAL(pool.shared_used, 1000);
	CHECK_EQUAL(buffer_account_bytes(&queue), 5000);
	CHECK_EQUAL(pool.headroom_used, 0);
	pool.shared_used = 5000;		/* others take the shared pool */
	CHECK(buffer_charge(&pool, &lossless, &pg, 1000));
	pool.shared_used = 1000;
	buffer_release(&pool, &limits, &queue, 5000);
	CHECK_HELD(queue, 0, 0, 0);
	CHECK(!queue.xoff);
}

static u64 whole_cells(u64 bytes, u64 cell)
{
	return (bytes + cell - 1) / cell * cell;
}

static void cells(void)
{
	static const u32 sizes[] = { 2, 3, 64, 80, 208, 256, 1000, 20000, 3000000000U, UINT32_MAX };
	u64 state = 1, rounded;
	unsigned int i, round;
	u32 bytes;

	CHECK_EQUAL(buffer_frame_bytes(1, 0), 1);
	CHECK_EQUAL(buffer_frame_bytes(1500, 1), 1500);
	CHECK_EQUAL(buffer_frame_bytes(208, 208), 208);
	CHECK_EQUAL(buffer_frame_bytes(209, 208), 416);
	for (round = 0; round < 100000; round++) {
		bytes = next_random(&state) >> (32 + next_random(&state) % 32);
		if (round & 1)
			bytes = UINT32_MAX - bytes;
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			rounded = whole_cells(bytes, sizes[i]);
			CHECK_EQUAL(buffer_frame_bytes(bytes, sizes[i]),
				    rounded > UINT32_MAX ? bytes : rounded);
		}
	}
}

static struct buffer_limits random_limits(u64 *state)
{
	u64 guaranteed = next_random(state) % 4000, xoff = guaranteed + next_random(state) % 8000;

	if (next_random(state) & 1)
		return dynamic(guaranteed, next_random(state) % 3000,
			       (int)(next_random(state) % 18) - 10, next_random(state) % 2000);
	return fixed(guaranteed, next_random(state) % 3000, xoff, next_random(state) % (xoff + 1));
}

static void check_same(const struct buffer_pool pool[2], const struct buffer_account pg[2])
{
	CHECK_HELD(pg[0], pg[1].guaranteed_used, pg[1].shared_used, pg[1].headroom_used);
	CHECK_EQUAL(pg[0].xoff, pg[1].xoff);
	CHECK_EQUAL(pool[0].shared_used, pool[1].shared_used);
	CHECK_EQUAL(pool[0].headroom_used, pool[1].headroom_used);
}

/* One PG by the short way where it is open, its twin always by the long way. */
static void private_way(u64 *state)
{
	struct buffer_pool pool[2] = { { .shared_size = 8000, .headroom_size = 1000 } };
	struct buffer_limits limits = random_limits(state);
	struct buffer_account pg[2] = {};
	u32 frames[64], len;
	unsigned int count = 0, step;
	bool admitted;

	pool[1] = pool[0];
	for (step = 0; step < 200; step++) {
		len = 1 + next_random(state) % 2000;
		if (next_random(state) & 1 && count < ARRAY_SIZE(frames)) {
			admitted = buffer_charge_private(&limits, &pg[0], len) ||
				   buffer_charge(&pool[0], &limits, &pg[0], len);
			CHECK_EQUAL(admitted, buffer_charge(&pool[1], &limits, &pg[1], len));
			if (admitted)
				frames[count++] = len;
		} else if (count) {
			len = frames[--count];
			if (!buffer_release_private(&pg[0], len))
				buffer_release(&pool[0], &limits, &pg[0], len);
			buffer_release(&pool[1], &limits, &pg[1], len);
		}
		check_same(pool, pg);
	}
}

static void private_way_is_the_same(void)
{
	u64 state = 2;
	unsigned int round;

	for (round = 0; round < 2000; round++)
		private_way(&state);
}

/* The short way must be taken where it is open, or it would take the pool's lock for nothing. */
static void private_way_is_open(void)
{
	struct buffer_limits limits = dynamic(3000, 0, 0, 0);
	struct buffer_account pg = {};

	CHECK(buffer_charge_private(&limits, &pg, 3000));
	CHECK(!buffer_charge_private(&limits, &pg, 1));
	CHECK(!buffer_charge_private(&limits, &pg, UINT32_MAX));
	CHECK_HELD(pg, 3000, 0, 0);
	CHECK(buffer_release_private(&pg, 3000));
	CHECK_HELD(pg, 0, 0, 0);
}

static const struct test tests[] = {
	TEST(charge_guaranteed),
	TEST(charge_shared_rest),
	TEST(charge_up_to_threshold),
	TEST(charge_up_to_shared_size),
	TEST(charge_headroom_order),
	TEST(charge_headroom_of_others),
	TEST(refuse_charges_nothing),
	TEST(xoff_by_new_threshold),
	TEST(no_xoff_inside_guarantee),
	TEST(judge_refused_while_empty),
	TEST(release_in_reverse),
	TEST(hysteresis_dynamic),
	TEST(hysteresis_dynamic_empty),
	TEST(hysteresis_static),
	TEST(judge_after_others),
	TEST(static_example_1000),
	TEST(static_example_1500),
	TEST(alpha_values),
	TEST(largest_frame),
	TEST(queue_limit),
	TEST(queue_alpha),
	TEST(queue_refused_keeps_guarantee),
	TEST(refile_into_larger_guarantee),
	TEST(refile_into_smaller_guarantee),
	TEST(refile_dynamic),
	TEST(refile_all_into_smaller_pool),
	TEST(withdraw_and_leave),
	TEST(refile_leaves_no_room),
	TEST(refile_queue_spares_headroom),
	TEST(cells),
	TEST(private_way_is_the_same),
	TEST(private_way_is_open),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
