// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into the User-Mode Linux process, so that the guest's random numbers are the same in
 * every run: the kernel takes its seed with getrandom() and reads /dev/random. VT_SEED chooses
 * another sequence.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static uint64_t next_splitmix64(void)
{
	static uint64_t state;
	static int seeded;
	uint64_t z;

	if (!seeded) {
		const char *seed = getenv("VT_SEED");

		state = seed ? strtoull(seed, NULL, 0) : 1;
		seeded = 1;
	}
	state += 0x9e3779b97f4a7c15ull;
	z = state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z >> 32;
}

ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	unsigned char *byte = buffer;

	(void)flags;
	for (size_t i = 0; i < length; i++)
		byte[i] = next_splitmix64();
	return length;
}

static int open_deterministic(const char *path, int flags, va_list args)
{
	static int (*real_open)(const char *path, int flags, ...);
	mode_t mode = 0;

	if (!real_open)
		real_open = dlsym(RTLD_NEXT, "open64");
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	if (!strcmp(path, "/dev/random") || !strcmp(path, "/dev/urandom"))
		path = "/dev/zero";
	return real_open(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_deterministic(path, flags, args);
	va_end(args);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_deterministic(path, flags, args);
	va_end(args);
	return fd;
}
