# The steps of scripts/measure_gpu in the order of their value: calls of at most ten minutes, in two lists, each for a machine that is held for
# twenty. No call needs rows of another. Source it after common.sh.
first_list="1 2 3 4 5" second_list="6 7"
declare -A call_steps=(
  [1]="kernel_tests ceilings passes kernels ncu"  # neither model nor torch
  [2]="device_tests generate"
  [3]="temperature"
  [4]="model_size"
  [5]="sanitizer peers"
  [6]="train_feature"
  [7]="host_layers families opt products training ladder")
checking_steps="kernel_tests device_tests generate"  # come before times of their list
gpu_steps=()
for call in $first_list $second_list; do gpu_steps+=(${call_steps[$call]}); done

# Seconds of each step. Limits of a call are at most its ten minutes, those of a list its twenty.
declare -A step_limits=([kernel_tests]=60 [ceilings]=20 [passes]=90 [kernels]=40 [ncu]=60 [device_tests]=60 [generate]=40 [temperature]=230
  [model_size]=270 [sanitizer]=90 [peers]=240 [train_feature]=540 [host_layers]=120 [families]=60 [opt]=60 [products]=60 [training]=60 [ladder]=120)

# calls_before CALL: those of the same list.
calls_before() {
  local list=$first_list before
  [[ " $first_list " == *" $1 "* ]] || list=$second_list
  before=${list%%"$1"*}
  echo "$before"
}

# has_failed STEP: at the present kernels, and was not done since.
has_failed() { has_row "$1" 'failed|limit' && ! has_row "$1" "done"; }

# plan_steps CALL: first the checks that earlier calls of its list left undone, then its own steps, then all else that these calls left.
# Steps that failed or hit their limit before come last, since they may do so again. Without a call: all steps.
plan_steps() {
  local before="" name checks=() others=() late=() own="${gpu_steps[*]}"
  if [ -n "$1" ]; then
    own=${call_steps[$1]}
    for name in $(calls_before "$1"); do before+=" ${call_steps[$name]}"; done
  fi
  steps=()
  for name in $before; do
    if has_row "$name" "done"; then continue; fi
    if has_failed "$name"; then late+=("$name"); elif [[ " $checking_steps " == *" $name "* ]]; then checks+=("$name"); else others+=("$name"); fi
  done
  for name in $own; do
    if has_failed "$name"; then late+=("$name"); else steps+=("$name"); fi
  done
  steps=("${checks[@]}" "${steps[@]}" "${others[@]}" "${late[@]}")
}
