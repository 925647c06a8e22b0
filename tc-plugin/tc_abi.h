/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tc and a plugin know of each other. iproute2 installs no headers; these are the
 * declarations of its include/json_print.h, include/libnetlink.h and tc/tc_util.h that
 * q_lossless.so uses, the same in 6.1, 6.15 and 7.3. Each function here stands in
 * symbols.txt, and selftests/plugin_symbols.sh holds the plugin to that list.
 */
#ifndef LOSSLESS_TC_ABI_H
#define LOSSLESS_TC_ABI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/* From 6.9 the first argument points to const; the plugin changes nothing through it. */
struct qdisc_util {
	struct qdisc_util *next;	/* written by tc */
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f, struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt, __u32 block_idx,
			 bool *p_has);
};

enum output_type {
	PRINT_FP = 1,
	PRINT_JSON = 2,
	PRINT_ANY = 4,
};

/* Only this one of the colours. */
enum color_attr {
	COLOR_NONE = 6,
};

void open_json_object(const char *key);
void close_json_object(void);
void open_json_array(enum output_type type, const char *key);
void close_json_array(enum output_type type, const char *text);
void print_nl(void);
int print_color_bool(enum output_type type, enum color_attr color, const char *key,
		     const char *fmt, bool value);
int print_color_int(enum output_type type, enum color_attr color, const char *key,
		    const char *fmt, int value);
int print_color_null(enum output_type type, enum color_attr color, const char *key,
		     const char *fmt, const char *value);
int print_color_string(enum output_type type, enum color_attr color, const char *key,
		       const char *fmt, const char *value);
int print_color_u64(enum output_type type, enum color_attr color, const char *key,
		    const char *fmt, uint64_t value);

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data, int alen);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta, int len,
		       unsigned short flags);

/* The request buffer that tc hands to parse_qopt() is at least so large. */
#define TC_MESSAGE_MAX	(64 * 1024)

#endif /* LOSSLESS_TC_ABI_H */
