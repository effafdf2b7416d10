# The machine that the steps of scripts/measure_gpu run on: a device with what was carried to it, or an emulated one in a rehearsal.
# Source it after common.sh, downloads.sh and gpu_pack.sh; `output` and `rehearse` come before `begin_rehearsal` or `begin_device`.
rehearsed_model=$speclab_root/build/gpu_rehearsal/two_layers.gguf

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
  join_models
  place_models
  place_texts
  place_source_folder
  device=$(timeout 20 nvidia-smi --query-gpu=name --format=csv,noheader | sed -n '1{s/,//g;p}') || fail "nvidia-smi does not answer" 9
  [ -n "$device" ] || fail "nvidia-smi names no device" 9
  write_device_state
}

# A pack that came in parts, or from two builds, would give rows a wrong name.
check_pack() {
  local name
  for name in revision kernels source_folder models model_parts.sha256 programs.tar.gz; do
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

# packed_names: files of the packed models, the project's own first.
packed_names() { cat "$pack_folder/first/models"; }

# parts_of FILE: lines of checksums of its parts.
parts_of() { awk -v name="${1%.gguf}" 'index($2, name "_") == 1 && substr($2, length(name) + 2) ~ /^[0-9]+\/part$/' "$pack_folder/first/model_parts.sha256"; }

# missing_parts FILE: names of the model's parts that are not here or not whole.
missing_parts() { (cd "$pack_folder" && parts_of "$1" | sha256sum --check 2>/dev/null | sed -n '/: OK$/!s|/part:.*||p' | paste -sd' '); }

# model_place FILE: where a joined model stands.
model_place() { echo "$(dirname "$speclab_model")/$1"; }

# Joins every model whose parts are whole.
join_models() {
  local name place
  for name in $(packed_names); do
    place=$(model_place "$name")
    [ ! -e "$place" ] && [ -z "$(missing_parts "$name")" ] || continue
    mkdir -p "$(dirname "$place")"
    (cd "$pack_folder" && parts_of "$name" | awk '{print $2}' | xargs cat) >"$place.part" && mv "$place.part" "$place"
  done
}

# further_models: files of the packed models beside the project's own that are whole here.
further_models() {
  local name
  for name in $(packed_names | tail -n +2); do [ ! -e "$(model_place "$name")" ] || model_place "$name"; done
}

# The texts of a training stand where its config looks; a build folder may hold the same ones.
place_texts() {
  local archive=$pack_folder/text/text.tar.gz text
  [ -e "$archive" ] || return 0
  for text in $(texts_of_training); do
    [ -e "$speclab_root/$text" ] || { tar -C "$speclab_root" -xzf "$archive" 2>/dev/null || fail "$archive is not whole; carry it again" 2; return; }
  done
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

# needs STEP WHAT: WHAT is programs, model, drafter, feature, ngram or text.
needs() {
  case $2/$1 in
    text/*) [ "$1" = train_feature ] ;;
    ngram/*) [ "$1" = temperature ] || [ "$1" = generate ] ;;
    drafter/train_feature) return 1 ;;
    programs/device_tests|programs/training|programs/families|*/generate|*/temperature|*/model_size|*/train_feature) return 0 ;;
    model/device_tests|model/peers|programs/peers|drafter/peers) [ "$rehearse" = no ] ;;
    *) return 1 ;;
  esac
}

# lacking_for STEP: says what the step needs and this machine does not have; nothing if it has all.
lacking_for() {
  local name
  [ "$rehearse" = no ] || return 0
  if needs "$1" programs && [ ! -e "$programs" ]; then echo "build/gpu_pack/programs is not here"; return; fi
  if needs "$1" model && [ ! -e "$speclab_model" ]; then echo "the model is not whole; parts not here: $(missing_parts "$(basename "$speclab_model")")"; return; fi
  for name in drafter feature ngram; do
    if needs "$1" "$name" && ! has_model "$name"; then echo "build/gpu_pack/$name is not here"; return; fi
  done
  if needs "$1" text && [ ! -e "$pack_folder/text" ]; then echo "build/gpu_pack/text is not here"; fi
}
