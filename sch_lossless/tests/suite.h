/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit suites of core/ share. Each takes its core file in as it stands, so that
 * sch_lossless_kunit.ko runs without ports and netdevs, and gcov says which lines no case reaches.
 */
#ifndef LOSSLESS_TESTS_SUITE_H
#define LOSSLESS_TESTS_SUITE_H

#include <kunit/test.h>

#define KBPS	1000ULL
#define MBPS	(1000 * KBPS)
#define GBPS	(1000 * MBPS)

/* KUNIT_CASE_PARAM() for each row of a table, named by its member @what */
#define ROWS(table)								\
	static void table##_what(typeof(&(table)[0]) row, char *what)		\
	{									\
		strscpy(what, row->what, KUNIT_PARAM_DESC_SIZE);		\
	}									\
	KUNIT_ARRAY_PARAM(table, table, table##_what)

#endif /* LOSSLESS_TESTS_SUITE_H */
