# The steps of set-up, shared by ./lawful and ./check: packages, build folders, the default model.
# To be sourced with `root` set to the project's folder. Every step writes to stderr: stdout belongs to results.
# shellcheck shell=bash

step_child=
step_patient=

# Ends the running step, then the script. A step that must not be cut short (dpkg at work) is waited for.
stop() {
  trap '' INT TERM HUP
  if [[ -n $step_child ]]; then
    if [[ -n $step_patient ]]; then
      echo "lawful: stopping once the packages are installed" >&2
    else
      kill -TERM "$step_child" 2>/dev/null
    fi
    wait "$step_child" 2>/dev/null
  fi
  exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

# run_step COMMAND…: in the background, so that a signal is acted on at once and not when the command has ended.
# The lock (descriptor 9) is not passed on, since a daemon that a command starts would keep it.
run_step() {
  env --default-signal=INT,QUIT "$@" </dev/null >&2 9<&- &
  step_child=$!
  wait "$step_child"
  local status=$?
  step_child=
  return "$status"
}

# One set-up at a time in this folder; released when the descriptor is closed.
lock_setup() {
  exec 9<"$root/setup/packages.txt"
  flock --nonblock 9 && return
  echo "lawful: another set-up is running in this folder; waiting for it" >&2
  run_step flock "$root/setup/packages.txt" true
  flock 9
}

unlock_setup() { exec 9<&-; }

# packages_of STAGE…: the names listed for these stages.
packages_of() {
  local stage name wanted=" $* "
  while read -r stage name; do
    [[ $wanted == *" $stage "* ]] && echo "$name"
  done <"$root/setup/packages.txt"
}

# install_packages STAGE…: installs what is missing, or says how and fails.
install_packages() {
  local -a names missing=()
  local -A installed=()
  local name status
  mapfile -t names < <(packages_of "$@")
  if command -v dpkg-query >/dev/null; then
    while read -r status name; do
      [[ $status == ii ]] && installed[${name%%:*}]=1
    done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${names[@]}" 2>/dev/null)
  fi
  for name in "${names[@]}"; do
    [[ -n ${installed[$name]:-} ]] || missing+=("$name")
  done
  ((${#missing[@]} == 0)) && return
  if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    echo "lawful: these Debian packages are missing and may not be installed from here. Please run:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
  echo "lawful: installing the Debian packages ${missing[*]}" >&2
  apt_install "${missing[@]}" && return
  echo "lawful: could not install ${missing[*]} (apt-get's own words are above)" >&2
  return 1
}

# The download may be interrupted; the installation, in a session of its own where Ctrl-C does not reach it, may not.
apt_install() {
  local -a install=(apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends)
  export DEBIAN_FRONTEND=noninteractive
  run_step apt-get update && run_step "${install[@]}" --download-only "$@" || return
  step_patient=1
  run_step setsid "${install[@]}" "$@"
  local status=$?
  step_patient=
  return "$status"
}

# Whether Meson finished setting up this folder, and for this place: a copied or moved project is set up anew. The place
# stands in a note of ours, or in Meson's where the folder was set up by hand.
is_set_up() {
  local info=$1/meson-info/meson-info.json
  [[ -f $1/build.ninja && -f $info ]] && grep -qF '"error": false' "$info" || return
  [[ -f $1/lawful.root && $(<"$1/lawful.root") == "$root" ]] || grep -qF "\"source\": \"$root\"" "$info"
}

# build_folder NAME CXX TARGET… -- [MESON OPTION…]: sets up the folder if need be and builds the targets in it.
build_folder() {
  local folder=$root/$1 cxx=$2
  local -a targets=()
  shift 2
  while (($# > 0)) && [[ $1 != -- ]]; do targets+=("$1"); shift; done
  shift
  command -v ccache >/dev/null && cxx="ccache $cxx"
  if ! is_set_up "$folder"; then
    rm -rf "$folder"
    run_step env CXX="$cxx" meson setup "$@" "$folder" "$root" || return
    echo "$root" >"$folder/lawful.root"
  fi
  run_step ninja -C "$folder" "${targets[@]}"
}

# build_main TARGET…: the release build. Its stamp bears the time of the start, so that what is edited meanwhile counts
# as newer, and the folder's path.
build_main() {
  local before
  before=$(mktemp) || return
  build_folder build g++ "$@" -- --buildtype=release || { rm -f "$before"; return 1; }
  echo "$root" >"$root/build/lawful.stamp"
  touch -r "$before" "$root/build/lawful.stamp"
  rm -f "$before"
}

# Fetches the default model to $1 unless it is there.
fetch_default_model() {
  install_packages model && run_step /usr/bin/python3 -B "$root/setup/fetch_model" "$1"
}
