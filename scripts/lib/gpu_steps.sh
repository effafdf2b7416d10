# The steps of scripts/measure_gpu, and the machine they run on. Source it after common.sh, gpu_pack.sh and downloads.sh.
# `output` and `rehearse` come before `begin_rehearsal` or `begin_device`; these come before `run_step`.
call_1_steps=(kernel_tests ceilings ladder passes kernels ncu sanitizer)  # neither model nor torch
model_steps=(device_tests generate temperature peers model_size)
bench_steps=(ceilings ladder passes kernels products opt host_layers)  # of gpu_bench
gpu_steps=("${call_1_steps[@]}" "${model_steps[@]}" products training families opt host_layers)  # in the order of their value
few_shapes="shape-135m,shape-gpt2-124m-gated,shape-llama-3.2-1b,shape-llama-3.1-8b"
opt_shapes="shape-opt-125m-gated,shape-opt-350m-gated,shape-opt-1.3b-gated,shape-opt-2.7b-gated,shape-opt-6.7b-gated,shape-opt-13b-gated"
rehearsed_model=$speclab_root/build/gpu_rehearsal/two_layers.gguf
# memcheck runs a fork, sampled rounds and every form of the product. racecheck takes a hundred times as long, so it runs the smallest tests of
# kernels that share memory.
declare -A sanitized_tests=([memcheck]='*AForkGoesOnAlike*:DeviceRounds.Sampled*:DeviceTreeRounds.APrompt*:Products.*'
  [racecheck]='*AForkGoesOnAlike/0:Attention.IsNotPoisoned*:Products.EveryForm*')
declare -A sanitizer_seconds=([memcheck]=30 [racecheck]=55)

# begin_rehearsal STEP...: the emulated device takes a second a layer, so models have two.
begin_rehearsal() {
  local name
  build=${SPECLAB_BUILD:-$speclab_root/build/release}
  [ -x "$build/gpu_bench_emulated" ] || fail "no $build/gpu_bench_emulated; run scripts/build" 2
  revision=$(tree_revision) kernels=$(kernels_digest) device=emulated
  programs=$build/emulated_program bench=$build/gpu_bench_emulated model=$rehearsed_model
  for name in "$@"; do
    needs "$name" model || continue
    [ -e "$speclab_model" ] || fail "no model at $speclab_model; run scripts/setup" 2
    [ -e "$speclab_root/results" ] || fail "results/ is aside, and $name needs its drafter; run 'scripts/measure_gpu back'" 2
    python3 "$speclab_root/scripts/lib/first_layers.py" "$speclab_model" 2 "$model"
    return
  done
}

begin_device() {
  [ -e "$pack_folder/first/revision" ] || fail "no build/gpu_pack/first here: run 'scripts/measure_gpu pack' where the project was built, and carry what 'travel' names" 2
  [ ! -e "$aside_folder" ] || fail "results/ is aside; run 'scripts/measure_gpu back' first" 2
  check_pack
  revision=$(cat "$pack_folder/first/revision") kernels=$(cat "$pack_folder/first/kernels")
  unpack first
  unpack programs
  first=$unpacked_folder/first programs=$unpacked_folder/programs bench=$unpacked_folder/first/gpu_bench model=smollm2-135m
  LD_LIBRARY_PATH=$first/lib:$programs/lib$(torch_libraries)
  export LD_LIBRARY_PATH
  join_model
  place_models
  place_source_folder
  device=$(timeout 20 nvidia-smi --query-gpu=name --format=csv,noheader | sed -n '1{s/,//g;p}') || fail "nvidia-smi does not answer" 9
  [ -n "$device" ] || fail "nvidia-smi names no device" 9
  write_device_state
}

# A pack that came in parts, or from two builds, would give rows a wrong name.
check_pack() {
  local name
  for name in revision kernels source_folder model_parts.sha256 programs.tar.gz; do
    [ -s "$pack_folder/first/$name" ] || fail "build/gpu_pack/first/$name is missing or empty; run 'scripts/measure_gpu pack' again and carry it" 2
  done
  [ ! -e "$pack_folder/programs" ] || cmp -s "$pack_folder/first/kernels" "$pack_folder/programs/kernels" ||
    fail "build/gpu_pack/first and build/gpu_pack/programs are of different packs; carry both from one" 2
}

# The folders of the machine's torch and of the CUDA libraries beside it, each behind a colon; nothing where there is no torch.
torch_libraries() {
  python3 - <<'PYTHON'
import glob, importlib.util, os
found = importlib.util.find_spec("torch")
if found:
    torch = os.path.dirname(found.origin)
    print("".join(":" + folder for folder in [torch + "/lib", *sorted(glob.glob(os.path.dirname(torch) + "/nvidia/*/lib"))]))
PYTHON
}

write_device_state() {
  local state
  state=$({ echo "$revision"; timeout 20 nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,power.limit,memory.used --format=csv
    timeout 20 nvidia-smi --query-compute-apps=pid,used_memory --format=csv; }) || fail "nvidia-smi does not answer" 9
  echo "$state" | tee "$output/device_state.txt" || fail "$output cannot be written to" 8
}

# missing_parts: names of the model's parts that are not here or not whole.
missing_parts() { (cd "$pack_folder" && sha256sum --check first/model_parts.sha256 2>/dev/null | sed -n '/: OK$/!s|/part:.*||p' | paste -sd' '); }

join_model() {
  [ ! -e "$speclab_model" ] && [ -z "$(missing_parts)" ] || return 0
  mkdir -p "$(dirname "$speclab_model")"
  (cd "$pack_folder" && awk '{print $2}' first/model_parts.sha256 | xargs cat) >"$speclab_model.part" && mv "$speclab_model.part" "$speclab_model"
}

# Programs look for drafters in the tree, which travels without results/; its folders may have come empty.
place_models() {
  local name place
  for name in "${!packed_models[@]}"; do
    [ -e "$pack_folder/$name" ] && ! has_model "$name" || continue
    place=$speclab_root/results/models/${packed_models[$name]%/*}
    rm -rf "$place" && mkdir -p "$(dirname "$place")" && ln -s "$pack_folder/$name" "$place"
  done
}

has_model() { compgen -G "$speclab_root/results/models/${packed_models[$1]/\//\/v*\/}" >/dev/null; }

# Programs know prompts, drafters and fixtures by the folder that they were built from.
place_source_folder() {
  local built_from
  built_from=$(cat "$pack_folder/first/source_folder")
  [ -e "$built_from" ] || { mkdir -p "$(dirname "$built_from")" && ln -s "$speclab_root" "$built_from"; }
}

# needs STEP WHAT: WHAT is programs, model, drafter or ngram.
needs() {
  case $2/$1 in
    ngram/*) [ "$1" = temperature ] ;;
    programs/device_tests|programs/training|programs/families|*/generate|*/temperature|*/model_size) return 0 ;;
    model/device_tests|*/peers) [ "$rehearse" = no ] ;;
    *) return 1 ;;
  esac
}

# lacking_for STEP: says what the step needs and this machine does not have; nothing if it has all.
lacking_for() {
  [ "$rehearse" = no ] || return 0
  if needs "$1" programs && [ ! -e "$programs" ]; then echo "build/gpu_pack/programs is not here"
  elif needs "$1" model && [ ! -e "$speclab_model" ]; then echo "the model is not whole; parts not here: $(missing_parts)"
  elif needs "$1" drafter && ! has_model drafter; then echo "build/gpu_pack/drafter is not here"
  elif needs "$1" ngram && ! has_model ngram; then echo "build/gpu_pack/ngram is not here"
  fi
}

# run_step NAME. Called where errexit is off: what must not go on after a failure says so.
run_step() {
  [[ " ${bench_steps[*]} " == *" $1 "* ]] || hang_if_planted "$1"
  case $1 in
    kernel_tests) test_device "${first:-}/kernels_cuda_test" kernels_emulated_cuda_test 'DeviceRounds.Plain*' ;;
    device_tests) test_device "$programs/llama_cuda_test" llama_emulated_cuda_test '*HiddenStates*' ;;
    training) test_device "$programs/training_device_test" training_device_test '*' 'OnCuda.*' ;;
    families) test_device "$programs/family_device_test" family_device_test '*OnCpu*' '*OnCuda*' ;;
    ladder|passes|kernels|products) bench_step "$1" "$1" "$few_shapes" ;;
    ceilings) bench_step ceilings ceilings ;;
    opt) bench_step opt passes "$opt_shapes" ;;
    host_layers) bench_step host_layers host_layers shape-llama-3.2-1b,shape-llama-3.1-8b ;;
    ncu) profile_kernels ;;
    sanitizer) sanitize ;;
    generate) generate_texts ;;
    temperature) run_config gpu_walltime_vs_temperature && run_config gpu_host_drafts_vs_temperature ;;
    model_size) run_config gpu_walltime_vs_model_size ;;
    peers) compare_on_device ;;
  esac
}

# run_probe: one kernel on the device.
run_probe() {
  hang_if_planted probe
  rm -f "$output/probe.csv"
  bench probe "$output/probe.csv"
}

# bench STEP FILE [SHAPES]: gpu_bench, small in a rehearsal.
bench() {
  local sizes=()
  if [ "$rehearse" = yes ]; then sizes=(--tiny); elif [ -n "${3:-}" ]; then sizes=(--shapes "$3"); fi
  "$bench" "$2" "$1" "${sizes[@]}"
}

# bench_step NAME STEP [SHAPES]: its rows replace the old ones when they are complete. Rows of a step that was cut off stay in a file of their own.
bench_step() {
  local rows=$output/gpu_bench_$1.csv
  [ ! -e "$rows.part" ] || mv "$rows.part" "$rows.cut_off"
  bench "$2" "$rows.part" "${3:-}" && hang_if_planted "$1" && mv "$rows.part" "$rows"
}

# test_device PROGRAM REHEARSED_PROGRAM REHEARSED_FILTER [FILTER]: whole tests; one that was skipped, or a filter without tests, is a failure.
test_device() {
  local program=$1 filter=${4:--*WithoutADevice*} log status=0
  [ "$rehearse" = no ] || program=$build/$2 filter=$3
  log=$output/$(basename "$program").txt
  SPECLAB_TEST_SIZE=whole "$program" --gtest_filter="$filter" >"$log" 2>&1 || status=$?
  grep -v -E 'RUN|  OK |^\[-+\]|^$' "$log"
  if [ "$status" -eq 0 ] && grep -q 'Running 0 tests' "$log"; then echo "no test of $program has a name like $filter"; return 1; fi
  if [ "$status" -eq 0 ] && [ "$rehearse" = no ] && grep -q SKIPPED "$log"; then echo "a test of the device was skipped"; return 9; fi
  return "$status"
}

# find_tool NAME: where it is, also outside PATH; the newest.
find_tool() {
  command -v "$1" && return
  { find /usr/local/cuda*/bin/"$1" /opt/nvidia/nsight-compute/*/"$1" -maxdepth 0 2>/dev/null || true; } | sort -V | tail -1 | grep .
}

# What bounds the products and attention of a layer: gpu_bench profile launches each once in every form, five kernels a form.
profile_kernels() {
  local ncu raw=$output/ncu_raw.csv
  rm -f "$output/ncu_launches.csv" "$raw"
  if [ "$rehearse" = yes ]; then
    bench profile "$output/ncu_launches.csv" || return
    echo "rehearsed: the launches alone; ncu needs a device"
    return
  fi
  ncu=$(find_tool ncu) || { echo "no ncu on PATH, in /usr/local/cuda*/bin or in /opt/nvidia/nsight-compute"; return 1; }
  "$ncu" --set full --clock-control none --target-processes all --kernel-name 'regex:product|attention' --launch-count 15 \
    --csv --page raw --print-units base --log-file "$raw" "$bench" "$output/ncu_launches.csv" profile --shapes shape-llama-3.1-8b || { tail -5 "$raw"; return 1; }
  python3 "$speclab_root/scripts/lib/gpu_profile.py" "$raw" "$output/ncu_metrics.csv"
}

# Wrong accesses and races within a block, over small tests.
sanitize() {
  local sanitizer tool log status
  if [ "$rehearse" = yes ]; then
    # The names are checked, so that the filter finds tests on a device too.
    "$build/kernels_emulated_cuda_test" --gtest_list_tests --gtest_filter="${sanitized_tests[memcheck]}:${sanitized_tests[racecheck]}" | grep -c '^  ' || return
    echo "rehearsed: the number of its tests alone; compute-sanitizer needs a device"
    return
  fi
  sanitizer=$(find_tool compute-sanitizer) || { echo "no compute-sanitizer on PATH or in /usr/local/cuda*/bin"; return 1; }
  for tool in memcheck racecheck; do
    log=$output/sanitizer_$tool.txt status=0
    timeout --foreground --kill-after=5 "${sanitizer_seconds[$tool]}" "$sanitizer" --tool "$tool" --error-exitcode 1 \
      "$first/kernels_cuda_test" --gtest_filter="${sanitized_tests[$tool]}" >"$log" 2>&1 || status=$?
    tail -3 "$log"
    [ "$status" -ne 137 ] || status=124
    [ "$status" -eq 0 ] || { echo "$tool ended with $status"; return "$status"; }
    if grep -q -e 'Running 0 tests' -e SKIPPED "$log"; then echo "$tool saw no test, or one that was skipped"; return 9; fi
  done
}

# The same prompt plain, with chains and with trees: the tokens must be equal, and the seconds are rows.
generate_texts() {
  local new_tokens=256 shape=3x2x1x1 draft drafter tree reads
  [ "$rehearse" = no ] || new_tokens=4 shape=2x1
  for draft in plain:plain:chain chain:small_transformer:chain tree:small_transformer:$shape; do
    IFS=: read -r draft drafter tree <<<"$draft"
    reads=()
    [ "$rehearse/$drafter" != yes/small_transformer ] || reads=(--drafter-model "$model")  # no drafter of the project drafts what two layers keep
    "$programs/speclab" generate --json --device cuda --model "$model" --rounds device --prompt "Explain in detail how a steam engine turns heat into motion." --temperature 0 --ignore-eos \
      --max-new-tokens "$new_tokens" --drafter "$drafter" "${reads[@]}" --tree "$tree" --speculation-length 4 >"$output/generate_$draft.json.part" || return
    mv "$output/generate_$draft.json.part" "$output/generate_$draft.json"
  done
  python3 - "$output" <<'PYTHON'
import json, sys
results = {name: json.load(open(f"{sys.argv[1]}/generate_{name}.json")) for name in ("plain", "chain", "tree")}
for name, result in results.items():
    print(f"{name}: {len(result['output_ids']) / result['decode_seconds']:.3g} tokens/s, {len(result['rounds'])} rounds")
other = [name for name, result in results.items() if result["output_ids"] != results["plain"]["output_ids"]]
if other:
    sys.exit(f"greedy speculation gave other tokens than plain decoding: {', '.join(other)}")
idle = [name for name in ("chain", "tree") if not any(one["accepted"] for one in results[name]["rounds"])]
sys.exit(f"no draft was accepted, so nothing of their rounds was tried: {', '.join(idle)}" if idle else 0)
PYTHON
}

run_config() {
  local name=$1 settings=()
  # The emulated device takes seconds a token: few, sampled once and, with a shape model, replayed once.
  [ "$rehearse" = no ] || settings=(--set prompts.new_tokens=3 --set prompts.per_category=1 --set 'prompts.categories=["chat"]' --set 'axes.policy=["constant:2"]' --set pilot.per_category=1 \
    --set costs.repetitions=1 --set costs.new_tokens=16 --set 'axes.temperature=[1.0]' --set "target.model=[\"$model\", \"shape-15m\"]")
  [ "$rehearse" = no ] || [ "$name" = gpu_walltime_vs_model_size ] || settings+=(--set "target.model=\"$model\"")
  # Tests of host rounds run the emulated device; here the config is rehearsed, and the processor takes seconds.
  [ "$rehearse/$name" != yes/gpu_host_drafts_vs_temperature ] || settings+=(--set 'target.device="cpu"')
  "$programs/speclab" run "$speclab_root/experiments/configs/$name.toml" --no-report --output "$output/$name.$revision" "${settings[@]}"
}

# The project beside transformers. A rehearsal compiles the scripts alone.
compare_on_device() {
  if [ "$rehearse" = yes ]; then
    PYTHONPYCACHEPREFIX=$output/pycache python3 -m py_compile "$speclab_root"/scripts/peers/*.py || return
    echo "rehearsed: the syntax alone; the peers need a device"
    return
  fi
  python3 -m pip install --quiet --no-index --no-deps --upgrade --target "$output/site" "$programs"/wheels/*.whl || return
  export PYTHONPATH=$output/site
  python3 "$speclab_root/scripts/peers/compare.py" --model "$speclab_model" --device cuda --speclab "$programs/speclab" --output "$output/peers_gpu" --quick
}
