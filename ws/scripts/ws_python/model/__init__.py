# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run is: numbers and names, wherever they were read."""
