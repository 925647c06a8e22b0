/* SPDX-License-Identifier: GPL-2.0 */
/* Which priority a frame has, by what a port trusts. */
#ifndef LOSSLESS_CLASSIFY_H
#define LOSSLESS_CLASSIFY_H

#include "port.h"

u8 lossless_classify(const struct lossless_config *config, const struct sk_buff *skb);

#endif /* LOSSLESS_CLASSIFY_H */
