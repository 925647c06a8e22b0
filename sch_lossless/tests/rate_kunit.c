// SPDX-License-Identifier: GPL-2.0
/*
 * The time that bytes take on the wire, with its fraction.
 */
#include "../core/rate.h"
#include "suite.h"

/* 8 bits at the rate, in ns and 2^-32 ns, truncated there */
static const struct {
	const char *what;
	u64 bits_per_s;
	u64 ns;
	u32 frac;
} rates[] = {
	{ "1 kbit/s", KBPS, 8000000, 0 },
	{ "1 Mbit/s", MBPS, 8000, 0 },
	{ "10 Gbit/s", 10 * GBPS, 0, 0xcccccccc },
	{ "25 Gbit/s", 25 * GBPS, 0, 0x51eb851e },
	{ "34.3 Gbit/s", 34300 * MBPS, 0, 0x3bb55d4b },
	{ "100 Gbit/s", 100 * GBPS, 0, 0x147ae147 },
	{ "400 Gbit/s", 400 * GBPS, 0, 0x051eb851 },
	{ "800 Gbit/s", 800 * GBPS, 0, 0x028f5c28 },
	{ "1.6 Tbit/s", 1600 * GBPS, 0, 0x0147ae14 },
};

ROWS(rates);

static void per_byte_case(struct kunit *test)
{
	const typeof(rates[0]) *row = test->param_value;
	struct wire_time per_byte = wire_time_per_byte(row->bits_per_s / 8);

	KUNIT_EXPECT_EQ(test, per_byte.ns, row->ns);
	KUNIT_EXPECT_EQ(test, per_byte.frac, row->frac);
}

/* A hundred thousand frames one after another, to a tenth of the 10 ppm that a shaper holds */
static void expect_sum(struct kunit *test, u64 bits_per_s, u32 frame_bytes)
{
	u64 exact = div64_u64(frame_bytes * 8 * GBPS * 100000, bits_per_s);
	struct wire_time frame, sum = {};
	unsigned int i;

	frame = wire_time_of(wire_time_per_byte(bits_per_s / 8), frame_bytes);
	for (i = 0; i < 100000; i++)
		sum = wire_time_add(sum, frame);
	KUNIT_EXPECT_LE(test, sum.ns, exact);
	KUNIT_EXPECT_GE(test, sum.ns + exact / 1000000 + 1, exact);
}

static void sum_case(struct kunit *test)
{
	static const u32 sizes[] = { 64, 84, 1500, 1542, 9216 };
	const typeof(rates[0]) *row = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		expect_sum(test, row->bits_per_s, sizes[i]);
}

static const struct {
	const char *what;
	struct wire_time per_byte;
	u32 bytes;
	struct wire_time expected;
} lengths[] = {
	{ "nothing", { 8000, 5 }, 0, { 0, 0 } },
	{ "whole", { 8000, 0 }, 1500, { 12000000, 0 } },
	{ "with a fraction", { 2, 0x40000000 }, 7, { 15, 0xc0000000 } },
	{ "carried", { 0, 0x80000000 }, 3, { 1, 0x80000000 } },
	{ "the largest", { 8000000, U32_MAX }, U32_MAX, { 8000000ULL * U32_MAX + U32_MAX - 1, 1 } },
};

ROWS(lengths);

static void length_case(struct kunit *test)
{
	const typeof(lengths[0]) *row = test->param_value;
	struct wire_time time = wire_time_of(row->per_byte, row->bytes);

	KUNIT_EXPECT_EQ(test, time.ns, row->expected.ns);
	KUNIT_EXPECT_EQ(test, time.frac, row->expected.frac);
}

static void add_carries(struct kunit *test)
{
	struct wire_time half = { 1, 0x80000000 }, less = { 5, 0x7fffffff };

	KUNIT_EXPECT_EQ(test, wire_time_add(half, half).ns, 3);
	KUNIT_EXPECT_EQ(test, wire_time_add(half, half).frac, 0);
	KUNIT_EXPECT_EQ(test, wire_time_add(half, less).ns, 6);
	KUNIT_EXPECT_EQ(test, wire_time_add(half, less).frac, U32_MAX);
}

static struct kunit_case rate_cases[] = {
	KUNIT_CASE_PARAM(per_byte_case, rates_gen_params),
	KUNIT_CASE_PARAM(sum_case, rates_gen_params),
	KUNIT_CASE_PARAM(length_case, lengths_gen_params),
	KUNIT_CASE(add_carries),
	{}
};

static struct kunit_suite rate_suite = {
	.name = "lossless_rate",
	.test_cases = rate_cases,
};

kunit_test_suite(rate_suite);
