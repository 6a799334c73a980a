# SPDX-License-Identifier: GPL-2.0-or-later
"""What all use: failures, numbers and their units, text."""
