/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The marking law of a congestion point: which departing frames become CE, from the
 * instantaneous bytes of the queue (the CP of DCQCN: Zhu et al., "Congestion Control
 * for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1).
 */
#ifndef LOSSLESS_CORE_ECN_H
#define LOSSLESS_CORE_ECN_H

#include "types.h"

#define ECN_MILLION	1000000

/**
 * struct ecn_law - the marking curve of a queue
 * @kmin: bytes below which no frame is marked
 * @kmax: bytes above which each frame is marked, not below @kmin
 * @pmax_millionths: probability at @kmax, at most ECN_MILLION
 */
struct ecn_law {
	u32 kmin;
	u32 kmax;
	u32 pmax_millionths;
};

/**
 * ecn_marks() - does a departing frame get marked?
 * @law: the queue's curve
 * @queue_bytes: the queue, the departing frame included
 * @random: uniform over all 32-bit values
 *
 * Between kmin and kmax the probability is pmax * (queue - kmin) / (kmax - kmin),
 * compared crosswise so that nothing is divided.
 */
static inline bool ecn_marks(const struct ecn_law *law, u64 queue_bytes, u32 random)
{
	u32 span = law->kmax - law->kmin;
	u64 dice = ((u64)random * ECN_MILLION) >> 32;

	if (queue_bytes < law->kmin)
		return false;
	if (queue_bytes > law->kmax)
		return true;
	if (!span)
		return dice < law->pmax_millionths;
	return dice * span < (queue_bytes - law->kmin) * law->pmax_millionths;
}

#endif /* LOSSLESS_CORE_ECN_H */
