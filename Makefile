# The commands of this repository; the scripts in dev/ do the work.

SHELL = /bin/bash

# What `ws_print page` is built on; dev/build gets it.
LIBRARY = ws/scripts/ws_python/show/html/lib

.NOTPARALLEL:
.PHONY: all demo check check-versions real cross bench bench-quick \
	docs install deb dist clean distclean format help

all:
	@dev/prereqs build
	@dev/build

demo:
	@dev/prereqs demo
	@dev/build
	@mkdir -p build/demo
	@$${CC:-gcc} -g -O0 -o build/demo/pageramp ws/tests/pageramp.c
	@build/tree/vg-in-place --tool=ws --ws-out-file=build/demo/ws.out.pageramp \
		build/demo/pageramp
	@ws/scripts/ws_plot -o build/demo/pageramp.png build/demo/ws.out.pageramp
	@ws/scripts/ws_print build/demo/ws.out.pageramp
	@echo 'ws: the picture is build/demo/pageramp.png'

check:
	@dev/prereqs check
	@dev/build
	@dev/check

check-versions:
	@dev/prereqs check
	@dev/check --versions

real:
	@dev/prereqs real
	@dev/build
	@dev/real

cross:
	@dev/prereqs cross
	@dev/cross

bench:
	@dev/prereqs bench
	@dev/build
	@dev/bench

bench-quick:
	@dev/prereqs bench
	@dev/build
	@dev/bench --runs 3 --tool ws --tool 'ws --ws-stacks=no' $(addprefix \
		--program=,heap tinycc many-xpts sqlite3 perl)

docs:
	@dev/prereqs docs
	@dev/build docs

# Without man pages if need be.
install:
	@dev/prereqs build
	@dev/prereqs docs 2>/dev/null || true
	@dev/build install

deb:
	@dev/prereqs deb
	@dev/prereqs docs 2>/dev/null || true
	@dev/deb

# What is committed, and the page's library; all files have the commit's time.
dist:
	@dev/prereqs dist
	@dev/build library
	@. dev/lib.sh && name=valgrind-ws-$$(ws_version) && mkdir -p build/dist && \
		git -c tar.umask=022 archive --prefix=$$name/$(LIBRARY)/ \
		--add-file=$(LIBRARY)/{libraries.css,libraries.js,stamp} \
		--prefix=$$name/ HEAD | \
		xz -9 >build/dist/$$name.tar.xz && say "build/dist/$$name.tar.xz"

# The downloads survive a clean: they never change.
clean:
	@test ! -d build || find build/ -mindepth 1 -maxdepth 1 ! -name cache \
		-exec rm -rf {} +

# build may be a link.
distclean:
	@rm -rf "$$(readlink -f build)" build $(LIBRARY)

format:
	@. dev/lib.sh && format_c

help:
	@echo 'make            build Valgrind with ws in build/'
	@echo 'make demo       build, run a program under ws, draw the picture'
	@echo 'make check      build, run every test: 8 minutes on two processors, 4 of'
	@echo '                them tests (SUITE=<name>: one suite; QUICK=yes: 40 seconds)'
	@echo 'make check-versions  the suites under the other versions of Valgrind: 20'
	@echo '                minutes (QUICK=yes: a cross-section, as CI does it)'
	@echo 'make real            real programs with and without ws, and the programs of'
	@echo "                Valgrind's none/tests: half an hour"
	@echo 'make cross           build for other platforms, run two of them emulated'
	@echo 'make bench      build, measure the slowdown against --tool=none: half an'
	@echo '                hour; bench-quick: a part of it, a minute'
	@echo 'make docs       build the manual and the man pages in build/docs/'
	@echo 'make install    install to PREFIX=<path> [/usr/local], DESTDIR=<path>'
	@echo 'make deb        a Debian package of ws for the Valgrind that is installed,'
	@echo '                in build/deb/'
	@echo 'make dist       the tarball of a release, in build/dist/'
	@echo 'make clean      remove what was built; distclean: downloads as well'
	@echo 'make format     bring the C files into shape'
	@echo "dev/fresh [suite]    README's commands on a Debian that has nothing: an hour"
	@echo
	@echo 'VALGRIND_VERSION=<v>     one of dev/versions (the first is the default)'
	@echo 'VALGRIND_TARBALL=<file>  use this tarball instead of a download'
	@echo 'VALGRIND_SRC=<dir>       use a copy of this Valgrind source tree'
