#! /bin/sh
# Tries what options may have, and prints what the report says of them.

try()
{
   printf '%s: ' "$*"
   ../../coregrind/valgrind -q --tool=ws --ws-out-file=good_options.ws "$@" ./example
   ./filter_report 'Header~^(Page|Time|Every|Tau|Further|Stacks|Peak)' \
      Summary~reached 'Working sets:WSS_data' good_options.ws | tr '\n' ';'
   echo
}

most=18446744073709551615
try
try --ws-every=auto --ws-every=1 --ws-stacks=no --ws-peaks=0
try --ws-every=$most --ws-tau=$most
try --ws-every=20k --ws-tau=3M,1G,2 --ws-pagesize=2M --ws-stacks=all --ws-peaks=1000
try --ws-every=18446744073G --ws-pagesize=1G
try --ws-every=15 --ws-tau="$(seq -s, 7 22)"
try --ws-every=4 --ws-tau=4,$most,4,8,4,8
try --ws-every=1s --ws-tau=300ms,2s,2000,7 --ws-time-unit=ms
try --ws:ws-time-unit=ms --ws:ws-every=30s --ws-info-at=$most,3000s,2000ms
try --ws-time-unit=ms --ws-time-unit=i --ws-every=020 --ws-info-at=25,5,20,20
for i in '.000000001 1.000' '99999999999999999999999999 1e-3' '1e5 1e0' '1E-3 .5e-1' '1e29 10E-1'; do
   try --ws-peak-detect=yes --ws-peak-window=$most --ws-peak-thresh="${i% *}" --ws-peak-adapt="${i#* }"
done
