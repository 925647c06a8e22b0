/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with units as users write them: exact, strict, and refused with one sentence.
 * The tc plugin and the command line tool read and print their numbers here.
 */
#ifndef LOSSLESS_UNITS_H
#define LOSSLESS_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum number_kind {
	NUMBER_COUNT,	/* digits only */
	NUMBER_SIZE,	/* bytes; k, m and g are powers of 1024, as everywhere in tc */
	NUMBER_RATE,	/* bytes per second, written in bits unless "Bps" is said */
	NUMBER_LENGTH,	/* centimetres, written in metres */
	NUMBER_PERCENT,	/* millionths, written in percent */
	NUMBER_WHOLE_PERCENT,
	NUMBER_TIME,	/* nanoseconds; a unit must be written */
};

/**
 * struct number - what an option takes
 * @kind: decides the units
 * @min: the smallest value allowed
 * @max: the largest value allowed
 * @or_word: a word that the caller takes too, for the message; or NULL
 */
struct number {
	enum number_kind kind;
	uint64_t min;
	uint64_t max;
	const char *or_word;
};

/* Room for each text that number_format() writes. */
#define NUMBER_TEXT_SIZE	32

int number_parse(const struct number *number, const char *option, const char *text,
		 uint64_t *value);
const char *number_format(enum number_kind kind, uint64_t value, char text[NUMBER_TEXT_SIZE]);

#endif /* LOSSLESS_UNITS_H */
