# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash source-path=SCRIPTDIR source=ws_print.bash
. "${BASH_SOURCE[0]%/*}/ws_print.bash"
