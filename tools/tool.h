/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of `lossless` share: how it ends, what is printed, and its commands.
 */
#ifndef LOSSLESS_TOOL_H
#define LOSSLESS_TOOL_H

#include <json-c/json.h>
#include <stdbool.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

enum exit_status {
	DONE = 0,
	BAD_USAGE = 1,
	KERNEL_REFUSED = 2,
};

/* -j and -p */
extern bool json, pretty;

int bad_usage(void);
int bad_word(const char *word);
void print_json(struct json_object *object);

/* The words after the command, up to a NULL. Each returns an exit status. */
int run_buffer(char **words);
int run_watchdog(char **words);
int run_monitor(char **words);

#endif /* LOSSLESS_TOOL_H */
