// SPDX-License-Identifier: GPL-2.0
/*
 * H = 2*C*D + 2*F + 84 + C*t_resp + 2*C*t_if + response
 *
 * After the headroom calculation of IEEE Std 802.1Qbb-2011, Annex O, with response
 * times and interface delays of IEEE Std 802.3. Example: 100 Gbit/s, 100 m,
 * MTU 9216 and a peer in hardware (response 0) need 87,115 bytes.
 */
#include "headroom.h"

#define LIGHT_CM_PER_S		19800000000ULL	/* 198e6 m/s in fibre */
#define FRAME_OVERHEAD_BYTES	18		/* addresses, EtherType, FCS */
#define VLAN_BYTES		4
#define PAUSE_WIRE_BYTES	84		/* 64 with FCS, preamble and gap */
#define QUANTUM_BYTES		64
#define MBIT			1000000ULL
#define GBIT			1000000000ULL

struct rate_value {
	u64 bits_per_s;
	u32 value;
};

/* 802.3, 31B.3.7 and Annex 31D: time from the end of a received pause to the stop. */
static const struct rate_value response_quanta[] = {
	{ 100 * MBIT, 1 },
	{ 1 * GBIT, 2 },
	{ 10 * GBIT, 67 },
	{ 25 * GBIT, 80 },
	{ 40 * GBIT, 118 },
	{ 50 * GBIT, 147 },
	{ 100 * GBIT, 394 },
	{ 200 * GBIT, 453 },
	{ 400 * GBIT, 905 },
	{ 800 * GBIT, 905 },
};

/* 802.3, delay constraints of MAC, PCS and PHY (44.3, 105.5, 80.4): bit times. */
static const struct rate_value interface_bits[] = {
	{ 10 * GBIT, 8192 },
	{ 25 * GBIT, 6144 },
	{ 40 * GBIT, 24576 },
	{ 100 * GBIT, 122880 },
};

static u64 divide_up(u64 dividend, u64 divisor)
{
	return div64_u64(dividend + divisor - 1, divisor);
}

/* scale * the value at a rate, rounded up: linear between neighbours of the table, proportional
 * to the rate outside it.
 */
static u64 interpolate(const struct rate_value *table, unsigned int entries, u64 rate, u32 scale)
{
	const struct rate_value *low = table, *high = table + entries - 1;
	u64 step;

	if (rate <= low->bits_per_s || rate >= high->bits_per_s) {
		const struct rate_value *end = rate <= low->bits_per_s ? low : high;

		/* in Mbit/s, so that the product fits */
		return divide_up(divide_up(rate, MBIT) * end->value * scale,
				 div64_u64(end->bits_per_s, MBIT));
	}
	for (high = table + 1; rate > high->bits_per_s; high++)
		;
	low = high - 1;
	step = div64_u64(rate - low->bits_per_s, MBIT) * scale;
	if (high->value >= low->value)
		return (u64)low->value * scale +
		       divide_up(step * (high->value - low->value),
				 div64_u64(high->bits_per_s - low->bits_per_s, MBIT));
	return (u64)low->value * scale -
	       div64_u64(step * (low->value - high->value),
			 div64_u64(high->bits_per_s - low->bits_per_s, MBIT));
}

/**
 * headroom_terms() - the terms of the headroom formula
 * @link: the link
 */
struct headroom_terms headroom_terms(const struct headroom_link *link)
{
	u32 frame = link->mtu + FRAME_OVERHEAD_BYTES + (link->vlan ? VLAN_BYTES : 0);

	return (struct headroom_terms){
		/* 2 * C * D bits are a quarter as many bytes; C * D fits: 1.6e12 * 1e7 */
		.cable = divide_up(link->bits_per_s * link->cable_cm, 4 * LIGHT_CM_PER_S),
		.frames = 2ULL * frame,
		.pause_frame = PAUSE_WIRE_BYTES,
		.peer = interpolate(response_quanta, ARRAY_SIZE(response_quanta),
				    link->bits_per_s, QUANTUM_BYTES),
		.interface = divide_up(interpolate(interface_bits, ARRAY_SIZE(interface_bits),
						   link->bits_per_s, 2), 8),
		.response = link->response,
	};
}

/**
 * headroom_bytes() - H, the sum
 * @terms: of headroom_terms()
 */
u64 headroom_bytes(const struct headroom_terms *terms)
{
	return terms->cable + terms->frames + terms->pause_frame + terms->peer +
	       terms->interface + terms->response;
}
