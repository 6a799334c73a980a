#!/bin/sh
# Install Debian's Valgrind, and ws as a package for it, as root. The package is
# built once, and kept in ws-package/.
set -eu

apt-get update --quiet
apt-get install --quiet --yes --no-install-recommends gcc libc6-dev valgrind
version=$(dpkg-query --show --showformat '${Version}' valgrind | tr : _)
package=ws-package/$WS_COMMIT-$version.deb

if [ ! -e "$package" ]; then
   # npm is for the HTML page.
   apt-get install --quiet --yes --no-install-recommends \
      ca-certificates curl git make npm
   source=$(mktemp -d)
   git clone --quiet "$WS_URL" "$source"
   git -C "$source" checkout --quiet "$WS_COMMIT"
   make -C "$source" deb
   mkdir -p ws-package
   cp "$source"/build/deb/valgrind-ws_*.deb "$package"
fi
apt-get install --quiet --yes --no-install-recommends "./$package"
