// SPDX-License-Identifier: GPL-2.0
/*
 * Sends and records single Ethernet frames for the selftests, on a packet socket around the
 * queue discipline's back (a host without a qdisc) or through it.
 *
 *	frame send DEV [OPTION VALUE]...
 *	frame listen DEV [OPTION VALUE]...
 *	frame now
 *	frame offset			what CLOCK_REALTIME is ahead of that
 *	frame until NS			sleeps until then
 *	frame -n NETNS ...		in that network namespace
 *
 * All times are nanoseconds of CLOCK_MONOTONIC; with the kernel in virtual time they are exact.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX	65536
#define FLOW_TYPE	0x88b5	/* local experimental, for frames that are no IP */

static const char usage[] =
"usage: frame send DEV [OPTION VALUE]...\n"
"  dst MAC, src MAC (default: the device's)\n"
"  kind pfc|pause|udp|udp6|raw   what follows the addresses (default udp)\n"
"  pcp P, vid V                  with an 802.1Q tag in the frame\n"
"  pfc: vector MASK, times T0,T1,..T7 (quanta; those not named are 0)\n"
"  pause: time QUANTA\n"
"  udp, udp6: from ADDRESS, to ADDRESS, dscp D, ecn E, ttl T\n"
"  raw: type ETHERTYPE, hex BYTES (payload)\n"
"  size BYTES                    frame without FCS (default: 60, or as the kind needs)\n"
"  opcode N                      instead of the right one of pfc and pause\n"
"  count N, gap NS               how many, time between the starts of two\n"
"  at NS                         CLOCK_MONOTONIC time of the first\n"
"  flow N                        number of the flow in udp and raw\n"
"  priority N                    skb->priority\n"
"usage: frame listen DEV [OPTION VALUE]...\n"
"  type ETHERTYPE                only these (default 0: all)\n"
"  print 0|1                     a line for each frame (default 1)\n"
"  flows 0|1                     \"flow N frames F\" lines at the end (default 0)\n"
"  count N                       stop after so many\n"
"  quiet NS                      stop when nothing came for so long\n"
"  until NS                      stop at this CLOCK_MONOTONIC time\n"
"  outgoing 0|1                  also what the device sends (default 0)\n"
"A line of listen: time, length, then all bytes in hex up to 128. At the end it prints\n"
"\"frames N bytes B reordered R ce C first NS last NS\"; SIGTERM ends it too.\n";

struct options {
	uint8_t dst[6], src[6];
	bool has_src;
	const char *kind;
	int pcp, vid;
	unsigned int vector, time;
	uint16_t times[8];
	const char *from, *to;
	unsigned int dscp, ecn, ttl, type, size, opcode, flow, priority;
	const char *hex;
	uint64_t count, gap, at, quiet, until;
	bool print, flows, outgoing;
};

static void fail(const char *what)
{
	fprintf(stderr, "frame: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void bad(const char *what, const char *value)
{
	fprintf(stderr, "frame: %s \"%s\"\n%s", what, value, usage);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The kernel uses all of the timer slack, which cannot be less than 1 ns. */
static void sleep_until(uint64_t ns)
{
	struct timespec t = { (ns - 1) / 1000000000, (ns - 1) % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end)
		bad("not numeric:", text);
	return value;
}

static void mac(const char *text, uint8_t *out)
{
	unsigned int b[6], i;

	if (sscanf(text, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3, b + 4, b + 5) != 6)
		bad("not a MAC address:", text);
	for (i = 0; i < 6; i++)
		out[i] = b[i];
}

static void times(char *text, uint16_t *out)
{
	unsigned int i = 0;
	char *item;

	while ((item = strsep(&text, ",")) && i < 8)
		out[i++] = number(item);
}

static void parse(struct options *o, int argc, char **argv)
{
	int i;

	for (i = 0; i + 1 < argc; i += 2) {
		const char *name = argv[i];
		char *value = argv[i + 1];

		if (!strcmp(name, "dst"))
			mac(value, o->dst);
		else if (!strcmp(name, "src"))
			mac(value, o->src), o->has_src = true;
		else if (!strcmp(name, "kind"))
			o->kind = value;
		else if (!strcmp(name, "pcp"))
			o->pcp = number(value);
		else if (!strcmp(name, "vid"))
			o->vid = number(value);
		else if (!strcmp(name, "vector"))
			o->vector = number(value);
		else if (!strcmp(name, "times"))
			times(value, o->times);
		else if (!strcmp(name, "time"))
			o->time = number(value);
		else if (!strcmp(name, "from"))
			o->from = value;
		else if (!strcmp(name, "to"))
			o->to = value;
		else if (!strcmp(name, "dscp"))
			o->dscp = number(value);
		else if (!strcmp(name, "ecn"))
			o->ecn = number(value);
		else if (!strcmp(name, "ttl"))
			o->ttl = number(value);
		else if (!strcmp(name, "type"))
			o->type = number(value);
		else if (!strcmp(name, "size"))
			o->size = number(value);
		else if (!strcmp(name, "opcode"))
			o->opcode = number(value);
		else if (!strcmp(name, "flow"))
			o->flow = number(value);
		else if (!strcmp(name, "priority"))
			o->priority = number(value);
		else if (!strcmp(name, "hex"))
			o->hex = value;
		else if (!strcmp(name, "count"))
			o->count = number(value);
		else if (!strcmp(name, "gap"))
			o->gap = number(value);
		else if (!strcmp(name, "at"))
			o->at = number(value);
		else if (!strcmp(name, "quiet"))
			o->quiet = number(value);
		else if (!strcmp(name, "until"))
			o->until = number(value);
		else if (!strcmp(name, "print"))
			o->print = number(value);
		else if (!strcmp(name, "outgoing"))
			o->outgoing = number(value);
		else if (!strcmp(name, "flows"))
			o->flows = number(value);
		else
			bad("unknown option", name);
	}
	if (i != argc)
		bad("no value for", argv[i]);
}

static unsigned int put16(uint8_t *p, unsigned int value)
{
	p[0] = value >> 8;
	p[1] = value;
	return 2;
}

static unsigned int put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	return 2 + put16(p + 2, value & 0xffff);
}

static unsigned int checksum(const uint8_t *p, unsigned int bytes)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < bytes; i += 2)
		sum += p[i] << 8 | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* UDP with flow and sequence number as payload; without checksum, which IPv6 forbids but no
 * switch looks at. Returns the offset of the flow number.
 */
static unsigned int build_udp(uint8_t *p, const struct options *o, unsigned int bytes)
{
	bool is_v6 = !strcmp(o->kind, "udp6");
	unsigned int ip_bytes = is_v6 ? 40 : 20, traffic_class = o->dscp << 2 | o->ecn;
	uint8_t *udp = p + ip_bytes;

	if (is_v6) {
		put32(p, 6U << 28 | traffic_class << 20);
		put16(p + 4, bytes - ip_bytes);
		p[6] = IPPROTO_UDP;
		p[7] = o->ttl;
		if (inet_pton(AF_INET6, o->from, p + 8) != 1 ||
		    inet_pton(AF_INET6, o->to, p + 24) != 1)
			bad("not an IPv6 address:", o->from);
	} else {
		p[0] = 0x45;
		p[1] = traffic_class;
		put16(p + 2, bytes);
		put16(p + 6, 0x4000);
		p[8] = o->ttl;
		p[9] = IPPROTO_UDP;
		if (inet_pton(AF_INET, o->from, p + 12) != 1 ||
		    inet_pton(AF_INET, o->to, p + 16) != 1)
			bad("not an IPv4 address:", o->from);
		put16(p + 10, checksum(p, 20));
	}
	put16(udp, 40000 + o->flow);
	put16(udp + 2, 9);
	put16(udp + 4, bytes - ip_bytes);
	return ip_bytes + 8;
}

/* Returns the offset of flow and sequence number, 0: the frame has none. */
static unsigned int build(uint8_t *frame, const struct options *o, unsigned int *bytes)
{
	bool is_pfc = !strcmp(o->kind, "pfc"), is_pause = !strcmp(o->kind, "pause");
	unsigned int at = 12, seq = 0, i, smallest;

	memcpy(frame, o->dst, 6);
	memcpy(frame + 6, o->src, 6);
	if (o->pcp >= 0 || o->vid >= 0) {
		at += put16(frame + at, ETH_P_8021Q);
		at += put16(frame + at,
			    (o->pcp > 0 ? o->pcp : 0) << 13 | (o->vid > 0 ? o->vid : 0));
	}
	if (is_pfc || is_pause) {
		at += put16(frame + at, ETH_P_PAUSE);
		at += put16(frame + at, o->opcode ? o->opcode : is_pfc ? 0x0101 : 1);
		at += put16(frame + at, is_pfc ? o->vector : o->time);
		for (i = 0; is_pfc && i < 8; i++)
			at += put16(frame + at, o->times[i]);
	} else if (!strcmp(o->kind, "raw")) {
		at += put16(frame + at, o->type);
		for (i = 0; o->hex && o->hex[i] && o->hex[i + 1]; i += 2)
			if (sscanf(o->hex + i, "%2hhx", frame + at++) != 1)
				bad("no hex:", o->hex);
		seq = o->hex ? 0 : at;
		at += o->hex ? 0 : 8;
	} else {
		at += put16(frame + at, !strcmp(o->kind, "udp6") ? ETH_P_IPV6 : ETH_P_IP);
		smallest = at + (!strcmp(o->kind, "udp6") ? 56 : 36);
		*bytes = o->size > smallest ? o->size : smallest > 60 ? smallest : 60;
		seq = at + build_udp(frame + at, o, *bytes - at);
		at = seq + 8;
	}
	*bytes = o->size ? o->size : at > 60 ? at : 60;
	return seq;
}

static int open_socket(const char *dev, unsigned int protocol, bool outgoing)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(dev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	int size = 1 << 30, one = 1, ignore = !outgoing;

	if (fd < 0)
		fail("packet socket");
	if (!address.sll_ifindex)
		fail(dev);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ignore, sizeof(ignore));
	setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one));
	if (bind(fd, (void *)&address, sizeof(address)))
		fail("bind");
	return fd;
}

static int do_send(const char *dev, struct options *o)
{
	static uint8_t frame[FRAME_MAX];
	int fd = open_socket(dev, 0, false);
	unsigned int bytes, seq;
	struct ifreq request = {};
	uint64_t next, i;

	setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &o->priority, sizeof(o->priority));
	strncpy(request.ifr_name, dev, IFNAMSIZ - 1);
	if (!o->has_src) {
		if (ioctl(fd, SIOCGIFHWADDR, &request))
			fail(dev);
		memcpy(o->src, request.ifr_hwaddr.sa_data, 6);
	}
	seq = build(frame, o, &bytes);
	next = o->at ? o->at : now_ns();
	for (i = 0; i < o->count; i++, next += o->gap) {
		if (i ? o->gap : o->at)
			sleep_until(next);
		if (seq) {
			put32(frame + seq, o->flow);
			put32(frame + seq + 4, i);
		}
		/* ENOBUFS: the device's queue dropped it, which is a result, too */
		if (send(fd, frame, bytes, 0) < 0 && errno != ENOBUFS)
			fail("send");
	}
	return 0;
}

static sig_atomic_t stopped;	/* recvmsg() is interrupted, so it is read anew */

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

struct seen {
	uint64_t frames, bytes, reordered, ce, first, last;
	uint32_t next[65536], of_flow[65536];
};

static void account(struct seen *seen, const uint8_t *p, unsigned int bytes, uint64_t at)
{
	unsigned int type = p[12] << 8 | p[13], l3 = 14, seq = 0;

	if (type == ETH_P_8021Q) {
		type = p[16] << 8 | p[17];
		l3 = 18;
	}
	if (type == ETH_P_IP) {
		seq = l3 + 28;
		seen->ce += (p[l3 + 1] & 3) == 3;
	} else if (type == ETH_P_IPV6) {
		seq = l3 + 48;
		seen->ce += (p[l3 + 1] >> 4 & 3) == 3;
	} else if (type == FLOW_TYPE) {
		seq = l3;
	}
	if (seq && bytes >= seq + 8) {
		uint32_t flow = get32(p + seq) & 0xffff, number = get32(p + seq + 4);

		if (number < seen->next[flow])
			seen->reordered++;
		else
			seen->next[flow] = number + 1;
		seen->of_flow[flow]++;
	}
	seen->frames++;
	seen->bytes += bytes;
	if (!seen->first)
		seen->first = at;
	seen->last = at;
}

/* SO_TIMESTAMPNS is of CLOCK_REALTIME: what the two differ by is constant here. */
static uint64_t realtime_offset(void)
{
	struct timespec t;
	uint64_t before = now_ns();

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec - (before + now_ns()) / 2;
}

static uint64_t message_time(struct msghdr *message, uint64_t offset, int *tci)
{
	struct cmsghdr *c;
	struct timespec t = {};

	*tci = -1;
	for (c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS)
			memcpy(&t, CMSG_DATA(c), sizeof(t));
		if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			struct tpacket_auxdata aux;

			memcpy(&aux, CMSG_DATA(c), sizeof(aux));
			if (aux.tp_status & TP_STATUS_VLAN_VALID)
				*tci = aux.tp_vlan_tci;
		}
	}
	return t.tv_sec * 1000000000ULL + t.tv_nsec - offset;
}

static void print_frame(uint64_t at, const uint8_t *p, unsigned int bytes, int tci)
{
	unsigned int i, shown = bytes < 128 ? bytes : 128;

	printf("%llu %u ", (unsigned long long)at, bytes);
	for (i = 0; i < shown; i++)
		printf("%02x", p[i]);
	if (tci >= 0)
		printf(" tci %04x", tci);
	printf("\n");
	fflush(stdout);
}

static int wait_ms(const struct options *o, uint64_t last)
{
	uint64_t end = o->until ? o->until : UINT64_MAX, now = now_ns();

	if (o->quiet && last + o->quiet < end)
		end = last + o->quiet;
	if (end == UINT64_MAX)
		return -1;
	return now >= end ? 0 : (end - now + 999999) / 1000000;
}

static void print_flows(const struct seen *seen)
{
	unsigned int i;

	for (i = 0; i < 65536; i++)
		if (seen->of_flow[i])
			printf("flow %u frames %u\n", i, seen->of_flow[i]);
}

/* In the kernel, so that other frames cost nothing. A socket for one type alone would see
 * nothing that the port's hook consumes.
 */
static void filter_type(int fd, unsigned int type)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, type, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { 4, code };

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)))
		fail("filter");
}

static int do_listen(const char *dev, struct options *o)
{
	static struct seen seen;
	static uint8_t frame[FRAME_MAX];
	uint8_t control[256];
	int fd = open_socket(dev, ETH_P_ALL, o->outgoing), one = 1, tci;
	uint64_t offset = realtime_offset(), last = now_ns(), at;
	struct sigaction action = { .sa_handler = stop };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	if (o->type)
		filter_type(fd, o->type);
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
	while (!stopped && (!o->count || seen.frames < o->count)) {
		struct iovec iov = { frame, sizeof(frame) };
		struct msghdr message = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		struct pollfd p = { fd, POLLIN, 0 };
		ssize_t bytes;

		if (poll(&p, 1, wait_ms(o, last)) <= 0) {
			if (errno == EINTR && !stopped)
				continue;
			break;
		}
		bytes = recvmsg(fd, &message, MSG_DONTWAIT);
		if (bytes < 14)
			continue;
		at = message_time(&message, offset, &tci);
		last = at;
		account(&seen, frame, bytes, at);
		if (o->print)
			print_frame(at, frame, bytes, tci);
	}
	if (o->flows)
		print_flows(&seen);
	printf("frames %llu bytes %llu reordered %llu ce %llu first %llu last %llu\n",
	       (unsigned long long)seen.frames, (unsigned long long)seen.bytes,
	       (unsigned long long)seen.reordered, (unsigned long long)seen.ce,
	       (unsigned long long)seen.first, (unsigned long long)seen.last);
	return 0;
}

static void enter(const char *netns)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		fail(path);
	close(fd);
}

int main(int argc, char **argv)
{
	struct options o = {
		.dst = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.kind = "udp", .pcp = -1, .vid = -1, .from = "10.0.0.1", .to = "10.0.0.2",
		.ttl = 64, .count = 0, .print = true,
	};

	prctl(PR_SET_TIMERSLACK, 1);
	if (argc > 2 && !strcmp(argv[1], "-n")) {
		enter(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc == 2 && !strcmp(argv[1], "now"))
		return printf("%llu\n", (unsigned long long)now_ns()) < 0;
	if (argc == 2 && !strcmp(argv[1], "offset"))
		return printf("%llu\n", (unsigned long long)realtime_offset()) < 0;
	if (argc == 3 && !strcmp(argv[1], "until")) {
		sleep_until(number(argv[2]));
		return 0;
	}
	if (argc < 3) {
		fputs(usage, stderr);
		return 1;
	}
	parse(&o, argc - 3, argv + 3);
	if (!strcmp(argv[1], "send")) {
		if (!o.count)
			o.count = 1;
		if (!o.type)
			o.type = FLOW_TYPE;
		return do_send(argv[2], &o);
	}
	if (!strcmp(argv[1], "listen"))
		return do_listen(argv[2], &o);
	bad("neither send nor listen:", argv[1]);
	return 1;
}
