/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family `lossless`. */
#ifndef LOSSLESS_GENL_H
#define LOSSLESS_GENL_H

#include <linux/types.h>

struct lossless_event;
struct lossless_port;

void lossless_genl_tell(struct lossless_port *port, const struct lossless_event *event, u32 lost);
int lossless_genl_init(void);
void lossless_genl_exit(void);

#endif /* LOSSLESS_GENL_H */
