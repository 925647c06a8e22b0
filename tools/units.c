// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers with units, in integers only.
 *
 * The C library and iproute2 read "-1", "nan", "0x10", "1e3" or "010" as numbers that
 * nobody meant, and a double or a u32 loses the last bytes of a fast rate. Here a number
 * is digits, perhaps a point and digits, perhaps a unit; a value that is not exact in
 * the unit of the wire is refused, not rounded. What number_format() writes,
 * number_parse() reads back to the same value.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

/**
 * struct unit - a suffix
 * @name: in any case
 * @scale: how many of the kind's smallest part it is
 */
struct unit {
	const char *name;
	uint64_t scale;
};

/**
 * struct kind - a table of suffixes
 * @units: those that number_format() writes first, from large to small, spelt as in tc's output
 * @printed: how many number_format() writes
 * @divisor: parts in one unit of the wire (a rate is counted in bits, sent in bytes)
 * @noun: in messages
 * @smallest: what a value is a whole number of, in messages
 */
struct kind {
	const struct unit *units;
	unsigned int printed;
	uint64_t divisor;
	const char *noun;
	const char *smallest;
};

static const struct unit count_units[] = {
	{ "", 1 },
	{ .name = NULL }
};

static const struct unit size_units[] = {
	{ "Gb", 1ULL << 30 },
	{ "Mb", 1ULL << 20 },
	{ "Kb", 1ULL << 10 },
	{ "b", 1 },
	{ "", 1 },
	{ "k", 1ULL << 10 },
	{ "m", 1ULL << 20 },
	{ "g", 1ULL << 30 },
	{ "kbit", (1ULL << 10) / 8 },
	{ "mbit", (1ULL << 20) / 8 },
	{ "gbit", (1ULL << 30) / 8 },
	{ .name = NULL }
};

static const struct unit rate_units[] = {
	{ "Tbit", 1000000000000ULL },
	{ "Gbit", 1000000000 },
	{ "Mbit", 1000000 },
	{ "Kbit", 1000 },
	{ "bit", 1 },
	{ "", 1 },
	{ "Kibit", 1ULL << 10 },
	{ "Mibit", 1ULL << 20 },
	{ "Gibit", 1ULL << 30 },
	{ "Tibit", 1ULL << 40 },
	{ "Bps", 8 },
	{ "KBps", 8000 },
	{ "MBps", 8000000 },
	{ "GBps", 8000000000ULL },
	{ "TBps", 8000000000000ULL },
	{ "KiBps", 8ULL << 10 },
	{ "MiBps", 8ULL << 20 },
	{ "GiBps", 8ULL << 30 },
	{ "TiBps", 8ULL << 40 },
	{ .name = NULL }
};

static const struct unit length_units[] = {
	{ "km", 100000 },
	{ "m", 100 },
	{ "", 100 },
	{ .name = NULL }
};

static const struct unit percent_units[] = {
	{ "%", 10000 },
	{ "", 10000 },
	{ .name = NULL }
};

static const struct unit whole_percent_units[] = {
	{ "%", 1 },
	{ "", 1 },
	{ .name = NULL }
};

/* None without a name: tc means microseconds by a bare number, and nobody else does. */
static const struct unit time_units[] = {
	{ "h", 3600000000000ULL },
	{ "min", 60000000000ULL },
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
	{ "m", 60000000000ULL },
	{ .name = NULL }
};

static const struct kind kinds[] = {
	[NUMBER_COUNT] = { count_units, 1, 1, "a whole number", "units" },
	[NUMBER_SIZE] = { size_units, 4, 1, "a size", "bytes" },
	[NUMBER_RATE] = { rate_units, 5, 8, "a rate", "bytes per second" },
	[NUMBER_LENGTH] = { length_units, 2, 1, "a length", "centimetres" },
	[NUMBER_PERCENT] = { percent_units, 1, 1, "a percentage", "millionths" },
	[NUMBER_WHOLE_PERCENT] = { whole_percent_units, 1, 1, "a percentage", "percent" },
	[NUMBER_TIME] = { time_units, 6, 1, "a time with its unit", "nanoseconds" },
};

/* 10^18 is the largest power of ten whose multiples up to nine fit 64 bits. */
#define FRACTION_ONE_MAX	1000000000000000000ULL

/**
 * struct decimal - what was written before the unit
 * @whole: the digits before the point
 * @fraction: those after it, without trailing zeros
 * @one: the power of ten that @fraction is part of
 */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t one;
};

enum verdict { GOOD, NOT_A_NUMBER, OUT_OF_RANGE, NOT_WHOLE };

/* The C library's isdigit() asks the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum verdict read_whole(const char **text, uint64_t *whole)
{
	enum verdict verdict = GOOD;
	const char *c = *text;

	if (!is_digit(*c))
		return NOT_A_NUMBER;
	for (*whole = 0; is_digit(*c); c++) {
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, *c - '0', whole))
			verdict = OUT_OF_RANGE;
	}
	*text = c;
	return verdict;
}

static enum verdict read_fraction(const char **text, struct decimal *decimal)
{
	uint64_t digits = 0, one = 1;
	enum verdict verdict = GOOD;
	const char *c = *text;

	decimal->fraction = 0;
	decimal->one = 1;
	if (!is_digit(*c))
		return NOT_A_NUMBER;
	for (; is_digit(*c); c++) {
		if (one == FRACTION_ONE_MAX) {
			if (*c != '0')
				verdict = NOT_WHOLE;
			continue;
		}
		one *= 10;
		digits = digits * 10 + (*c - '0');
		if (*c != '0') {
			decimal->fraction = digits;
			decimal->one = one;
		}
	}
	*text = c;
	return verdict;
}

/* What is worse wins, so that "99999999999999999999x" is no number. */
static enum verdict read_decimal(const char **text, struct decimal *decimal)
{
	enum verdict whole, fraction;

	decimal->fraction = 0;
	decimal->one = 1;
	whole = read_whole(text, &decimal->whole);
	if (whole == NOT_A_NUMBER || **text != '.')
		return whole;
	(*text)++;
	fraction = read_fraction(text, decimal);
	if (fraction == NOT_A_NUMBER || whole == GOOD)
		return fraction;
	return whole;
}

static const struct unit *find_unit(const struct kind *kind, const char *name)
{
	const struct unit *unit;

	for (unit = kind->units; unit->name; unit++)
		if (!strcasecmp(unit->name, name))
			return unit;
	return NULL;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Shortening one / scale first keeps every exact product within 64 bits. */
static enum verdict times(const struct decimal *decimal, uint64_t scale, uint64_t *product)
{
	uint64_t divisor = greatest_common_divisor(scale, decimal->one);
	uint64_t one = decimal->one / divisor;
	uint64_t fraction = decimal->fraction / one * (scale / divisor);

	if (__builtin_mul_overflow(decimal->whole, scale, product) ||
	    __builtin_add_overflow(*product, fraction, product))
		return OUT_OF_RANGE;
	return decimal->fraction % one ? NOT_WHOLE : GOOD;
}

static enum verdict read_number(const struct number *number, const char *text, uint64_t *value)
{
	const struct kind *kind = &kinds[number->kind];
	const struct unit *unit;
	struct decimal decimal;
	enum verdict verdict;
	uint64_t parts;

	if (number->kind == NUMBER_COUNT && strchr(text, '.'))
		return NOT_A_NUMBER;
	verdict = read_decimal(&text, &decimal);
	if (verdict == NOT_A_NUMBER)
		return NOT_A_NUMBER;
	unit = find_unit(kind, text);
	if (!unit)
		return NOT_A_NUMBER;
	if (verdict == GOOD)
		verdict = times(&decimal, unit->scale, &parts);
	if (verdict != GOOD)
		return verdict;
	if (parts > number->max * kind->divisor || parts < number->min * kind->divisor)
		return OUT_OF_RANGE;
	*value = parts / kind->divisor;
	return parts % kind->divisor ? NOT_WHOLE : GOOD;
}

static void complain(const struct number *number, const char *option, const char *text,
		     enum verdict verdict)
{
	const struct kind *kind = &kinds[number->kind];
	char min[NUMBER_TEXT_SIZE], max[NUMBER_TEXT_SIZE];

	fprintf(stderr, "Error: %s \"%s\" is ", option, text);
	if (verdict == OUT_OF_RANGE)
		fprintf(stderr, "out of range");
	else if (verdict == NOT_WHOLE)
		fprintf(stderr, "not a whole number of %s", kind->smallest);
	else
		fprintf(stderr, "not %s", kind->noun);
	fprintf(stderr, "; allowed: %s to %s", number_format(number->kind, number->min, min),
		number_format(number->kind, number->max, max));
	if (number->or_word)
		fprintf(stderr, ", or %s", number->or_word);
	fprintf(stderr, ".\n");
}

/**
 * number_parse() - read one number
 * @number: what is allowed
 * @option: its name, for the message
 * @text: as the user wrote it
 * @value: the result, in the unit of the wire
 *
 * Return: 0, or -1 with a sentence on stderr.
 */
int number_parse(const struct number *number, const char *option, const char *text,
		 uint64_t *value)
{
	enum verdict verdict = read_number(number, text, value);

	if (verdict == GOOD)
		return 0;
	complain(number, option, text, verdict);
	return -1;
}

/* The largest unit of which @parts is a whole number, else the smallest. */
static const struct unit *unit_to_print(const struct kind *kind, uint64_t parts)
{
	const struct unit *unit = kind->units;
	const struct unit *smallest = unit + kind->printed - 1;

	while (unit < smallest && (!parts || parts % unit->scale))
		unit++;
	return unit;
}

/**
 * number_format() - write a number exactly
 * @kind: of the number
 * @value: in the unit of the wire
 * @text: where to
 *
 * Return: @text
 */
const char *number_format(enum number_kind kind, uint64_t value, char text[NUMBER_TEXT_SIZE])
{
	uint64_t parts = value * kinds[kind].divisor;
	const struct unit *unit = unit_to_print(&kinds[kind], parts);
	uint64_t rest = parts % unit->scale, scale = unit->scale;
	int length;

	length = snprintf(text, NUMBER_TEXT_SIZE, "%" PRIu64, parts / scale);
	if (rest)
		text[length++] = '.';
	for (; rest; rest %= scale) {
		scale /= 10;
		text[length++] = '0' + rest / scale;
	}
	snprintf(text + length, NUMBER_TEXT_SIZE - length, "%s", unit->name);
	return text;
}
