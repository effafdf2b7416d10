# The steps of scripts/measure_gpu that need no text, and how each is run. Source it after gpu_machine.sh, and gpu_text_steps.sh after it.
bench_steps=(ceilings ladder passes kernels products opt host_layers)  # of gpu_bench
few_shapes="shape-135m,shape-gpt2-124m-gated,shape-llama-3.2-1b,shape-llama-3.1-8b"
opt_shapes="shape-opt-125m-gated,shape-opt-350m-gated,shape-opt-1.3b-gated,shape-opt-2.7b-gated,shape-opt-6.7b-gated,shape-opt-13b-gated"
# memcheck runs a fork, sampled rounds and every form of the product. racecheck takes a hundred times as long, so it runs the smallest tests of
# kernels that share memory.
declare -A sanitized_tests=([memcheck]='*AForkGoesOnAlike*:DeviceRounds.Sampled*:DeviceTreeRounds.APrompt*:Products.*'
  [racecheck]='*AForkGoesOnAlike/0:Attention.IsNotPoisoned*:Products.EveryForm*')
declare -A sanitizer_seconds=([memcheck]=30 [racecheck]=55)

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
    temperature) run_config gpu_drafters_vs_temperature ;;
    model_size) run_config gpu_walltime_vs_widened_size ;;
    peers) compare_on_device ;;
    train_feature) train_feature ;;
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
  # It names points that it could not begin in time. In a rehearsal machines differ.
  [ "$rehearse/$1" != no/host_layers ] || sizes+=(--seconds $((step_limits[host_layers] - 20)))
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
