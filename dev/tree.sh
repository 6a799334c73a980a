# shellcheck shell=bash
# What dev/build and dev/cross share: a tree of Valgrind's sources with our
# patches and ws/, in $parent; sourced after lib.sh. VALGRIND_VERSION (one of
# dev/versions) chooses the version, VALGRIND_TARBALL and VALGRIND_SRC other
# sources than the pinned download.
#
# Every step leaves a stamp in the tree that says from what it was made, and is
# skipped while that is unchanged:
#
#     .ws-origin      sources and patches         another: the tree is made anew
#     .ws-autotools   exists: configure is there
#     .ws-files       what was copied from ws/, to notice what was deleted there

patches=("$WS_ROOT"/*.patch "$WS_ROOT"/patches/*.patch)
jobs=$(nproc)
version=${VALGRIND_VERSION:-${versions%% *}}
source_tree=
if [ -n "${VALGRIND_SRC-}" ]; then
   source_tree=$(realpath -ms "$VALGRIND_SRC")
   [ -f "$source_tree/coregrind/m_main.c" ] ||
      die "VALGRIND_SRC: $source_tree is no Valgrind source tree"
   version=$(sed -n \
      's/^m4_define(\[v_[a-z]*_ver\], *\[\(..*\)\])$/\1/p' \
      "$source_tree/configure.ac" | paste -s -d .)
   [ -n "$version" ] || die "VALGRIND_SRC: what version is $source_tree?"
   [ -z "${VALGRIND_VERSION-}" ] || [ "$VALGRIND_VERSION" = "$version" ] ||
      die "VALGRIND_SRC is Valgrind $version, not $VALGRIND_VERSION"
fi

tree=${parent:?}/valgrind-$version
log=$tree.log

# --- The sources of a version: the tarball that VALGRIND_TARBALL names, the
# download cache, upstream's site, or the machine's Debian mirror, in this
# order. A file is used only if its SHA-256 is the one in dev/versions; a wrong
# one is a reason to stop: somebody may have tampered with the file.

cache=$BUILD/cache

verify() { # file what-it-is
   sha256sum --status -c <<<"$(version_sum "$version")  $1" ||
      die "wrong SHA-256 of $2: not that of Valgrind $version in dev/versions"
}

from_upstream() { # file
   # Fail fast where there is no network, or it stalls.
   command -v curl >/dev/null &&
      curl -fsSL --connect-timeout 5 --speed-time 15 --speed-limit 1000 -o "$1" \
         "https://sourceware.org/pub/valgrind/valgrind-$version.tar.bz2"
}

# An archive has the sources of all its suites in one place. apt's downloader
# knows the machine's proxies; it would drop root to a user who may not write
# here.
from_debian() { # file
   local archive
   for archive in $(apt-get update --print-uris 2>/dev/null |
      sed -n "s|^'\(.*\)/dists/.*|\1|p" | sort -u); do
      warn "asking $archive"
      /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file \
         "$archive/pool/main/v/valgrind/valgrind_$version.orig.tar.bz2" "$1" \
         >"$cache/log" 2>&1 && return
   done
   return 1
}

# Print the tarball's path.
fetch() {
   local tarball=$cache/valgrind-$version.tar.bz2 part=$cache/$version.part
   [ -n "$(version_sum "$version")" ] ||
      die "no checksum for Valgrind $version; known: $versions"
   if [ -n "${VALGRIND_TARBALL-}" ]; then
      tarball=$(realpath -ms "$VALGRIND_TARBALL")
      [ -f "$tarball" ] || die "VALGRIND_TARBALL: no file $tarball"
   elif ! [ -f "$tarball" ]; then
      mkdir -p "$cache"
      from_upstream "$part" || from_debian "$part" ||
         die "cannot get Valgrind $version (see $cache/log); give me its" \
            "tarball with VALGRIND_TARBALL=<file>"
      verify "$part" "what was downloaded"
      # Under its final name only when it is complete and verified.
      mv "$part" "$tarball"
   fi
   verify "$tarball" "$tarball"
   echo "$tarball"
}

# Valgrind's sources with our patches. Unpacked elsewhere and renamed, so that
# an interrupted run leaves no half a tree.
unpack() { # tarball
   local new=$tree.new
   rm -rf "$new" "$tree"
   mkdir -p "$new"
   if [ -n "$source_tree" ]; then
      # The user may have built it: objects would be older than our patches,
      # and .in_place is full of absolute links.
      tar -C "$source_tree" --exclude=.git --exclude='*.o' --exclude='*.a' \
         --exclude=.in_place --exclude=.deps -cf - . | tar -C "$new" -xf -
   else
      tar -xf "$1" -C "$new" --strip-components=1
   fi
   cat "${patches[@]}" | patch -d "$new" -p1 --fuzz=0 --forward --silent \
      --no-backup-if-mismatch ||
      die "a patch does not apply to Valgrind $version"
   origin >"$new/.ws-origin"
   mv "$new" "$tree"
}

# What the tree is made of. An edit inside of VALGRIND_SRC is not noticed:
# `make clean` then.
origin() {
   echo "sources ${source_tree:-$(version_sum "$version")}"
   cat "${patches[@]}" | sha256sum
}

# Copy what differs, with the time of the copy, so that make rebuilds just
# that; delete what is gone from ws/, but nothing that was built in the tree.
sync_ws() {
   local f old=$tree/.ws-files new=$tree/.ws-files.new
   (cd "$WS_ROOT" && find ws -type f ! -name '*~' ! -name '*.pyc' \
      ! -name '.*.sw?' | sort) >"$new"
   while read -r f; do
      cmp -s "$WS_ROOT/$f" "$tree/$f" || env -C "$WS_ROOT" cp --parents \
         --remove-destination --preserve=mode "$f" "$tree"
   done <"$new"
   [ ! -f "$old" ] ||
      comm -23 "$old" "$new" | env -C "$tree" xargs -d '\n' rm -f
   mv "$new" "$old"
}

# Make the tree, or bring it up to date. A new one begins a new log.
make_tree() {
   local new='' tarball=''
   if ! origin | cmp -s - "$tree/.ws-origin"; then
      new=yes
      : >"$log"
   fi
   # A tarball that the user names is verified even when nothing is made from
   # it.
   if [ -z "$source_tree" ] && [ -n "$new${VALGRIND_TARBALL-}" ]; then
      tarball=$(fetch)
   fi
   [ -z "$new" ] || unpack "$tarball"
   # It must pass signals on, and go by the real path, which has no blanks.
   sed -i -e 's|^ *\("[^ ]*/coregrind/valgrind" \)|    exec \1|' \
      -e "s|^vgbasedir=.*|vgbasedir=\$(dirname \"\$(readlink -f \"\$0\")\")|" \
      "$tree/vg-in-place"
   sync_ws
}

# Once per tree.
make_configure() {
   [ -f "$tree/.ws-autotools" ] ||
      logged "preparing Valgrind $version" \
         env -C "$tree" AUTOMAKE_JOBS="$jobs" ./autogen.sh
   touch "$tree/.ws-autotools"
}

# In a configured directory, what every tool needs, and those named, but not
# their tests.
core() { # directory tool...
   local part
   # The top directory's makefile makes this header before it descends.
   make -C "$1" include/vgversion.h || return
   for part in include VEX coregrind "${@:2}"; do
      make -j"$jobs" -C "$1/$part" SUBDIRS=. || return
   done
   make -C "$1" all-am
}
