// SPDX-License-Identifier: GPL-2.0
/*
 * buffer-trace: drives the buffer law (sch_lossless/core/buffer.c) with events read
 * from stdin, one a line, and prints what the law decided, one line for each. The
 * language is section 12 of the design. No rule of the law lives here, only its
 * caller: who is charged, and what is filed anew when a P or Q line comes again.
 *
 *	N size=B cell=C hpool=HP		once, first
 *	P port=I prio=P g=G h=H alpha=K xonoff=BYTES	a lossless PG, dynamic, or
 *	P port=I prio=P g=G h=H xoff=BYTES xon=BYTES	static
 *	Q port=I prio=P g=GQ alpha=K | limit=BYTES	a lossy (or local) queue
 *	E in=I out=J prio=P len=L		a frame arrives on I (0 = local) for J
 *	D in=I out=J prio=P len=L		it leaves
 *	R port=I prio=P				a refresh judges the PG again
 *
 * Keys may come in any order. A frame that no P line declares a PG for is lossy and
 * needs the Q line of (out, prio). A line that is not understood ends the program
 * with status 2.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "buffer.h"

#define EXIT_LINE	2			/* a line was not understood */
#define SIZE_BYTES_MIN	(16LL << 10)
#define SIZE_BYTES_MAX	(4LL << 30)
#define BYTES_MAX	(1LL << 62)		/* so that no sum of two sizes wraps */
#define U32_LIMIT	0xffffffffLL

/* ---- The line at hand ------------------------------------------------------- */

static char *line_text;				/* without its newline */
static unsigned long line_number;

static void __attribute__((noreturn, format(printf, 1, 2))) refuse_line(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "buffer-trace: line %lu: ", line_number);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", line_text);
	exit(EXIT_LINE);
}

static void *allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (memory)
		return memory;
	perror("buffer-trace");
	exit(EXIT_FAILURE);
}

/* ---- Syntax: KIND key=value ... ---------------------------------------------- */

enum key {
	KEY_SIZE, KEY_CELL, KEY_HPOOL, KEY_PORT, KEY_PRIO, KEY_G, KEY_H, KEY_ALPHA,
	KEY_XONOFF, KEY_XOFF, KEY_XON, KEY_LIMIT, KEY_IN, KEY_OUT, KEY_LEN, KEYS
};

static const struct {
	const char *name;
	int64_t min;
	int64_t max;
} keys[KEYS] = {
	[KEY_SIZE]	= { "size", SIZE_BYTES_MIN, SIZE_BYTES_MAX },
	[KEY_CELL]	= { "cell", 0, U32_LIMIT },
	[KEY_HPOOL]	= { "hpool", 0, BYTES_MAX },
	[KEY_PORT]	= { "port", 1, U32_LIMIT },	/* 0 is local: no port */
	[KEY_PRIO]	= { "prio", 0, 7 },
	[KEY_G]		= { "g", 0, BYTES_MAX },
	[KEY_H]		= { "h", 0, BYTES_MAX },
	[KEY_ALPHA]	= { "alpha", BUFFER_ALPHA_MIN, BUFFER_ALPHA_MAX },
	[KEY_XONOFF]	= { "xonoff", 0, BYTES_MAX },
	[KEY_XOFF]	= { "xoff", 0, BYTES_MAX },
	[KEY_XON]	= { "xon", 0, BYTES_MAX },
	[KEY_LIMIT]	= { "limit", 0, BYTES_MAX },
	[KEY_IN]	= { "in", 0, U32_LIMIT },
	[KEY_OUT]	= { "out", 1, U32_LIMIT },
	[KEY_LEN]	= { "len", 1, U32_LIMIT },
};

#define BIT(key)	(1U << (key))
#define FRAME_KEYS	(BIT(KEY_IN) | BIT(KEY_OUT) | BIT(KEY_PRIO) | BIT(KEY_LEN))
#define PG_KEYS		(BIT(KEY_PORT) | BIT(KEY_PRIO) | BIT(KEY_G) | BIT(KEY_H))
#define QUEUE_KEYS	(BIT(KEY_PORT) | BIT(KEY_PRIO) | BIT(KEY_G))

/**
 * struct line - a line that was understood
 * @given: the keys that it has
 * @value: theirs
 */
struct line {
	unsigned int given;
	int64_t value[KEYS];
};

static bool has(const struct line *line, enum key key)
{
	return line->given & BIT(key);
}

/* Decimal digits and nothing else; a minus sign where the key may be negative. */
static int64_t parse_value(enum key key, const char *text)
{
	bool negative = keys[key].min < 0 && *text == '-';
	const char *digits = text + negative;
	int64_t value = 0;

	if (!*digits || digits[strspn(digits, "0123456789")])
		refuse_line("%s is not a number", keys[key].name);
	for (; *digits && value <= BYTES_MAX / 10; digits++)
		value = value * 10 + (*digits - '0');
	if (negative)
		value = -value;
	if (*digits || value < keys[key].min || value > keys[key].max)
		refuse_line("%s is outside %" PRId64 " to %" PRId64, keys[key].name,
			    keys[key].min, keys[key].max);
	return value;
}

static void parse_word(struct line *line, const char *word, unsigned int allowed)
{
	size_t name_bytes = strcspn(word, "=");
	enum key key;

	for (key = 0; key < KEYS; key++)
		if (allowed & BIT(key) && strlen(keys[key].name) == name_bytes &&
		    !memcmp(keys[key].name, word, name_bytes))
			break;
	if (key == KEYS || word[name_bytes] != '=')
		refuse_line("unknown key '%s'", word);
	if (has(line, key))
		refuse_line("%s is given twice", keys[key].name);
	line->value[key] = parse_value(key, word + name_bytes + 1);
	line->given |= BIT(key);
}

static void check_complete(const struct line *line, unsigned int needed, unsigned int or_needed)
{
	unsigned int nearest = line->given & or_needed & ~needed ? or_needed : needed;
	enum key key;

	if (line->given & ~nearest)
		refuse_line("two kinds of threshold");
	for (key = 0; key < KEYS; key++)
		if (nearest & ~line->given & BIT(key))
			refuse_line("%s is missing", keys[key].name);
}

/* Reads the words after the first: all keys of one of two sets. */
static struct line parse_line(unsigned int needed, unsigned int or_needed)
{
	struct line line = {};
	const char *word;

	while ((word = strtok(NULL, " \t")))
		parse_word(&line, word, needed | or_needed);
	check_complete(&line, needed, or_needed);
	return line;
}

/* ---- The switch ------------------------------------------------------------------ */

/**
 * struct account - a PG or a queue; it never goes away
 * @next: in the order of declaration, which is the order of filing anew
 */
struct account {
	bool is_pg;
	uint32_t port;
	int prio;
	struct buffer_limits limits;
	struct buffer_account held;
	struct account *next;
};

/**
 * struct flow - the bytes that frames of one (in, out, prio) have in the buffer
 * @pg_bytes: those charged to the PG of (in, prio)
 * @queue_bytes: those charged to the queue of (out, prio); they are older than
 *	@pg_bytes, since a PG that was declared once stays
 */
struct flow {
	uint32_t in;
	uint32_t out;
	int prio;
	uint64_t pg_bytes;
	uint64_t queue_bytes;
};

static struct {
	bool declared;				/* the N line was read */
	uint64_t size_bytes;			/* B */
	uint32_t cell_bytes;
	struct buffer_pool pool;
	struct account *accounts;
	struct account **last_account;
	void *account_tree;
	void *flow_tree;
	unsigned long events;
} mmu = { .last_account = &mmu.accounts };

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_accounts(const void *left, const void *right)
{
	const struct account *a = left, *b = right;

	return compare(a->is_pg, b->is_pg) ?: compare(a->port, b->port) ?:
	       a->prio - b->prio;
}

static int compare_flows(const void *left, const void *right)
{
	const struct flow *a = left, *b = right;

	return compare(a->in, b->in) ?: compare(a->out, b->out) ?: a->prio - b->prio;
}

static struct account *find_account(bool is_pg, uint32_t port, int prio)
{
	const struct account wanted = { .is_pg = is_pg, .port = port, .prio = prio };
	struct account **found = tfind(&wanted, &mmu.account_tree, compare_accounts);

	return found ? *found : NULL;
}

static struct account *add_account(bool is_pg, uint32_t port, int prio)
{
	struct account *account = allocate(sizeof(*account));

	*account = (struct account){ .is_pg = is_pg, .port = port, .prio = prio };
	if (!tsearch(account, &mmu.account_tree, compare_accounts))
		refuse_line("out of memory");
	*mmu.last_account = account;
	mmu.last_account = &account->next;
	return account;
}

static struct flow *flow_of(const struct line *line)
{
	struct flow *flow = allocate(sizeof(*flow));
	struct flow **found;

	flow->in = line->value[KEY_IN];
	flow->out = line->value[KEY_OUT];
	flow->prio = line->value[KEY_PRIO];
	found = tsearch(flow, &mmu.flow_tree, compare_flows);
	if (!found)
		refuse_line("out of memory");
	if (*found != flow)
		free(flow);
	return *found;
}

/* ---- Sizes and their changes -------------------------------------------------------- */

/* R. Cannot wrap: it was at most B before the line at hand. */
static uint64_t reserved_bytes(void)
{
	const struct account *account;
	uint64_t sum = mmu.pool.headroom_size;

	for (account = mmu.accounts; account; account = account->next)
		sum += account->limits.guaranteed + account->limits.headroom;
	return sum;
}

static uint64_t compute_shared_size(void)
{
	uint64_t reserved = reserved_bytes();

	if (reserved > mmu.size_bytes)
		refuse_line("%" PRIu64 " bytes are reserved, size is %" PRIu64, reserved,
			    mmu.size_bytes);
	return mmu.size_bytes - reserved;
}

static void refile(struct account *account)
{
	if (account->is_pg)
		buffer_refile(&mmu.pool, &account->limits, &account->held);
	else
		buffer_refile_queue(&mmu.pool, &account->limits, &account->held);
}

/* Another P moves the threshold of each account, not only of the one that changed. */
static void apply_sizes(struct account *changed)
{
	uint64_t shared_before = mmu.pool.shared_size;
	struct account *account;

	mmu.pool.shared_size = compute_shared_size();
	if (mmu.pool.shared_size == shared_before) {
		refile(changed);
		return;
	}
	if (mmu.pool.shared_size < mmu.pool.shared_used)
		for (account = mmu.accounts; account; account = account->next)
			buffer_withdraw(&mmu.pool, &account->held);
	for (account = mmu.accounts; account; account = account->next)
		refile(account);
}

static void set_limits(bool is_pg, const struct line *line, struct buffer_limits limits)
{
	uint32_t port = line->value[KEY_PORT];
	int prio = line->value[KEY_PRIO];
	struct account *account = find_account(is_pg, port, prio);

	if (!account)
		account = add_account(is_pg, port, prio);
	account->limits = limits;
	apply_sizes(account);
}

/* ---- One function for each kind of line ----------------------------------------------- */

static void need_buffer(void)
{
	if (!mmu.declared)
		refuse_line("the N line comes first");
}

static void read_buffer(void)
{
	const unsigned int needed = BIT(KEY_SIZE) | BIT(KEY_CELL) | BIT(KEY_HPOOL);
	struct line line = parse_line(needed, needed);

	if (mmu.declared)
		refuse_line("a second N line");
	mmu.declared = true;
	mmu.size_bytes = line.value[KEY_SIZE];
	mmu.cell_bytes = line.value[KEY_CELL];
	mmu.pool.headroom_size = line.value[KEY_HPOOL];
	mmu.pool.shared_size = compute_shared_size();
}

static void read_pg(void)
{
	struct line line = parse_line(PG_KEYS | BIT(KEY_ALPHA) | BIT(KEY_XONOFF),
				      PG_KEYS | BIT(KEY_XOFF) | BIT(KEY_XON));
	struct buffer_limits limits = {
		.guaranteed = line.value[KEY_G],
		.headroom = line.value[KEY_H],
		.kind = has(&line, KEY_XOFF) ? BUFFER_STATIC : BUFFER_DYNAMIC,
		.alpha = line.value[KEY_ALPHA],
		.xon_offset = line.value[KEY_XONOFF],
		.xoff = line.value[KEY_XOFF],
		.xon = line.value[KEY_XON],
	};

	need_buffer();
	if (limits.kind == BUFFER_STATIC && limits.xoff < limits.guaranteed)
		refuse_line("xoff is below g");
	if (limits.xon > limits.xoff)
		refuse_line("xon is above xoff");
	set_limits(true, &line, limits);
}

static void read_queue(void)
{
	struct line line = parse_line(QUEUE_KEYS | BIT(KEY_ALPHA), QUEUE_KEYS | BIT(KEY_LIMIT));
	struct buffer_limits limits = {
		.guaranteed = line.value[KEY_G],
		.kind = has(&line, KEY_LIMIT) ? BUFFER_LIMIT : BUFFER_DYNAMIC,
		.alpha = line.value[KEY_ALPHA],
		.limit = line.value[KEY_LIMIT],
	};

	need_buffer();
	set_limits(false, &line, limits);
}

static const char *pfc_of(bool xoff_before, bool xoff)
{
	if (xoff == xoff_before)
		return "-";
	return xoff ? "pause" : "resume";
}

static void print_event(const char *verb, const struct account *account, bool xoff_before)
{
	const struct buffer_account *held = &account->held;

	printf("%lu %s g=%" PRIu64 " s=%" PRIu64 " h=%" PRIu64 " S=%" PRIu64 " T=%" PRIu64
	       " state=%s pfc=%s\n", ++mmu.events, verb, held->guaranteed_used,
	       held->shared_used, account->is_pg ? held->headroom_used : 0,
	       mmu.pool.shared_used, buffer_threshold(&mmu.pool, &account->limits),
	       held->xoff ? "xoff" : "xon", pfc_of(xoff_before, held->xoff));
}

static uint32_t frame_bytes(const struct line *line)
{
	return buffer_frame_bytes(line->value[KEY_LEN], mmu.cell_bytes);
}

static struct account *pg_of(const struct line *line)
{
	return find_account(true, line->value[KEY_IN], line->value[KEY_PRIO]);
}

static struct account *queue_of(const struct line *line)
{
	return find_account(false, line->value[KEY_OUT], line->value[KEY_PRIO]);
}

static void read_arrival(void)
{
	struct line line = parse_line(FRAME_KEYS, FRAME_KEYS);
	struct account *account;
	struct flow *flow;
	uint32_t len;
	bool admitted, xoff_before;

	need_buffer();
	account = pg_of(&line) ?: queue_of(&line);
	if (!account)
		refuse_line("neither a P line of (in, prio) nor a Q line of (out, prio)");
	flow = flow_of(&line);
	len = frame_bytes(&line);
	xoff_before = account->held.xoff;
	admitted = (account->is_pg ? buffer_charge : buffer_charge_queue)(&mmu.pool,
			&account->limits, &account->held, len);
	if (admitted)
		*(account->is_pg ? &flow->pg_bytes : &flow->queue_bytes) += len;
	print_event(admitted ? "admit" : "drop", account, xoff_before);
}

static void read_departure(void)
{
	struct line line = parse_line(FRAME_KEYS, FRAME_KEYS);
	struct account *account;
	struct flow *flow;
	uint32_t len;
	bool xoff_before;

	need_buffer();
	flow = flow_of(&line);
	len = frame_bytes(&line);
	if (flow->queue_bytes >= len) {
		flow->queue_bytes -= len;
		account = queue_of(&line);
	} else if (flow->pg_bytes >= len) {
		flow->pg_bytes -= len;
		account = pg_of(&line);
	} else {
		refuse_line("no such frame is in the buffer");
	}
	xoff_before = account->held.xoff;
	buffer_release(&mmu.pool, &account->limits, &account->held, len);
	print_event("leave", account, xoff_before);
}

static void read_refresh(void)
{
	const unsigned int needed = BIT(KEY_PORT) | BIT(KEY_PRIO);
	struct line line = parse_line(needed, needed);
	struct account *account;
	bool xoff_before;

	need_buffer();
	account = find_account(true, line.value[KEY_PORT], line.value[KEY_PRIO]);
	if (!account)
		refuse_line("no P line of (port, prio)");
	xoff_before = account->held.xoff;
	buffer_judge(&mmu.pool, &account->limits, &account->held);
	print_event("judge", account, xoff_before);
}

static const struct {
	const char *word;
	void (*read)(void);
} kinds[] = {
	{ "N", read_buffer },
	{ "P", read_pg },
	{ "Q", read_queue },
	{ "E", read_arrival },
	{ "D", read_departure },
	{ "R", read_refresh },
};

static void read_line(char *copy)
{
	const char *word = strtok(copy, " \t");
	size_t i;

	for (i = 0; word && i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(word, kinds[i].word)) {
			kinds[i].read();
			return;
		}
	}
	refuse_line("neither N, P, Q, E, D nor R");
}

/* strtok() writes into the line, and a message needs it whole. */
static void handle_line(char *text, size_t bytes)
{
	char *copy;

	line_number++;
	line_text = text;
	if (bytes && text[bytes - 1] == '\n')
		text[--bytes] = '\0';
	if (strlen(text) != bytes)
		refuse_line("a zero byte");
	copy = strdup(text);
	if (!copy)
		refuse_line("out of memory");
	read_line(copy);
	free(copy);
}

int main(void)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t bytes;

	setvbuf(stdout, NULL, _IOLBF, 0);	/* tools read each answer before they go on */
	while ((bytes = getline(&text, &room, stdin)) > 0)
		handle_line(text, bytes);
	free(text);
	if (ferror(stdin) || ferror(stdout)) {
		fprintf(stderr, "buffer-trace: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
