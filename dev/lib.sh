# shellcheck shell=bash
# What the scripts in dev/ share; sourced, never run.

set -euo pipefail

# Messages are parsed (apt, make), and sort orders must not vary.
export LC_ALL=C

# A variable given to the outer make ("make install PREFIX=/x") reaches the
# scripts through the environment; Valgrind's makefiles must not inherit it.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

say() { printf '%s\n' "ws: $*"; }
warn() { printf '%s\n' "ws: $*" >&2; }
die() {
   warn "$@"
   exit 1
}

WS_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$WS_ROOT/build

# Valgrind cannot be built in a directory whose path has blanks and the like:
# there, build/ leads to one elsewhere.
case $WS_ROOT in
*[!A-Za-z0-9/._+@%=~-]*)
   BUILD=/var/tmp/ws-build-$(id -u)-$(cksum <<<"$WS_ROOT" | cut -d' ' -f1)
   [ -d "$BUILD" ] || mkdir -m 700 "$BUILD"
   [ -O "$BUILD" ] || die "$BUILD is somebody else's"
   ln -sfn "$BUILD" "$WS_ROOT/build"
   ;;
esac

# Valgrind's scripts ask git for a revision, and one of them changes the
# configuration of the repository that it finds itself in: not this one.
export GIT_CEILING_DIRECTORIES=$BUILD

# The versions in dev/versions, the default one first.
# shellcheck disable=SC2034 # of those who source this
versions=$(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$WS_ROOT/dev/versions" |
   paste -s -d ' ')

# The sum in a version's line; nothing if there is no such line.
version_sum() {
   awk -v version="$1" '$1 == version { print $2 }' "$WS_ROOT/dev/versions"
}

# Unpack a package of npm, in the version of dev/versions, in build/npm/<name>/.
# Where there is no network, npm takes what it has.
npm_package() ( # name
   read -r id sum < <(grep "^$1-" "$WS_ROOT/dev/versions")
   mkdir -p "$BUILD/npm/$1" && cd "$BUILD/npm/$1" || exit
   sha256sum --status -c <<<"$sum  $id.tgz" ||
      npm pack "${id/-/@}" --fetch-retries=1 --fetch-retry-mintimeout=1000 \
         --cache "$BUILD/cache/npm" &&
      sha256sum -c <<<"$sum  $id.tgz" &&
      tar -xzf "$id.tgz" --strip-components=1
)

# What ws calls itself.
ws_version() {
   sed -n 's/^#define WS_VERSION "\(.*\)"$/\1/p' "$WS_ROOT/ws/ws_base.h"
}

# Does the compiler make programs with these flags?
links() {
   echo 'int main(void) { return 0; }' |
      ${CC:-gcc} "$@" -x c -o /dev/null - 2>/dev/null
}

# The command that formats C here: other versions disagree in details.
clang_format_14() {
   local f
   for f in clang-format-14 clang-format; do
      "$f" --version 2>/dev/null | grep -q ' version 14\.' || continue
      echo "$f"
      return
   done
   return 1
}

# Bring the C files into shape, as static.test wants them. clang-format keeps a
# line break after VG_(f), once it is there, and takes what follows for a
# declaration: such lines are joined first.
format_c() {
   local clang_format
   clang_format=$(clang_format_14) || die "this takes clang-format 14"
   find ws -name '*.[ch]' -exec perl -0pi -e \
      's/^(\s*(?:return )?(?:VG|WS)_\(\w+\))\n\s*\(/$1(/mg' {} + \
      -exec "$clang_format" --style=file -i {} +
}

# Run a step that talks a lot: one line on the terminal, the rest in $log.
# When it fails, what matters of the log follows.
logged() { # title command...
   local title=$1 start=$SECONDS
   shift
   printf '%s' "ws: $title ... "
   echo "+ $*" >>"${log:?}"
   if "$@" >>"$log" 2>&1; then
      echo "$((SECONDS - start)) s"
   else
      echo "failed"
      grep -E '(error|Error|warning):|^E: ' "$log" | tail -n 20 >&2 || true
      tail -n 20 "$log" >&2
      die "$title failed; the whole log: $log"
   fi
}
