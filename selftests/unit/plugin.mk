# SPDX-License-Identifier: GPL-2.0
# Includable: the program that loads the tc plugin without tc. Needs -rdynamic, since the
# plugin takes tc's functions from the program that loads it.

UNIT_DIR ?= $(dir $(lastword $(MAKEFILE_LIST)))
UNIT_OUT ?= $(UNIT_DIR)
CFLAGS ?= -O2 -g

$(UNIT_OUT)/plugin-harness: $(UNIT_DIR)/plugin-harness.c $(UNIT_DIR)/../../tc-plugin/tc_abi.h
	$(CC) $(CFLAGS) -Wall -Wextra -Werror -std=gnu11 -rdynamic -I$(UNIT_DIR)/../../tc-plugin \
		-I$(UNIT_DIR)/../../sch_lossless/include/uapi -o $@ $< -ldl
