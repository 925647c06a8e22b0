// SPDX-License-Identifier: GPL-2.0
/*
 * lossless: what belongs to a network namespace's switch as a whole, over the generic
 * netlink family `lossless`. What belongs to one port is tc's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/lossless.h>

#include "tool.h"

#define NETNS_DIR	"/run/netns/"

bool json, pretty;

static void print_usage(FILE *f)
{
	fprintf(f,
		"Usage: lossless [ OPTIONS ] buffer [ show ]\n"
		"       lossless [ OPTIONS ] buffer set [ size auto|SIZE ] [ headroom-pool SIZE ] [ cell BYTES ]\n"
		"       lossless [ OPTIONS ] watchdog [ show [ DEV [ prio P ] ] ]\n"
		"       lossless [ OPTIONS ] watchdog { recover | clear } DEV [ prio P ]\n"
		"       lossless [ OPTIONS ] monitor\n"
		"OPTIONS := -j, --json      print JSON\n"
		"           -p, --pretty    ... on many lines\n"
		"           -n, --netns NAME  act in that network namespace\n"
		"           -V, --version   print the version of the interface to the kernel\n"
		"           -h, --help      print this\n");
}

/**
 * bad_usage() - the command line makes no sense
 *
 * Return: exit status
 */
int bad_usage(void)
{
	print_usage(stderr);
	return BAD_USAGE;
}

/**
 * bad_word() - there is a word that means nothing where it stands
 * @word: that one
 *
 * Return: exit status
 */
int bad_word(const char *word)
{
	fprintf(stderr, "What is \"%s\"?\n", word);
	return bad_usage();
}

/**
 * print_json() - write an object, in the form that was asked for
 * @object: is given back
 */
void print_json(struct json_object *object)
{
	printf("%s\n", json_object_to_json_string_ext(object, pretty ? JSON_C_TO_STRING_PRETTY :
						      JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

static int run(char **words)
{
	static const struct {
		const char *name;
		int (*run)(char **words);
	} commands[] = {
		{ "buffer", run_buffer },
		{ "watchdog", run_watchdog },
		{ "monitor", run_monitor },
	};
	unsigned int i;

	if (!*words)
		return bad_usage();
	if (!strcmp(*words, "help")) {
		print_usage(stdout);
		return DONE;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(*words, commands[i].name))
			return commands[i].run(words + 1);
	return bad_word(*words);
}

static int enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s", NETNS_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "Error: netns \"%s\" cannot be opened: %s.\n", name,
			strerror(errno));
		return BAD_USAGE;
	}
	if (setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "Error: netns \"%s\" cannot be entered: %s.\n", name,
			strerror(errno));
		return KERNEL_REFUSED;
	}
	close(fd);
	return DONE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *netns = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "+jpn:Vh", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'p':
			pretty = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'V':
			printf("lossless, interface version %d\n", LOSSLESS_GENL_VERSION);
			return DONE;
		case 'h':
			print_usage(stdout);
			return DONE;
		default:
			return bad_usage();
		}
	}
	status = netns ? enter_netns(netns) : DONE;
	return status ? status : run(argv + optind);
}
