# Shared by the scripts beside it: paths, timed steps, messages. Source it; it runs nothing.
set -euo pipefail
speclab_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
speclab_cache=${SPECLAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/speclab}
speclab_torch=$speclab_cache/torch-2.11.0
speclab_nvcc=$speclab_cache/nvcc-13.0
speclab_clang_format=$speclab_cache/clang-format-19.1.7
speclab_model=$speclab_cache/models/smollm2-135m-instruct-q4_1.gguf
plotly_js=$speclab_cache/plotly/plotly.min.js

# Checkouts in different folders and presets with the same options share the compiler cache, files with precompiled headers too.
export CCACHE_BASEDIR=$speclab_root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }

fail() { printf '%s: %s\n' "$(basename "$0")" "$1" >&2; exit "${2:-1}"; }

# step NAME COMMAND...: runs it quietly, prints the seconds, shows the log only when it fails; on a terminal says before where it is.
step() {
  local name=$1 log start status=0
  shift
  mkdir -p "$speclab_cache/logs"
  log=$speclab_cache/logs/$(printf '%s' "$name" | tr -c 'A-Za-z0-9' '_').log
  start=$(date +%s.%N)
  [ ! -t 2 ] || printf '%s: under way, log in %s\n' "$name" "$log" >&2
  # Not "command || status": that would switch off errexit inside the step, and a failed download would go on.
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  printf '%-44s %7.1f s\n' "$name" "$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN{print b-a}')"
  [ "$status" -eq 0 ] || { tail -60 "$log" >&2; fail "step '$name' ended with $status; its whole log: $log" "$status"; }
}

# as_root COMMAND...: runs as root, through sudo where needed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"
  else fail "installing packages needs root or sudo; install them yourself and call again with --no-install" 2; fi
}

# train_once FOLDER CONFIG KEY=VALUE...: trains into the folder with the built program, unless that was done before.
train_once() {
  local folder=$1 config=$2 settings=() setting
  shift 2
  ! compgen -G "$folder/v*/config.json" >/dev/null || { echo "$folder: trained before"; return 0; }
  for setting in "$@"; do settings+=(--set "$setting"); done
  "$speclab_root/build/release/speclab" train "$config" --output "$folder" "${settings[@]}"
}
