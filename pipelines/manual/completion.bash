# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion of gst-oct's programs        -*- shell-script -*-
# What there is they say themselves, so that this never grows old.
_oct_program () {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local help value
  help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return 0
  # bash takes = for a word of its own
  [ "$current" != = ] || current=
  [ "$previous" != = ] || previous=${COMP_WORDS[COMP_CWORD - 2]}
  value=$(sed -n "s/^ *$previous=\([A-Z0-9./-]*\).*/\1/p" <<<"$help" 2>/dev/null)
  COMPREPLY=()
  case $previous:$value in
    --method:*)
      mapfile -t COMPREPLY < <(compgen -W \
        "linear cubic lanczos nufft nudft cs" -- "$current") ;;
    --solver:*)
      mapfile -t COMPREPLY < <(compgen -W \
        "persistent continued sparsa" -- "$current") ;;
    --fill:*)
      mapfile -t COMPREPLY < <(compgen -W "linear joint auto off" -- "$current") ;;
    --format:*)
      mapfile -t COMPREPLY < <(compgen -W "npy nii tif h5 dcm" -- "$current") ;;
    --sample-format:*)
      mapfile -t COMPREPLY < <(compgen -W \
        "gray16-le gray8 gray16-be s8 $(echo {s16,f32,f16,f64,s32,u32,s64,u64}-{le,be})" \
        -- "$current") ;;
    --packing:*)
      mapfile -t COMPREPLY < <(compgen -W \
        "none mono12p mono12packed" -- "$current") ;;
    --*:FILE* | --*:CSV | --*:NAME)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --*:FOLDER | --*:DIR)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    --*:?*) ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W \
        "$(grep -oE '^ +(-h, )?--[a-z0-9-]+' <<<"$help" | grep -oE -- '--.*')" \
        -- "$current") ;;
  esac
}
complete -o bashdefault -o default -F _oct_program \
  oct-demo oct-record oct-live oct-calibrate oct-convert
