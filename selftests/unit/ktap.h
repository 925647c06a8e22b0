/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program for core/ in one include: named functions that check, printed as KTAP.
 */
#ifndef LOSSLESS_UNIT_KTAP_H
#define LOSSLESS_UNIT_KTAP_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "types.h"

struct test {
	const char *name;
	void (*run)(void);
};

static unsigned int failed_checks;	/* of the test that runs */

/* A loop that fails a million times says so a few times. */
#define MESSAGES_MAX 10

#define CHECK(condition)							\
	do {									\
		if (!(condition) && failed_checks++ < MESSAGES_MAX)		\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);	\
	} while (0)

#define CHECK_EQUAL(value, expected)						\
	do {									\
		u64 value_ = (value), expected_ = (expected);			\
										\
		if (value_ != expected_ && failed_checks++ < MESSAGES_MAX)	\
			printf("# %s:%d: %s is %" PRIu64 ", not %" PRIu64 "\n",	\
			       __FILE__, __LINE__, #value, value_, expected_);	\
	} while (0)

/* Reproducible, and good enough to choose sizes with (xorshift64*, Vigna 2016). */
static inline u64 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

static inline int run_tests(const struct test *tests, unsigned int count)
{
	unsigned int i, failed = 0;

	printf("KTAP version 1\n1..%u\n", count);
	for (i = 0; i < count; i++) {
		failed_checks = 0;
		tests[i].run();
		failed += !!failed_checks;
		printf("%sok %u %s\n", failed_checks ? "not " : "", i + 1, tests[i].name);
	}
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST(function) { #function, function }

#endif /* LOSSLESS_UNIT_KTAP_H */
