# What ./lawful must know before anything else: where the default model is kept, whether the build is up to date.
# To be sourced with `root` set to the project's folder.
# shellcheck shell=bash

# The user's cache folder as the XDG base directory specification has it (a relative one is ignored); without HOME,
# the home folder of the user database.
default_model_path() {
  local cache=${XDG_CACHE_HOME:-} home=${HOME:-}
  [[ -n $home ]] || { unset HOME; home=~; }
  [[ $cache == /* ]] || cache=$home/.cache
  echo "$cache/lawful/SmolLM2-135M-Instruct.Q4_1.gguf"
}

# Whether the program was built here after the last change of anything that it is built from. Folders count too: their
# time tells of removed files.
is_up_to_date() {
  local stamp=$root/build/lawful.stamp built_at
  [[ -x $root/build/cli/lawful && -r $stamp ]] && read -r built_at <"$stamp" && [[ $built_at == "$root" ]] || return
  local newer
  newer=$(find "$root"/{meson.build,setup/packages.txt,io,kernels,tokenizer,laws,model,viewer,cli} -newer "$stamp" -print -quit) &&
    [[ -z $newer ]]
}
