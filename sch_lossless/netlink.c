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

/* Reads an integer of any width if it is there. The option is named as tc names it, for a
 * priority with its number before it.
 */
struct option_name {
	const char *name;
	int priority;	/* -1: the port's */
};

static int out_of_range(struct option_name option, u64 value, u64 min, u64 max,
			struct netlink_ext_ack *extack)
{
	if (option.priority < 0)
		NL_SET_ERR_MSG_FMT(extack, "%s %llu is out of range %llu to %llu",
				   option.name, value, min, max);
	else
		NL_SET_ERR_MSG_FMT(extack, "prio %d %s %llu is out of range %llu to %llu",
				   option.priority, option.name, value, min, max);
	return -ERANGE;
}

static int parse_uint(const struct nlattr *attr, struct option_name option, u64 min, u64 max,
		      u64 *value, struct netlink_ext_ack *extack)
{
	u64 given;

	if (!attr)
		return 0;
	given = get_uint(attr);
	if (given < min || given > max)
		return out_of_range(option, given, min, max, extack);
	*value = given;
	return 0;
}

/* One call for each attribute: to a field of any integer type. */
#define PARSE(tb, attribute, option, min, max, field, extack) ({		\
	u64 __value = (field);							\
	int __err = parse_uint((tb)[attribute], option, min, max, &__value,	\
			       extack);						\
										\
	if (!__err && (tb)[attribute])						\
		(field) = __value;						\
	__err;									\
})

#define PORT_OPTION(text)	((struct option_name){ .name = (text), .priority = -1 })
#define PRIO_OPTION(text, i)	((struct option_name){ .name = (text), .priority = (i) })

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
	if (!attr)
		return 0;
	if (!nla_get_u64(attr)) {
		config->rate_bytes_per_s = 0;
		return 0;
	}
	return parse_uint(attr, PORT_OPTION("rate (bytes per second)"), LOSSLESS_RATE_MIN,
			  LOSSLESS_RATE_MAX, &config->rate_bytes_per_s, extack);
}

static int parse_flow_control(struct lossless_config *config, struct nlattr **tb,
			      struct netlink_ext_ack *extack)
{
	int err;

	err = PARSE(tb, TCA_LOSSLESS_LLFC, PORT_OPTION("llfc"), 0, 1, config->llfc, extack);
	if (err)
		return err;
	if (tb[TCA_LOSSLESS_PFC]) {
		u8 mask = nla_get_u8(tb[TCA_LOSSLESS_PFC]);

		if (config->llfc && mask) {
			NL_SET_ERR_MSG_FMT(extack, "pfc 0x%02x and llfc on exclude each other",
					   mask);
			return -EINVAL;
		}
		config->lossless = mask;
	}
	if (tb[TCA_LOSSLESS_PFC_RX]) {
		config->pfc_rx = nla_get_u8(tb[TCA_LOSSLESS_PFC_RX]);
		config->pfc_rx_given = true;
	} else if (tb[TCA_LOSSLESS_LLFC] && config->llfc) {
		config->pfc_rx_given = false;
	}
	return PARSE(tb, TCA_LOSSLESS_QUANTA, PORT_OPTION("quanta"), 1, U16_MAX,
		     config->quanta, extack);
}

static int parse_thresholds(struct lossless_prio_config *prio, struct nlattr **tb, u8 i,
			    struct netlink_ext_ack *extack)
{
	int err;

	if (tb[TCA_LOSSLESS_PRIO_ALPHA]) {
		s8 alpha = nla_get_s8(tb[TCA_LOSSLESS_PRIO_ALPHA]);

		if (alpha < BUFFER_ALPHA_MIN || alpha > BUFFER_ALPHA_MAX) {
			NL_SET_ERR_MSG_FMT(extack, "prio %u alpha 2^%d is out of range 2^%d to 2^%d",
					   i, alpha, BUFFER_ALPHA_MIN, BUFFER_ALPHA_MAX);
			return -ERANGE;
		}
		prio->alpha = alpha;
		prio->is_static = false;
		prio->has_limit = false;
	}
	if (!tb[TCA_LOSSLESS_PRIO_XOFF] != !tb[TCA_LOSSLESS_PRIO_XON] ||
	    (tb[TCA_LOSSLESS_PRIO_XOFF] && tb[TCA_LOSSLESS_PRIO_ALPHA])) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u needs xoff and xon together, and no alpha", i);
		return -EINVAL;
	}
	if (tb[TCA_LOSSLESS_PRIO_XOFF])
		prio->is_static = true;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_XOFF, PRIO_OPTION("xoff", i), 1, LOSSLESS_SIZE_MAX,
		    prio->xoff, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_XON, PRIO_OPTION("xon", i), 0, LOSSLESS_SIZE_MAX,
		    prio->xon, extack);
	if (err)
		return err;
	return PARSE(tb, TCA_LOSSLESS_PRIO_XON_OFFSET, PRIO_OPTION("xon-offset", i), 0,
		     LOSSLESS_SIZE_MAX, prio->xon_offset, extack);
}

static int parse_sizes(struct lossless_prio_config *prio, struct nlattr **tb, u8 i,
		       struct netlink_ext_ack *extack)
{
	bool is_auto = tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO] &&
		       nla_get_u8(tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO]);
	int err;

	err = PARSE(tb, TCA_LOSSLESS_PRIO_GUARANTEED, PRIO_OPTION("guaranteed", i), 0,
		    LOSSLESS_SIZE_MAX, prio->guaranteed, extack);
	if (err)
		return err;
	err = parse_thresholds(prio, tb, i, extack);
	if (err)
		return err;
	if (is_auto)
		prio->given &= ~BIT(TCA_LOSSLESS_PRIO_HEADROOM);
	else
		err = PARSE(tb, TCA_LOSSLESS_PRIO_HEADROOM, PRIO_OPTION("headroom", i), 0,
			    LOSSLESS_SIZE_MAX, prio->headroom, extack);
	if (err)
		return err;
	if (tb[TCA_LOSSLESS_PRIO_LIMIT])
		prio->has_limit = true;
	return PARSE(tb, TCA_LOSSLESS_PRIO_LIMIT, PRIO_OPTION("limit", i), 0,
		     LOSSLESS_SIZE_MAX, prio->limit, extack);
}

static int parse_marking(struct lossless_prio_config *prio, struct nlattr **tb, u8 i,
			 struct netlink_ext_ack *extack)
{
	int err;

	err = PARSE(tb, TCA_LOSSLESS_PRIO_ECN, PRIO_OPTION("ecn", i), 0, 1, prio->is_ecn, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_KMIN, PRIO_OPTION("ecn kmin", i), 0, U32_MAX,
		    prio->ecn.kmin, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_KMAX, PRIO_OPTION("ecn kmax", i), 0, U32_MAX,
		    prio->ecn.kmax, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_PMAX, PRIO_OPTION("ecn pmax (millionths)", i), 0,
		    LOSSLESS_PMAX_MAX, prio->ecn.pmax_millionths, extack);
	if (err)
		return err;
	return PARSE(tb, TCA_LOSSLESS_PRIO_WRED, PRIO_OPTION("wred", i), 0, 1, prio->is_wred,
		     extack);
}

static void remember_given(struct lossless_prio_config *prio, struct nlattr **tb)
{
	bool is_auto = tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO] &&
		       nla_get_u8(tb[TCA_LOSSLESS_PRIO_HEADROOM_AUTO]);
	unsigned int i;

	for (i = 1; i <= TCA_LOSSLESS_PRIO_MAX; i++)
		if (tb[i] && !(i == TCA_LOSSLESS_PRIO_HEADROOM && is_auto))
			prio->given |= BIT(i);
}

static int parse_prio(struct lossless_config *config, const struct nlattr *nest, u8 *seen,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LOSSLESS_PRIO_MAX + 1];
	struct lossless_prio_config *prio;
	bool is_lossless;
	int err;
	u8 i;

	err = nla_parse_nested(tb, TCA_LOSSLESS_PRIO_MAX, nest, prio_policy, extack);
	if (err)
		return err;
	if (!tb[TCA_LOSSLESS_PRIO_INDEX]) {
		NL_SET_ERR_MSG(extack, "prio: which priority is missing, 0 to 7");
		return -EINVAL;
	}
	i = nla_get_u8(tb[TCA_LOSSLESS_PRIO_INDEX]);
	if (i >= LOSSLESS_PRIORITIES)
		return out_of_range(PORT_OPTION("prio"), i, 0, LOSSLESS_PRIORITIES - 1, extack);
	if (*seen & BIT(i)) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u is given twice", i);
		return -EINVAL;
	}
	*seen |= BIT(i);
	prio = &config->prio[i];
	is_lossless = config->lossless & BIT(i);
	err = PARSE(tb, TCA_LOSSLESS_PRIO_LOSSLESS, PRIO_OPTION("lossless", i), 0, 1,
		    is_lossless, extack);
	if (err)
		return err;
	config->lossless = (config->lossless & ~BIT(i)) | is_lossless << i;
	err = PARSE(tb, TCA_LOSSLESS_PRIO_WEIGHT, PRIO_OPTION("weight", i), 0,
		    LOSSLESS_WEIGHT_MAX, prio->weight, extack);
	if (err)
		return err;
	err = parse_sizes(prio, tb, i, extack);
	if (err)
		return err;
	remember_given(prio, tb);
	return parse_marking(prio, tb, i, extack);
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
	err = PARSE(tb, TCA_LOSSLESS_OVERHEAD, PORT_OPTION("overhead"), 0,
		    LOSSLESS_OVERHEAD_MAX, config->overhead_bytes, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_BURST, PORT_OPTION("burst"), 1, LOSSLESS_BURST_MAX,
		    config->burst_frames, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_KEEP_GSO, PORT_OPTION("keep-gso"), 0, 1, config->keep_gso,
		    extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_KEEP_SOCKET, PORT_OPTION("keep-socket"), 0, 1,
		    config->keep_socket, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_TRUST, PORT_OPTION("trust"), 0, LOSSLESS_TRUST_MAX,
		    config->trust, extack);
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
	err = PARSE(tb, TCA_LOSSLESS_DEFAULT_PRIO, PORT_OPTION("default-prio"), 0,
		    LOSSLESS_PRIORITIES - 1, config->default_priority, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_CABLE_CM, PORT_OPTION("cable (cm)"), 0,
		    LOSSLESS_CABLE_CM_MAX, config->cable_cm, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_RESPONSE, PORT_OPTION("response"), 0,
		    LOSSLESS_RESPONSE_MAX, config->response_bytes, extack);
	if (err)
		return err;
	err = parse_flow_control(config, tb, extack);
	if (err)
		return err;
	err = PARSE(tb, TCA_LOSSLESS_CELL, PORT_OPTION("cell"), 0, LOSSLESS_CELL_MAX,
		    config->cell_bytes, extack);
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
	    !put_marking(skb, prio))
		return false;
	nla_nest_end(skb, nest);
	return true;
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
	       put_u64(skb, TCA_LOSSLESS_LINK_RATE64, config->link_rate_bytes_per_s);
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

static void get_queue_stats(const struct lossless_sched *q, unsigned int i,
			    struct tc_lossless_prio_stats *stats)
{
	const struct lossless_queue *queue = &q->queues[i];

	if (READ_ONCE(q->paused) & BIT(i) && READ_ONCE(queue->paused_until_ns) > ktime_get_ns())
		stats->flags |= TC_LOSSLESS_PRIO_PAUSED;
	stats->queue_bytes = READ_ONCE(queue->bytes);
	stats->queue_peak_bytes = READ_ONCE(queue->peak_bytes);
	stats->local_bytes = READ_ONCE(queue->account.guaranteed_used) +
			     READ_ONCE(queue->account.shared_used) +
			     READ_ONCE(queue->account.headroom_used);
	stats->ce_marked = READ_ONCE(queue->ce_marked);
	stats->wred_drops = READ_ONCE(queue->wred_drops);
	stats->buffer_drops = READ_ONCE(queue->buffer_drops);
	stats->local_drops = READ_ONCE(queue->local_drops);
	stats->txwait_ns = lossless_queue_txwait(q, i, ktime_get_ns());
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
				  READ_ONCE(queue->local_drops),
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
