# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts of the Valgrind tool ws have in common."""

VERSION = "0.1"             # as in ws_base.h
