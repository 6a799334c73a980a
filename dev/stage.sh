# shellcheck shell=bash disable=SC2034
# What dev/system and dev/deb share: the Valgrind that is installed, and ws
# built for it; sourced after lib.sh.
#
# The `valgrind` of PATH says which version is built and where its tools are;
# VALGRIND_LIB names another place of these, as it does for valgrind. DESTDIR
# is the root of the file system that all this is in, if it is not /.

root=${DESTDIR-}
root=${root%/}
stage=$BUILD/stage

# All paths are without DESTDIR. Those of the tools:
locate_tools() {
   local found=${VALGRIND_LIB-}
   if [ -z "$found" ]; then
      command -v valgrind >/dev/null ||
         die "no valgrind in PATH. Install your distribution's, or use 'make" \
            "install'; if it was removed, VALGRIND_LIB=<dir> says from where" \
            "to remove ws"
      # The launcher tells those who debug it.
      found=$(VALGRIND_OPTS='' valgrind -d --tool=none true 2>&1 |
         sed -n 's|^.*:launcher launching \(/.*\)/none-[^/]*$|\1|p') || true
   fi
   [ -d "$found" ] || die "where are valgrind's tools? It says '$found'"
   tools=$(below_root "$(absolute "$found")")
}

below_root() { # path
   [ "$1" != "${1#"$root"/}" ] || die "$1 is not below DESTDIR, $root"
   echo "${1#"$root"}"
}

# That, the version, and the places of the command and all that is not a tool.
locate_valgrind() {
   local command
   locate_tools
   command=$(command -v valgrind) || die "no valgrind in PATH"
   version=$(VALGRIND_OPTS='' valgrind --tool=none --version)
   version=${version#valgrind-}
   bin=$(below_root "$(dirname "$(readlink -f "$command")")")
   prefix=${bin%/*}
   [ "${VALGRIND_VERSION:-$version}" = "$version" ] ||
      die "the installed Valgrind is $version, not $VALGRIND_VERSION"
   [ -n "$(version_field 1 "$version")${VALGRIND_SRC-}" ] ||
      die "the installed Valgrind is $version; ws can be built with" \
         "$(known_versions)"
}

# Build ws, with all that it installs below $stage, as it is to be below $root.
make_stage() {
   local f
   rm -rf "$stage" "$stage".*
   VALGRIND_VERSION=$version PREFIX=$prefix LIBEXECDIR=${tools%/*} \
      DESTDIR=$stage "$WS_ROOT/dev/build" install-ws
   for f in "$stage$tools"/ws-*; do
      [ -e "$root$tools/none-${f##*/ws-}" ] || rm "$f" # another platform's
   done
   # A script finds its modules beside itself, even when it is called by a link.
   for f in "$stage$prefix"/bin/*; do
      mv "$f" "$stage$tools/"
      ln -s "$(realpath -m --relative-to="$root$bin" \
         "$root$tools/${f##*/}")" "$f"
   done
   # Without Valgrind's headers, ours is of no use.
   [ -d "$root$prefix/include/valgrind" ] || rm -rf "$stage$prefix/include"
}
