// SPDX-License-Identifier: GPL-2.0
/*
 * MAC Control frames, parsed and built. Offsets are from the destination address:
 *
 *	 0  destination, 01-80-C2-00-00-01
 *	 6  source
 *	12  EtherType 0x8808
 *	14  opcode: 0x0001 PAUSE, 0x0101 PFC
 *	16  PAUSE: time. PFC: enable vector, its high byte reserved
 *	18  PFC: eight times
 *
 * All fields are big-endian, the rest up to 60 bytes is zero.
 */
#include "pause.h"

#define ETHERTYPE_MAC_CONTROL	0x8808
#define OPCODE_PAUSE		0x0001
#define OPCODE_PFC		0x0101

enum {
	OFFSET_SOURCE = 6,
	OFFSET_ETHERTYPE = 12,
	OFFSET_OPCODE = 14,
	OFFSET_PAUSE_TIME = 16,
	OFFSET_VECTOR = 16,
	OFFSET_PFC_TIMES = 18,
};

static const u8 pause_address[PAUSE_ADDRESS_BYTES] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

static u16 get_be16(const u8 *frame, unsigned int offset)
{
	return frame[offset] << 8 | frame[offset + 1];
}

static void put_be16(u8 *frame, unsigned int offset, u16 value)
{
	frame[offset] = value >> 8;
	frame[offset + 1] = value & 0xff;
}

static bool is_for_us(const u8 *frame, const u8 *own_address)
{
	return !memcmp(frame, pause_address, PAUSE_ADDRESS_BYTES) ||
	       !memcmp(frame, own_address, PAUSE_ADDRESS_BYTES);
}

static struct pause_frame parse_pfc(const u8 *frame)
{
	struct pause_frame pause = { .kind = PAUSE_PFC, .enabled = frame[OFFSET_VECTOR + 1] };
	unsigned int i;

	for (i = 0; i < PAUSE_PRIORITIES; i++)
		pause.quanta[i] = get_be16(frame, OFFSET_PFC_TIMES + 2 * i);
	return pause;
}

/**
 * pause_parse() - read a frame of EtherType 0x8808
 * @frame: its first PAUSE_PARSE_BYTES bytes, from the destination address; not read
 *	when @frame_bytes is below PAUSE_FRAME_BYTES
 * @frame_bytes: its whole length without FCS
 * @tagged: it carried a VLAN tag, so it is no MAC Control frame (802.3, 31.4)
 * @own_address: the port's
 *
 * Return: what it says; kind PAUSE_MALFORMED if it is short, tagged, addressed to
 * another station or of another opcode.
 */
struct pause_frame pause_parse(const u8 *frame, u32 frame_bytes, bool tagged,
			       const u8 *own_address)
{
	struct pause_frame pause = { .kind = PAUSE_MALFORMED };

	if (tagged || frame_bytes < PAUSE_FRAME_BYTES || !is_for_us(frame, own_address))
		return pause;
	switch (get_be16(frame, OFFSET_OPCODE)) {
	case OPCODE_PAUSE:
		pause.kind = PAUSE_LINK;
		pause.quanta[0] = get_be16(frame, OFFSET_PAUSE_TIME);
		return pause;
	case OPCODE_PFC:
		return parse_pfc(frame);
	}
	return pause;
}

/**
 * pause_build() - compose a PFC or PAUSE frame
 * @frame: PAUSE_FRAME_BYTES bytes to write
 * @pause: what to say; times of priorities that are not enabled are sent as 0
 * @source_address: the port's own
 */
void pause_build(u8 *frame, const struct pause_frame *pause, const u8 *source_address)
{
	unsigned int i;

	memset(frame, 0, PAUSE_FRAME_BYTES);
	memcpy(frame, pause_address, PAUSE_ADDRESS_BYTES);
	memcpy(frame + OFFSET_SOURCE, source_address, PAUSE_ADDRESS_BYTES);
	put_be16(frame, OFFSET_ETHERTYPE, ETHERTYPE_MAC_CONTROL);
	if (pause->kind == PAUSE_LINK) {
		put_be16(frame, OFFSET_OPCODE, OPCODE_PAUSE);
		put_be16(frame, OFFSET_PAUSE_TIME, pause->quanta[0]);
		return;
	}
	put_be16(frame, OFFSET_OPCODE, OPCODE_PFC);
	put_be16(frame, OFFSET_VECTOR, pause->enabled);
	for (i = 0; i < PAUSE_PRIORITIES; i++)
		if (pause->enabled & 1 << i)
			put_be16(frame, OFFSET_PFC_TIMES + 2 * i, pause->quanta[i]);
}
