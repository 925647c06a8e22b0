// SPDX-License-Identifier: GPL-2.0
/*
 * The receive hook of a port: consumes MAC Control frames, classifies and stamps all
 * others. It comes before the bridge, routing and nftables, so the stamp says where a
 * frame entered this host whatever they make of it.
 */
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/netfilter_netdev.h>
#include <net/sock.h>

#include "classify.h"
#include "core/pause.h"
#include "sched.h"

/* The frame from its destination address on; the hook sees it from the payload on. */
static struct pause_frame mac_control_parse(const struct lossless_port *port,
					    const struct sk_buff *skb)
{
	u32 frame_bytes = skb->len + skb->data - skb_mac_header(skb);
	u8 frame[PAUSE_PARSE_BYTES] = {};

	skb_copy_bits(skb, skb_mac_offset(skb), frame,
		      min_t(u32, frame_bytes, sizeof(frame)));
	return pause_parse(frame, frame_bytes, skb_vlan_tag_present(skb),
			   port->dev->dev_addr);
}

/* Pauses keep a storm alive, also those that have no effect any more. */
static void note_pauses(struct lossless_sched *q, u8 bits, const u64 *times_ns, u64 now)
{
	unsigned long todo = bits;
	unsigned int i;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES)
		if (times_ns[i])
			q->queues[i].watchdog.paused_ns = now;
}

static void receive_pfc(struct lossless_sched *q, const struct lossless_config *config,
			const struct pause_frame *pause, u64 *times_ns)
{
	unsigned long todo = pause->enabled;
	unsigned int i;

	for_each_set_bit(i, &todo, LOSSLESS_PRIORITIES) {
		times_ns[i] = pause_ns(config->link_per_byte, pause->quanta[i]);
		if (!pause->quanta[i]) {
			q->received.resumes[i]++;
			continue;
		}
		q->received.pauses[i]++;
		if (!(q->pausable & BIT(i)) || q->is_llfc)
			q->received.ignored[i]++;
	}
}

static void receive_link_pause(struct lossless_sched *q, const struct lossless_config *config,
			       const struct pause_frame *pause, u64 *times_ns)
{
	unsigned int i;

	if (!q->is_llfc)
		q->received.link_ignored++;
	else if (pause->quanta[0])
		q->received.link++;
	else
		q->received.link_resumes++;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		times_ns[i] = pause_ns(config->link_per_byte, pause->quanta[0]);
}

/* Under the qdisc's lock. Returns true if the qdisc has to be run. */
static bool mac_control_honour(struct lossless_sched *q, const struct lossless_config *config,
			       const struct pause_frame *pause)
{
	u64 times_ns[LOSSLESS_PRIORITIES];
	u64 now = ktime_get_ns();
	u8 honoured = 0;

	switch (pause->kind) {
	case PAUSE_MALFORMED:
		q->received.malformed++;
		return false;
	case PAUSE_PFC:
		receive_pfc(q, config, pause, times_ns);
		if (!q->is_llfc)
			honoured = pause->enabled & q->pausable;
		break;
	case PAUSE_LINK:
		receive_link_pause(q, config, pause, times_ns);
		if (q->is_llfc)
			honoured = LOSSLESS_ALL_PRIORITIES;
		break;
	}
	note_pauses(q, honoured, times_ns, now);
	return lossless_sched_pause(q, honoured, times_ns, now);
}

static void mac_control_receive(struct lossless_port *port, const struct sk_buff *skb)
{
	struct pause_frame pause = mac_control_parse(port, skb);
	struct Qdisc *sch = port->sch;
	bool run = false;

	spin_lock(qdisc_lock(sch));
	if (!port->is_dead)
		run = mac_control_honour(qdisc_priv(sch), rcu_dereference(port->config), &pause);
	spin_unlock(qdisc_lock(sch));
	if (run)
		lossless_schedule(sch);
}

/**
 * lossless_ingress() - netfilter hook NF_NETDEV_INGRESS of a port
 * @priv: the port
 * @skb: a received frame, from its payload on
 * @state: unused
 *
 * Softirq, RCU read side.
 *
 * Return: NF_STOLEN for EtherType 0x8808, which is never bridged or routed; NF_DROP for a
 * frame of a priority in storm; NF_ACCEPT.
 */
unsigned int lossless_ingress(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct lossless_port *port = priv;
	const struct lossless_config *config = rcu_dereference(port->config);
	u8 priority;

	if (unlikely(skb->protocol == htons(ETH_P_PAUSE))) {
		mac_control_receive(port, skb);
		consume_skb(skb);
		return NF_STOLEN;
	}
	priority = lossless_classify(config, skb);
	if (unlikely(READ_ONCE(port->ingress_dropping) & BIT(priority)) &&
	    lossless_recover_ingress(port, priority, skb))
		return NF_DROP;
	skb->tc_index = lossless_stamp(port, priority);
	/* On a real wire the sender's socket does not know when its frame has arrived. A
	 * socket that a program at tc ingress has chosen is not the sender's.
	 */
	if (!config->keep_socket && !skb_sk_is_prefetched(skb))
		skb_orphan(skb);
	return NF_ACCEPT;
}
