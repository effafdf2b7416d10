# What scripts/measure_gpu does where the project was built: pack, aside, back, travel, owed. Source it after common.sh.
pack_folder=$speclab_root/build/gpu_pack
unpacked_folder=$speclab_root/build/gpu_unpacked
aside_folder=$speclab_root/build/results_aside
kernels_folder=$speclab_root/engines/cuda/kernels
first_programs=(gpu_bench kernels_cuda_test)  # what call 1 runs; nothing of torch
other_programs=(speclab libspeclab_engines.so llama_cuda_test training_device_test family_device_test)
part_bytes=$((8 * 1024 * 1024))  # of a model; small parts fill the calls better
training_config=$speclab_root/experiments/configs/train_smollm2_feature_gpu.toml
declare -A packed_models=([drafter]=smollm2-drafter/config.json [feature]=smollm2-feature/config.json [ngram]=smollm2-5gram/ngram.bin)  # below results/models, each with a file of its versions

kernels_digest() { python3 "$speclab_root/scripts/lib/kernels_digest.py" "$speclab_root"; }

# The last commit, and -dirty if the tree differs from it elsewhere than in results/.
tree_revision() {
  local revision
  revision=$(git -C "$speclab_root" rev-parse --short=12 HEAD)
  git -C "$speclab_root" diff --quiet HEAD -- . ':!results' || revision+=-dirty
  echo "$revision"
}

# The folder that holds what belongs in results/, wherever it lies now.
results_folder() { if [ -e "$speclab_root/results" ]; then echo "$speclab_root/results"; else echo "$aside_folder"; fi; }

# pack [MODEL.gguf...]: writes everything under another name and then renames it, so that a pack is whole or absent. Further models come last.
pack() {
  local scratch=$pack_folder.part build=${SPECLAB_BUILD:-$speclab_root/build/release} name folder
  [ -e "$speclab_model" ] || fail "no model at $speclab_model; run scripts/setup" 2
  for name in "$@"; do
    [[ -e $name && $name =~ (^|/)[A-Za-z0-9][A-Za-z0-9._-]*\.gguf$ ]] || fail "model $(printf %q "$name"); allowed: files that are here, named with letters, digits, dots, dashes and underscores, that end in .gguf" 2
  done
  for name in "${!packed_models[@]}"; do
    folder=${packed_models[$name]%/*}
    [ -e "$(results_folder)/models/$folder" ] || fail "no $name at $(results_folder)/models/$folder; it is committed: git checkout results/models/$folder" 2
  done
  rm -rf "$scratch" && mkdir -p "$scratch"
  pack_programs "$scratch/first/unpacked" "${first_programs[@]}"
  pack_programs "$scratch/programs/unpacked" "${other_programs[@]}"
  pack_wheels "$scratch/programs/unpacked/wheels"
  compress "$scratch/first"
  compress "$scratch/programs"
  for name in "$speclab_model" "$@"; do pack_model "$scratch" "$name"; done
  pack_text "$scratch/text"
  for name in "${!packed_models[@]}"; do cp -r "$(results_folder)/models/${packed_models[$name]%/*}" "$scratch/$name"; done
  echo "$speclab_root" >"$scratch/first/source_folder"
  tree_revision >"$scratch/first/revision"
  kernels_digest >"$scratch/first/kernels"
  cp "$scratch/first/kernels" "$scratch/programs/kernels"
  rm -rf "$pack_folder" && mv "$scratch" "$pack_folder"
  travel
}

# pack_programs FOLDER PROGRAM...: without symbols, and with the libraries of Debian's packages that they link.
# The device's machine has the C and C++ libraries and torch's.
pack_programs() {
  local folder=$1 program newest linked
  shift
  mkdir -p "$folder/lib"
  newest=$(find "$kernels_folder" -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
  for program in "$@"; do
    [ -e "$build/$program" ] || fail "no $build/$program; run scripts/build where nvcc is" 2
    [[ $program != *cuda_test && $program != gpu_bench ]] || [ ! "$newest" -nt "$build/$program" ] || fail "$build/$program is older than $newest; run scripts/build" 2
    linked=$(ldd "$build/$program")
    [ "$folder" != "$scratch/first/unpacked" ] || ! grep -q -e libtorch -e libc10 <<<"$linked" || fail "$build/$program links torch; call 1 must not need it" 2
    strip -o "$folder/$program" "$build/$program"
    awk -v torch="$speclab_torch" '$3 ~ /^\// && index($3, torch) != 1 {print $3}' <<<"$linked" | { grep -v -E '/(libc|libm|libdl|librt|libutil|libpthread|libgcc_s|libstdc\+\+)\.so' || true; } |
      xargs -r -I{} cp -L {} "$folder/lib/"
  done
}

# compress FOLDER: machine code shrinks to a third.
compress() { tar -C "$1/unpacked" -czf "$1/programs.tar.gz" . && rm -r "$1/unpacked"; }

# unpack NAME: first or programs, as it was carried, below build/gpu_unpacked; once for each archive.
unpack() {
  local archive=$pack_folder/$1/programs.tar.gz place=$unpacked_folder/$1 digest
  [ -e "$archive" ] || return 0
  digest=$(sha256sum <"$archive")
  [ ! -e "$place" ] || [ "$(cat "$place.sha256")" != "$digest" ] || return 0
  rm -rf "$place" "$place.part" && mkdir -p "$place.part"
  tar -C "$place.part" -xzf "$archive" 2>/dev/null || fail "$archive is not whole; run 'scripts/measure_gpu pack' again and carry it" 2
  echo "$digest" >"$place.sha256"
  mv "$place.part" "$place"
}

# pack_wheels FOLDER: what the peers' reader of GGUF files needs; fetched once.
pack_wheels() {
  local kept=$speclab_cache/wheels
  if ! ls "$kept"/gguf-*.whl >/dev/null 2>&1; then
    rm -rf "$kept.part" && mkdir -p "$kept.part"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$kept.part" "$(grep '^gguf' "$speclab_root/scripts/peers/requirements.txt")"
    rm -rf "$kept" && mv "$kept.part" "$kept"
  fi
  mkdir -p "$1" && cp "$kept"/gguf-*.whl "$1/"
}

# pack_model FOLDER FILE: NAME_1, NAME_2, ... below the folder for NAME.gguf; its name and the checksums of its parts in first/.
pack_model() {
  local file name part number=0
  file=$(basename "$2") name=$(basename "$2" .gguf)
  mkdir "$1/parts"
  split -a 4 -b "$part_bytes" "$2" "$1/parts/"
  for part in "$1"/parts/*; do
    number=$((number + 1))
    mkdir "$1/${name}_$number" && mv "$part" "$1/${name}_$number/part"
    (cd "$1" && sha256sum "${name}_$number/part") >>"$1/first/model_parts.sha256"
  done
  rmdir "$1/parts"
  echo "$file" >>"$1/first/models"
}

# texts_of_training: paths below the root that the training on the device reads, a line each.
texts_of_training() { sed -n 's|^[^#]*"\.\./\.\./\(build/corpora/[^"]*\)".*|\1|p' "$training_config"; }

# pack_text FOLDER: the texts with their sources beside them, compressed; nothing if they were not fetched.
pack_text() {
  local texts=() text
  for text in $(texts_of_training); do
    [ -e "$speclab_root/$text" ] || { echo "no $text; train_feature will be left out. scripts/corpora fetches it" >&2; return 0; }
    texts+=("$text")
    [ ! -e "$speclab_root/$text.source.json" ] || texts+=("$text.source.json")
  done
  mkdir -p "$1" && tar -C "$speclab_root" -czf "$1/text.tar.gz" "${texts[@]}"
}

# rename FROM TO: within a file system, or not at all.
rename() { python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$1" "$2" || fail "$1 cannot be renamed to $2; both must lie on one file system, and the folders be writable" 8; }

refuse_two_results() {
  [ ! -e "$speclab_root/results" ] || [ ! -e "$aside_folder" ] ||
    fail "both results/ and build/results_aside exist; keep what you need of results/ elsewhere, remove it, and call 'measure_gpu back'" 2
}

move_aside() {
  refuse_two_results
  if [ -e "$aside_folder" ]; then echo "results/ is aside already, in build/results_aside"; return; fi
  [ -e "$speclab_root/results" ] || fail "no results/ to move, and none aside; it is committed: git checkout results" 2
  mkdir -p "$speclab_root/build"
  rename "$speclab_root/results" "$aside_folder"
  echo "results/ is now in build/results_aside; 'measure_gpu back' restores it"
}

move_back() {
  refuse_two_results
  if [ -e "$speclab_root/results" ]; then echo "results/ is in its place already"; return; fi
  [ -e "$aside_folder" ] || fail "no build/results_aside to move back, and no results/; it is committed: git checkout results" 2
  rename "$aside_folder" "$speclab_root/results"
  echo "results/ is back in its place"
}

travel() {
  local packed present
  if [ -e "$pack_folder/first/kernels" ]; then
    packed=$(cat "$pack_folder/first/kernels")
    present=$(kernels_digest) || exit
    [ "$packed" = "$present" ] || echo "the kernels have changed since they were packed; build and pack again" >&2
  fi
  [ ! -e "$speclab_root/results" ] || echo "results/ is not counted; 'measure_gpu aside' moves it out of the tree before a call" >&2
  python3 "$speclab_root/scripts/lib/gpu_travel.py" "$speclab_root" "$pack_folder"
}

owed() {
  local kernels
  [ -d "$(results_folder)" ] || echo "neither results/ nor build/results_aside is here, so every step is owed" >&2
  kernels=$(kernels_digest) || exit
  python3 "$speclab_root/scripts/lib/gpu_owed.py" "$speclab_root" "$(results_folder)" "$kernels" "${gpu_steps[@]}"
}
