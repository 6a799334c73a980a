# shellcheck shell=bash
# apt with lists, cache and sources of our own; sourced after lib.sh. The
# system's configuration is read (proxies, credentials), its state is neither
# used nor changed. No one has to be root for this.

# The archives that this machine takes its Debian packages from: those with a
# plain suite of the machine's own release (not -security, not another vendor).
# apt itself reads its configuration, whatever the format.
mirrors() {
   apt-get update --print-uris 2>/dev/null |
      sed -n "s|^'\(.*\)/dists/$(codename)/\(In\)\?Release' .*|\1|p" | sort -u
}

# The machine's release.
codename() (. /etc/os-release && echo "${VERSION_CODENAME-}")

# Lay a directory out anew for such an apt. Commands that find its apt.conf in
# APT_CONFIG, and are run in the directory, have their files there.
own_apt() { # directory deb|deb-src mirror suite [foreign-architecture...]
   local keyring=/usr/share/keyrings/debian-archive-keyring.gpg options='' a
   [ ! -e "$keyring" ] || options="[signed-by=$keyring]"
   rm -rf "$1"
   mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
   echo "$2 $options $3 $4 main" >"$1/sources.list"
   # Root's apt would drop to a user who may not write here.
   cat >"$1/apt.conf" <<EOF
Dir::State::Lists "$1/lists";
Dir::Cache "$1/cache";
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "/dev/null";
Acquire::Languages "none";
Acquire::Retries "1";
APT::Sandbox::User "root";
EOF
   for a in "${@:5}"; do
      echo "APT::Architectures { \"$a\"; };" >>"$1/apt.conf"
   done
}
