// SPDX-License-Identifier: GPL-2.0
/*
 * Headroom of a link (DESIGN section 9): the check values of facts/frames.md, and each
 * term against exact arithmetic.
 */
#include "headroom.h"
#include "ktap.h"

#define MBIT	1000000ULL
#define GBIT	1000000000ULL
#define METRE	100		/* cm */

static struct headroom_link hardware(u64 bits_per_s, u32 metres, u32 mtu)
{
	return (struct headroom_link){
		.bits_per_s = bits_per_s, .cable_cm = metres * METRE, .mtu = mtu,
	};
}

static u64 whole(u64 bits_per_s, u32 metres, u32 mtu)
{
	struct headroom_link link = hardware(bits_per_s, metres, mtu);
	struct headroom_terms terms = headroom_terms(&link);

	return headroom_bytes(&terms);
}

static u64 without_interface(u64 bits_per_s, u32 metres, u32 mtu)
{
	struct headroom_link link = hardware(bits_per_s, metres, mtu);
	struct headroom_terms terms = headroom_terms(&link);

	terms.interface = 0;
	return headroom_bytes(&terms);
}

static void values_without_interface(void)
{
	CHECK_EQUAL(without_interface(10 * GBIT, 5, 1500), 7472);
	CHECK_EQUAL(without_interface(40 * GBIT, 100, 1500), 15723);
	CHECK_EQUAL(without_interface(100 * GBIT, 5, 1500), 28968);
	CHECK_EQUAL(without_interface(100 * GBIT, 100, 1500), 40963);
	CHECK_EQUAL(without_interface(400 * GBIT, 100, 1500), 111546);
}

static void values_whole(void)
{
	CHECK_EQUAL(whole(10 * GBIT, 5, 9216), 24952);
	CHECK_EQUAL(whole(25 * GBIT, 40, 9216), 26471);
	CHECK_EQUAL(whole(40 * GBIT, 100, 9216), 37299);
	CHECK_EQUAL(whole(100 * GBIT, 100, 9216), 87115);
}

/* What a switch ASIC of 100 Gbit/s is given: 408 cells of 208 bytes, to 5 %. */
static void cells_of_a_switch(void)
{
	u64 bytes = whole(100 * GBIT, 100, 9216);

	CHECK(bytes * 100 >= 408 * 208 * 95);
	CHECK(bytes * 100 <= 408 * 208 * 105);
}

static void check_interpolated(u64 bits_per_s, u64 peer, u64 interface)
{
	struct headroom_link link = hardware(bits_per_s, 0, 1500);
	struct headroom_terms terms = headroom_terms(&link);

	CHECK_EQUAL(terms.peer, peer);
	CHECK_EQUAL(terms.interface, interface);
}

/* At the entries of both tables: quanta of 64 bytes; two delays of so many bit times. */
static void table_entries(void)
{
	check_interpolated(10 * GBIT, 67 * 64, 8192 / 4);
	check_interpolated(25 * GBIT, 80 * 64, 6144 / 4);
	check_interpolated(40 * GBIT, 118 * 64, 24576 / 4);
	check_interpolated(50 * GBIT, 147 * 64, (24576 * 5 + 122880) / 6 / 4);
	check_interpolated(100 * GBIT, 394 * 64, 122880 / 4);
	check_interpolated(200 * GBIT, 453 * 64, 122880 / 4 * 2);
	check_interpolated(400 * GBIT, 905 * 64, 122880 / 4 * 4);
	check_interpolated(800 * GBIT, 905 * 64, 122880 / 4 * 8);
}

/* Half way between neighbours. */
static void linear_between(void)
{
	check_interpolated(5500 * MBIT, (2 + 67) * 32, 1127);	/* 1126.4: proportional below 10G */
	check_interpolated(17500 * MBIT, (67 + 80) * 32, (8192 + 6144) / 8);
	check_interpolated(32500 * MBIT, (80 + 118) * 32, (6144 + 24576) / 8);
	check_interpolated(75 * GBIT, (147 + 394) * 32, 20480);
	check_interpolated(150 * GBIT, (394 + 453) * 32, 122880 / 4 * 3 / 2);
	check_interpolated(600 * GBIT, 905 * 64, 122880 / 4 * 6);
}

/* Proportional to the rate outside the table, rounded up. */
static void proportional_ends(void)
{
	check_interpolated(1600 * GBIT, 2 * 905 * 64, 122880 / 4 * 16);
	check_interpolated(1 * GBIT, 2 * 64, 205);		/* 204.8 */
	check_interpolated(100 * MBIT, 64, 21);			/* 20.48 */
	check_interpolated(50 * MBIT, 32, 11);			/* 10.24 */
	check_interpolated(1 * MBIT, 1, 1);
	check_interpolated(1000, 1, 1);
}

/* Each table's points once more, for the exact line between them. */
struct point {
	u64 mbit;
	u64 value;
};

static const struct point quanta_points[] = {
	{ 100, 1 }, { 1000, 2 }, { 10000, 67 }, { 25000, 80 }, { 40000, 118 }, { 50000, 147 },
	{ 100000, 394 }, { 200000, 453 }, { 400000, 905 }, { 800000, 905 },
};

static const struct point bit_points[] = {
	{ 10000, 8192 }, { 25000, 6144 }, { 40000, 24576 }, { 100000, 122880 },
};

static double line_through(const struct point *points, unsigned int count, double mbit)
{
	unsigned int i;

	if (mbit <= points[0].mbit)
		return points[0].value * mbit / points[0].mbit;
	for (i = 1; i < count; i++)
		if (mbit <= points[i].mbit)
			return points[i - 1].value + (mbit - points[i - 1].mbit) *
			       ((double)points[i].value - points[i - 1].value) /
			       (points[i].mbit - points[i - 1].mbit);
	return points[count - 1].value * mbit / points[count - 1].mbit;
}

/* A term is rounded up: never below the exact value, and less than 2 bytes above. Between
 * whole Mbit/s the tables are read at the lower one, which is worth less than a byte.
 */
static void check_rounded_up(u64 term, double exact, double below)
{
	CHECK(term > exact - below - 0.000001);
	CHECK(term < exact + 2);
}

static void check_exact(u64 bits_per_s, u32 metres, double below)
{
	struct headroom_link link = hardware(bits_per_s, metres, 1500);
	struct headroom_terms terms = headroom_terms(&link);
	double mbit = bits_per_s / 1e6;
	double quanta = line_through(quanta_points, ARRAY_SIZE(quanta_points), mbit);
	double bits = line_through(bit_points, ARRAY_SIZE(bit_points), mbit);

	check_rounded_up(terms.cable, 2.0 * bits_per_s * metres / 198e6 / 8, 0);
	check_rounded_up(terms.peer, 64 * quanta, below);
	check_rounded_up(terms.interface, bits / 4, below);
}

/* Any rate, whole Mbit/s or not. */
static void exact_everywhere(void)
{
	u64 state = 6, kbit;
	unsigned int i;
	u32 metres;

	for (i = 0; i < 200000; i++) {
		kbit = 1 + next_random(&state) % (1600000000ULL >> next_random(&state) % 30);
		metres = next_random(&state) % 100001;
		check_exact(kbit * 1000, metres, 1);
		check_exact((kbit + 999) / 1000 * MBIT, metres, 0);
	}
}

/* A faster link never needs less, but for the byte that rounding each term may cost where
 * one term falls (t_if, 10 to 25 Gbit/s).
 */
static void monotonic_in_rate(void)
{
	u64 mbit, most = 0, bytes;

	for (mbit = 1; mbit <= 1600000; mbit++) {
		bytes = whole(mbit * MBIT, 5, 1500);
		CHECK(bytes + 1 >= most);
		most = max(most, bytes);
	}
}

static void frames_term(void)
{
	struct headroom_link link = hardware(10 * GBIT, 0, 1500);

	CHECK_EQUAL(headroom_terms(&link).frames, 2 * 1518);
	link.vlan = true;
	CHECK_EQUAL(headroom_terms(&link).frames, 2 * 1522);
	link.mtu = 65535;
	CHECK_EQUAL(headroom_terms(&link).frames, 2 * 65557);
	CHECK_EQUAL(headroom_terms(&link).pause_frame, 84);
}

static void response_term(void)
{
	struct headroom_link link = hardware(100 * GBIT, 100, 9216);
	struct headroom_terms terms;

	link.response = HEADROOM_RESPONSE_DEFAULT;
	terms = headroom_terms(&link);
	CHECK_EQUAL(terms.response, 65536);
	CHECK_EQUAL(headroom_bytes(&terms), 87115 + 65536);
}

/* The ends of what the header promises: nothing wraps. */
static void largest_link(void)
{
	struct headroom_link link = hardware(1600 * GBIT, 100000, 65535);

	CHECK_EQUAL(headroom_terms(&link).cable, 202020203);	/* 202,020,202.02 */
	link.response = UINT32_MAX;
	link.bits_per_s = 1000;
	CHECK_EQUAL(headroom_terms(&link).response, UINT32_MAX);
	CHECK_EQUAL(headroom_terms(&link).cable, 1);
	link.cable_cm = 0;
	CHECK_EQUAL(headroom_terms(&link).cable, 0);
}

static const struct test tests[] = {
	TEST(values_without_interface),
	TEST(values_whole),
	TEST(cells_of_a_switch),
	TEST(table_entries),
	TEST(linear_between),
	TEST(proportional_ends),
	TEST(exact_everywhere),
	TEST(monotonic_in_rate),
	TEST(frames_term),
	TEST(response_term),
	TEST(largest_link),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
