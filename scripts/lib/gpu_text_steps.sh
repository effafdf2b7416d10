# The steps of scripts/measure_gpu that write text or learn from it. Source it after gpu_steps.sh.
generated_drafts=(plain:plain:chain small_transformer:small_transformer:chain feature_transformer:feature_transformer:chain prompt_lookup:prompt_lookup:chain
  ngram:ngram:chain lookup_transformer:lookup_transformer:chain tree:small_transformer:SHAPE feature_tree:feature_transformer:SHAPE)  # name:drafter:tree
train_seconds=480  # of the training, with the reading of its texts

# generate_text NAME MODEL OPTION...: into generate_NAME.json.
generate_text() {
  local file=$output/generate_$1.json
  "$programs/speclab" generate --json --device cuda --model "$2" --rounds device --temperature 0 --ignore-eos --speculation-length 4 "${@:3}" >"$file.part" && mv "$file.part" "$file"
}

# The same prompt plain, with every drafter and with trees: the tokens must be equal, and the seconds are rows. The prompt repeats itself, so
# that copies are found. In a rehearsal only the two layers themselves draft what they say.
generate_texts() {
  local new_tokens=256 shape=3x2x1x1 draft name drafter tree reads drafts=("${generated_drafts[@]}") made=()
  local prompt="Repeat this twice, then explain it in detail: a steam engine turns heat into motion. A steam engine turns heat into motion. A steam engine turns"
  if [ "$rehearse" = yes ]; then
    new_tokens=4 shape=2x1 drafts=("${generated_drafts[0]}" "${generated_drafts[1]}" "${generated_drafts[6]}")
    prompt="A steam engine turns heat into motion."
  fi
  for draft in "${drafts[@]}"; do
    IFS=: read -r name drafter tree <<<"${draft/SHAPE/$shape}"
    reads=()
    [ "$rehearse/$drafter" != yes/small_transformer ] || reads=(--drafter-model "$model")
    generate_text "$name" "$model" --prompt "$prompt" --max-new-tokens "$new_tokens" --drafter "$drafter" "${reads[@]}" --tree "$tree" || return
    made+=("$name")
  done
  python3 "$speclab_root/scripts/lib/gpu_same_texts.py" "$output" "${made[@]}" || return
  [ "$rehearse" = yes ] || generate_texts_of_further_models "$prompt"
}

# generate_texts_of_further_models PROMPT: plain and with copies, which need no model of their own.
generate_texts_of_further_models() {
  local file name drafter
  for file in $(further_models); do
    name=$(basename "$file" .gguf)
    for drafter in plain prompt_lookup; do generate_text "${name}_$drafter" "$file" --prompt "$1" --max-new-tokens 256 --drafter "$drafter" || return; done
    python3 "$speclab_root/scripts/lib/gpu_same_texts.py" "$output" "${name}_plain" "${name}_prompt_lookup" || return
  done
}

run_config() {
  local name=$1 settings=()
  # The emulated device takes seconds a token: few, and sampled once.
  if [ "$rehearse" = yes ]; then
    settings=(--set prompts.new_tokens=3 --set prompts.per_category=1 --set 'prompts.categories=["chat"]' --set 'axes.policy=["constant:2"]' --set pilot.per_category=1 \
      --set costs.repetitions=1 --set costs.new_tokens=16 --set 'axes.temperature=[1.0]' --set 'axes.drafter=["small_transformer", "prompt_lookup"]' --set "target.model=\"$model\"")
  fi
  "$programs/speclab" run "$speclab_root/experiments/configs/$name.toml" --no-report --output "$output/$name.$revision" "${settings[@]}"
}

# The project beside transformers, plain decoding first. A rehearsal compiles the scripts alone.
compare_on_device() {
  if [ "$rehearse" = yes ]; then
    PYTHONPYCACHEPREFIX=$output/pycache python3 -m py_compile "$speclab_root"/scripts/peers/*.py || return
    echo "rehearsed: the syntax alone; the peers need a device"
    return
  fi
  python3 -m pip install --quiet --no-index --no-deps --upgrade --target "$output/site" "$programs"/wheels/*.whl || return
  export PYTHONPATH=$output/site
  python3 "$speclab_root/scripts/peers/compare.py" --model "$speclab_model" --device cuda --speclab "$programs/speclab" --output "$output/peers_gpu" --quick \
    --in-turn plain,small_transformer_4,assisted_4
}

# The layer that reads hidden states, trained for `train_seconds`. At their end it is interrupted, and its checkpoint is whole: the same command
# goes on from it, on any machine. A step that hit its limit goes on too. A rehearsal reads a little text, on the processor.
train_feature() {
  local settings=() seconds=$train_seconds status=0 program=$programs/speclab
  [ $((${limit:-9999} - 30)) -gt "$seconds" ] || seconds=$((limit > 60 ? limit - 30 : limit / 2))  # run_one's
  if [ "$rehearse" = yes ]; then
    program=$build/speclab
    settings=(--set "text.files=[\"$speclab_root/README.md\"]" --set "text.held_out_files=[\"$speclab_root/CONTRIBUTING.md\"]" --set text.max_sequences=8 --set text.sequence_length=32 \
      --set 'drafter.device="cpu"' --set drafter.intermediate_size=64 --set drafter.batch=2 --set drafter.epochs=1 --set drafter.validation_sequences=2)
  fi
  timeout --foreground --signal=INT --kill-after=20 "$seconds" "$program" train "$speclab_root/experiments/configs/train_smollm2_feature_gpu.toml" --output "$output/train_feature" "${settings[@]}" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -ne 124 ] || compgen -G "$output/train_feature/v*/[cm]*.[bs]*" >/dev/null || { echo "the training left neither a checkpoint nor a drafter"; return 1; }
  [ "$status" -ne 124 ] || { echo "interrupted after $seconds s, as planned; what it left comes back"; status=0; }
  return "$status"
}
