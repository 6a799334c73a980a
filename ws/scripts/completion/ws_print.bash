# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of ws_print, ws_plot and ws_attach, by what their --help says.

_ws() { # command word previous
   local word=$2 option=$3 specs value views view=''
   # A sign of equality is a word of its own.
   if [ "$word" = = ]; then
      word=''
   elif [ "$option" = = ]; then
      option=${COMP_WORDS[COMP_CWORD - 2]}
   fi
   # Lines like: tree  a text; each view has its own options.
   views=$("$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
   if [ "$COMP_CWORD" -gt 1 ] && grep -qxF -e "${COMP_WORDS[1]}" <<<"$views"; then
      view=${COMP_WORDS[1]}
   fi
   # Lines like: -h, --help; --rules FILE
   specs=$("$1" ${view:+"$view"} --help 2>/dev/null |
      sed -n 's/^  \(-.*\)/\1/p' | sed 's/  .*//')
   value=$(awk -v name="$option" 'NF > 1 && $(NF - 1) == name { print $NF }' \
      <<<"$specs")
   COMPREPLY=()
   case $value in
   WHAT) mapfile -t COMPREPLY < <(compgen -W 'code mapping thread process' -- "$word") ;;
   LINKER) mapfile -t COMPREPLY < <(compgen -W 'lld gold ld bolt' -- "$word") ;;
   SET*) mapfile -t COMPREPLY < <(compgen -W 'data code written' -- "$word") ;;
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
      if [ "$COMP_CWORD" = 1 ] && [ -n "$word" ]; then
         mapfile -t COMPREPLY < <(compgen -W "$views" -- "$word")
         [ ${#COMPREPLY[@]} = 0 ] || return
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
