# SPDX-License-Identifier: GPL-2.0-or-later
"""One file per question about a run."""
