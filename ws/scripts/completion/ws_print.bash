# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of ws_print, ws_plot and ws_attach, by what their --help says.

_ws() { # command word previous
   local word=$2 option=$3 sign='' specs value
   # A sign of equality is a word of its own.
   if [ "$word" = = ]; then
      sign='=' word=''
   elif [ "$option" = = ]; then
      sign='=' option=${COMP_WORDS[COMP_CWORD - 2]}
   fi
   # Lines like: -h, --help; --rules FILE; --what {all,both}
   specs=$("$1" --help 2>/dev/null | sed -n 's/^  \(-.*\)/\1/p' |
      sed 's/  .*//')
   value=$(awk -v name="$option" 'NF > 1 && $(NF - 1) == name { print $NF }' \
      <<<"$specs")
   # --tree alone takes no value.
   [ "$option$sign" != --tree ] || value=''
   COMPREPLY=()
   case $value in
   '{'*) mapfile -t COMPREPLY < <(compgen -W "${value//[\{\},]/ }" -- "$word") ;;
   SET*) mapfile -t COMPREPLY < <(compgen -W 'insn data dirty' -- "$word") ;;
   FILE)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
   '')
      if [[ $word == -* ]]; then
         mapfile -t COMPREPLY < <(compgen -W "$(
            grep -oE -- '(^| )--?[a-z-]+' <<<"$specs"
         )" -- "$word")
         return
      fi
      if [ "${1##*/}" = ws_attach ]; then
         mapfile -t COMPREPLY < <(compgen -W "$(ps -e -o pid=)" -- "$word")
         return
      fi
      # Where there are reports by their usual name, nothing else but
      # directories; otherwise any file.
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -X '!*ws.out.*' -- "$word")
      [ ${#COMPREPLY[@]} != 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
      ;;
   esac
}

complete -F _ws ws_print ws_plot ws_attach
