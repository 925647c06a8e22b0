/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much headroom a link needs: what may still arrive after a pause was sent.
 */
#ifndef LOSSLESS_CORE_HEADROOM_H
#define LOSSLESS_CORE_HEADROOM_H

#include "types.h"

#define HEADROOM_RESPONSE_DEFAULT	(64U << 10)

/**
 * struct headroom_link - what the need depends on
 * @bits_per_s: rate of the link, 10^3 to 1.6 * 10^12
 * @cable_cm: its length in centimetres, at most 10^7
 * @mtu: largest payload of a frame, in bytes
 * @vlan: frames carry an 802.1Q tag
 * @response: bytes that the peer's software still sends after it got a pause
 */
struct headroom_link {
	u64 bits_per_s;
	u32 cable_cm;
	u32 mtu;
	bool vlan;
	u32 response;
};

/**
 * struct headroom_terms - the terms of the sum, in bytes, each rounded up
 * @cable: in flight both ways, 2 * C * D
 * @frames: one frame that the peer has begun and one that our pause waited for, 2 * F
 * @pause_frame: the pause itself with preamble and gap
 * @peer: the peer's response time, C * t_resp
 * @interface: delay of both MACs and PHYs, 2 * C * t_if
 * @response: of struct headroom_link
 */
struct headroom_terms {
	u64 cable;
	u64 frames;
	u64 pause_frame;
	u64 peer;
	u64 interface;
	u64 response;
};

struct headroom_terms headroom_terms(const struct headroom_link *link);
u64 headroom_bytes(const struct headroom_terms *terms);

#endif /* LOSSLESS_CORE_HEADROOM_H */
