// SPDX-License-Identifier: GPL-2.0
/*
 * MAC Control frames: each byte of what is built, and which of those that arrive count
 * (IEEE Std 802.3 Annexes 31B and 31D; facts/frames.md).
 */
#include "ktap.h"
#include "pause.h"

static const u8 own[PAUSE_ADDRESS_BYTES] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };

#define ADDRESSES	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55
#define PFC_HEADER	ADDRESSES, 0x88, 0x08, 0x01, 0x01

/* Prints where they differ. The 61st byte must keep what it had. */
static void check_built(const struct pause_frame *pause, const u8 expected[PAUSE_FRAME_BYTES])
{
	u8 frame[PAUSE_FRAME_BYTES + 1];
	unsigned int i;

	memset(frame, 0xa5, sizeof(frame));
	pause_build(frame, pause, own);
	for (i = 0; i < PAUSE_FRAME_BYTES; i++)
		if (frame[i] != expected[i])
			printf("# byte %u\n", i);
	CHECK(!memcmp(frame, expected, PAUSE_FRAME_BYTES));
	CHECK_EQUAL(frame[PAUSE_FRAME_BYTES], 0xa5);
}

static void build_pfc(void)
{
	static const u8 expected[PAUSE_FRAME_BYTES] = {
		PFC_HEADER, 0x00, 0x18,
		0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x12, 0x34, 0, 0, 0, 0, 0, 0,
	};
	struct pause_frame pause = {
		.kind = PAUSE_PFC, .enabled = 1 << 3 | 1 << 4,
		.quanta = { [3] = 65535, [4] = 0x1234 },
	};

	check_built(&pause, expected);
}

static void build_pfc_all(void)
{
	static const u8 expected[PAUSE_FRAME_BYTES] = {
		PFC_HEADER, 0x00, 0xff,
		0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0x80, 0,
	};
	struct pause_frame pause = {
		.kind = PAUSE_PFC, .enabled = 0xff, .quanta = { 1, 2, 3, 4, 5, 6, 7, 0x8000 },
	};

	check_built(&pause, expected);
}

/* The time of a priority that is not meant is sent as 0, whatever the caller has there. */
static void build_pfc_resume(void)
{
	static const u8 expected[PAUSE_FRAME_BYTES] = { PFC_HEADER, 0x00, 0x80 };
	struct pause_frame pause = { .kind = PAUSE_PFC, .enabled = 0x80, .quanta = { 9, 9, 9, 9 } };

	check_built(&pause, expected);
}

static void build_link_pause(void)
{
	static const u8 expected[PAUSE_FRAME_BYTES] = {
		ADDRESSES, 0x88, 0x08, 0x00, 0x01, 0xab, 0xcd,
	};
	struct pause_frame pause = {
		.kind = PAUSE_LINK, .enabled = 0xff, .quanta = { 0xabcd, 1, 2, 3 },
	};

	check_built(&pause, expected);
}

/* What was built is what is read. */
static void build_and_parse(void)
{
	struct pause_frame pause = { .kind = PAUSE_PFC }, read;
	u8 frame[PAUSE_FRAME_BYTES];
	unsigned int enabled, i;
	u64 state = 4;

	for (enabled = 0; enabled < 256; enabled++) {
		pause.enabled = enabled;
		for (i = 0; i < PAUSE_PRIORITIES; i++)
			pause.quanta[i] = next_random(&state) >> 48;
		pause_build(frame, &pause, own);
		read = pause_parse(frame, sizeof(frame), false, own);
		CHECK_EQUAL(read.kind, PAUSE_PFC);
		CHECK_EQUAL(read.enabled, enabled);
		for (i = 0; i < PAUSE_PRIORITIES; i++)
			CHECK_EQUAL(read.quanta[i], enabled & 1 << i ? pause.quanta[i] : 0);
	}
}

/**
 * struct validity - a frame that differs from a good one in one respect
 * @offset: bytes from here become @bytes
 * @count: how many; 0: none
 * @frame_bytes: its length
 */
struct validity {
	const char *what;
	unsigned int offset;
	unsigned int count;
	u8 bytes[PAUSE_ADDRESS_BYTES];
	u32 frame_bytes;
	bool tagged;
	enum pause_kind kind;
};

static const struct validity validities[] = {
	{ "good", 0, 0, {}, 60, false, PAUSE_PFC },
	{ "own address", 0, 6, { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 }, 60, false, PAUSE_PFC },
	{ "another station", 0, 6, { 0x02, 0x11, 0x22, 0x33, 0x44, 0x56 }, 60, false,
	  PAUSE_MALFORMED },
	{ "bridge group address", 5, 1, { 0x00 }, 60, false, PAUSE_MALFORMED },
	{ "slow protocols address", 5, 1, { 0x02 }, 60, false, PAUSE_MALFORMED },
	{ "first byte of the address", 0, 1, { 0x03 }, 60, false, PAUSE_MALFORMED },
	{ "broadcast", 0, 6, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 60, false, PAUSE_MALFORMED },
	{ "source all zero", 6, 6, {}, 60, false, PAUSE_PFC },
	{ "opcode PAUSE", 14, 2, { 0x00, 0x01 }, 60, false, PAUSE_LINK },
	{ "opcode of a vendor manual", 14, 2, { 0x10, 0x01 }, 60, false, PAUSE_MALFORMED },
	{ "opcode 0", 14, 2, { 0x00, 0x00 }, 60, false, PAUSE_MALFORMED },
	{ "opcode GATE", 14, 2, { 0x00, 0x02 }, 60, false, PAUSE_MALFORMED },
	{ "opcode swapped", 14, 2, { 0x01, 0x00 }, 60, false, PAUSE_MALFORMED },
	{ "tagged", 0, 0, {}, 60, true, PAUSE_MALFORMED },
	{ "short", 0, 0, {}, 59, false, PAUSE_MALFORMED },
	{ "header only", 0, 0, {}, 14, false, PAUSE_MALFORMED },
	{ "empty", 0, 0, {}, 0, false, PAUSE_MALFORMED },
	{ "with FCS", 0, 0, {}, 64, false, PAUSE_PFC },
	{ "long", 0, 0, {}, 1514, false, PAUSE_PFC },
	{ "reserved vector bits", 16, 1, { 0xff }, 60, false, PAUSE_PFC },
};

static void good_frame(u8 frame[PAUSE_FRAME_BYTES])
{
	static const struct pause_frame pause = {
		.kind = PAUSE_PFC, .enabled = 1 << 3, .quanta = { [3] = 0x1234 },
	};

	pause_build(frame, &pause, own);
}

static void parse_validity(void)
{
	u8 frame[PAUSE_FRAME_BYTES];
	struct pause_frame pause;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(validities); i++) {
		const struct validity *v = &validities[i];

		good_frame(frame);
		memcpy(frame + v->offset, v->bytes, v->count);
		pause = pause_parse(frame, v->frame_bytes, v->tagged, own);
		if (pause.kind != v->kind)
			printf("# %s\n", v->what);
		CHECK_EQUAL(pause.kind, v->kind);
		CHECK_EQUAL(pause.enabled, v->kind == PAUSE_PFC ? 1 << 3 : 0);
		if (v->kind == PAUSE_PFC)
			CHECK_EQUAL(pause.quanta[3], 0x1234);
	}
}

/* No byte is read of a frame that is short, and none after the last field. */
static void parse_reads_no_further(void)
{
	u8 frame[PAUSE_FRAME_BYTES];
	u8 *head = malloc(PAUSE_PARSE_BYTES), *tail;

	if (!head)
		exit(EXIT_FAILURE);
	good_frame(frame);
	memcpy(head, frame, PAUSE_PARSE_BYTES);
	CHECK_EQUAL(pause_parse(head, 60, false, own).kind, PAUSE_PFC);
	tail = head + PAUSE_PARSE_BYTES;	/* the sanitizer watches what lies here */
	CHECK_EQUAL(pause_parse(tail, 59, false, own).kind, PAUSE_MALFORMED);
	free(head);
}

static void parse_link_pause(void)
{
	u8 frame[PAUSE_FRAME_BYTES] = { ADDRESSES, 0x88, 0x08, 0x00, 0x01, 0xab, 0xcd, 0x77 };
	struct pause_frame pause = pause_parse(frame, sizeof(frame), false, own);

	CHECK_EQUAL(pause.kind, PAUSE_LINK);
	CHECK_EQUAL(pause.quanta[0], 0xabcd);
	CHECK_EQUAL(pause.enabled, 0);
}

/* An empty vector has no effect, whatever its times: no priority is meant. */
static void parse_empty_vector(void)
{
	u8 frame[PAUSE_FRAME_BYTES] = { PFC_HEADER, 0xff, 0x00, 0xff, 0xff, 0xff, 0xff };
	struct pause_frame pause = pause_parse(frame, sizeof(frame), false, own);

	CHECK_EQUAL(pause.kind, PAUSE_PFC);
	CHECK_EQUAL(pause.enabled, 0);
}

static void parse_each_priority(void)
{
	u8 frame[PAUSE_FRAME_BYTES];
	struct pause_frame pause;
	unsigned int i, j;

	for (i = 0; i < PAUSE_PRIORITIES; i++) {
		good_frame(frame);
		frame[17] = 1 << i;
		memset(frame + 18, 0, 16);
		frame[18 + 2 * i] = 0xbe;
		frame[19 + 2 * i] = 0xef;
		pause = pause_parse(frame, sizeof(frame), false, own);
		CHECK_EQUAL(pause.enabled, 1 << i);
		for (j = 0; j < PAUSE_PRIORITIES; j++)
			CHECK_EQUAL(pause.quanta[j], i == j ? 0xbeef : 0);
	}
}

static const struct test tests[] = {
	TEST(build_pfc),
	TEST(build_pfc_all),
	TEST(build_pfc_resume),
	TEST(build_link_pause),
	TEST(build_and_parse),
	TEST(parse_validity),
	TEST(parse_reads_no_further),
	TEST(parse_link_pause),
	TEST(parse_empty_vector),
	TEST(parse_each_priority),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
