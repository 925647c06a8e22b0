/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the plugin: reading a command line, writing options, writing statistics. */
#ifndef LOSSLESS_PLUGIN_H
#define LOSSLESS_PLUGIN_H

#include <linux/lossless.h>

#include "tc_abi.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* As a mask */
#define ALL_PRIORITIES		((1U << LOSSLESS_PRIORITIES) - 1)

/* k of alpha = 2^k, in words: "1/1024" to "128". */
#define ALPHA_TEXT_SIZE		8
const char *alpha_format(int k, char text[ALPHA_TEXT_SIZE]);

extern const char *const trust_names[LOSSLESS_TRUST_MAX + 1];
extern const char *const action_names[LOSSLESS_ACTION_MAX + 1];
extern const char *const restore_names[LOSSLESS_RESTORE_MAX + 1];

void explain(void);

int options_parse(int argc, char **argv, struct nlmsghdr *n);
int options_print(struct rtattr *options);
int class_options_print(struct rtattr *options);
int statistics_print(struct rtattr *statistics);

#endif /* LOSSLESS_PLUGIN_H */
