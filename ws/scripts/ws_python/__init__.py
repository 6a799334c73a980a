# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules that the scripts of the Valgrind tool ws share."""

VERSION = "0.1"             # as in ws_base.h
