// SPDX-License-Identifier: GPL-2.0
/*
 * The marking curve: the dice beside which the verdict changes, and the share that is marked.
 */
#include "../core/ecn.h"
#include "suite.h"

/* kmin, kmax and pmax: the default, the one of the DCQCN paper, and a step as DCTCP has it */
static const struct ecn_law usual = { 100000, 200000, 200000 };
static const struct ecn_law paper = { 5000, 200000, 10000 };
static const struct ecn_law step = { 30000, 30000, 500000 };
static const struct ecn_law never_between = { 100000, 200000, 0 };
static const struct ecn_law widest = { 0, U32_MAX, ECN_MILLION };

static const struct {
	const char *what;
	const struct ecn_law *law;
	u64 queue_bytes;
	u32 random;
	bool is_marked;
} verdicts[] = {
	{ "empty", &usual, 0, 0, false },
	{ "below kmin", &usual, 99999, 0, false },
	{ "at kmin", &usual, 100000, 0, false },
	{ "above kmin, lowest dice", &usual, 100001, 0, true },
	/* 10 % of 2^32 is 429496729.6 */
	{ "half way, 10 %", &usual, 150000, 429496729, true },
	{ "half way, above 10 %", &usual, 150000, 429496730, false },
	/* 20 %: 858993459.2 */
	{ "at kmax, 20 %", &usual, 200000, 858993459, true },
	{ "at kmax, above 20 %", &usual, 200000, 858993460, false },
	{ "above kmax, highest dice", &usual, 200001, U32_MAX, true },
	{ "at kmax, pmax 0", &never_between, 200000, 0, false },
	{ "above kmax, pmax 0", &never_between, 200001, U32_MAX, true },
	/* 1 %: 42949672.96 */
	{ "paper: at kmax, 1 %", &paper, 200000, 42949672, true },
	{ "paper: at kmax, above 1 %", &paper, 200000, 42949673, false },
	{ "step: below", &step, 29999, 0, false },
	{ "step: at it, 50 %", &step, 30000, 0x7fffffff, true },
	{ "step: at it, above 50 %", &step, 30000, 0x80000000, false },
	{ "step: above", &step, 30001, U32_MAX, true },
	{ "widest: all at kmax", &widest, U32_MAX, U32_MAX, true },
	{ "widest: half, half way", &widest, 0x80000000, 0x7fffffff, true },
	{ "widest: not more, half way", &widest, 0x80000000, 0x80010000, false },
	{ "beyond 32 bits", &usual, 1ULL << 40, U32_MAX, true },
};

ROWS(verdicts);

static void verdict_case(struct kunit *test)
{
	const typeof(verdicts[0]) *row = test->param_value;

	KUNIT_EXPECT_EQ(test, ecn_marks(row->law, row->queue_bytes, row->random), row->is_marked);
}

/* Of 10,000 dice that lie evenly */
static const struct {
	const char *what;
	const struct ecn_law *law;
	u64 queue_bytes;
	unsigned int marked;
} shares[] = {
	{ "usual: at kmin", &usual, 100000, 0 },
	{ "usual: a quarter", &usual, 125000, 500 },
	{ "usual: half", &usual, 150000, 1000 },
	{ "usual: three quarters", &usual, 175000, 1500 },
	{ "usual: at kmax", &usual, 200000, 2000 },
	{ "usual: above kmax", &usual, 200001, 10000 },
	{ "paper: two fifths", &paper, 83000, 40 },
	{ "paper: at kmax", &paper, 200000, 100 },
	{ "step: at it", &step, 30000, 5000 },
};

ROWS(shares);

static void share_case(struct kunit *test)
{
	const typeof(shares[0]) *row = test->param_value;
	unsigned int i, marked = 0;
	u32 random;

	for (i = 0; i < 10000; i++) {
		random = div64_u64((2ULL * i + 1) << 32, 20000);
		marked += ecn_marks(row->law, row->queue_bytes, random);
	}
	KUNIT_EXPECT_EQ(test, marked, row->marked);
}

static struct kunit_case ecn_cases[] = {
	KUNIT_CASE_PARAM(verdict_case, verdicts_gen_params),
	KUNIT_CASE_PARAM(share_case, shares_gen_params),
	{}
};

static struct kunit_suite ecn_suite = {
	.name = "lossless_ecn",
	.test_cases = ecn_cases,
};

kunit_test_suite(ecn_suite);
