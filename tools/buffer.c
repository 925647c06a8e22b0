// SPDX-License-Identifier: GPL-2.0
/*
 * `lossless buffer`: the memory that the ports of a network namespace share.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/lossless.h>

#include "netlink.h"
#include "tool.h"
#include "units.h"

struct buffer {
	uint64_t value[LOSSLESS_A_BUFFER_MAX + 1];
	bool given[LOSSLESS_A_BUFFER_MAX + 1];
};

static int read_value(const struct nlattr *attr, void *data)
{
	unsigned int type = mnl_attr_get_type(attr);
	struct buffer *buffer = data;

	if (type > LOSSLESS_A_BUFFER_MAX)
		return MNL_CB_OK;	/* a newer module's */
	if (!mnl_attr_validate(attr, MNL_TYPE_U64))
		buffer->value[type] = mnl_attr_get_u64(attr);
	else if (!mnl_attr_validate(attr, MNL_TYPE_U32))
		buffer->value[type] = mnl_attr_get_u32(attr);
	else
		return MNL_CB_OK;
	buffer->given[type] = true;
	return MNL_CB_OK;
}

static int take_buffer(const struct nlmsghdr *n, void *data)
{
	return mnl_attr_parse(n, sizeof(struct genlmsghdr), read_value, data);
}

/**
 * struct field - one attribute in the output
 * @text: the words before its value; those of the first line are input of `set`
 * @key: in JSON
 * @attr: LOSSLESS_A_BUFFER_*
 * @kind: how text writes it
 * @or_word: what text writes for 0 instead, or NULL
 */
struct field {
	const char *text;
	const char *key;
	int attr;
	enum number_kind kind;
	const char *or_word;
};

static const struct field fields[] = {
	{ "size ", "size", LOSSLESS_A_BUFFER_SIZE, NUMBER_SIZE, "auto" },
	{ " headroom-pool ", "headroom_pool", LOSSLESS_A_BUFFER_HEADROOM_POOL, NUMBER_SIZE, NULL },
	{ " cell ", "cell", LOSSLESS_A_BUFFER_CELL, NUMBER_COUNT, NULL },
	{ "\n  ports ", "ports", LOSSLESS_A_BUFFER_PORTS, NUMBER_COUNT, NULL },
	{ " reserved ", "reserved", LOSSLESS_A_BUFFER_RESERVED, NUMBER_SIZE, NULL },
	{ "\n  shared ", "shared", LOSSLESS_A_BUFFER_SHARED, NUMBER_SIZE, NULL },
	{ " used ", "shared_used", LOSSLESS_A_BUFFER_SHARED_USED, NUMBER_SIZE, NULL },
	{ " peak ", "shared_peak", LOSSLESS_A_BUFFER_SHARED_PEAK, NUMBER_SIZE, NULL },
	{ "\n  headroom-pool used ", "headroom_pool_used", LOSSLESS_A_BUFFER_HEADROOM_POOL_USED,
	  NUMBER_SIZE, NULL },
};

static void print_buffer_text(const struct buffer *buffer)
{
	char text[NUMBER_TEXT_SIZE];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];
		uint64_t value = buffer->value[f->attr];

		if (buffer->given[f->attr])
			printf("%s%s", f->text, !value && f->or_word ? f->or_word :
			       number_format(f->kind, value, text));
	}
	printf("\n");
}

/* Raw values; what an older module does not send is null. */
static void print_buffer_json(const struct buffer *buffer)
{
	struct json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		int attr = fields[i].attr;

		json_object_object_add(object, fields[i].key, buffer->given[attr] ?
				       json_object_new_int64(buffer->value[attr]) : NULL);
	}
	json_object_object_add(object, "size_auto",
			       json_object_new_boolean(!buffer->value[LOSSLESS_A_BUFFER_SIZE]));
	print_json(object);
}

static int buffer_show(struct talk *talk)
{
	struct buffer buffer = { 0 };
	struct nlmsghdr *n;
	int status = talk_open(talk);

	if (status)
		return status;
	n = request(talk, LOSSLESS_CMD_BUFFER_GET);
	if (exchange(talk, n, take_buffer, &buffer))
		return kernel_refused();
	if (json)
		print_buffer_json(&buffer);
	else
		print_buffer_text(&buffer);
	return DONE;
}

/* buffer set */

/**
 * struct setting - a word of `buffer set`
 * @name: the word
 * @takes: what must follow
 * @number: its range; or_word stands for 0
 * @attr: LOSSLESS_A_BUFFER_*
 */
struct setting {
	const char *name;
	const char *takes;
	struct number number;
	int attr;
};

static const struct setting settings[] = {
	{ "size", "auto or SIZE", { NUMBER_SIZE, LOSSLESS_SIZE_MIN, LOSSLESS_SIZE_MAX, "auto" },
	  LOSSLESS_A_BUFFER_SIZE },
	{ "headroom-pool", "SIZE", { NUMBER_SIZE, 0, LOSSLESS_SIZE_MAX, NULL },
	  LOSSLESS_A_BUFFER_HEADROOM_POOL },
	{ "cell", "BYTES", { NUMBER_COUNT, 1, LOSSLESS_CELL_MAX, NULL },
	  LOSSLESS_A_BUFFER_CELL },
};

static const struct setting *find_setting(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

static int read_setting(const struct setting *s, const char *text, struct buffer *buffer)
{
	if (!text) {
		fprintf(stderr, "Error: %s needs a value: %s.\n", s->name, s->takes);
		return -1;
	}
	if (buffer->given[s->attr]) {
		fprintf(stderr, "Error: duplicate \"%s\": \"%s\" is the second value.\n", s->name,
			text);
		return -1;
	}
	buffer->given[s->attr] = true;
	if (s->number.or_word && !strcmp(text, s->number.or_word))
		return 0;
	return number_parse(&s->number, s->name, text, &buffer->value[s->attr]);
}

/* All of the command line is read before anything is sent. */
static int read_settings(char **words, struct buffer *buffer)
{
	const struct setting *s;

	if (!*words)
		return bad_usage();
	for (; *words; words += 2) {
		s = find_setting(*words);
		if (!s)
			return bad_word(*words);
		if (read_setting(s, words[1], buffer))
			return BAD_USAGE;
	}
	return DONE;
}

static void put_settings(struct nlmsghdr *n, const struct buffer *buffer)
{
	if (buffer->given[LOSSLESS_A_BUFFER_SIZE])
		mnl_attr_put_u64(n, LOSSLESS_A_BUFFER_SIZE,
				 buffer->value[LOSSLESS_A_BUFFER_SIZE]);
	if (buffer->given[LOSSLESS_A_BUFFER_HEADROOM_POOL])
		mnl_attr_put_u64(n, LOSSLESS_A_BUFFER_HEADROOM_POOL,
				 buffer->value[LOSSLESS_A_BUFFER_HEADROOM_POOL]);
	if (buffer->given[LOSSLESS_A_BUFFER_CELL])
		mnl_attr_put_u32(n, LOSSLESS_A_BUFFER_CELL,
				 buffer->value[LOSSLESS_A_BUFFER_CELL]);
}

static int buffer_set(struct talk *talk, char **words)
{
	struct buffer buffer = { 0 };
	struct nlmsghdr *n;
	int status = read_settings(words, &buffer);

	if (!status)
		status = talk_open(talk);
	if (status)
		return status;
	n = request(talk, LOSSLESS_CMD_BUFFER_SET);
	put_settings(n, &buffer);
	return exchange(talk, n, NULL, NULL) ? kernel_refused() : DONE;
}

/**
 * run_buffer() - the command `buffer`
 * @words: after it
 *
 * Return: exit status
 */
int run_buffer(char **words)
{
	static struct talk talk;
	int status;

	if (!*words || (!strcmp(*words, "show") && !words[1]))
		status = buffer_show(&talk);
	else if (!strcmp(*words, "set"))
		status = buffer_set(&talk, words + 1);
	else
		return bad_word(words[strcmp(*words, "show") ? 0 : 1]);
	talk_close(&talk);
	return status;
}
