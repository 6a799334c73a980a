#!/bin/sh
# purity.sh ALLOWED OBJECT...: a module that is called pure must not want any
# symbol but those that match ALLOWED, nor keep state of its own (ws_sets, ws_origins and ws_resident
# have that of the one run, ws_pool its one pool).
allowed=$1
shift
n=0
for object in "$@"; do
   n=$((n + 1))
   name=$(basename "$object" .plain.o)
   wanted=$(nm -u "$object" | awk '{ print $2 }' | grep -Evx "$allowed")
   state=$(nm "$object" | awk '$2 ~ /[bBdDC]/ { print $3 }' |
      grep -Evx 'sets|n_sets|n_taus|rec_szB|cold_after|phase|pool|of_set|vgWS_resident|vgWS_cold')
   if [ -z "$wanted$state" ]; then
      echo "ok $n - $name is pure"
   else
      echo "not ok $n - $name is pure"
      echo "#   wants: $wanted"
      echo "#   state: $state"
   fi
done
