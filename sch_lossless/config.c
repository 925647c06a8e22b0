// SPDX-License-Identifier: GPL-2.0
/*
 * A port's configuration: defaults, what depends on the device, and the sizes that the
 * buffer law is given. How it is spoken over netlink is netlink.c's.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "core/headroom.h"
#include "core/pause.h"
#include "port.h"

#define LINK_RATE_DEFAULT	1250000000ULL	/* 10 Gbit/s */
#define CABLE_CM_DEFAULT	(100 * 100)
#define OVERHEAD_DEFAULT	24		/* preamble, FCS, gap */
#define BURST_DEFAULT		4
#define PFC_DEFAULT		BIT(3)
#define QUANTA_DEFAULT		65535
#define FIRST_STRICT_PRIORITY	6		/* of the defaults; 7 as well */
#define ALPHA_LOSSLESS		(-3)		/* 1/8 */
#define DETECT_DEFAULT		(100 * NSEC_PER_MSEC)
#define RESTORE_DEFAULT		NSEC_PER_SEC
#define DUTY_DEFAULT		90		/* percent of a window, if there is one */
#define UNTRUST_DEFAULT		(60ULL * NSEC_PER_SEC)
#define ALPHA_LOSSY		0		/* 1 */

static const struct ecn_law ecn_default = {
	.kmin = 100 << 10,
	.kmax = 200 << 10,
	.pmax_millionths = 200000,
};

/**
 * lossless_config_init() - the defaults of a new port
 * @config: zeroed; lossless_config_resolve() has to follow
 */
void lossless_config_init(struct lossless_config *config)
{
	unsigned int i;

	config->overhead_bytes = OVERHEAD_DEFAULT;
	config->burst_frames = BURST_DEFAULT;
	config->trust = LOSSLESS_TRUST_DSCP;
	for (i = 0; i < LOSSLESS_DSCPS; i++)
		config->dscp_map[i] = i >> 3;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		config->pcp_map[i] = i;
		config->prio[i].weight = i < FIRST_STRICT_PRIORITY;
	}
	config->cable_cm = CABLE_CM_DEFAULT;
	config->response_bytes = HEADROOM_RESPONSE_DEFAULT;
	config->lossless = PFC_DEFAULT;
	config->quanta = QUANTA_DEFAULT;
	config->watchdog = true;
	config->detect_ns = DETECT_DEFAULT;
	config->restore_ns = RESTORE_DEFAULT;
	config->duty_percent = DUTY_DEFAULT;
	config->untrust_ns = UNTRUST_DEFAULT;
}

/* In bytes per second. A link without a speed of its own, as virtio's, counts as 10G. */
static u64 link_rate(struct net_device *dev)
{
	struct ethtool_link_ksettings settings;

	if (netif_get_link_ksettings(dev, &settings) || !settings.base.speed ||
	    settings.base.speed == SPEED_UNKNOWN)
		return LINK_RATE_DEFAULT;
	return settings.base.speed * 125000ULL;
}

static u64 headroom_auto(const struct lossless_config *config, const struct net_device *dev)
{
	struct headroom_link link = {
		.bits_per_s = config->link_rate_bytes_per_s * 8,
		.cable_cm = config->cable_cm,
		.mtu = dev->mtu,
		.response = config->response_bytes,
	};
	struct headroom_terms terms = headroom_terms(&link);

	return headroom_bytes(&terms);
}

static bool is_given(const struct lossless_prio_config *prio, unsigned int attribute)
{
	return prio->given & BIT(attribute);
}

static void resolve_priority(struct lossless_config *config, unsigned int priority,
			     const struct net_device *dev)
{
	struct lossless_prio_config *prio = &config->prio[priority];
	bool is_lossless = config->lossless & BIT(priority);

	if (!is_given(prio, TCA_LOSSLESS_PRIO_GUARANTEED))
		prio->guaranteed = 2 * lossless_mtu_frame(dev);
	if (!is_given(prio, TCA_LOSSLESS_PRIO_ALPHA))
		prio->alpha = is_lossless ? ALPHA_LOSSLESS : ALPHA_LOSSY;
	if (!is_given(prio, TCA_LOSSLESS_PRIO_XON_OFFSET))
		prio->xon_offset = 2 * lossless_mtu_frame(dev);
	if (!is_given(prio, TCA_LOSSLESS_PRIO_HEADROOM))
		prio->headroom = headroom_auto(config, dev);
	if (!is_given(prio, TCA_LOSSLESS_PRIO_ECN))
		prio->is_ecn = is_lossless;
	if (!is_given(prio, TCA_LOSSLESS_PRIO_KMIN))
		prio->ecn.kmin = ecn_default.kmin;
	if (!is_given(prio, TCA_LOSSLESS_PRIO_KMAX))
		prio->ecn.kmax = ecn_default.kmax;
	if (!is_given(prio, TCA_LOSSLESS_PRIO_PMAX))
		prio->ecn.pmax_millionths = ecn_default.pmax_millionths;
}

/**
 * lossless_config_resolve() - fill in what was not given
 * @config: of lossless_config_init(), with what was given
 * @dev: the port's; MTU and link speed count
 *
 * Again whenever the kind of a priority, the rate, the cable or the device changes. RTNL.
 */
void lossless_config_resolve(struct lossless_config *config, struct net_device *dev)
{
	unsigned int i;

	config->link_rate_bytes_per_s = config->rate_bytes_per_s ?: link_rate(dev);
	config->link_per_byte = wire_time_per_byte(config->link_rate_bytes_per_s);
	if (!config->pfc_rx_given)
		config->pfc_rx = config->llfc ? 0 : config->lossless;
	for (i = 0; i < LOSSLESS_PRIORITIES; i++)
		resolve_priority(config, i, dev);
}

static int check_priority(const struct lossless_config *config, unsigned int priority,
			  u32 frame_bytes, u64 headroom_pool_bytes,
			  struct netlink_ext_ack *extack)
{
	const struct lossless_prio_config *prio = &config->prio[priority];
	bool is_lossless = config->lossless & BIT(priority);

	if (is_lossless && prio->is_static && prio->xoff < prio->guaranteed) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u xoff %llu is below its guaranteed %llu",
				   priority, prio->xoff, prio->guaranteed);
		return -EINVAL;
	}
	if (prio->is_static && prio->xon > prio->xoff) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u xon %llu is above its xoff %llu",
				   priority, prio->xon, prio->xoff);
		return -EINVAL;
	}
	if (is_lossless && prio->headroom + headroom_pool_bytes < frame_bytes) {
		NL_SET_ERR_MSG_FMT(extack,
				   "prio %u headroom %llu is less than a frame of the MTU, %u",
				   priority, prio->headroom, frame_bytes);
		return -EINVAL;
	}
	if (prio->is_ecn && prio->ecn.kmin > prio->ecn.kmax) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u ecn kmin %u is above kmax %u",
				   priority, prio->ecn.kmin, prio->ecn.kmax);
		return -EINVAL;
	}
	if (prio->is_wred && is_lossless) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u is lossless: wred needs a lossy priority",
				   priority);
		return -EINVAL;
	}
	if (prio->is_wred && !prio->is_ecn) {
		NL_SET_ERR_MSG_FMT(extack, "prio %u wred needs the curve of ecn", priority);
		return -EINVAL;
	}
	return 0;
}

/**
 * lossless_config_check() - do the parts of a configuration agree?
 * @config: resolved
 * @dev: the port's
 * @headroom_pool_bytes: of the namespace
 * @namespace_cell_bytes: of ports without their own
 * @extack: says what does not, with the values
 */
int lossless_config_check(const struct lossless_config *config, const struct net_device *dev,
			  u64 headroom_pool_bytes, u32 namespace_cell_bytes,
			  struct netlink_ext_ack *extack)
{
	u32 cell = config->cell_bytes ?: namespace_cell_bytes;
	u32 frame = buffer_frame_bytes(lossless_mtu_frame(dev), cell);
	u64 ns = pause_ns(config->link_per_byte, config->quanta);
	unsigned int i;
	int err;

	if (ns < LOSSLESS_PAUSE_NS_MIN) {
		NL_SET_ERR_MSG_FMT(extack, "quanta %u last %llu ns at this rate, less than %u ns",
				   config->quanta, ns, LOSSLESS_PAUSE_NS_MIN);
		return -EINVAL;
	}
	if (config->llfc && config->pfc_rx) {
		NL_SET_ERR_MSG_FMT(extack, "pfc-rx 0x%02x and llfc on exclude each other",
				   config->pfc_rx);
		return -EINVAL;
	}
	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		err = check_priority(config, i, frame, headroom_pool_bytes, extack);
		if (err)
			return err;
	}
	return 0;
}

/**
 * lossless_config_is_same() - is there nothing to put in force?
 * @a: a resolved configuration
 * @b: another one, copied from the same
 */
bool lossless_config_is_same(const struct lossless_config *a, const struct lossless_config *b)
{
	return !memcmp(a, b, offsetof(struct lossless_config, rcu));
}

/**
 * lossless_config_reserved() - the part of R that a port is responsible for
 * @config: resolved
 *
 * Return: guaranteed and private headroom of lossless PGs, guaranteed of lossy queues.
 */
u64 lossless_config_reserved(const struct lossless_config *config)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < LOSSLESS_PRIORITIES; i++) {
		sum += config->prio[i].guaranteed;
		if (config->lossless & BIT(i))
			sum += config->prio[i].headroom;
	}
	return sum;
}

/**
 * lossless_config_pg_limits() - the sizes of a PG
 * @config: resolved
 * @priority: 0 to 7
 *
 * A lossy priority's PG gets none: it only waits for frames of former times to leave.
 */
struct buffer_limits lossless_config_pg_limits(const struct lossless_config *config, u8 priority)
{
	const struct lossless_prio_config *prio = &config->prio[priority];

	if (!(config->lossless & BIT(priority)))
		return (struct buffer_limits){ .kind = BUFFER_DYNAMIC, .alpha = ALPHA_LOSSY };
	return (struct buffer_limits){
		.guaranteed = prio->guaranteed,
		.headroom = prio->headroom,
		.kind = prio->is_static ? BUFFER_STATIC : BUFFER_DYNAMIC,
		.alpha = prio->alpha,
		.xon_offset = prio->xon_offset,
		.xoff = prio->xoff,
		.xon = prio->xon,
	};
}

/**
 * lossless_config_queue_limits() - the sizes of a queue, for its lossy and local frames
 * @config: resolved
 * @priority: 0 to 7
 *
 * For a lossless priority guaranteed and alpha are the PG's: local frames of its queue
 * have no guarantee, and the alpha of a lossy queue.
 */
struct buffer_limits lossless_config_queue_limits(const struct lossless_config *config,
						  u8 priority)
{
	const struct lossless_prio_config *prio = &config->prio[priority];
	bool is_lossless = config->lossless & BIT(priority);

	return (struct buffer_limits){
		.guaranteed = is_lossless ? 0 : prio->guaranteed,
		.kind = prio->has_limit ? BUFFER_LIMIT : BUFFER_DYNAMIC,
		.alpha = is_lossless ? ALPHA_LOSSY : prio->alpha,
		.limit = prio->limit,
	};
}
