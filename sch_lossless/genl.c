// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family `lossless`: the buffer of the caller's network namespace.
 */
#include <linux/rtnetlink.h>
#include <net/genetlink.h>

#include "genl.h"
#include "port.h"

static const struct nla_policy set_policy[LOSSLESS_A_BUFFER_MAX + 1] = {
	[LOSSLESS_A_BUFFER_SIZE]		= { .type = NLA_U64 },
	[LOSSLESS_A_BUFFER_HEADROOM_POOL]	= { .type = NLA_U64 },
	[LOSSLESS_A_BUFFER_CELL]		= { .type = NLA_U32 },
};

static struct genl_family lossless_family;

static bool put_u64(struct sk_buff *skb, int attribute, u64 value)
{
	return !nla_put_u64_64bit(skb, attribute, value, LOSSLESS_A_BUFFER_PAD);
}

/* RTNL. */
static bool put_buffer(struct sk_buff *skb, struct lossless_buffer *buffer)
{
	struct buffer_pool pool;
	u64 peak;

	spin_lock_bh(&buffer->lock);
	pool = buffer->pool;
	peak = buffer->shared_peak_bytes;
	spin_unlock_bh(&buffer->lock);
	return put_u64(skb, LOSSLESS_A_BUFFER_SIZE, buffer->size_bytes) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_HEADROOM_POOL, pool.headroom_size) &&
	       !nla_put_u32(skb, LOSSLESS_A_BUFFER_CELL, buffer->cell_bytes) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_RESERVED, lossless_buffer_reserved(buffer)) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_SHARED, pool.shared_size) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_SHARED_USED, pool.shared_used) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_SHARED_PEAK, peak) &&
	       put_u64(skb, LOSSLESS_A_BUFFER_HEADROOM_POOL_USED, pool.headroom_used) &&
	       !nla_put_u32(skb, LOSSLESS_A_BUFFER_PORTS, lossless_buffer_ports(buffer));
}

static int buffer_get(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	bool is_complete;
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &lossless_family, 0, LOSSLESS_CMD_BUFFER_GET);
	if (!header)
		goto too_long;
	rtnl_lock();
	is_complete = put_buffer(reply, lossless_buffer_of(genl_info_net(info)));
	rtnl_unlock();
	if (!is_complete)
		goto too_long;
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);

too_long:
	nlmsg_free(reply);
	return -EMSGSIZE;
}

static int get_size(struct genl_info *info, int attribute, const char *name, u64 min, u64 max,
		    u64 *value)
{
	const struct nlattr *attr = info->attrs[attribute];
	u64 given;

	if (!attr)
		return 0;
	given = nla_len(attr) == sizeof(u32) ? nla_get_u32(attr) : nla_get_u64(attr);
	if (given == 0 && attribute == LOSSLESS_A_BUFFER_SIZE) {
		*value = 0;	/* auto */
		return 0;
	}
	if (given < min || given > max) {
		NL_SET_ERR_MSG_FMT(info->extack, "%s %llu is out of range %llu to %llu",
				   name, given, min, max);
		return -ERANGE;
	}
	*value = given;
	return 0;
}

static int buffer_set_locked(struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct lossless_buffer *buffer = lossless_buffer_of(net);
	u64 size = buffer->size_bytes;
	u64 headroom = buffer->pool.headroom_size;
	u64 cell = buffer->cell_bytes;
	int err;

	err = get_size(info, LOSSLESS_A_BUFFER_SIZE, "size", LOSSLESS_SIZE_MIN,
		       LOSSLESS_SIZE_MAX, &size);
	if (err)
		return err;
	err = get_size(info, LOSSLESS_A_BUFFER_HEADROOM_POOL, "headroom-pool", 0,
		       LOSSLESS_SIZE_MAX, &headroom);
	if (err)
		return err;
	err = get_size(info, LOSSLESS_A_BUFFER_CELL, "cell", 1, LOSSLESS_CELL_MAX, &cell);
	if (err)
		return err;
	return lossless_buffer_set(net, size, headroom, cell, info->extack);
}

static int buffer_set(struct sk_buff *request, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = buffer_set_locked(info);
	rtnl_unlock();
	return err;
}

static const struct genl_ops lossless_ops[] = {
	{
		.cmd = LOSSLESS_CMD_BUFFER_GET,
		.doit = buffer_get,
	},
	{
		.cmd = LOSSLESS_CMD_BUFFER_SET,
		.doit = buffer_set,
		.policy = set_policy,
		.maxattr = LOSSLESS_A_BUFFER_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
};

static struct genl_family lossless_family __ro_after_init = {
	.name = LOSSLESS_GENL_NAME,
	.version = LOSSLESS_GENL_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = lossless_ops,
	.n_ops = ARRAY_SIZE(lossless_ops),
	.resv_start_op = LOSSLESS_CMD_UNSPEC + 1,
};

int __init lossless_genl_init(void)
{
	return genl_register_family(&lossless_family);
}

void lossless_genl_exit(void)
{
	genl_unregister_family(&lossless_family);
}
