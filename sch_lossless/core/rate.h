/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exact time on the wire: bytes at a rate -> nanoseconds with a 32-bit fraction.
 *
 * psched_l2t_ns() truncates to whole nanoseconds, which is 3.5 % at 400 Gbit/s and
 * 1500 bytes; here the error is below 0.1 ppm from 1 kbit/s to 1.6 Tbit/s.
 */
#ifndef LOSSLESS_CORE_RATE_H
#define LOSSLESS_CORE_RATE_H

#include "types.h"

/* IEEE Std 802.3, 31B.2: a quantum is 512 bit times. */
#define QUANTUM_BYTES		64

/**
 * struct wire_time - a time or a moment
 * @ns: whole nanoseconds
 * @frac: 2^-32 ns
 */
struct wire_time {
	u64 ns;
	u32 frac;
};

/**
 * wire_time_per_byte() - what one byte takes
 * @bytes_per_s: the rate, 125 to 2 * 10^11
 *
 * Return: time of one byte; its @ns fits 23 bits.
 */
static inline struct wire_time wire_time_per_byte(u64 bytes_per_s)
{
	const u64 ns_per_s = 1000000000ULL;
	u64 ns = div64_u64(ns_per_s, bytes_per_s);
	u64 rest = ns_per_s - ns * bytes_per_s;	/* at most 10^9: the shift fits */

	return (struct wire_time){ ns, (u32)div64_u64(rest << 32, bytes_per_s) };
}

/**
 * wire_time_of() - what a number of bytes takes
 * @per_byte: of wire_time_per_byte()
 * @bytes: how many
 */
static inline struct wire_time wire_time_of(struct wire_time per_byte, u32 bytes)
{
	u64 fraction = (u64)bytes * per_byte.frac;

	return (struct wire_time){ bytes * per_byte.ns + (fraction >> 32), (u32)fraction };
}

static inline struct wire_time wire_time_add(struct wire_time a, struct wire_time b)
{
	u64 fraction = (u64)a.frac + b.frac;

	return (struct wire_time){ a.ns + b.ns + (fraction >> 32), (u32)fraction };
}

#endif /* LOSSLESS_CORE_RATE_H */
