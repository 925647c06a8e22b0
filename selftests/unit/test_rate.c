// SPDX-License-Identifier: GPL-2.0
/*
 * The time that frames take on the wire, against exact arithmetic, and how long a pause
 * lasts.
 */
#include "ktap.h"
#include "pause.h"

#define FRAMES	1000000
#define MBIT	1000000ULL
#define GBIT	1000000000ULL

typedef unsigned __int128 u128;

/* 2^-32 ns */
static u128 fine(struct wire_time t)
{
	return (u128)t.ns << 32 | t.frac;
}

static u128 exact_fine(u64 bytes, u64 bits_per_s)
{
	return ((u128)bytes * 8 * GBIT << 32) / bits_per_s;
}

static u128 distance(u128 a, u128 b)
{
	return a > b ? a - b : b - a;
}

/* A shaper adds frame by frame: a million of them may be 1 ppm wrong, no more. */
static void accumulate(u64 bits_per_s, u32 frame_bytes)
{
	struct wire_time per_byte = wire_time_per_byte(bits_per_s / 8), sum = {};
	u128 exact = exact_fine((u64)FRAMES * frame_bytes, bits_per_s);
	unsigned int i;

	for (i = 0; i < FRAMES; i++)
		sum = wire_time_add(sum, wire_time_of(per_byte, frame_bytes));
	CHECK(distance(fine(sum), exact) * MBIT < exact);
}

static void check_rate(u64 bits_per_s)
{
	static const u32 sizes[] = { 64, 65, 84, 1000, 1518, 1542, 4096, 9000, 9216 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		accumulate(bits_per_s, sizes[i]);
}

static void rate_1m(void)
{
	check_rate(MBIT);
}

static void rate_34_3g(void)
{
	check_rate(34300 * MBIT);
}

static void rate_34_4g(void)
{
	check_rate(34400 * MBIT);
}

static void rate_100g(void)
{
	check_rate(100 * GBIT);
}

static void rate_400g(void)
{
	check_rate(400 * GBIT);
}

static void rate_800g(void)
{
	check_rate(800 * GBIT);
}

/* Every size from 64 to 9216 in turn, as a mix of traffic has them. */
static void mixed_sizes(void)
{
	static const u64 rates[] = { MBIT, 34300 * MBIT, 34400 * MBIT, 100 * GBIT, 800 * GBIT };
	struct wire_time per_byte, sum;
	u64 bytes;
	unsigned int i;
	u32 size;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		per_byte = wire_time_per_byte(rates[i] / 8);
		sum = (struct wire_time){};
		bytes = 0;
		for (size = 64; size <= 9216; size++) {
			sum = wire_time_add(sum, wire_time_of(per_byte, size));
			bytes += size;
		}
		CHECK(distance(fine(sum), exact_fine(bytes, rates[i])) * MBIT <
		      exact_fine(bytes, rates[i]));
	}
}

/* 0.1 ppm, as rate.h promises, from 1 kbit/s to 1.6 Tbit/s; its ns fits 23 bits. */
static void all_rates(void)
{
	u64 state = 3, rate;
	struct wire_time per_byte;
	u128 exact;
	unsigned int i;

	for (i = 0; i < 200000; i++) {
		rate = 125 + next_random(&state) % (200 * GBIT >> next_random(&state) % 31);
		per_byte = wire_time_per_byte(rate);
		exact = ((u128)GBIT << 64) / rate;
		CHECK(distance(fine(per_byte) << 32, exact) * 10 * MBIT < exact);
		CHECK(per_byte.ns < 1 << 23);
	}
	CHECK_EQUAL(wire_time_per_byte(125).ns, 8000000);
	CHECK_EQUAL(wire_time_per_byte(125).frac, 0);
}

static void largest_length(void)
{
	struct wire_time slow = wire_time_of(wire_time_per_byte(125), UINT32_MAX);
	struct wire_time fast = wire_time_of(wire_time_per_byte(200 * GBIT), UINT32_MAX);

	CHECK_EQUAL(slow.ns, 8000000ULL * UINT32_MAX);
	CHECK(distance(fine(fast), exact_fine(UINT32_MAX, 1600 * GBIT)) * 10 * MBIT <
	      exact_fine(UINT32_MAX, 1600 * GBIT));
}

static void carry(void)
{
	struct wire_time half = { 1, 0x80000000 }, less = { 0, 0x7fffffff };
	struct wire_time sum = wire_time_add(half, half);

	CHECK_EQUAL(sum.ns, 3);
	CHECK_EQUAL(sum.frac, 0);
	sum = wire_time_add(half, less);
	CHECK_EQUAL(sum.ns, 1);
	CHECK_EQUAL(sum.frac, UINT32_MAX);
}

/* facts/frames.md: 65535 quanta at each rate. */
static void pause_65535(void)
{
	CHECK_EQUAL(pause_ns(wire_time_per_byte(1 * GBIT / 8), 65535), 33553920);
	CHECK_EQUAL(pause_ns(wire_time_per_byte(10 * GBIT / 8), 65535), 3355392);
	CHECK_EQUAL(pause_ns(wire_time_per_byte(40 * GBIT / 8), 65535), 838848);
	CHECK_EQUAL(pause_ns(wire_time_per_byte(1 * MBIT / 8), 65535), 33553920000ULL);
	CHECK_EQUAL(pause_ns(wire_time_per_byte(10 * GBIT / 8), 0), 0);
	CHECK_EQUAL(pause_ns(wire_time_per_byte(10 * GBIT / 8), 1), 52);	/* 51.2 */
}

/* Rounded up: a pause that ends early is a frame in a full buffer. */
static void pause_never_short(void)
{
	static const u64 rates[] = { 1 * GBIT, 10 * GBIT, 25 * GBIT, 40 * GBIT, 100 * GBIT,
				     400 * GBIT, 800 * GBIT, 34300 * MBIT };
	unsigned int i, quanta;
	u64 ns, bits;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (quanta = 0; quanta <= UINT16_MAX; quanta++) {
			ns = pause_ns(wire_time_per_byte(rates[i] / 8), quanta);
			bits = quanta * 512ULL;
			CHECK((u128)ns * rates[i] >= (u128)bits * GBIT);
			CHECK((u128)ns * rates[i] < (u128)bits * GBIT + 2 * rates[i]);
		}
	}
}

static const struct test tests[] = {
	TEST(rate_1m),
	TEST(rate_34_3g),
	TEST(rate_34_4g),
	TEST(rate_100g),
	TEST(rate_400g),
	TEST(rate_800g),
	TEST(mixed_sizes),
	TEST(all_rates),
	TEST(largest_length),
	TEST(carry),
	TEST(pause_65535),
	TEST(pause_never_short),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
