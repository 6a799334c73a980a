# The commands of this repository; the scripts in dev/ do the work.

.NOTPARALLEL:
.PHONY: all demo check bench bench-quick install clean distclean format help

all:
	@dev/prereqs build
	@dev/build

demo:
	@dev/prereqs demo
	@dev/build
	@dev/demo

check:
	@dev/prereqs check
	@dev/build
	@dev/check

bench:
	@dev/prereqs bench
	@dev/build
	@dev/bench
	@dev/bench --growth

bench-quick:
	@dev/prereqs bench
	@dev/build
	@dev/bench --quick

install:
	@dev/prereqs build
	@dev/build install

# The downloads survive a clean: they never change.
clean:
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name cache \
		-exec rm -rf {} +

distclean:
	@rm -rf build

format:
	@dev/format

help:
	@echo 'make            build Valgrind with ws in build/'
	@echo 'make demo       build, run a program under ws, draw the picture'
	@echo 'make check      build, run every test (SUITE=<name>: one suite)'
	@echo 'make bench      build, measure the slowdown against --tool=none; takes'
	@echo '                an hour or more; bench-quick: a part of it, 3 minutes'
	@echo 'make install    install to PREFIX=<path> [/usr/local], DESTDIR=<path>'
	@echo 'make clean      remove what was built; distclean: downloads as well'
	@echo 'make format     bring the C files into shape'
	@echo
	@echo 'VALGRIND_VERSION=<v>     one of dev/versions (the first is the default)'
	@echo 'VALGRIND_TARBALL=<file>  use this tarball instead of a download'
	@echo 'VALGRIND_SRC=<dir>       use a copy of this Valgrind source tree'
