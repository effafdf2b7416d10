# How scripts/measure_gpu runs steps one after the other: each within its limit, each with a row in steps.csv, all rows packed after each.
# Source it after common.sh, gpu_lists.sh and gpu_steps.sh; `output`, `rehearse`, `deadline`, `revision`, `kernels` and `device` come before `run_steps`.
least_seconds=10    # a step does not start with less
probe_seconds=5     # a device that takes longer for one kernel hangs
shown_lines=20      # of a step's log, which is packed whole
pack_seconds=${SPECLAB_PACK_SECONDS:-30}  # between two archives while a step runs, since a call may be ended from outside; tests take 1
archive_bytes=$((14 * 1024 * 1024))
most_parts=6        # of a checkpoint, each as large as an archive

# has_row STEP OUTCOME|...: at the present kernels and revision.
has_row() {
  [ -e "$output/steps.csv" ] && awk -F, -v step="$1" -v kernels="$kernels" -v revision="$revision" -v outcome="$2" \
    '$1 == step && $2 == kernels && $3 == revision && $7 ~ "^(" outcome ")$" {found = 1} END {exit !found}' "$output/steps.csv"
}

# add_row STEP SECONDS OUTCOME
add_row() {
  [ -s "$output/steps.csv" ] || echo "step,kernels,revision,device,date,seconds,outcome" >"$output/steps.csv" || return
  [ -z "$(tail -c 1 "$output/steps.csv")" ] || echo >>"$output/steps.csv" || return  # behind a row that was cut off
  echo "$1,$kernels,$revision,$device,$(date -u +%F),$2,$3" >>"$output/steps.csv"
}

now_us() { echo "${EPOCHREALTIME//[.,]/}"; }

# Tests plant a hang: SPECLAB_PLANTED_HANG=STEP,... or probe; SPECLAB_STEP_LIMIT is then the limit of those steps in seconds.
is_planted() { [[ ",${SPECLAB_PLANTED_HANG:-}," == *",$1,"* ]]; }
check_planted() {
  [[ ${SPECLAB_STEP_LIMIT:-1} =~ ^[1-9][0-9]{0,5}$ ]] || fail "SPECLAB_STEP_LIMIT '$SPECLAB_STEP_LIMIT'; allowed: 1 to 999999" 2
  [[ $pack_seconds =~ ^[1-9][0-9]{0,5}$ ]] || fail "SPECLAB_PACK_SECONDS '$pack_seconds'; allowed: 1 to 999999" 2
  local name planted=${SPECLAB_PLANTED_HANG:-}
  for name in ${planted//,/ }; do
    [[ " probe ${gpu_steps[*]} " == *" $name "* ]] || fail "SPECLAB_PLANTED_HANG '$name'; allowed: probe ${gpu_steps[*]}" 2
  done
}
hang_if_planted() { ! is_planted "$1" || sleep 3600; }

# limit_of STEP: in seconds, never more than is left of the call. A rehearsal has no other limit: machines differ.
limit_of() {
  local limit=${step_limits[$1]} left=$((deadline - SECONDS))
  [ "$rehearse" = no ] || limit=$left
  ! is_planted "$1" || limit=${SPECLAB_STEP_LIMIT:-$limit}
  echo $((limit < left ? limit : left))
}

# run_limited SECONDS LOG COMMAND...: in a process group of its own. Sets `status`, to 124 if the command hit the limit.
# A process that cannot be ended must hold neither the output of the call nor its lock. What is there is packed every `pack_seconds`.
run_limited() {
  local most_us=$(($1 * 1000000)) log=$2 begin packed=$SECONDS
  shift 2
  begin=$(now_us)
  set -m
  "$@" </dev/null >"$log" 2>&1 9>&- &
  group=$!
  set +m
  status=124
  while [ $(($(now_us) - begin)) -lt "$most_us" ]; do
    if ! kill -0 "$group" 2>/dev/null; then
      status=0
      wait "$group" 2>/dev/null || status=$?
      break
    fi
    sleep 0.1
    [ $((SECONDS - packed)) -lt "$pack_seconds" ] || { pack_rows >/dev/null 2>&1 || true; packed=$SECONDS; }
  done
  end_group
}

# group_lives: whether a process of the group still runs. One that has ended and waits for its parent does not count.
# Processes of others may end while they are listed.
group_lives() {
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v group="$group" '{sub(/^.*\) /, "")} $3 == group && $1 !~ /[ZX]/ {found = 1} END {exit !found}'
}

# Ends what is left of the group: TERM, and KILL after 5 s. A process that a dead device holds cannot be ended; it is left.
end_group() {
  local signal tries
  [ -n "${group:-}" ] || return 0
  for signal in TERM KILL; do
    group_lives || break
    kill -"$signal" -- "-$group" 2>/dev/null || true
    for ((tries = 0; tries < 50; ++tries)); do
      group_lives || break
      sleep 0.1
    done
  done
  ! group_lives || echo "process group $group cannot be ended"
  group=
}

probe_answers() {
  run_limited "$probe_seconds" "$output/probe.log" run_probe
  [ "$status" -eq 0 ]
}

# pack_rows: rows in one archive, the checkpoint of a training in parts beside it. A measurement that runs meanwhile has the cores first.
pack_rows() {
  [ -n "${OUT:-}" ] || return 0
  nice -n 19 python3 "$speclab_root/scripts/lib/gpu_archive.py" "$output" "$OUT/gpu_rows.tar.gz" "$archive_bytes" && pack_checkpoint
}

# pack_checkpoint: checkpoint_aa, checkpoint_ab, ... and the sum of the whole; `cat` joins them.
pack_checkpoint() {
  local file sum=$OUT/checkpoint.sha256 parts scratch=$output/site/checkpoint
  file=$(compgen -G "$output/train_feature/v*/checkpoint.bin" | tail -1) && [ ! "$sum" -nt "$file" ] || return 0
  parts=$(($(stat -c %s "$file") / archive_bytes + 1))
  [ "$parts" -le "$most_parts" ] || { echo "$file: $parts parts; allowed: $most_parts of $archive_bytes bytes; it stays here"; return 0; }
  rm -rf "$scratch" && mkdir -p "$scratch" && cp "$file" "$scratch/whole" && split -b "$archive_bytes" "$scratch/whole" "$scratch/checkpoint_" &&
    sha256sum <"$scratch/whole" >"$scratch/checkpoint.sha256" && rm "$scratch/whole" && cp "$scratch"/* "$OUT/" && rm -r "$scratch"
}

# note STEP OUTCOME [SECONDS]: for the table at the end.
summary=()
note() { summary+=("$(printf '%-13s %-12s %8s' "$1" "$2" "${3:-}")"); }

# finish CODE [MESSAGE]: packs, says what went wrong, prints the table last.
finish() {
  local code=$1
  pack_rows || code=8
  [ -z "${2:-}" ] || printf '%s: %s\n' "$(basename "$0")" "$2" >&2
  printf '%-13s %-12s %8s\n' step outcome seconds
  [ ${#summary[@]} -eq 0 ] || printf '%s\n' "${summary[@]}"
  exit "$code"
}

# run_steps NAME...: ends the script.
run_steps() {
  local name lacking failed=()
  for name in "$@"; do
    if has_row "$name" "done"; then note "$name" "done before"; continue; fi
    lacking=$(lacking_for "$name")
    if [ -n "$lacking" ]; then echo "$name: left out, $lacking"; note "$name" "left out"; continue; fi
    if [ $((deadline - SECONDS)) -lt "$least_seconds" ]; then
      echo "$name: no time left"
      note "$name" "no time left"
      [ "$rehearse" = no ] || failed+=("$name")
      continue
    fi
    run_one "$name" || failed+=("$name")
    pack_rows || finish 8 "the rows cannot be packed into $OUT"
    if [ "$outcome" = limit ] && ! probe_answers; then
      finish 9 "$name hit its limit, and then the device did not answer a probe within $probe_seconds s; the steps behind it were not started"
    fi
  done
  [ ${#failed[@]} -eq 0 ] || finish 1 "not done: ${failed[*]}; the output stands above and under $output"
  finish 0
}

# run_one STEP: runs it, sets `outcome`, writes its row.
run_one() {
  local limit begin seconds
  limit=$(limit_of "$1")
  echo "== $1 (at most $limit s; $((deadline - SECONDS)) s left)"
  begin=$(now_us)
  run_limited "$limit" "$output/$1.log" run_step "$1"
  tail -n "$shown_lines" "$output/$1.log"
  seconds=$(awk -v us=$(($(now_us) - begin)) 'BEGIN {printf "%.1f", us / 1e6}')
  case $status in 0) outcome="done" ;; 124) outcome=limit ;; *) outcome=failed ;; esac
  [ "$outcome" = "done" ] || echo "$1: $([ "$outcome" = limit ] && echo "hit its limit" || echo "ended with $status")"
  add_row "$1" "$seconds" "$outcome" || finish 8 "the row of $1 cannot be written to $output/steps.csv"
  note "$1" "$outcome" "$seconds"
  [ "$outcome" = "done" ]
}
