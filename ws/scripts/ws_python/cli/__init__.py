# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands: what their options mean, and what answers them."""
