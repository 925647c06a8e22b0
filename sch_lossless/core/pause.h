/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MAC Control frames: PFC (IEEE Std 802.1Qbb-2011, IEEE Std 802.3 Annex 31D) and
 * PAUSE (Annex 31B). Bytes in, meaning out, and the reverse.
 */
#ifndef LOSSLESS_CORE_PAUSE_H
#define LOSSLESS_CORE_PAUSE_H

#include "rate.h"

#define PAUSE_ADDRESS_BYTES	6
#define PAUSE_FRAME_BYTES	60	/* without FCS, for both kinds */
#define PAUSE_PARSE_BYTES	34	/* what pause_parse() looks at, from the DA */
#define PAUSE_PRIORITIES	8

enum pause_kind {
	PAUSE_MALFORMED,
	PAUSE_LINK,		/* opcode 0x0001: the whole link */
	PAUSE_PFC,		/* opcode 0x0101: per priority */
};

/**
 * struct pause_frame - what a MAC Control frame says
 * @kind: which frame
 * @enabled: bit i: priority i is meant (PFC)
 * @quanta: pause time of each priority; of PAUSE_LINK the first
 */
struct pause_frame {
	enum pause_kind kind;
	u8 enabled;
	u16 quanta[PAUSE_PRIORITIES];
};

struct pause_frame pause_parse(const u8 *frame, u32 frame_bytes, bool tagged,
			       const u8 *own_address);
void pause_build(u8 *frame, const struct pause_frame *pause, const u8 *source_address);

/**
 * pause_ns() - how long a pause lasts
 * @per_byte: of wire_time_per_byte() at the port's rate
 * @quanta: the time field
 *
 * Return: nanoseconds, rounded up, so that a pause never ends early.
 */
static inline u64 pause_ns(struct wire_time per_byte, u16 quanta)
{
	struct wire_time t = wire_time_of(per_byte, quanta * QUANTUM_BYTES);

	return t.ns + !!t.frac;
}

#endif /* LOSSLESS_CORE_PAUSE_H */
