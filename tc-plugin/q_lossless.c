// SPDX-License-Identifier: GPL-2.0
/*
 * The tc plugin of the qdisc `lossless`: what tc calls, and help. tc finds the symbol
 * lossless_qdisc_util in q_lossless.so; nothing else of the plugin is visible.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plugin.h"

const char *const trust_names[] = {
	[LOSSLESS_TRUST_DSCP] = "dscp",
	[LOSSLESS_TRUST_PCP] = "pcp",
	[LOSSLESS_TRUST_SKB] = "skb",
};

const char *const action_names[] = {
	[LOSSLESS_ACTION_DROP] = "drop",
	[LOSSLESS_ACTION_FORWARD] = "forward",
	[LOSSLESS_ACTION_ALERT] = "alert",
	[LOSSLESS_ACTION_SHUTDOWN] = "shutdown",
	[LOSSLESS_ACTION_FLAP] = "flap",
};

const char *const restore_names[] = {
	[LOSSLESS_RESTORE_AUTO] = "auto",
	[LOSSLESS_RESTORE_FIXED] = "fixed",
	[LOSSLESS_RESTORE_OFF] = "off",
};

const char *alpha_format(int k, char text[ALPHA_TEXT_SIZE])
{
	snprintf(text, ALPHA_TEXT_SIZE, k < 0 ? "1/%u" : "%u", 1U << (k < 0 ? -k : k) % 32);
	return text;
}

void explain(void)
{
	fprintf(stderr,
		"Usage: ... lossless [ rate RATE|none ] [ overhead BYTES ] [ burst FRAMES ]\n"
		"		[ keep-gso [on|off] ] [ keep-socket [on|off] ]\n"
		"		[ trust dscp|pcp|skb ] [ dscp-map D[-D]:P,... ] [ pcp-map P:P,... ]\n"
		"		[ default-prio P ] [ cable LENGTH[m|km] ] [ response SIZE ]\n"
		"		[ pfc LIST|none ] [ pfc-rx LIST|all|none ] [ llfc on|off ]\n"
		"		[ quanta N ] [ cell BYTES ] [ watchdog off | watchdog [on] WATCHDOG_OPTIONS ]\n"
		"		[ pause-timeout TIME|off ] [ prio P PRIO_OPTIONS ]...\n"
		"WATCHDOG_OPTIONS := [ detect TIME ] [ restore auto [TIME]|fixed TIME|off ]\n"
		"		[ action drop|forward|alert|shutdown|flap ]\n"
		"		[ window TIME duty PERCENT | window off ] [ untrust N TIME | untrust off ]\n"
		"		[ ingress-pass [on|off] ]\n"
		"PRIO_OPTIONS := [ lossless | lossy ] [ strict | weight N ] [ guaranteed SIZE ]\n"
		"		[ alpha 1/1024|..|1/2|1|2|..|128 | static xoff SIZE xon SIZE ]\n"
		"		[ xon-offset SIZE ] [ headroom auto|SIZE ] [ limit SIZE ]\n"
		"		[ ecn KMIN KMAX PMAX | noecn ] [ wred [on|off] ] [ max-age TIME|off ]\n"
		"LIST := priorities from 0 to 7 as in 3,4 or 3-5\n"
		"TIME := a number and its unit: ns, us, ms, s, min or h\n");
}

static void explain_class(void)
{
	fprintf(stderr,
		"Error: the classes of lossless are its priorities; change them with \"tc qdisc change ... lossless prio P ...\".\n");
}

/* Does a line of one of depmod's lists name the module? An unreadable list may. */
static bool list_names_module(const char *release, const char *list)
{
	bool found = false;
	char path[256];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/%s", release, list);
	file = fopen(path, "re");
	if (!file)
		return true;
	while (!found && getline(&line, &size, file) > 0) {
		/* "path/sch_lossless.ko.xz: what it needs" */
		line[strcspn(line, ":\n")] = '\0';
		found = strstr(line, "/sch_lossless.ko");
	}
	free(line);
	fclose(file);
	return found;
}

/* The kernel says only that the kind is unknown. It loads the module by itself if
 * it finds one, so this is a hint and no error.
 */
static void hint_if_module_is_missing(void)
{
	struct utsname kernel;

	if (!access("/sys/module/sch_lossless", F_OK) || uname(&kernel))
		return;
	if (list_names_module(kernel.release, "modules.dep") ||
	    list_names_module(kernel.release, "modules.builtin"))
		return;
	fprintf(stderr,
		"Warning: the kernel module sch_lossless is neither loaded nor installed for kernel %s.\n",
		kernel.release);
}

static int lossless_parse_qopt(const struct qdisc_util *qu, int argc, char **argv,
			       struct nlmsghdr *n, const char *dev)
{
	(void)qu;
	(void)dev;
	if (options_parse(argc, argv, n))
		return -1;
	if (n->nlmsg_type == RTM_NEWQDISC && n->nlmsg_flags & NLM_F_CREATE)
		hint_if_module_is_missing();
	return 0;
}

static int lossless_print_qopt(const struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	(void)qu;
	(void)f;
	return options_print(opt);
}

static int lossless_parse_copt(const struct qdisc_util *qu, int argc, char **argv,
			       struct nlmsghdr *n, const char *dev)
{
	(void)qu;
	(void)argc;
	(void)argv;
	(void)n;
	(void)dev;
	explain_class();
	return -1;
}

static int lossless_print_copt(const struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	(void)qu;
	(void)f;
	return class_options_print(opt);
}

static int lossless_print_xstats(const struct qdisc_util *qu, FILE *f, struct rtattr *xstats)
{
	(void)qu;
	(void)f;
	return statistics_print(xstats);
}

/* Writable: tc links it into a list of its own. */
__attribute__((visibility("default"))) struct qdisc_util lossless_qdisc_util = {
	.id = "lossless",
	.parse_qopt = lossless_parse_qopt,
	.print_qopt = lossless_print_qopt,
	.print_xstats = lossless_print_xstats,
	.parse_copt = lossless_parse_copt,
	.print_copt = lossless_print_copt,
};
