// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family `lossless`: the buffer of the caller's network namespace, what the
 * watchdogs of its ports know, and the events that tell when they learn something. How a
 * user and a program see it is in Documentation/netlink/specs/lossless.yaml.
 */
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "genl.h"
#include "sched.h"

static const struct nla_policy set_policy[LOSSLESS_A_BUFFER_MAX + 1] = {
	[LOSSLESS_A_BUFFER_SIZE]		= { .type = NLA_U64 },
	[LOSSLESS_A_BUFFER_HEADROOM_POOL]	= { .type = NLA_U64 },
	[LOSSLESS_A_BUFFER_CELL]		= { .type = NLA_U32 },
};

static const struct nla_policy watchdog_policy[LOSSLESS_A_WATCHDOG_PRIO + 1] = {
	[LOSSLESS_A_WATCHDOG_IFINDEX]		= { .type = NLA_U32 },
	[LOSSLESS_A_WATCHDOG_PRIO]		= { .type = NLA_U8 },
};

enum { EVENTS_GROUP };

static const struct genl_multicast_group lossless_groups[] = {
	[EVENTS_GROUP] = { .name = LOSSLESS_GENL_EVENTS },
};

static struct genl_family lossless_family;

static_assert((int)LOSSLESS_A_WATCHDOG_PAD == (int)LOSSLESS_A_BUFFER_PAD);

static bool put_u64(struct sk_buff *skb, int attribute, u64 value)
{
	return !nla_put_u64_64bit(skb, attribute, value, LOSSLESS_A_BUFFER_PAD);
}

/* The device may be given another name meanwhile: what is put is a string in any case. */
static bool put_port(struct sk_buff *skb, const struct lossless_port *port)
{
	char name[IFNAMSIZ];

	strscpy(name, port->dev->name, sizeof(name));
	return !nla_put_u32(skb, LOSSLESS_A_WATCHDOG_IFINDEX, port->dev->ifindex) &&
	       !nla_put_string(skb, LOSSLESS_A_WATCHDOG_IFNAME, name);
}

static bool put_frames(struct sk_buff *skb, const struct lossless_storm_frames *frames)
{
	return put_u64(skb, LOSSLESS_A_WATCHDOG_DRAINED, frames->drained) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_DROPPED, frames->dropped) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_INGRESS_DROPPED, frames->ingress_dropped);
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

/* What a request about watchdogs is about. */
struct selection {
	u32 ifindex;	/* 0: not said */
	u8 priorities;	/* bit i: priority i */
	u8 priority;	/* LOSSLESS_PRIORITIES: not said, all of them */
};

static int select_priorities(struct nlattr **attrs, struct selection *selection,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *ifindex = attrs[LOSSLESS_A_WATCHDOG_IFINDEX];
	const struct nlattr *prio = attrs[LOSSLESS_A_WATCHDOG_PRIO];

	*selection = (struct selection){
		.ifindex = ifindex ? nla_get_u32(ifindex) : 0,
		.priorities = LOSSLESS_ALL_PRIORITIES,
		.priority = prio ? nla_get_u8(prio) : LOSSLESS_PRIORITIES,
	};
	if (!prio)
		return 0;
	if (selection->priority >= LOSSLESS_PRIORITIES) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u is out of range 0 to %u",
				   selection->priority, LOSSLESS_PRIORITIES - 1);
		return -ERANGE;
	}
	selection->priorities = BIT(selection->priority);
	return 0;
}

/* RTNL. Of two ports of a device one is about to replace the other, and is listed later. */
static struct lossless_port *find_port(const struct lossless_buffer *buffer, u32 ifindex,
				       struct netlink_ext_ack *extack)
{
	struct lossless_port *port;

	list_for_each_entry_reverse(port, &buffer->ports, in_namespace)
		if (port->dev->ifindex == ifindex)
			return port;
	NL_SET_ERR_MSG_FMT(extack, "no port with index %u", ifindex);
	return NULL;
}

/* RTNL. Returns an error, or 0 and the port that the request names. */
static int select_port(struct genl_info *info, struct selection *selection,
		       struct lossless_port **port)
{
	int err = select_priorities(info->attrs, selection, info->extack);

	if (err)
		return err;
	if (!selection->ifindex) {
		NL_SET_ERR_MSG(info->extack, "the ifindex of a port is missing");
		return -EINVAL;
	}
	*port = find_port(lossless_buffer_of(genl_info_net(info)), selection->ifindex,
			  info->extack);
	return *port ? 0 : -ENODEV;
}

/* What the watchdog knows of a priority at one moment. */
struct knowledge {
	u32 seq;	/* of an event: it and all earlier ones are included */
	u8 state;
	u8 action;
	bool is_timed_out;
	u64 storm_ns;
	struct lossless_storm storm;
};

static u8 state_of(enum watchdog_state state)
{
	switch (state) {
	case WATCHDOG_STORM:
		return LOSSLESS_STATE_STORM;
	case WATCHDOG_UNTRUSTED:
		return LOSSLESS_STATE_UNTRUSTED;
	default:
		return LOSSLESS_STATE_OK;
	}
}

/* A number that was given out before we took the lock is that of a transition before that. */
static struct knowledge know(const struct lossless_port *port, unsigned int priority)
{
	const struct lossless_sched *q = qdisc_priv(port->sch);
	const struct lossless_queue *queue = &q->queues[priority];
	struct knowledge known = { .seq = READ_ONCE(port->buffer->event_seq) };

	spin_lock_bh(qdisc_lock(port->sch));
	known.state = state_of(queue->watchdog.state);
	known.action = q->recovery.action;
	known.is_timed_out = q->recovery.timeout_of;
	known.storm_ns = lossless_storm_ns(queue, ktime_get_ns());
	known.storm = queue->storm;
	spin_unlock_bh(qdisc_lock(port->sch));
	return known;
}

static bool put_knowledge(struct sk_buff *skb, const struct knowledge *known)
{
	const struct lossless_storm *storm = &known->storm;

	return !nla_put_u32(skb, LOSSLESS_A_WATCHDOG_SEQ, known->seq) &&
	       !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_STATE, known->state) &&
	       !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_ACTION, known->action) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_TIME, storm->start_ns) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_DURATION, known->storm_ns) &&
	       put_frames(skb, &storm->last) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_STORMS, storm->storms) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_RESTORES, storm->restores) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_DRAINED_TOTAL, storm->total.drained) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_DROPPED_TOTAL, storm->total.dropped) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_INGRESS_DROPPED_TOTAL,
		       storm->total.ingress_dropped) &&
	       !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_IS_TIMED_OUT, known->is_timed_out);
}

/* RTNL. */
static bool put_priority(struct sk_buff *skb, const struct lossless_port *port,
			 unsigned int priority)
{
	struct knowledge known = know(port, priority);

	return put_port(skb, port) && !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_PRIO, priority) &&
	       put_knowledge(skb, &known);
}

static int put_selected(struct sk_buff *reply, struct genl_info *info)
{
	struct selection selection;
	struct lossless_port *port;
	int err = select_port(info, &selection, &port);

	if (err)
		return err;
	if (selection.priority == LOSSLESS_PRIORITIES) {
		NL_SET_ERR_MSG(info->extack, "prio is missing");
		return -EINVAL;
	}
	return put_priority(reply, port, selection.priority) ? 0 : -EMSGSIZE;
}

static int watchdog_get(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	int err = -EMSGSIZE;
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &lossless_family, 0, LOSSLESS_CMD_WATCHDOG_GET);
	if (header) {
		rtnl_lock();
		err = put_selected(reply, info);
		rtnl_unlock();
	}
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

/* Where a dump goes on. Ports come in the order of their index, so that one which stays is
 * told once, whatever comes and goes meanwhile.
 */
struct dump_position {
	u32 ifindex;
	u32 priority;
};

static_assert(sizeof(struct dump_position) <= sizeof_field(struct netlink_callback, ctx));

/* RTNL. The port with the lowest index from @ifindex on. */
static struct lossless_port *next_port(const struct lossless_buffer *buffer, u32 ifindex)
{
	struct lossless_port *port, *next = NULL;

	list_for_each_entry(port, &buffer->ports, in_namespace)
		if (port->dev->ifindex >= ifindex &&
		    (!next || port->dev->ifindex <= next->dev->ifindex))
			next = port;
	return next;
}

static int dump_priority(struct sk_buff *skb, const struct netlink_callback *cb,
			 const struct lossless_port *port, unsigned int priority)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &lossless_family, NLM_F_MULTI, LOSSLESS_CMD_WATCHDOG_GET);

	if (!header)
		return -EMSGSIZE;
	if (!put_priority(skb, port, priority)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static int dump_port(struct sk_buff *skb, const struct netlink_callback *cb,
		     const struct lossless_port *port, u8 priorities)
{
	struct dump_position *at = (struct dump_position *)cb->ctx;
	int err;

	for (; at->priority < LOSSLESS_PRIORITIES; at->priority++) {
		if (!(priorities & BIT(at->priority)))
			continue;
		err = dump_priority(skb, cb, port, at->priority);
		if (err)
			return err;
	}
	return 0;
}

static int dump_selected(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct selection *selection)
{
	struct lossless_buffer *buffer = lossless_buffer_of(sock_net(cb->skb->sk));
	struct dump_position *at = (struct dump_position *)cb->ctx;
	const struct lossless_port *port;
	int err;

	if (selection->ifindex && !at->ifindex) {
		if (!find_port(buffer, selection->ifindex, cb->extack))
			return -ENODEV;
		at->ifindex = selection->ifindex;
	}
	while ((port = next_port(buffer, at->ifindex))) {
		if (selection->ifindex && port->dev->ifindex != selection->ifindex)
			break;
		if (port->dev->ifindex != at->ifindex)
			*at = (struct dump_position){ .ifindex = port->dev->ifindex };
		err = dump_port(skb, cb, port, selection->priorities);
		if (err)
			return err;
		*at = (struct dump_position){ .ifindex = port->dev->ifindex + 1 };
	}
	return 0;
}

static int watchdog_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct selection selection;
	int err = select_priorities(genl_info_dump(cb)->attrs, &selection, cb->extack);

	if (err)
		return err;
	rtnl_lock();
	err = dump_selected(skb, cb, &selection);
	rtnl_unlock();
	return skb->len ?: err;
}

static int watchdog_recover_by_hand(struct sk_buff *request, struct genl_info *info)
{
	struct selection selection;
	struct lossless_port *port;
	int err;

	rtnl_lock();
	err = select_port(info, &selection, &port);
	if (!err && !lossless_recover_by_hand(qdisc_priv(port->sch), selection.priorities))
		NL_SET_ERR_MSG(info->extack, "nothing was in storm or untrusted");
	rtnl_unlock();
	return err;
}

static int watchdog_clear(struct sk_buff *request, struct genl_info *info)
{
	struct selection selection;
	struct lossless_port *port;
	int err;

	rtnl_lock();
	err = select_port(info, &selection, &port);
	if (!err)
		lossless_recover_clear(qdisc_priv(port->sch), selection.priorities);
	rtnl_unlock();
	return err;
}

static u8 state_after(u8 event)
{
	switch (event) {
	case LOSSLESS_EVENT_STORM:
		return LOSSLESS_STATE_STORM;
	case LOSSLESS_EVENT_UNTRUST:
		return LOSSLESS_STATE_UNTRUSTED;
	default:
		return LOSSLESS_STATE_OK;
	}
}

static bool event_is_end(const struct lossless_event *event)
{
	return event->event == LOSSLESS_EVENT_RESTORE ||
	       event->event == LOSSLESS_EVENT_TIMEOUT_END;
}

/* What only some events have. */
static bool put_kind(struct sk_buff *skb, const struct lossless_event *event)
{
	if (event_is_end(event) && nla_put_u8(skb, LOSSLESS_A_WATCHDOG_CAUSE, event->cause))
		return false;
	return event->priority == LOSSLESS_PRIORITIES ||
	       (!nla_put_u8(skb, LOSSLESS_A_WATCHDOG_PRIO, event->priority) &&
		!nla_put_u8(skb, LOSSLESS_A_WATCHDOG_STATE, state_after(event->event)));
}

static bool put_event(struct sk_buff *skb, const struct lossless_port *port,
		      const struct lossless_event *event, u32 seq)
{
	return put_port(skb, port) &&
	       !nla_put_u32(skb, LOSSLESS_A_WATCHDOG_SEQ, seq) &&
	       !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_EVENT, event->event) &&
	       put_kind(skb, event) &&
	       !nla_put_u8(skb, LOSSLESS_A_WATCHDOG_ACTION, event->action) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_TIME, event->time_ns) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_DURATION, event->duration_ns) &&
	       !nla_put_u32(skb, LOSSLESS_A_WATCHDOG_BACKLOG, event->backlog) &&
	       put_frames(skb, &event->frames) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_STORMS, event->storms) &&
	       put_u64(skb, LOSSLESS_A_WATCHDOG_RESTORES, event->restores);
}

static struct sk_buff *event_message(const struct lossless_port *port,
				     const struct lossless_event *event, u32 seq)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;

	if (!skb)
		return NULL;
	header = genlmsg_put(skb, 0, 0, &lossless_family, 0, LOSSLESS_CMD_EVENT);
	if (!header || !put_event(skb, port, event, seq)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, header);
	return skb;
}

/**
 * lossless_genl_tell() - tell whoever listens in the port's namespace
 * @port: something has happened to
 * @event: what
 * @lost: how many events before it are not told
 *
 * Process context, perhaps RTNL. A listener that misses one sees that in the number of the
 * next, or by an error of its socket if there is no memory.
 */
void lossless_genl_tell(struct lossless_port *port, const struct lossless_event *event, u32 lost)
{
	struct lossless_buffer *buffer = port->buffer;
	struct sk_buff *message;

	mutex_lock(&buffer->events_lock);
	WRITE_ONCE(buffer->event_seq, buffer->event_seq + lost + 1);
	if (!genl_has_listeners(&lossless_family, port->net, EVENTS_GROUP))
		goto unlock;
	message = event_message(port, event, buffer->event_seq);
	if (message)
		genlmsg_multicast_netns(&lossless_family, port->net, message, 0, EVENTS_GROUP,
					GFP_KERNEL);
	else
		genl_set_err(&lossless_family, port->net, 0, EVENTS_GROUP, -ENOBUFS);
unlock:
	mutex_unlock(&buffer->events_lock);
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
	{
		.cmd = LOSSLESS_CMD_WATCHDOG_GET,
		.doit = watchdog_get,
		.dumpit = watchdog_dump,
		.policy = watchdog_policy,
		.maxattr = LOSSLESS_A_WATCHDOG_PRIO,
	},
	{
		.cmd = LOSSLESS_CMD_WATCHDOG_RECOVER,
		.doit = watchdog_recover_by_hand,
		.policy = watchdog_policy,
		.maxattr = LOSSLESS_A_WATCHDOG_PRIO,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = LOSSLESS_CMD_WATCHDOG_CLEAR,
		.doit = watchdog_clear,
		.policy = watchdog_policy,
		.maxattr = LOSSLESS_A_WATCHDOG_PRIO,
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
	.mcgrps = lossless_groups,
	.n_mcgrps = ARRAY_SIZE(lossless_groups),
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
