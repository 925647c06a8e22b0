// SPDX-License-Identifier: GPL-2.0
/*
 * tc's attributes of a port: parsed into a configuration, dumped from it, and statistics.
 * The parser and the dump walk the attributes in the same order. What the values mean
 * together is config.c's.
 */
#include <linux/ktime.h>
#include <net/gen_stats.h>
#include <net/netlink.h>

#include "sched.h"

static const struct nla_policy lossless_policy[TCA_LOSSLESS_MAX + 1] = {
	[TCA_LOSSLESS_RATE64]		= { .type = NLA_U64 },
	[TCA_LOSSLESS_OVERHEAD]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_BURST]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_KEEP_GSO]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_KEEP_SOCKET]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_TRUST]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_DSCP_MAP]		= { .type = NLA_NESTED },
	[TCA_LOSSLESS_PCP_MAP]		= { .type = NLA_NESTED },
	[TCA_LOSSLESS_DEFAULT_PRIO]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_CABLE_CM]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_RESPONSE]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_PFC]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_PFC_RX]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_LLFC]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_QUANTA]		= { .type = NLA_U16 },
	[TCA_LOSSLESS_CELL]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_PRIO]		= { .type = NLA_NESTED },
	[TCA_LOSSLESS_WATCHDOG]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_DETECT64]		= { .type = NLA_U64 },
	[TCA_LOSSLESS_RESTORE]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_RESTORE_TIME64]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_ACTION]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_WINDOW64]		= { .type = NLA_U64 },
	[TCA_LOSSLESS_DUTY]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_UNTRUST]		= { .type = NLA_U32 },
	[TCA_LOSSLESS_UNTRUST_TIME64]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_INGRESS_PASS]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_PAUSE_TIMEOUT64]	= { .type = NLA_U64 },
};

static const struct nla_policy map_policy[TCA_LOSSLESS_MAP_MAX + 1] = {
	[TCA_LOSSLESS_MAP_ENTRY] = NLA_POLICY_EXACT_LEN(sizeof(struct tc_lossless_map_entry)),
};

static const struct nla_policy prio_policy[TCA_LOSSLESS_PRIO_MAX + 1] = {
	[TCA_LOSSLESS_PRIO_INDEX]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_PRIO_LOSSLESS]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_PRIO_WEIGHT]	= { .type = NLA_U32 },
	[TCA_LOSSLESS_PRIO_GUARANTEED]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_ALPHA]	= { .type = NLA_S8 },
	[TCA_LOSSLESS_PRIO_XOFF]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_XON]		= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_XON_OFFSET]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_HEADROOM]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_HEADROOM_AUTO] = { .type = NLA_U8 },
	[TCA_LOSSLESS_PRIO_LIMIT]	= { .type = NLA_U64 },
	[TCA_LOSSLESS_PRIO_ECN]		= { .type = NLA_U8 },
	[TCA_LOSSLESS_PRIO_KMIN]	= { .type = NLA_U32 },
	[TCA_LOSSLESS_PRIO_KMAX]	= { .type = NLA_U32 },
	[TCA_LOSSLESS_PRIO_PMAX]	= { .type = NLA_U32 },
	[TCA_LOSSLESS_PRIO_WRED]	= { .type = NLA_U8 },
	[TCA_LOSSLESS_PRIO_MAX_AGE64]	= { .type = NLA_U64 },
};

/**
 * struct option - an attribute that is one integer
 * @attribute: its type
 * @name: as tc names it
 * @offset: of its field, which is as wide as the attribute
 * @min: smallest value
 * @max: largest value
 * @may_be_off: 0 is good as well
 */
struct option {
	u8 attribute;
	const char *name;
	size_t offset;
	u64 min;
	u64 max;
	bool may_be_off;
};

#define PORT(field)	offsetof(struct lossless_config, field)
#define PRIO(field)	offsetof(struct lossless_prio_config, field)

static const struct option port_options[] = {
	{ TCA_LOSSLESS_OVERHEAD, "overhead", PORT(overhead_bytes), 0, LOSSLESS_OVERHEAD_MAX },
	{ TCA_LOSSLESS_BURST, "burst", PORT(burst_frames), 1, LOSSLESS_BURST_MAX },
	{ TCA_LOSSLESS_KEEP_GSO, "keep-gso", PORT(keep_gso), 0, 1 },
	{ TCA_LOSSLESS_KEEP_SOCKET, "keep-socket", PORT(keep_socket), 0, 1 },
	{ TCA_LOSSLESS_TRUST, "trust", PORT(trust), 0, LOSSLESS_TRUST_MAX },
	{ TCA_LOSSLESS_DEFAULT_PRIO, "default-prio", PORT(default_priority), 0,
	  LOSSLESS_PRIORITIES - 1 },
	{ TCA_LOSSLESS_CABLE_CM, "cable (cm)", PORT(cable_cm), 0, LOSSLESS_CABLE_CM_MAX },
	{ TCA_LOSSLESS_RESPONSE, "response", PORT(response_bytes), 0, LOSSLESS_RESPONSE_MAX },
	{ TCA_LOSSLESS_LLFC, "llfc", PORT(llfc), 0, 1 },
	{ TCA_LOSSLESS_QUANTA, "quanta", PORT(quanta), 1, U16_MAX },
	{ TCA_LOSSLESS_CELL, "cell", PORT(cell_bytes), 0, LOSSLESS_CELL_MAX },
	{ TCA_LOSSLESS_WATCHDOG, "watchdog", PORT(watchdog), 0, 1 },
	{ TCA_LOSSLESS_DETECT64, "detect (ns)", PORT(detect_ns), LOSSLESS_DETECT_MIN,
	  LOSSLESS_DETECT_MAX },
	{ TCA_LOSSLESS_RESTORE, "restore", PORT(restore), 0, LOSSLESS_RESTORE_MAX },
	{ TCA_LOSSLESS_RESTORE_TIME64, "restore (ns)", PORT(restore_ns),
	  LOSSLESS_RESTORE_TIME_MIN, LOSSLESS_RESTORE_TIME_MAX },
	{ TCA_LOSSLESS_ACTION, "action", PORT(action), 0, LOSSLESS_ACTION_MAX },
	{ TCA_LOSSLESS_WINDOW64, "window (ns)", PORT(window_ns), LOSSLESS_DETECT_MIN,
	  LOSSLESS_DETECT_MAX, .may_be_off = true },
	{ TCA_LOSSLESS_DUTY, "duty (percent)", PORT(duty_percent), 1, 100 },
	{ TCA_LOSSLESS_UNTRUST, "untrust", PORT(untrust_storms), 0, LOSSLESS_UNTRUST_MAX },
	{ TCA_LOSSLESS_UNTRUST_TIME64, "untrust (ns)", PORT(untrust_ns),
	  LOSSLESS_RESTORE_TIME_MIN, LOSSLESS_RESTORE_TIME_MAX },
	{ TCA_LOSSLESS_INGRESS_PASS, "ingress-pass", PORT(ingress_pass), 0, 1 },
	{ TCA_LOSSLESS_PAUSE_TIMEOUT64, "pause-timeout (ns)", PORT(pause_timeout_ns),
	  LOSSLESS_DETECT_MIN, LOSSLESS_DETECT_MAX, .may_be_off = true },
};

static const struct option prio_options[] = {
	{ TCA_LOSSLESS_PRIO_WEIGHT, "weight", PRIO(weight), 0, LOSSLESS_WEIGHT_MAX },
	{ TCA_LOSSLESS_PRIO_GUARANTEED, "guaranteed", PRIO(guaranteed), 0, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_XOFF, "xoff", PRIO(xoff), 1, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_XON, "xon", PRIO(xon), 0, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_XON_OFFSET, "xon-offset", PRIO(xon_offset), 0, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_HEADROOM, "headroom", PRIO(headroom), 0, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_LIMIT, "limit", PRIO(limit), 0, LOSSLESS_SIZE_MAX },
	{ TCA_LOSSLESS_PRIO_ECN, "ecn", PRIO(is_ecn), 0, 1 },
	{ TCA_LOSSLESS_PRIO_KMIN, "ecn kmin", PRIO(ecn.kmin), 0, U32_MAX },
	{ TCA_LOSSLESS_PRIO_KMAX, "ecn kmax", PRIO(ecn.kmax), 0, U32_MAX },
	{ TCA_LOSSLESS_PRIO_PMAX, "ecn pmax (millionths)", PRIO(ecn.pmax_millionths), 0,
	  LOSSLESS_PMAX_MAX },
	{ TCA_LOSSLESS_PRIO_WRED, "wred", PRIO(is_wred), 0, 1 },
	{ TCA_LOSSLESS_PRIO_MAX_AGE64, "max-age (ns)", PRIO(max_age_ns), LOSSLESS_MAX_AGE_MIN,
	  LOSSLESS_MAX_AGE_MAX, .may_be_off = true },
};

static u64 get_uint(const struct nlattr *attr)
{
	switch (nla_len(attr)) {
	case sizeof(u8):
		return nla_get_u8(attr);
	case sizeof(u16):
		return nla_get_u16(attr);
	case sizeof(u32):
		return nla_get_u32(attr);
	}
	return nla_get_u64(attr);
}

static void set_uint(void *field, int bytes, u64 value)
{
	switch (bytes) {
	case sizeof(u8):
		*(u8 *)field = value;
		break;
	case sizeof(u16):
		*(u16 *)field = value;
		break;
	case sizeof(u32):
		*(u32 *)field = value;
		break;
	default:
		*(u64 *)field = value;
	}
}

/* @priority is -1 for an option of the port. */
static int check_range(const char *name, int priority, u64 value, u64 min, u64 max,
		       struct netlink_ext_ack *extack)
{
	if (value >= min && value <= max)
		return 0;
	if (priority < 0)
		NL_SET_ERR_MSG_FMT(extack, "%s %llu is out of range %llu to %llu",
				   name, value, min, max);
	else
		NL_SET_ERR_MSG_FMT(extack, "prio %d %s %llu is out of range %llu to %llu",
				   priority, name, value, min, max);
	return -ERANGE;
}

/* Takes over all that is given of a table of options. */
static int parse_options(const struct option *options, unsigned int count, void *structure,
			 int priority, struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct option *option;
	u64 value;
	int err;

	for (option = options; option < options + count; option++) {
		if (!tb[option->attribute])
			continue;
		value = get_uint(tb[option->attribute]);
		err = value || !option->may_be_off ?
		      check_range(option->name, priority, value, option->min, option->max,
				  extack) : 0;
		if (err)
			return err;
		set_uint(structure + option->offset, nla_len(tb[option->attribute]), value);
	}
	return 0;
}

static int parse_map(const struct nlattr *nest, const char *name, u8 *map, u8 from_max,
		     struct netlink_ext_ack *extack)
{
	const struct tc_lossless_map_entry *entry;
	const struct nlattr *attr;
	int rem, err;

	if (!nest)
		return 0;
	err = nla_validate_nested(nest, TCA_LOSSLESS_MAP_MAX, map_policy, extack);
	if (err)
		return err;
	nla_for_each_nested(attr, nest, rem) {
		entry = nla_data(attr);
		if (entry->from > from_max || entry->priority >= LOSSLESS_PRIORITIES) {
			NL_SET_ERR_MSG_FMT(extack, "%s %u:%u is out of range 0:0 to %u:7",
					   name, entry->from, entry->priority, from_max);
			return -ERANGE;
		}
		map[entry->from] = entry->priority;
	}
	return 0;
}

static int parse_rate(struct lossless_config *config, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	u64 rate;
	int err;

	if (!attr)
		return 0;
	rate = nla_get_u64(attr);
	err = rate ? check_range("rate (bytes per second)", -1, rate, LOSSLESS_RATE_MIN,
				 LOSSLESS_RATE_MAX, extack) : 0;
	if (!err)
		config->rate_bytes_per_s = rate;
	return err;
}

static int parse_flow_control(struct lossless_config *config, struct nlattr **tb,
			      struct netlink_ext_ack *extack)
{
	u8 mask = tb[TCA_LOSSLESS_PFC] ? nla_get_u8(tb[TCA_LOSSLESS_PFC]) : 0;

	if (config->llfc && mask) {
		NL_SET_ERR_MSG_FMT(extack, "pfc 0x%02x and llfc on exclude each other", mask);
		return -EINVAL;
	}
	if (tb[TCA_LOSSLESS_PFC])
		config->lossless = mask;
	if (tb[TCA_LOSSLESS_PFC_RX]) {
		config->pfc_rx = nla_get_u8(tb[TCA_LOSSLESS_PFC_RX]);
		config->pfc_rx_given = true;
	} else if (tb[TCA_LOSSLESS_LLFC] && config->llfc) {
		config->pfc_rx_given = false;
	}
	return 0;
}

static int parse_alpha(struct lossless_prio_config *prio, bool is_lossless,
		       const struct nlattr *attr, u8 i, struct netlink_ext_ack *extack)
{
	s8 alpha = nla_get_s8(attr);

	if (alpha < BUFFER_ALPHA_MIN || alpha > BUFFER_ALPHA_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u alpha 2^%d is out of range 2^%d to 2^%d",
				   i, alpha, BUFFER_ALPHA_MIN, BUFFER_ALPHA_MAX);
		return -ERANGE;
	}
	prio->alpha = alpha;
	prio->is_static = false;
	/* of a lossless priority alpha is the PG's, limit the local frames' */
	if (!is_lossless)
		prio->has_limit = false;
	return 0;
}

/* Which of the thresholds holds; their values are in the table. */
static int parse_thresholds(struct lossless_prio_config *prio, bool is_lossless,
			    struct nlattr **tb, u8 i, struct netlink_ext_ack *extack)
{
	int err;

	if (!tb[TCA_LOSSLESS_PRIO_XOFF] != !tb[TCA_LOSSLESS_PRIO_XON] ||
	    (tb[TCA_LOSSLESS_PRIO_XOFF] && tb[TCA_LOSSLESS_PRIO_ALPHA])) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u needs xoff and xon together, and no alpha", i);
		return -EINVAL;
	}
	if (tb[TCA_LOSSLESS_PRIO_ALPHA]) {
		err = parse_alpha(prio, is_lossless, tb[TCA_LOSSLESS_PRIO_ALPHA], i,
				  extack);
		if (err)
			return err;
	}
	if (tb[TCA_LOSSLESS_PRIO_XOFF])
		prio->is_static = true;
	if (tb[TCA_LOSSLESS_PRIO_LIMIT])
		prio->has_limit = true;
	return 0;
}

static void remember_given(struct lossless_prio_config *prio, struct nlattr **tb)
{
	unsigned int i;

	for (i = 1; i <= TCA_LOSSLESS_PRIO_MAX; i++)
		if (tb[i])
			prio->given |= BIT(i);
	if (tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO] &&
	    nla_get_u8(tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO]))
		prio->given &= ~BIT(TCA_LOSSLESS_PRIO_HEADROOM);
}

static int parse_kind(struct lossless_config *config, const struct nlattr *attr, u8 i,
		      struct netlink_ext_ack *extack)
{
	int err = check_range("lossless", i, nla_get_u8(attr), 0, 1, extack);

	if (!err)
		config->lossless = (config->lossless & ~BIT(i)) | nla_get_u8(attr) << i;
	return err;
}

/* Which priority a nest is about. Each may come once. */
static int parse_index(const struct nlattr *attr, u8 *seen, u8 *index,
		       struct netlink_ext_ack *extack)
{
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(extack, "prio: which priority is missing, 0 to 7");
		return -EINVAL;
	}
	*index = nla_get_u8(attr);
	err = check_range("prio", -1, *index, 0, LOSSLESS_PRIORITIES - 1, extack);
	if (err)
		return err;
	if (*seen & BIT(*index)) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u is given twice", *index);
		return -EINVAL;
	}
	*seen |= BIT(*index);
	return 0;
}

static int parse_prio(struct lossless_config *config, const struct nlattr *nest, u8 *seen,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LOSSLESS_PRIO_MAX + 1];
	struct lossless_prio_config *prio;
	int err;
	u8 i;

	err = nla_parse_nested(tb, TCA_LOSSLESS_PRIO_MAX, nest, prio_policy, extack);
	if (err)
		return err;
	err = parse_index(tb[TCA_LOSSLESS_PRIO_INDEX], seen, &i, extack);
	if (err)
		return err;
	if (tb[TCA_LOSSLESS_PRIO_LOSSLESS]) {
		err = parse_kind(config, tb[TCA_LOSSLESS_PRIO_LOSSLESS], i, extack);
		if (err)
			return err;
	}
	prio = &config->prio[i];
	err = parse_thresholds(prio, config->lossless & BIT(i), tb, i, extack);
	if (err)
		return err;
	remember_given(prio, tb);
	return parse_options(prio_options, ARRAY_SIZE(prio_options), prio, i, tb, extack);
}

static int parse_prios(struct lossless_config *config, const struct nlattr *options,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u8 seen = 0;
	int rem, err;

	nla_for_each_nested(attr, options, rem) {
		if (nla_type(attr) != TCA_LOSSLESS_PRIO)
			continue;
		err = parse_prio(config, attr, &seen, extack);
		if (err)
			return err;
	}
	return 0;
}

/**
 * lossless_parse() - read tc's attributes
 * @config: what was in force; changed by what is given, also if this fails
 * @options: TCA_OPTIONS
 * @extack: says what is wrong, with the value and the range
 */
int lossless_parse(struct lossless_config *config, struct nlattr *options,
		   struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LOSSLESS_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_LOSSLESS_MAX, options, lossless_policy, extack);
	if (err)
		return err;
	err = parse_rate(config, tb[TCA_LOSSLESS_RATE64], extack);
	if (err)
		return err;
	err = parse_options(port_options, ARRAY_SIZE(port_options), config, -1, tb, extack);
	if (err)
		return err;
	err = parse_map(tb[TCA_LOSSLESS_DSCP_MAP], "dscp-map", config->dscp_map,
			LOSSLESS_DSCPS - 1, extack);
	if (err)
		return err;
	err = parse_map(tb[TCA_LOSSLESS_PCP_MAP], "pcp-map", config->pcp_map,
			LOSSLESS_PRIORITIES - 1, extack);
	if (err)
		return err;
	err = parse_flow_control(config, tb, extack);
	if (err)
		return err;
	return parse_prios(config, options, extack);
}

static bool put_map(struct sk_buff *skb, int attribute, const u8 *map, unsigned int entries)
{
	struct nlattr *nest = nla_nest_start(skb, attribute);
	unsigned int i;

	if (!nest)
		return false;
	for (i = 0; i < entries; i++) {
		struct tc_lossless_map_entry entry = { .from = i, .priority = map[i] };

		if (nla_put(skb, TCA_LOSSLESS_MAP_ENTRY, sizeof(entry), &entry))
			return false;
	}
	nla_nest_end(skb, nest);
	return true;
}

static bool put_u64(struct sk_buff *skb, int attribute, u64 value)
{
	return !nla_put_u64_64bit(skb, attribute, value, TCA_LOSSLESS_PAD);
}

static bool put_thresholds(struct sk_buff *skb, const struct lossless_prio_config *prio,
			   bool is_lossless)
{
	if (is_lossless && prio->is_static)
		return put_u64(skb, TCA_LOSSLESS_PRIO_XOFF, prio->xoff) &&
		       put_u64(skb, TCA_LOSSLESS_PRIO_XON, prio->xon);
	if (!is_lossless && prio->has_limit)
		return true;
	return !nla_put_s8(skb, TCA_LOSSLESS_PRIO_ALPHA, prio->alpha);
}

static bool put_marking(struct sk_buff *skb, const struct lossless_prio_config *prio)
{
	return !nla_put_u8(skb, TCA_LOSSLESS_PRIO_ECN, prio->is_ecn) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_PRIO_KMIN, prio->ecn.kmin) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_PRIO_KMAX, prio->ecn.kmax) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_PRIO_PMAX, prio->ecn.pmax_millionths) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_PRIO_WRED, prio->is_wred);
}

static bool put_prio(struct sk_buff *skb, const struct lossless_config *config, unsigned int i)
{
	const struct lossless_prio_config *prio = &config->prio[i];
	bool is_lossless = config->lossless & BIT(i);
	bool is_auto = !(prio->given & BIT(TCA_LOSSLESS_PRIO_HEADROOM));
	struct nlattr *nest = nla_nest_start(skb, TCA_LOSSLESS_PRIO);

	if (!nest ||
	    nla_put_u8(skb, TCA_LOSSLESS_PRIO_INDEX, i) ||
	    nla_put_u8(skb, TCA_LOSSLESS_PRIO_LOSSLESS, is_lossless) ||
	    nla_put_u32(skb, TCA_LOSSLESS_PRIO_WEIGHT, prio->weight) ||
	    !put_u64(skb, TCA_LOSSLESS_PRIO_GUARANTEED, prio->guaranteed) ||
	    !put_thresholds(skb, prio, is_lossless) ||
	    !put_u64(skb, TCA_LOSSLESS_PRIO_XON_OFFSET, prio->xon_offset) ||
	    !put_u64(skb, TCA_LOSSLESS_PRIO_HEADROOM, prio->headroom) ||
	    nla_put_u8(skb, TCA_LOSSLESS_PRIO_HEADROOM_AUTO, is_auto) ||
	    (prio->has_limit && !put_u64(skb, TCA_LOSSLESS_PRIO_LIMIT, prio->limit)) ||
	    !put_marking(skb, prio) ||
	    !put_u64(skb, TCA_LOSSLESS_PRIO_MAX_AGE64, prio->max_age_ns))
		return false;
	nla_nest_end(skb, nest);
	return true;
}

static bool put_watchdog(struct sk_buff *skb, const struct lossless_config *config)
{
	return !nla_put_u8(skb, TCA_LOSSLESS_WATCHDOG, config->watchdog) &&
	       put_u64(skb, TCA_LOSSLESS_DETECT64, config->detect_ns) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_RESTORE, config->restore) &&
	       put_u64(skb, TCA_LOSSLESS_RESTORE_TIME64, config->restore_ns) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_ACTION, config->action) &&
	       put_u64(skb, TCA_LOSSLESS_WINDOW64, config->window_ns) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_DUTY, config->duty_percent) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_UNTRUST, config->untrust_storms) &&
	       put_u64(skb, TCA_LOSSLESS_UNTRUST_TIME64, config->untrust_ns) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_INGRESS_PASS, config->ingress_pass) &&
	       put_u64(skb, TCA_LOSSLESS_PAUSE_TIMEOUT64, config->pause_timeout_ns);
}

static bool put_port(struct sk_buff *skb, const struct lossless_config *config)
{
	return !nla_put_u32(skb, TCA_LOSSLESS_VERSION, LOSSLESS_UAPI_VERSION) &&
	       put_u64(skb, TCA_LOSSLESS_RATE64, config->rate_bytes_per_s) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_OVERHEAD, config->overhead_bytes) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_BURST, config->burst_frames) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_KEEP_GSO, config->keep_gso) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_KEEP_SOCKET, config->keep_socket) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_TRUST, config->trust) &&
	       put_map(skb, TCA_LOSSLESS_DSCP_MAP, config->dscp_map, LOSSLESS_DSCPS) &&
	       put_map(skb, TCA_LOSSLESS_PCP_MAP, config->pcp_map, LOSSLESS_PRIORITIES) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_DEFAULT_PRIO, config->default_priority) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_CABLE_CM, config->cable_cm) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_RESPONSE, config->response_bytes) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_PFC, config->llfc ? 0 : config->lossless) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_PFC_RX, config->pfc_rx) &&
	       !nla_put_u8(skb, TCA_LOSSLESS_LLFC, config->llfc) &&
	       !nla_put_u16(skb, TCA_LOSSLESS_QUANTA, config->quanta) &&
	       !nla_put_u32(skb, TCA_LOSSLESS_CELL, config->cell_bytes) &&
	       put_u64(skb, TCA_LOSSLESS_LINK_RATE64, config->link_rate_bytes_per_s) &&
	       put_watchdog(skb, config);
}

/**
 * lossless_dump() - everything that is in force, defaults included
 * @sch: the qdisc
 * @skb: message to add TCA_OPTIONS to
 *
 * RTNL.
 */
int lossless_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct lossless_sched *q = qdisc_priv(sch);
	const struct lossless_config *config = rtnl_dereference(q->port->config);
	struct nlattr *nest = nla_nest_start(skb, TCA_OPTIONS);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	if (!put_port(skb, config))
		goto cancel;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		if (!put_prio(skb, config, i))
			goto cancel;
	return nla_nest_end(skb, nest);

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/**
 * lossless_dump_prio() - what is in force for a priority, as options of its class
 * @sch: the qdisc
 * @i: priority
 * @skb: message to add TCA_OPTIONS to
 *
 * RTNL.
 */
int lossless_dump_prio(struct Qdisc *sch, unsigned int i, struct sk_buff *skb)
{
	const struct lossless_sched *q = qdisc_priv(sch);
	struct nlattr *nest = nla_nest_start(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	if (!put_prio(skb, rtnl_dereference(q->port->config), i)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

/**
 * lossless_dump_port_stats() - TCA_STATS_APP of the qdisc
 * @sch: the qdisc
 * @d: dump
 */
int lossless_dump_port_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct lossless_sched *q = qdisc_priv(sch);
	const struct lossless_pfc *pfc = &q->port->pfc;
	struct tc_lossless_port_stats stats = {
		.type		= TC_LOSSLESS_STATS_PORT,
		.port_id	= q->port->id,
		.malformed	= READ_ONCE(q->received.malformed),
		.llfc_rx	= READ_ONCE(q->received.link),
		.llfc_rx_resumes = READ_ONCE(q->received.link_resumes),
		.llfc_ignored	= READ_ONCE(q->received.link_ignored),
		.llfc_tx	= READ_ONCE(pfc->link_tx),
		.llfc_tx_resumes = READ_ONCE(pfc->link_tx_resumes),
		.pfc_deferred	= READ_ONCE(pfc->deferred),
		.source_stamp	= READ_ONCE(q->sources[LOSSLESS_SOURCE_STAMP]),
		.source_iif	= READ_ONCE(q->sources[LOSSLESS_SOURCE_IIF]),
		.source_lower	= READ_ONCE(q->sources[LOSSLESS_SOURCE_LOWER]),
		.source_local	= READ_ONCE(q->sources[LOSSLESS_SOURCE_LOCAL]),
		.pause_timeouts	= READ_ONCE(q->recovery.timeouts),
		.pause_timeout_drops = READ_ONCE(q->recovery.timeout_drops),
		.is_timed_out	= READ_ONCE(q->recovery.timeout_of) != 0,
	};

	return gnet_stats_copy_app(d, &stats, sizeof(stats));
}

static void get_pg_stats(struct lossless_pg *pg, struct tc_lossless_prio_stats *stats)
{
	spin_lock_bh(&pg->lock);
	stats->flags = pg->account.xoff ? TC_LOSSLESS_PRIO_XOFF : 0;
	stats->guaranteed_bytes = pg->account.guaranteed_used;
	stats->guaranteed_peak_bytes = pg->peak.guaranteed;
	stats->shared_bytes = pg->account.shared_used;
	stats->shared_peak_bytes = pg->peak.shared;
	stats->headroom_bytes = pg->account.headroom_used;
	stats->headroom_peak_bytes = pg->peak.headroom;
	stats->headroom_size_bytes = pg->limits.headroom;
	stats->xoff = pg->xoff_count;
	stats->headroom_drops = pg->headroom_drops;
	stats->rxwait_ns = pg->rxwait_ns;
	if (pg->account.xoff)
		stats->rxwait_ns += ktime_get_ns() - pg->xoff_since_ns;
	spin_unlock_bh(&pg->lock);
}

static void get_storm_stats(const struct lossless_queue *queue, u64 now,
			    struct tc_lossless_prio_stats *stats)
{
	const struct lossless_storm *storm = &queue->storm;
	enum watchdog_state state = queue->watchdog.state;

	if (state == WATCHDOG_STORM)
		stats->flags |= TC_LOSSLESS_PRIO_STORM;
	if (state == WATCHDOG_UNTRUSTED)
		stats->flags |= TC_LOSSLESS_PRIO_UNTRUSTED;
	stats->storms = storm->storms;
	stats->restores = storm->restores;
	stats->drained = storm->total.drained;
	stats->dropped = storm->total.dropped;
	stats->ingress_dropped = storm->total.ingress_dropped;
	stats->last_drained = storm->last.drained;
	stats->last_dropped = storm->last.dropped;
	stats->last_ingress_dropped = storm->last.ingress_dropped;
	stats->storm_start_ns = storm->start_ns;
	stats->storm_ns = lossless_storm_ns(queue, now);
}

static void get_queue_stats(const struct lossless_sched *q, unsigned int i,
			    struct tc_lossless_prio_stats *stats)
{
	const struct lossless_queue *queue = &q->queues[i];
	u64 now;

	spin_lock_bh(qdisc_lock(q->port->sch));
	now = ktime_get_ns();
	if (q->paused & BIT(i) && queue->paused_until_ns > now)
		stats->flags |= TC_LOSSLESS_PRIO_PAUSED;
	stats->queue_bytes = queue->bytes;
	stats->queue_peak_bytes = queue->peak_bytes;
	stats->local_bytes = buffer_account_bytes(&queue->account);
	stats->ce_marked = queue->ce_marked;
	stats->wred_drops = queue->wred_drops;
	stats->buffer_drops = queue->buffer_drops;
	stats->local_drops = queue->local_drops;
	stats->txwait_ns = lossless_queue_txwait(q, i, now);
	stats->age_drops = queue->age_drops;
	get_storm_stats(queue, now, stats);
	spin_unlock_bh(qdisc_lock(q->port->sch));
}

/**
 * lossless_dump_prio_stats() - statistics of a class
 * @sch: the qdisc
 * @i: priority
 * @d: dump
 */
int lossless_dump_prio_stats(struct Qdisc *sch, unsigned int i, struct gnet_dump *d)
{
	struct lossless_sched *q = qdisc_priv(sch);
	struct lossless_queue *queue = &q->queues[i];
	struct lossless_pfc *pfc = &q->port->pfc;
	struct gnet_stats_queue totals = {
		.qlen		= READ_ONCE(queue->frames),
		.backlog	= min_t(u64, READ_ONCE(queue->bytes), U32_MAX),
		.drops		= READ_ONCE(queue->wred_drops) + READ_ONCE(queue->buffer_drops) +
				  READ_ONCE(queue->local_drops) + READ_ONCE(queue->age_drops) +
				  READ_ONCE(queue->lost),
	};
	struct tc_lossless_prio_stats stats = {
		.type		= TC_LOSSLESS_STATS_PRIO,
		.pfc_tx		= READ_ONCE(pfc->tx[i]),
		.pfc_tx_resumes	= READ_ONCE(pfc->tx_resumes[i]),
		.pfc_rx		= READ_ONCE(q->received.pauses[i]),
		.pfc_rx_resumes	= READ_ONCE(q->received.resumes[i]),
		.pfc_ignored	= READ_ONCE(q->received.ignored[i]),
	};

	get_pg_stats(&q->port->pgs[i], &stats);
	get_queue_stats(q, i, &stats);
	if (gnet_stats_copy_basic(d, NULL, &queue->bstats, true) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &totals, totals.qlen) < 0 ||
	    gnet_stats_copy_app(d, &stats, sizeof(stats)) < 0)
		return -1;
	return 0;
}
