# SPDX-License-Identifier: GPL-2.0-or-later
"""What several views compute with; it needs numpy."""
