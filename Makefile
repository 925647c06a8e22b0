# SPDX-License-Identifier: GPL-2.0
# For people. What the kernel's own build reads is in Kbuild.

VM := selftests/vm
PREFIX ?= /usr
RUNNING := $(shell uname -r)
KERNELRELEASE ?= $(RUNNING)
NATIVE_KERNEL := $(wildcard /lib/modules/$(KERNELRELEASE)/build)
# Without headers of its own kernel a machine builds for the test kernel
BUILD_FOR := $(if $(NATIVE_KERNEL),native,6.12)
TC_FOLDER = $(shell strings "$$(command -v tc)" | sed -n 's:^\(/.*/tc\)/*$$:\1:p' | head -n 1)
MODULE_FOLDER := $(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates
MAN_FOLDER := $(DESTDIR)$(PREFIX)/share/man/man8
COMPLETION := $(DESTDIR)$(PREFIX)/share/sch_lossless/tc-completion.bash
TOOL_COMPLETION := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/lossless
MAN_PAGES = $(wildcard Documentation/man/*.8)

.PHONY: all demo check coverage style install uninstall clean help

all:
	@$(VM)/build.sh user
	@KERNELRELEASE=$(KERNELRELEASE) $(VM)/build.sh $(BUILD_FOR)

demo:
	@lab/demo.sh

check:
	@$(VM)/packages.sh build vm uml test
	@selftests/run.sh $(if $(K),-k $(K)) $(T)

coverage:
	@$(VM)/coverage.sh $(T)

style:
	@$(VM)/style.sh

install: all
	@test "$(BUILD_FOR)" = native || { echo "no headers of kernel $(KERNELRELEASE): nothing to install" >&2; exit 1; }
	@test -n "$(TC_FOLDER)" || { echo "tc does not say where it looks for plugins" >&2; exit 1; }
	install -D -m 644 build/native/sch_lossless.ko $(MODULE_FOLDER)/sch_lossless.ko
	install -D -m 644 tc-plugin/q_lossless.so $(DESTDIR)$(TC_FOLDER)/q_lossless.so
	install -D -m 755 tools/lossless $(DESTDIR)$(PREFIX)/sbin/lossless
	$(if $(MAN_PAGES),install -D -m 644 -t $(MAN_FOLDER) $(MAN_PAGES))
	install -D -m 644 tc-plugin/completion $(COMPLETION)
	install -D -m 644 tools/completion $(TOOL_COMPLETION)
	$(if $(DESTDIR),,depmod $(KERNELRELEASE))

uninstall:
	rm -f $(MODULE_FOLDER)/sch_lossless.ko $(DESTDIR)$(TC_FOLDER)/q_lossless.so $(DESTDIR)$(PREFIX)/sbin/lossless
	rm -f $(addprefix $(MAN_FOLDER)/,$(notdir $(MAN_PAGES))) $(COMPLETION) $(TOOL_COMPLETION)
	$(if $(DESTDIR),,depmod $(KERNELRELEASE))

clean:
	rm -rf build
	for folder in tc-plugin tools selftests; do test ! -e $$folder/Makefile || $(MAKE) -C $$folder clean || exit; done

help:
	@echo "make            build the module ($(if $(NATIVE_KERNEL),for kernel $(KERNELRELEASE),for the test kernel 6.12: no headers of $(KERNELRELEASE) here)), the tc plugin, the tools"
	@echo "make demo       watch a lossless fabric at work, in a virtual machine: nothing on this machine changes"
	@echo "make check      run every test in virtual machines; T=NAME one test; K=6.1|6.12|uml-exact|uml-debug one kernel;"
	@echo "                NATIVE=1 on this machine's own kernel"
	@echo "make coverage   the lines of the module that the tests in exact time reach; fails below 95 % of core/, 85 % of all"
	@echo "make style      checkpatch --strict, sparse and shellcheck over everything"
	@echo "make install    module, tc plugin, man pages and tools; DESTDIR, PREFIX, KERNELRELEASE; make uninstall takes them away"
	@echo "make clean      remove what was built; test kernels stay in ~/.cache/sch_lossless"
