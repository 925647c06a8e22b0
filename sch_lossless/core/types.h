/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The integer types and helpers that core/ uses, in the kernel and in user space.
 * Nothing else may differ between the two.
 */
#ifndef LOSSLESS_CORE_TYPES_H
#define LOSSLESS_CORE_TYPES_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int64_t s64;

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define U64_MAX UINT64_MAX
#define min(a, b) ((a) < (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max(a, b) ((a) > (b) ? (a) : (b))

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}
#endif

#endif /* LOSSLESS_CORE_TYPES_H */
