# SPDX-License-Identifier: GPL-2.0-or-later
"""A report of what the kernel tells of a process that runs."""
