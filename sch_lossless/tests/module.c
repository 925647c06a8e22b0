// SPDX-License-Identifier: GPL-2.0
/*
 * sch_lossless_kunit.ko: the suites of this folder in one module, which KUnit runs when it is
 * loaded. Built by `make LOSSLESS_KUNIT=1`.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of sch_lossless");
MODULE_LICENSE("GPL");
