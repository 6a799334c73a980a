#! /bin/sh
# Tries values of options that ws must refuse, and counts the reasons; an option
# that it takes starts the program.

try() # OPTION VALUE...
{
   option=$1
   shift
   echo "$option:"
   for value; do
      ../../coregrind/valgrind -q --tool=ws "--ws-$option=$value" echo started 2>&1
   done | sed "s/^valgrind: //; /^Bad option/d; /^Use --help/d; s/'[^']*'/.../; s|/[^ ]*/bad_|bad_|" | uniq -c
}

most=18446744073709551615
try every '' 0 -1 +1 18446744073709551616 36893488147419103235 12x 1.5 1e6 0x10 1,2 \
   ' 12' k 1K 1k5 18446744074G Auto auto1 1s
try tau '' , 1, 1,,2 '1;2' 1,0 1,18446744073709551616 5,0x10 5,1ms "$(seq -s, 17)"
try info-at 0 1, 1,x
try pagesize 0 8 17 12288 0x1000 3k 2G 17179869184G 18446744073709555712
try time-unit '' MS i,ms
try peaks -1 1001 4294967301
try peak-window 0 $most'0'
try peak-thresh '' 0 . -0.5 1e .e3 1e+3 1e1.5 1e31 1e-400 1e18446744073709551617 0x1 nan
try peak-adapt 0 1.000001 1e1
try progress -1 $most'0' 1, 1,/nonexistent,x 1,bad_options.vgtest
try stacks Yes no,all
try threads yes
try code-lines yes
ln -sf bad_options.link bad_options.link
mkfifo bad_options.fifo
esc=$(printf '\033')
try out-file /nonexistent/report /proc/report /dev/null/report / "/none/$esc" \
   bad_options.link bad_options.fifo
try progress 1,bad_options.fifo 1,/dev/zero
rm bad_options.link bad_options.fifo
try page-log /nonexistent/log ws.out.%p
for i in syscalls at-start dirty peak-detect list-pages locations recount check-stacks; do
   try $i 1
done | sed '/:$/d' | uniq -c
try nonsense 1
