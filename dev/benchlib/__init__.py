"""The parts of dev/bench."""
