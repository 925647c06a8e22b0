// SPDX-License-Identifier: GPL-2.0
/*
 * Classification by DSCP, PCP or skb->priority. Where the classes lead, and what a tc
 * filter says about it, is the caller's.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/dsfield.h>

#include "classify.h"

#define DSCP_SHIFT	2

/* The PCP of the outermost tag, VID 0 (priority-tagged) included. */
static bool classify_pcp(const struct sk_buff *skb, u8 *pcp)
{
	struct vlan_hdr buffer, *tag;

	if (skb_vlan_tag_present(skb)) {
		*pcp = skb_vlan_tag_get_prio(skb);
		return true;
	}
	if (!eth_type_vlan(skb->protocol) || !skb_mac_header_was_set(skb))
		return false;
	tag = skb_header_pointer(skb, skb_mac_offset(skb) + ETH_HLEN, sizeof(buffer), &buffer);
	if (!tag)
		return false;
	*pcp = (ntohs(tag->h_vlan_TCI) & VLAN_PRIO_MASK) >> VLAN_PRIO_SHIFT;
	return true;
}

/* Of the outer IP header. */
static bool classify_dscp(const struct sk_buff *skb, u8 *dscp)
{
	union {
		struct iphdr ip;
		struct ipv6hdr ipv6;
	} buffer;
	__be16 protocol = skb->protocol;
	const void *header;

	if (unlikely(eth_type_vlan(protocol))) {
		if (lossless_network_header_is_tag(skb))
			return false;
		protocol = skb_protocol(skb, true);
	}
	switch (protocol) {
	case htons(ETH_P_IP):
		header = skb_header_pointer(skb, skb_network_offset(skb), sizeof(buffer.ip),
					    &buffer);
		if (!header)
			return false;
		*dscp = ipv4_get_dsfield(header) >> DSCP_SHIFT;
		return true;
	case htons(ETH_P_IPV6):
		header = skb_header_pointer(skb, skb_network_offset(skb), sizeof(buffer.ipv6),
					    &buffer);
		if (!header)
			return false;
		*dscp = ipv6_get_dsfield(header) >> DSCP_SHIFT;
		return true;
	}
	return false;
}

/**
 * lossless_classify() - the priority of a frame
 * @config: of the port that it came in by, or for a local frame that it leaves by
 * @skb: with its MAC and network headers set
 *
 * Return: 0 to 7.
 */
u8 lossless_classify(const struct lossless_config *config, const struct sk_buff *skb)
{
	u8 code;

	if (config->trust == LOSSLESS_TRUST_SKB)
		return skb->priority < LOSSLESS_PRIORITIES ? skb->priority :
							      config->default_priority;
	if (config->trust == LOSSLESS_TRUST_DSCP && classify_dscp(skb, &code))
		return config->dscp_map[code];
	if (classify_pcp(skb, &code))
		return config->pcp_map[code];
	return config->default_priority;
}
