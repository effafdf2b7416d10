# The steps of scripts/measure_gpu. Source it after common.sh; `output`, `rehearse`, `deadline` and `begin_machine` come before `run_step`.
gpu_steps=(tests ceilings passes generate temperature cuts peers model_size products sanitizer training opt)
pack_folder=$speclab_root/build/gpu_pack
model_folder=$speclab_root/build/gpu_model  # beside it, since a call may carry only some of the parts
pack_programs=(llama_cuda_test training_device_test gpu_bench speclab libspeclab_engines.so)
part_bytes=$((16 * 1024 * 1024))  # beside the tracked files within what travels in one call

# pack: what the device's machine lacks. Its torch and its C library are there; what Debian's packages bring is copied.
pack() {
  local program scratch=$pack_folder.part parts=$model_folder.part
  [ -e "$speclab_model" ] || fail "no model at $speclab_model; run scripts/setup" 2
  rm -rf "$scratch" "$parts" && mkdir -p "$scratch/lib" "$parts"
  for program in "${pack_programs[@]}"; do
    [ -e "$speclab_root/build/release/$program" ] || fail "no build/release/$program; run scripts/build where nvcc is" 2
    strip -o "$scratch/$program" "$speclab_root/build/release/$program"
  done
  ldd "${pack_programs[@]/#/$speclab_root/build/release/}" | awk '$3 ~ /lib(fmt|tomlplusplus|csv|pcre2)/ {print $3}' | sort -u | xargs -I{} cp -L {} "$scratch/lib/"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$scratch/wheels" "$(grep '^gguf' "$speclab_root/scripts/peers/requirements.txt")"
  echo "$speclab_root" >"$scratch/source_folder"
  git -C "$speclab_root" describe --always --dirty --abbrev=12 >"$scratch/revision"
  split -b "$part_bytes" "$speclab_model" "$parts/part_"
  (cd "$parts" && sha256sum part_*) >"$scratch/model_parts.sha256"
  rm -rf "$pack_folder" "$model_folder" && mv "$scratch" "$pack_folder" && mv "$parts" "$model_folder"
  du -sh "$pack_folder" "$model_folder"/*
}

# Joins the parts of the model that have been carried so far, once all of them are there and whole.
join_model() {
  local kept=$speclab_cache/models/parts
  [ ! -e "$speclab_model" ] || return 0
  mkdir -p "$kept"
  [ ! -d "$model_folder" ] || cp "$model_folder"/part_* "$kept/"
  if ! (cd "$kept" && sha256sum --check --quiet "$pack_folder/model_parts.sha256" 2>/dev/null); then
    echo "the model is not complete: carry the parts of build/gpu_model named here; steps that need it fail until then"
    (cd "$kept" && sha256sum --check "$pack_folder/model_parts.sha256" 2>/dev/null | grep -v ': OK$') || true
    return 0
  fi
  (cd "$kept" && awk '{print $2}' "$pack_folder/model_parts.sha256" | xargs cat) >"$speclab_model.part" && mv "$speclab_model.part" "$speclab_model" && rm -rf "$kept"
}

begin_machine() {
  source "$speclab_root/scripts/lib/downloads.sh"
  if [ "$rehearse" = yes ]; then
    revision=$(git -C "$speclab_root" describe --always --dirty --abbrev=12)
    build=${SPECLAB_BUILD:-$speclab_root/build/release}
    [ -x "$build/gpu_bench_emulated" ] || fail "no $build/gpu_bench_emulated; run scripts/build" 2
    programs=$build/emulated_program bench=$build/gpu_bench_emulated model=$output/two_layers.gguf
    python3 "$speclab_root/scripts/lib/first_layers.py" "$speclab_model" 2 "$model"  # an emulated device takes a second a layer
    return
  fi
  programs=$pack_folder bench=$pack_folder/gpu_bench model=smollm2-135m
  [ -e "$programs/revision" ] || fail "no $programs: run 'scripts/measure_gpu pack' where the project was built, and carry build/gpu_pack here" 2
  LD_LIBRARY_PATH=$programs/lib:$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__) + "/lib")')
  export LD_LIBRARY_PATH
  join_model
  revision=$(cat "$programs/revision")
  # Programs know prompts, drafters and fixtures by the folder that they were built from.
  local built_from
  built_from=$(cat "$programs/source_folder")
  [ -e "$built_from" ] || { mkdir -p "$(dirname "$built_from")" && ln -s "$speclab_root" "$built_from"; }
  { echo "$revision"; nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,power.limit,memory.used --format=csv; \
    nvidia-smi --query-compute-apps=pid,used_memory --format=csv; } >"$output/device_state.txt" || fail "nvidia-smi does not answer" 9
  cat "$output/device_state.txt"
}

# within COMMAND...: runs it until the deadline of all steps.
within() {
  local left=$((deadline - SECONDS))
  [ "$left" -gt 0 ] || return 124
  timeout --foreground --kill-after=5 "$left" "$@"
}

# run_step NAME. Called where errexit is off: what must not go on after a failure says so.
run_step() {
  case $1 in
    tests) test_device llama_cuda_test '-*WithoutADevice*' llama_emulated_cuda_test 'DeviceRounds.Plain*' ;;
    training) test_device training_device_test 'OnCuda.*' training_device_test '*' ;;
    ceilings|products|cuts|passes) bench_step "$1" ;;
    opt) bench_step opt passes ;;
    generate) generate_texts ;;
    temperature) run_config gpu_walltime_vs_temperature ;;
    model_size) run_config gpu_walltime_vs_model_size ;;
    sanitizer) sanitise ;;
    peers) compare_on_device ;;
  esac
}

# bench_step NAME [STEP]: of gpu_bench. Its rows replace the old ones when they are complete; what was cut off stays beside them.
bench_step() {
  local rows=$output/gpu_bench_$1.csv
  rm -f "$rows.part"
  # shellcheck disable=SC2046
  within "$bench" "$rows.part" "${2:-$1}" $(bench_shapes "$1") && mv "$rows.part" "$rows"
}

# gpu_bench's choice of shapes for a step: what fits into a call.
bench_shapes() {
  local few=shape-135m,shape-gpt2-124m,shape-llama-3.2-1b,shape-llama-3.1-8b
  if [ "$rehearse" = yes ]; then echo --tiny; return; fi
  case $1 in
    cuts|products) echo --shapes "$few" ;;
    passes) echo --shapes "$few,shape-15m,shape-360m,shape-1b,shape-3b,shape-8b,shape-llama-68m,shape-llama-3.2-3b,shape-llama-2-13b" ;;
    opt) echo --shapes shape-opt-125m,shape-opt-350m,shape-opt-1.3b,shape-opt-2.7b,shape-opt-6.7b,shape-opt-13b ;;
  esac
}

# test_device PROGRAM FILTER REHEARSED_PROGRAM FILTER
test_device() {
  if [ "$rehearse" = yes ]; then within "$build/$3" --gtest_brief=1 --gtest_filter="$4"; return; fi
  within "$programs/$1" --gtest_filter="$2" 2>&1 | tee "$output/$1.txt" | grep -v -E 'RUN|OK' || return
  if grep -q SKIPPED "$output/$1.txt"; then echo "a test of the device was skipped"; return 9; fi
}

# Wrong accesses and races within a block, over a pass, a fork and sampled rounds.
sanitise() {
  [ "$rehearse" = no ] || return 0
  local sanitizer tool
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)
  [ -n "$sanitizer" ] || { echo "no compute-sanitizer here"; return 1; }
  for tool in memcheck racecheck; do
    within "$sanitizer" --tool "$tool" --error-exitcode 1 "$programs/llama_cuda_test" --gtest_filter='*AForkGoesOnAlike*:DeviceRounds.Sampled*:DeviceTreeRounds.APrompt*' >"$output/sanitizer_$tool.txt" 2>&1 || return
    tail -3 "$output/sanitizer_$tool.txt"
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
    within "$programs/speclab" generate --json --device cuda --model "$model" --rounds device --prompt "Explain in detail how a steam engine turns heat into motion." --temperature 0 --ignore-eos \
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
  [ "$rehearse/$name" != yes/gpu_walltime_vs_temperature ] || settings+=(--set "target.model=\"$model\"")
  within "$programs/speclab" run "$speclab_root/experiments/configs/$name.toml" --no-report --output "$output/$name.$revision" "${settings[@]}"
}

compare_on_device() {
  if [ "$rehearse" = yes ]; then PYTHONPYCACHEPREFIX=$output/pycache python3 -m py_compile "$speclab_root"/scripts/peers/*.py; return; fi
  python3 -m pip install --quiet --no-index --no-deps --upgrade --target "$output/site" "$pack_folder"/wheels/*.whl || return
  export PYTHONPATH=$output/site
  within python3 "$speclab_root/scripts/peers/compare.py" --model "$speclab_model" --device cuda --speclab "$programs/speclab" --output "$output/peers_gpu" --quick
}
