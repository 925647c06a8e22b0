/* SPDX-License-Identifier: GPL-2.0 */
/* Which priority a frame has, by what a port trusts. */
#ifndef LOSSLESS_CLASSIFY_H
#define LOSSLESS_CLASSIFY_H

#include "port.h"

/* The network header of a frame with two tags is the second, once the stack has taken the
 * first out of it; skb_protocol() looks behind it nevertheless.
 */
static inline bool lossless_network_header_is_tag(const struct sk_buff *skb)
{
	return eth_type_vlan(skb->protocol) &&
	       skb_network_offset(skb) == skb_mac_offset(skb) + ETH_HLEN;
}

u8 lossless_classify(const struct lossless_config *config, const struct sk_buff *skb);

#endif /* LOSSLESS_CLASSIFY_H */
