// SPDX-License-Identifier: GPL-2.0
/*
 * The headroom of a link: sums that were worked out by hand, and each term alone.
 */
#include "../core/headroom.c"
#include "suite.h"

#define METRE	100	/* cm */

/* A peer in hardware: response 0 */
static struct headroom_terms terms_of(u64 bits_per_s, u32 cable_cm, u32 mtu)
{
	struct headroom_link link = {
		.bits_per_s = bits_per_s, .cable_cm = cable_cm, .mtu = mtu,
	};

	return headroom_terms(&link);
}

static const struct {
	const char *what;
	u64 bits_per_s;
	u32 metres;
	u32 mtu;
	bool without_interface;
	u64 bytes;
} sums[] = {
	{ "10G 5 m, MTU 1500, no t_if", 10 * GBPS, 5, 1500, true, 7472 },
	{ "40G 100 m, MTU 1500, no t_if", 40 * GBPS, 100, 1500, true, 15723 },
	{ "100G 5 m, MTU 1500, no t_if", 100 * GBPS, 5, 1500, true, 28968 },
	{ "100G 100 m, MTU 1500, no t_if", 100 * GBPS, 100, 1500, true, 40963 },
	{ "400G 100 m, MTU 1500, no t_if", 400 * GBPS, 100, 1500, true, 111546 },
	{ "10G 5 m, MTU 9216", 10 * GBPS, 5, 9216, false, 24952 },
	{ "25G 40 m, MTU 9216", 25 * GBPS, 40, 9216, false, 26471 },
	{ "40G 100 m, MTU 9216", 40 * GBPS, 100, 9216, false, 37299 },
	{ "100G 100 m, MTU 9216", 100 * GBPS, 100, 9216, false, 87115 },
};

ROWS(sums);

static void sum_case(struct kunit *test)
{
	const typeof(sums[0]) *row = test->param_value;
	struct headroom_terms terms = terms_of(row->bits_per_s, row->metres * METRE, row->mtu);

	if (row->without_interface)
		terms.interface = 0;
	KUNIT_EXPECT_EQ(test, headroom_bytes(&terms), row->bytes);
}

/* What a switch of 100 Gbit/s is given, within 5 %: 100 m, MTU 9216, 408 cells of 208 bytes */
static void cells_of_a_switch(struct kunit *test)
{
	struct headroom_terms terms = terms_of(100 * GBPS, 100 * METRE, 9216);
	u64 bytes = headroom_bytes(&terms);

	KUNIT_EXPECT_GE(test, bytes * 100, 408 * 208 * 95);
	KUNIT_EXPECT_LE(test, bytes * 100, 408 * 208 * 105);
}

/* t_resp in quanta of 64 bytes and twice t_if in bits, at the standards' rates and half way */
static const struct {
	const char *what;
	u64 bits_per_s;
	u64 peer;
	u64 interface;
} rates[] = {
	{ "1 kbit/s", KBPS, 1, 1 },
	{ "50 Mbit/s", 50 * MBPS, 32, 11 },		/* 10.24 */
	{ "100 Mbit/s", 100 * MBPS, 64, 21 },		/* 20.48 */
	{ "550 Mbit/s", 550 * MBPS, 96, 113 },		/* 112.64 */
	{ "1 Gbit/s", 1 * GBPS, 2 * 64, 205 },		/* 204.8 */
	{ "5.5 Gbit/s", 5500 * MBPS, 2208, 1127 },	/* 1126.4 */
	{ "10 Gbit/s", 10 * GBPS, 67 * 64, 2048 },
	{ "17.5 Gbit/s", 17500 * MBPS, 4704, 1792 },	/* t_if falls */
	{ "25 Gbit/s", 25 * GBPS, 80 * 64, 1536 },
	{ "32.5 Gbit/s", 32500 * MBPS, 6336, 3840 },
	{ "40 Gbit/s", 40 * GBPS, 118 * 64, 6144 },
	{ "50 Gbit/s", 50 * GBPS, 147 * 64, 10240 },
	{ "75 Gbit/s", 75 * GBPS, 17312, 20480 },
	{ "100 Gbit/s", 100 * GBPS, 394 * 64, 30720 },
	{ "150 Gbit/s", 150 * GBPS, 27104, 46080 },
	{ "200 Gbit/s", 200 * GBPS, 453 * 64, 61440 },
	{ "400 Gbit/s", 400 * GBPS, 905 * 64, 122880 },
	{ "600 Gbit/s", 600 * GBPS, 905 * 64, 184320 },
	{ "800 Gbit/s", 800 * GBPS, 905 * 64, 245760 },
	{ "1.6 Tbit/s", 1600 * GBPS, 2 * 905 * 64, 491520 },
};

ROWS(rates);

static void rate_case(struct kunit *test)
{
	const typeof(rates[0]) *row = test->param_value;
	struct headroom_terms terms = terms_of(row->bits_per_s, 0, 1500);

	KUNIT_EXPECT_EQ(test, terms.peer, row->peer);
	KUNIT_EXPECT_EQ(test, terms.interface, row->interface);
}

static const struct {
	const char *what;
	u64 bits_per_s;
	u32 cable_cm;
	u64 bytes;
} cables[] = {
	{ "none", 100 * GBPS, 0, 0 },
	{ "1 cm at 1 kbit/s", KBPS, 1, 1 },
	{ "100 m at 100 Gbit/s", 100 * GBPS, 100 * METRE, 12627 },	/* 12626.26 */
	{ "198 m at 10 Gbit/s", 10 * GBPS, 198 * METRE, 2500 },
	{ "100 km at 1.6 Tbit/s", 1600 * GBPS, 100000 * METRE, 202020203 },
};

ROWS(cables);

static void cable_case(struct kunit *test)
{
	const typeof(cables[0]) *row = test->param_value;

	KUNIT_EXPECT_EQ(test, terms_of(row->bits_per_s, row->cable_cm, 1500).cable, row->bytes);
}

static void terms_of_software(struct kunit *test)
{
	struct headroom_link link = {
		.bits_per_s = 100 * GBPS, .cable_cm = 100 * METRE, .mtu = 9216,
		.response = HEADROOM_RESPONSE_DEFAULT,
	};
	struct headroom_terms terms = headroom_terms(&link);

	KUNIT_EXPECT_EQ(test, terms.response, 65536);
	KUNIT_EXPECT_EQ(test, terms.frames, 2 * 9234);
	KUNIT_EXPECT_EQ(test, terms.pause_frame, 84);
	KUNIT_EXPECT_EQ(test, headroom_bytes(&terms), 87115 + 65536);
	link.vlan = true;
	link.mtu = 65535;
	link.response = U32_MAX;
	terms = headroom_terms(&link);
	KUNIT_EXPECT_EQ(test, terms.frames, 2 * 65557);
	KUNIT_EXPECT_EQ(test, terms.response, U32_MAX);
}

static struct kunit_case headroom_cases[] = {
	KUNIT_CASE_PARAM(sum_case, sums_gen_params),
	KUNIT_CASE(cells_of_a_switch),
	KUNIT_CASE_PARAM(rate_case, rates_gen_params),
	KUNIT_CASE_PARAM(cable_case, cables_gen_params),
	KUNIT_CASE(terms_of_software),
	{}
};

static struct kunit_suite headroom_suite = {
	.name = "lossless_headroom",
	.test_cases = headroom_cases,
};

kunit_test_suite(headroom_suite);
