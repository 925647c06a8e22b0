/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family `lossless`. */
#ifndef LOSSLESS_GENL_H
#define LOSSLESS_GENL_H

int lossless_genl_init(void);
void lossless_genl_exit(void);

#endif /* LOSSLESS_GENL_H */
