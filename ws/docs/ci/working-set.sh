#!/bin/sh
# Measure the working set of our program, and fail if it has grown.
set -e

gcc -g -O2 -o pageramp pageramp.c
valgrind --tool=ws --ws-out-file=now.ws ./pageramp

# First what is to be read if a condition holds.
ws_print --html=ws.html now.ws
ws_print --diff ci/baseline.ws now.ws --junit=ws.xml \
   --fail-if 'data.p95 > 110%' \
   --fail-if 'data.total > 110%' \
   --fail-if 'data.bound > 3MiB'
