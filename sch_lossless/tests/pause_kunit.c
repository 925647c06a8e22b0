// SPDX-License-Identifier: GPL-2.0
/*
 * MAC Control frames, byte for byte: what is built, and which of those that arrive count.
 */
#include "../core/pause.c"
#include "suite.h"

#define ADDRESSES	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55
#define PFC		ADDRESSES, 0x88, 0x08, 0x01, 0x01
#define LINK		ADDRESSES, 0x88, 0x08, 0x00, 0x01

static const u8 own_address[PAUSE_ADDRESS_BYTES] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };

static const struct {
	const char *what;
	struct pause_frame pause;
	u8 bytes[PAUSE_FRAME_BYTES];
} frames[] = {
	{ "pause priorities 3 and 4", { PAUSE_PFC, 0x18, { [3] = 65535, [4] = 0x1234 } },
	  { PFC, 0, 0x18, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x12, 0x34 } },
	{ "resume priority 3", { PAUSE_PFC, 0x08, {} }, { PFC, 0, 0x08 } },
	{ "pause 0, resume 7", { PAUSE_PFC, 0x81, { 0x8001 } }, { PFC, 0, 0x81, 0x80, 0x01 } },
	{ "all priorities", { PAUSE_PFC, 0xff, { 1, 2, 3, 4, 5, 6, 7, 0x800 } },
	  { PFC, 0, 0xff, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 8, 0 } },
	{ "no priority", { PAUSE_PFC, 0, {} }, { PFC } },
	{ "pause the link", { PAUSE_LINK, 0, { 0xabcd } }, { LINK, 0xab, 0xcd } },
	{ "resume the link", { PAUSE_LINK, 0, {} }, { LINK } },
};

ROWS(frames);

static void expect_bytes(struct kunit *test, const u8 *bytes, const u8 *expected)
{
	unsigned int i;

	for (i = 0; i < PAUSE_FRAME_BYTES; i++)
		KUNIT_EXPECT_EQ_MSG(test, bytes[i], expected[i], "byte %u", i);
}

/* The byte behind the frame is not ours */
static void build_case(struct kunit *test)
{
	const typeof(frames[0]) *row = test->param_value;
	u8 built[PAUSE_FRAME_BYTES + 1];

	memset(built, 0xa5, sizeof(built));
	pause_build(built, &row->pause, own_address);
	expect_bytes(test, built, row->bytes);
	KUNIT_EXPECT_EQ(test, built[PAUSE_FRAME_BYTES], 0xa5);
}

/* Times of priorities that are not meant stay at home, whatever the caller has there */
static void build_only_what_is_meant(struct kunit *test)
{
	struct pause_frame pfc = { PAUSE_PFC, 0x08, { 9, 9, 9, 0, 9, 9, 9, 9 } };
	struct pause_frame link = { PAUSE_LINK, 0xff, { 0, 9, 9, 9 } };
	static const u8 pfc_bytes[PAUSE_FRAME_BYTES] = { PFC, 0, 0x08 };
	static const u8 link_bytes[PAUSE_FRAME_BYTES] = { LINK };
	u8 built[PAUSE_FRAME_BYTES];

	pause_build(built, &pfc, own_address);
	expect_bytes(test, built, pfc_bytes);
	pause_build(built, &link, own_address);
	expect_bytes(test, built, link_bytes);
}

static void parse_case(struct kunit *test)
{
	const typeof(frames[0]) *row = test->param_value;
	struct pause_frame pause;
	unsigned int i;

	pause = pause_parse(row->bytes, PAUSE_FRAME_BYTES, false, own_address);
	KUNIT_EXPECT_EQ(test, pause.kind, row->pause.kind);
	KUNIT_EXPECT_EQ(test, pause.enabled, row->pause.enabled);
	for (i = 0; i < PAUSE_PRIORITIES; i++)
		KUNIT_EXPECT_EQ(test, pause.quanta[i], row->pause.quanta[i]);
}

/* A pause of priority 3 that differs in one respect: these bytes at this offset */
static const struct {
	const char *what;
	u32 frame_bytes;
	bool tagged;
	unsigned int offset;
	unsigned int count;
	u8 bytes[PAUSE_ADDRESS_BYTES];
	enum pause_kind kind;
} arrivals[] = {
	{ "good", 60, false, 0, 0, {}, PAUSE_PFC },
	{ "to our own address", 60, false, 0, 6, { 2, 0x11, 0x22, 0x33, 0x44, 0x55 }, PAUSE_PFC },
	{ "to another station", 60, false, 0, 6, { 2, 0x11, 0x22, 0x33, 0x44, 0x56 },
	  PAUSE_MALFORMED },
	{ "to the bridge group", 60, false, 5, 1, { 0 }, PAUSE_MALFORMED },
	{ "to all", 60, false, 0, 6, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, PAUSE_MALFORMED },
	{ "from nobody", 60, false, 6, 6, {}, PAUSE_PFC },
	{ "opcode PAUSE", 60, false, 14, 2, { 0x00, 0x01 }, PAUSE_LINK },
	{ "opcode 0x1001", 60, false, 14, 2, { 0x10, 0x01 }, PAUSE_MALFORMED },
	{ "opcode GATE", 60, false, 14, 2, { 0x00, 0x02 }, PAUSE_MALFORMED },
	{ "opcode swapped", 60, false, 14, 2, { 0x01, 0x00 }, PAUSE_MALFORMED },
	{ "tagged", 60, true, 0, 0, {}, PAUSE_MALFORMED },
	{ "short", 59, false, 0, 0, {}, PAUSE_MALFORMED },
	{ "empty", 0, false, 0, 0, {}, PAUSE_MALFORMED },
	{ "with FCS", 64, false, 0, 0, {}, PAUSE_PFC },
	{ "long", 1514, false, 0, 0, {}, PAUSE_PFC },
	{ "reserved vector bits", 60, false, 16, 1, { 0xff }, PAUSE_PFC },
};

ROWS(arrivals);

/* KASAN watches what lies behind PAUSE_PARSE_BYTES */
static void arrival_case(struct kunit *test)
{
	static const u8 good[PAUSE_FRAME_BYTES] = { PFC, 0, 8, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 7 };
	const typeof(arrivals[0]) *row = test->param_value;
	bool is_pfc = row->kind == PAUSE_PFC;
	struct pause_frame pause;
	u8 *frame;

	frame = kunit_kzalloc(test, PAUSE_PARSE_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	memcpy(frame, good, PAUSE_PARSE_BYTES);
	memcpy(frame + row->offset, row->bytes, row->count);
	pause = pause_parse(frame, row->frame_bytes, row->tagged, own_address);
	KUNIT_EXPECT_EQ(test, pause.kind, row->kind);
	KUNIT_EXPECT_EQ(test, pause.enabled, is_pfc ? 0x08 : 0);
	KUNIT_EXPECT_EQ(test, pause.quanta[3], is_pfc ? 0x1234 : 0);
}

/* Nothing of a short frame is read: it need not be there, and KASAN watches that too */
static void parse_reads_nothing(struct kunit *test)
{
	u8 *frame = kunit_kzalloc(test, PAUSE_PARSE_BYTES, GFP_KERNEL);
	struct pause_frame pause;

	KUNIT_ASSERT_NOT_NULL(test, frame);
	pause = pause_parse(frame + PAUSE_PARSE_BYTES, 59, false, own_address);
	KUNIT_EXPECT_EQ(test, pause.kind, PAUSE_MALFORMED);
}

static const struct {
	const char *what;
	u64 bits_per_s;
	u16 quanta;
	u64 ns;
} times[] = {
	{ "65535 at 1 Mbit/s", MBPS, 65535, 33553920000ULL },
	{ "65535 at 1 Gbit/s", GBPS, 65535, 33553920 },
	{ "65535 at 10 Gbit/s", 10 * GBPS, 65535, 3355392 },
	{ "65535 at 25 Gbit/s", 25 * GBPS, 65535, 1342157 },	/* 1342156.8 */
	{ "65535 at 40 Gbit/s", 40 * GBPS, 65535, 838848 },
	{ "65535 at 100 Gbit/s", 100 * GBPS, 65535, 335540 },	/* 335539.2 */
	{ "65535 at 800 Gbit/s", 800 * GBPS, 65535, 41943 },	/* 41942.4 */
	{ "one at 10 Gbit/s", 10 * GBPS, 1, 52 },		/* 51.2 */
	{ "one at 1 Gbit/s", GBPS, 1, 512 },
	{ "none", 10 * GBPS, 0, 0 },
};

ROWS(times);

/* Rounded up: a pause that ends early is a frame in a full buffer */
static void time_case(struct kunit *test)
{
	const typeof(times[0]) *row = test->param_value;

	KUNIT_EXPECT_EQ(test, pause_ns(wire_time_per_byte(row->bits_per_s / 8), row->quanta),
			row->ns);
}

static struct kunit_case pause_cases[] = {
	KUNIT_CASE_PARAM(build_case, frames_gen_params),
	KUNIT_CASE(build_only_what_is_meant),
	KUNIT_CASE_PARAM(parse_case, frames_gen_params),
	KUNIT_CASE_PARAM(arrival_case, arrivals_gen_params),
	KUNIT_CASE(parse_reads_nothing),
	KUNIT_CASE_PARAM(time_case, times_gen_params),
	{}
};

static struct kunit_suite pause_suite = {
	.name = "lossless_pause",
	.test_cases = pause_cases,
};

kunit_test_suite(pause_suite);
