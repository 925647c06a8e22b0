// SPDX-License-Identifier: GPL-2.0
/*
 * The marking curve. The share of the dice that mark is found exactly, by bisection over
 * all 2^32 of them, after sampling that low dice mark and high ones do not.
 */
#include "ecn.h"
#include "ktap.h"

#define DICE (1ULL << 32)

/* How many of the 2^32 dice mark. */
static u64 marking_dice(const struct ecn_law *law, u64 queue_bytes)
{
	u64 low = 0, high = DICE, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (ecn_marks(law, queue_bytes, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Bisection counts right only if there is one step, from marking to not marking. */
static void check_one_step(const struct ecn_law *law, u64 queue_bytes)
{
	u64 marking = marking_dice(law, queue_bytes), dice;

	for (dice = 0; dice < DICE; dice += 1048573)
		CHECK_EQUAL(ecn_marks(law, queue_bytes, dice), dice < marking);
}

/* The probability, in 2^32, is right to one millionth (the grain of pmax). */
static void check_probability(const struct ecn_law *law, u64 queue_bytes, u64 numerator,
			      u64 denominator)
{
	unsigned __int128 exact = (unsigned __int128)numerator * law->pmax_millionths * DICE;
	unsigned __int128 found = (unsigned __int128)marking_dice(law, queue_bytes) * denominator *
				  ECN_MILLION;
	unsigned __int128 grain = (unsigned __int128)denominator * (DICE + ECN_MILLION);

	CHECK(found + grain > exact);
	CHECK(found < exact + grain);
}

static void below_kmin(void)
{
	const struct ecn_law law = { 100000, 200000, ECN_MILLION };

	CHECK_EQUAL(marking_dice(&law, 0), 0);
	CHECK_EQUAL(marking_dice(&law, 99999), 0);
	CHECK_EQUAL(marking_dice(&law, 100000), 0);
	CHECK(marking_dice(&law, 100001) > 0);
}

static void above_kmax(void)
{
	const struct ecn_law law = { 100000, 200000, 0 };

	CHECK_EQUAL(marking_dice(&law, 200000), 0);
	CHECK_EQUAL(marking_dice(&law, 200001), DICE);
	CHECK_EQUAL(marking_dice(&law, UINT64_MAX), DICE);
}

static void at_kmax(void)
{
	const struct ecn_law law = { 100000, 200000, 200000 }, all = { 0, 1, ECN_MILLION };

	check_probability(&law, 200000, 1, 1);
	CHECK_EQUAL(marking_dice(&all, 1), DICE);
}

/* Every 97th queue length of the default curve, in exact fractions. */
static void default_curve(void)
{
	const struct ecn_law law = { 100000, 200000, 200000 };
	u64 queue, before = 0;

	for (queue = 100000; queue <= 200000; queue += 97) {
		check_probability(&law, queue, queue - 100000, 100000);
		CHECK(marking_dice(&law, queue) >= before);
		before = marking_dice(&law, queue);
	}
	check_one_step(&law, 100000);
	check_one_step(&law, 150000);
	check_one_step(&law, 200000);
	check_one_step(&law, 200001);
}

static void random_curves(void)
{
	struct ecn_law law;
	u64 state = 5, queue;
	unsigned int round;

	for (round = 0; round < 20000; round++) {
		law.kmin = next_random(&state) >> (32 + next_random(&state) % 20);
		law.kmax = law.kmin + 1 + next_random(&state) % (UINT32_MAX - (u64)law.kmin);
		law.pmax_millionths = next_random(&state) % (ECN_MILLION + 1);
		queue = law.kmin + next_random(&state) % (law.kmax - (u64)law.kmin + 1);
		check_probability(&law, queue, queue - law.kmin, law.kmax - law.kmin);
	}
}

/* The widest curve: no product wraps. */
static void widest_curve(void)
{
	const struct ecn_law law = { 0, UINT32_MAX, ECN_MILLION };

	check_probability(&law, UINT32_MAX / 2, UINT32_MAX / 2, UINT32_MAX);
	CHECK_EQUAL(marking_dice(&law, UINT32_MAX), DICE);
	check_one_step(&law, UINT32_MAX / 3);
}

/* kmin = kmax: a step, as DCTCP has it; at the step itself pmax. */
static void step(void)
{
	const struct ecn_law law = { 30000, 30000, 500000 }, sure = { 30000, 30000, ECN_MILLION };
	const struct ecn_law zero = { 0, 0, 0 };

	CHECK_EQUAL(marking_dice(&law, 29999), 0);
	check_probability(&law, 30000, 1, 1);
	CHECK_EQUAL(marking_dice(&law, 30001), DICE);
	CHECK_EQUAL(marking_dice(&sure, 30000), DICE);
	CHECK_EQUAL(marking_dice(&zero, 0), 0);
	CHECK_EQUAL(marking_dice(&zero, 1), DICE);
}

static const struct test tests[] = {
	TEST(below_kmin),
	TEST(above_kmax),
	TEST(at_kmax),
	TEST(default_curve),
	TEST(random_curves),
	TEST(widest_curve),
	TEST(step),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
