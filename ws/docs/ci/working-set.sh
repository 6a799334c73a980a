#!/bin/sh
# Measure the working set of our program, and fail if it has grown.
set -e

gcc -g -O2 -o pageramp pageramp.c
valgrind --tool=ws --ws-out-file=now.ws ./pageramp

# First what is to be read if a condition holds.
ws_print page -o ws.html now.ws
# For a chart of all versions.
ws_print --benchmark-json now.ws > trend.json
# More memory than before (larger containers, a leak); more of it used at a time
# (worse locality); more than the limit.
ws_print compare ci/baseline.ws now.ws --junit=ws.xml \
   --fail-if 'memory > 105%' \
   --fail-if 'data.10M.p95 > 110%' \
   --fail-if 'memory > 3MiB' \
   --hint 'If this growth is intended, commit now.ws as ci/baseline.ws.'
