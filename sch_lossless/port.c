// SPDX-License-Identifier: GPL-2.0
/*
 * A port's life, the tables in which it is found, and the buffer of its namespace.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/netfilter_netdev.h>
#include <linux/rtnetlink.h>
#include <net/netns/generic.h>

#include "sched.h"

/* IEEE Std 802.3, 31B.1: the address of PAUSE and PFC. Network adapters filter multicast:
 * without joining it no pause arrives at all.
 */
static const u8 pause_group[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

static unsigned int lossless_net_id;

struct lossless_port __rcu *lossless_ports_by_id[LOSSLESS_PORT_IDS];

/**
 * lossless_buffer_of() - the buffer of a network namespace
 * @net: the namespace
 */
struct lossless_buffer *lossless_buffer_of(const struct net *net)
{
	return net_generic(net, lossless_net_id);
}

static struct hlist_head *ifindex_bucket(struct lossless_buffer *buffer, int ifindex)
{
	return &buffer->by_ifindex[ifindex & (ARRAY_SIZE(buffer->by_ifindex) - 1)];
}

static struct lossless_port *find_by_ifindex(struct lossless_buffer *buffer, int ifindex)
{
	struct lossless_port *port;

	hlist_for_each_entry_rcu(port, ifindex_bucket(buffer, ifindex), by_ifindex,
				 lockdep_rtnl_is_held())
		if (port->dev->ifindex == ifindex)
			return port;
	return NULL;
}

/* Of the devices below another one: how many that lie on no others, and the last of them. */
struct lower_search {
	unsigned int found;
	int ifindex;
};

static int visit_lower(struct net_device *lower, struct netdev_nested_priv *priv)
{
	struct lower_search *search = priv->data;

	if (!list_empty(&lower->adj_list.lower))
		return 0;
	search->ifindex = lower->ifindex;
	return ++search->found > 1;
}

static struct lossless_port *find_by_lower(const struct lossless_port *egress, int ifindex)
{
	struct net_device *upper = dev_get_by_index_rcu(dev_net(egress->dev), ifindex);
	struct lower_search search = {};
	struct netdev_nested_priv priv = { .data = &search };

	if (!upper)
		return NULL;
	netdev_walk_all_lower_dev_rcu(upper, visit_lower, &priv);
	return search.found == 1 ? find_by_ifindex(egress->buffer, search.ifindex) : NULL;
}

/**
 * lossless_port_without_stamp() - the port that a frame came in by, told by its device
 * @q: the port that it leaves by, which counts how the other one is found
 * @skb: the frame
 *
 * RCU read side, under the qdisc's lock.
 *
 * Return: a port of the same namespace; NULL for a local frame.
 */
struct lossless_port *lossless_port_without_stamp(struct lossless_sched *q,
						  const struct sk_buff *skb)
{
	enum lossless_source source = LOSSLESS_SOURCE_LOCAL;
	struct lossless_port *port = NULL;

	if (skb->skb_iif) {
		source = LOSSLESS_SOURCE_IIF;
		port = find_by_ifindex(q->port->buffer, skb->skb_iif);
		if (!port) {
			source = LOSSLESS_SOURCE_LOWER;
			port = find_by_lower(q->port, skb->skb_iif);
		}
	}
	q->sources[port ? source : LOSSLESS_SOURCE_LOCAL]++;
	return port;
}

/* A software device without a queue of its own passes a frame on to another device's
 * qdisc, whose lock may be the one that we hold. veth and dummy do not.
 */
static bool dev_is_leaf(const struct net_device *dev)
{
	const char *kind = dev->rtnl_link_ops ? dev->rtnl_link_ops->kind : "";

	if (!strcmp(kind, "veth") || !strcmp(kind, "dummy") || !strcmp(kind, "tun"))
		return true;
	return !(dev->priv_flags & IFF_NO_QUEUE) && !dev_is_lltx(dev) &&
	       list_empty(&dev->adj_list.lower);
}

/**
 * lossless_port_create() - the port of a new qdisc, not yet in any table
 * @sch: the qdisc
 *
 * Return: NULL if there is no memory. lossless_port_put() frees it.
 */
struct lossless_port *lossless_port_create(struct Qdisc *sch)
{
	struct lossless_port *port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!port)
		return NULL;
	port->dev = qdisc_dev(sch);
	port->sch = sch;
	port->net = dev_net(port->dev);
	port->buffer = lossless_buffer_of(port->net);
	port->is_leaf = dev_is_leaf(port->dev);
	refcount_set(&port->references, 1);
	INIT_LIST_HEAD(&port->in_namespace);
	INIT_HLIST_NODE(&port->by_ifindex);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		lossless_pg_init(&port->pgs[i], port, i);
	lossless_pfc_init(port);
	return port;
}

static void port_free(struct rcu_head *rcu)
{
	struct lossless_port *port = container_of(rcu, struct lossless_port, rcu);

	kfree(rcu_access_pointer(port->config));
	kfree(port);
}

/**
 * lossless_port_put() - give back a reference to a port
 * @port: may be freed by this, after a grace period
 */
void lossless_port_put(struct lossless_port *port)
{
	if (refcount_dec_and_test(&port->references))
		call_rcu(&port->rcu, port_free);
}

/* Numbers are given out in turn, so that a stamp outlives its port by a long way before
 * the number is given to another.
 */
static int take_id(struct lossless_port *port, struct netlink_ext_ack *extack)
{
	static unsigned int last;
	unsigned int i;

	for (i = 1; i <= LOSSLESS_PORT_IDS; i++) {
		unsigned int id = (last + i) % LOSSLESS_PORT_IDS;

		if (rtnl_dereference(lossless_ports_by_id[id]))
			continue;
		port->id = id;
		last = id;
		return 0;
	}
	NL_SET_ERR_MSG_FMT(extack, "all %lu ports of this system are in use", LOSSLESS_PORT_IDS);
	return -ENOSPC;
}

static int hook_register(struct lossless_port *port, struct netlink_ext_ack *extack)
{
	int err;

	port->hook = (struct nf_hook_ops){
		.hook		= lossless_ingress,
		.dev		= port->dev,
		.priv		= port,
		.pf		= NFPROTO_NETDEV,
		.hooknum	= NF_NETDEV_INGRESS,
		.priority	= INT_MIN,
	};
	err = nf_register_net_hook(port->net, &port->hook);
	if (err)
		NL_SET_ERR_MSG_FMT(extack, "the receive hook of %s cannot be registered (error %d)",
				   port->dev->name, err);
	return err;
}

static void port_set_config(struct lossless_port *port, struct lossless_config *config)
{
	struct lossless_config *old = rtnl_dereference(port->config);

	rcu_assign_pointer(port->config, config);
	if (old)
		kfree_rcu(old, rcu);
}

/**
 * lossless_port_open() - receive frames, and be found
 * @port: of lossless_port_create()
 * @config: first configuration; the port's from now on, also if this fails
 * @extack: says why it fails
 *
 * RTNL. Its PGs are lossy until lossless_port_commit().
 */
int lossless_port_open(struct lossless_port *port, struct lossless_config *config,
		       struct netlink_ext_ack *extack)
{
	int err;

	port_set_config(port, config);
	err = take_id(port, extack);
	if (err)
		return err;
	err = hook_register(port, extack);
	if (err)
		return err;
	err = dev_mc_add(port->dev, pause_group);
	if (err) {
		nf_unregister_net_hook(port->net, &port->hook);
		NL_SET_ERR_MSG_FMT(extack, "%s cannot join 01:80:c2:00:00:01 (error %d)",
				   port->dev->name, err);
		return err;
	}
	list_add_tail(&port->in_namespace, &port->buffer->ports);
	hlist_add_head_rcu(&port->by_ifindex, ifindex_bucket(port->buffer, port->dev->ifindex));
	rcu_assign_pointer(lossless_ports_by_id[port->id], port);
	return 0;
}

static bool port_is_open(const struct lossless_port *port)
{
	return !list_empty(&port->in_namespace);
}

/* How many bytes of a buffer no pool has; without those of one device's port. */
static u64 reserved_without(const struct lossless_buffer *buffer, const struct net_device *dev)
{
	const struct lossless_port *port;
	u64 sum = 0;

	list_for_each_entry(port, &buffer->ports, in_namespace)
		if (port->dev != dev)
			sum += lossless_config_reserved(rtnl_dereference(port->config));
	return sum;
}

/**
 * lossless_buffer_reserved() - R
 * @buffer: of a namespace
 *
 * RTNL.
 *
 * Return: bytes, the headroom pool included.
 */
u64 lossless_buffer_reserved(const struct lossless_buffer *buffer)
{
	return reserved_without(buffer, NULL) + buffer->pool.headroom_size;
}

/**
 * lossless_buffer_ports() - how many ports a namespace has
 * @buffer: the namespace's
 *
 * RTNL.
 */
u32 lossless_buffer_ports(const struct lossless_buffer *buffer)
{
	const struct list_head *port;
	u32 ports = 0;

	list_for_each(port, &buffer->ports)
		ports++;
	return ports;
}

static int check_fit(u64 size_bytes, u64 reserved_bytes, struct netlink_ext_ack *extack)
{
	if (!size_bytes || reserved_bytes <= size_bytes)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "the buffer of %llu bytes is smaller than %llu bytes reserved",
			   size_bytes, reserved_bytes);
	return -ENOBUFS;
}

/**
 * lossless_port_check() - is a configuration sound, and does it fit the buffer?
 * @port: whose it would be
 * @config: resolved
 * @extack: says why not
 *
 * RTNL.
 */
int lossless_port_check(struct lossless_port *port, const struct lossless_config *config,
			struct netlink_ext_ack *extack)
{
	const struct lossless_buffer *buffer = port->buffer;
	u64 headroom_pool = buffer->pool.headroom_size;
	int err = lossless_config_check(config, port->dev, headroom_pool, buffer->cell_bytes,
					extack);

	if (err)
		return err;
	/* a qdisc that is replaced by another one is still there, but will not be */
	return check_fit(buffer->size_bytes, reserved_without(buffer, port->dev) +
			 lossless_config_reserved(config) + headroom_pool, extack);
}

static void port_resize(struct lossless_port *port, bool pool_changed)
{
	const struct lossless_config *config = rtnl_dereference(port->config);
	struct buffer_limits limits;
	unsigned int i;

	lossless_queues_resize(port->sch, config, port->buffer->cell_bytes, pool_changed);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		limits = lossless_config_pg_limits(config, i);
		lossless_pg_resize(&port->pgs[i], &limits, config->lossless & BIT(i),
				   pool_changed);
	}
	if (lossless_pfc_is_due(port))
		lossless_pfc_send(port);
}

static void port_withdraw(struct lossless_port *port)
{
	unsigned int i;

	lossless_queues_withdraw(port->sch);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		lossless_pg_withdraw(&port->pgs[i]);
}

static void buffer_withdraw_all(struct lossless_buffer *buffer)
{
	struct lossless_port *port;

	list_for_each_entry(port, &buffer->ports, in_namespace)
		port_withdraw(port);
}

/* P. While one qdisc of a device replaces another, more may be reserved than there is. */
static u64 shared_size(const struct lossless_buffer *buffer, u64 headroom_bytes)
{
	u64 reserved = reserved_without(buffer, NULL) + headroom_bytes;

	if (!buffer->size_bytes)
		return BUFFER_SHARED_AUTO;
	return buffer->size_bytes - min(buffer->size_bytes, reserved);
}

/* Not while more is in use: S <= P at every instant. */
static bool pool_resize(struct lossless_buffer *buffer, u64 shared_bytes, u64 headroom_bytes)
{
	struct buffer_pool *pool = &buffer->pool;
	bool fits;

	spin_lock_bh(&buffer->lock);
	fits = pool->shared_used <= shared_bytes && pool->headroom_used <= headroom_bytes;
	if (fits) {
		pool->shared_size = shared_bytes;
		pool->headroom_size = headroom_bytes;
	}
	spin_unlock_bh(&buffer->lock);
	return fits;
}

/* Gives the pools their sizes. Returns whether they had others before. */
static bool buffer_resize(struct lossless_buffer *buffer, u64 headroom_bytes)
{
	u64 shared = shared_size(buffer, headroom_bytes);
	const struct buffer_pool *pool = &buffer->pool;

	if (shared == pool->shared_size && headroom_bytes == pool->headroom_size)
		return false;
	while (!pool_resize(buffer, shared, headroom_bytes))
		buffer_withdraw_all(buffer);
	return true;
}

static void buffer_resize_ports(struct lossless_buffer *buffer, bool pool_changed)
{
	struct lossless_port *port;

	list_for_each_entry(port, &buffer->ports, in_namespace)
		port_resize(port, pool_changed);
}

/**
 * lossless_port_commit() - put a configuration in force
 * @port: an open port
 * @config: found good by lossless_port_check(); the port's from now on
 *
 * Cannot fail, and loses no frame. RTNL.
 */
void lossless_port_commit(struct lossless_port *port, struct lossless_config *config)
{
	if (rtnl_dereference(port->config) != config)
		port_set_config(port, config);
	lossless_pfc_configure(port, config);
	if (buffer_resize(port->buffer, port->buffer->pool.headroom_size))
		buffer_resize_ports(port->buffer, true);
	else
		port_resize(port, false);
}

/**
 * lossless_buffer_set() - configure the buffer of a namespace
 * @net: the namespace
 * @size_bytes: in all; 0: auto
 * @headroom_bytes: the shared headroom pool
 * @cell_bytes: of ports without their own
 * @extack: says why not
 *
 * All or nothing. RTNL.
 */
int lossless_buffer_set(struct net *net, u64 size_bytes, u64 headroom_bytes, u32 cell_bytes,
			struct netlink_ext_ack *extack)
{
	struct lossless_buffer *buffer = lossless_buffer_of(net);
	const struct lossless_port *port;
	int err = check_fit(size_bytes, reserved_without(buffer, NULL) + headroom_bytes,
			    extack);

	if (err)
		return err;
	/* a PG may rely on the headroom pool for a frame of the MTU */
	list_for_each_entry(port, &buffer->ports, in_namespace) {
		err = lossless_config_check(rtnl_dereference(port->config), port->dev,
					    headroom_bytes, cell_bytes, extack);
		if (err)
			return err;
	}
	buffer->size_bytes = size_bytes;
	buffer->cell_bytes = cell_bytes;
	buffer_resize_ports(buffer, buffer_resize(buffer, headroom_bytes));
	return 0;
}

static void port_mark_dead(struct lossless_port *port)
{
	spin_lock_bh(qdisc_lock(port->sch));
	WRITE_ONCE(port->is_dead, true);
	spin_unlock_bh(qdisc_lock(port->sch));
	/* who was sending a pause meanwhile has finished */
	spin_lock_bh(&port->pfc.lock);
	spin_unlock_bh(&port->pfc.lock);
}

static void port_unlink(struct lossless_port *port)
{
	nf_unregister_net_hook(port->net, &port->hook);
	dev_mc_del(port->dev, pause_group);
	RCU_INIT_POINTER(lossless_ports_by_id[port->id], NULL);
	hlist_del_rcu(&port->by_ifindex);
	list_del_init(&port->in_namespace);
}

/**
 * lossless_port_close() - the qdisc goes away
 * @port: open, or only created
 *
 * Its queues are empty. Frames that came in here may sit in other ports' queues for as
 * long as they like; lossless_port_put() follows. RTNL.
 */
void lossless_port_close(struct lossless_port *port)
{
	unsigned int i;

	if (!port_is_open(port))
		return;
	port_unlink(port);
	port_mark_dead(port);
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		lossless_pg_kill(&port->pgs[i]);
	lossless_pfc_destroy(port);
	if (buffer_resize(port->buffer, port->buffer->pool.headroom_size))
		buffer_resize_ports(port->buffer, true);
}

static struct lossless_port *find_by_dev(struct net_device *dev)
{
	return find_by_ifindex(lossless_buffer_of(dev_net(dev)), dev->ifindex);
}

/* Is a configuration good for what the device has become? If sizes do not fit the buffer and
 * the change cannot be refused, they stay as they are: time on the wire is what the link
 * says.
 */
static int check_for_device(struct lossless_port *port, struct lossless_config *config,
			    bool may_refuse)
{
	const struct lossless_config *present = rtnl_dereference(port->config);
	struct netlink_ext_ack extack = {};
	int err = lossless_port_check(port, config, &extack);

	if (!err)
		return 0;
	net_warn_ratelimited("%s: lossless: %s\n", port->dev->name, extack._msg);
	if (may_refuse)
		return err;
	memcpy(config->prio, present->prio, sizeof(config->prio));
	return lossless_port_check(port, config, &extack);
}

/* What depends on the device: MTU, link speed. */
static int port_follow_device(struct lossless_port *port, bool may_refuse)
{
	struct lossless_config *config;
	int err;

	config = kmemdup(rtnl_dereference(port->config), sizeof(*config), GFP_KERNEL_ACCOUNT);
	if (!config)
		return -ENOMEM;
	lossless_config_resolve(config, port->dev);
	if (lossless_config_is_same(config, rtnl_dereference(port->config))) {
		kfree(config);
		return 0;
	}
	err = check_for_device(port, config, may_refuse);
	if (err) {
		kfree(config);
		return err;
	}
	lossless_port_commit(port, config);
	return 0;
}

static int lossless_netdev_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct lossless_port *port = find_by_dev(dev);

	if (!port)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_CHANGEMTU:
		return notifier_from_errno(port_follow_device(port, true));
	case NETDEV_UP:
	case NETDEV_CHANGE:
		port_follow_device(port, false);
		lossless_pfc_link_up(port);
		break;
	case NETDEV_GOING_DOWN:
		/* a leaf is silenced when it is reset, after the last frame has come in */
		if (!port->is_leaf)
			lossless_pfc_going_down(port);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block lossless_netdev_notifier = {
	.notifier_call = lossless_netdev_event,
};

static int __net_init lossless_net_init(struct net *net)
{
	struct lossless_buffer *buffer = lossless_buffer_of(net);

	spin_lock_init(&buffer->lock);
	mutex_init(&buffer->events_lock);
	INIT_LIST_HEAD(&buffer->ports);
	buffer->pool.shared_size = BUFFER_SHARED_AUTO;
	buffer->cell_bytes = 1;
	return 0;
}

static struct pernet_operations lossless_net_ops = {
	.init = lossless_net_init,
	.id = &lossless_net_id,
	.size = sizeof(struct lossless_buffer),
};

int __init lossless_ports_init(void)
{
	int err = register_pernet_subsys(&lossless_net_ops);

	if (err)
		return err;
	err = register_netdevice_notifier(&lossless_netdev_notifier);
	if (err)
		unregister_pernet_subsys(&lossless_net_ops);
	return err;
}

void lossless_ports_exit(void)
{
	unregister_netdevice_notifier(&lossless_netdev_notifier);
	/* port_free() is in this module */
	rcu_barrier();
	unregister_pernet_subsys(&lossless_net_ops);
}
