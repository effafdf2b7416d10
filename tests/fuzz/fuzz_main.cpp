// libFuzzer's entry points for one target. `seeds FOLDER` as first arguments writes the seed corpus and ends.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/engines/formats/mutants.h"
#include "tests/fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace speclab;

const fuzz::Target& own_target() {
  static const fuzz::Target& own = fuzz::target(SPECLAB_FUZZ_TARGET);
  return own;
}

/// The fields that a slow reader comes across before it refuses the file or reaches its end.
std::vector<testing::IntegerField> fields_of(const std::string& bytes) {
  return own_target().name == "gguf" ? testing::gguf_fields_slowly(bytes) : testing::safetensors_fields_slowly(bytes);
}

std::string with_another_number(const std::string& bytes, std::mt19937& random) {
  const std::vector<testing::IntegerField> fields = fields_of(bytes);
  if (fields.empty()) return bytes;
  constexpr std::uint64_t worst[] = {0, 1, 2, 31, 255, INT32_MAX, std::uint64_t{1} << 31, UINT32_MAX, std::uint64_t{1} << 32, INT64_MAX, std::uint64_t{1} << 63, UINT64_MAX};
  const std::uint64_t number = random() % 2 ? worst[random() % std::size(worst)] : random() % 2 ? random() % 64 : bytes.size() + random() % 5 - 2;
  const auto replace = own_target().name == "gguf" ? testing::replace_binary : testing::replace_in_safetensors;
  return replace(bytes, {{fields[random() % fields.size()], number}});
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc < 3 || std::strcmp((*argv)[1], "seeds") != 0) return 0;
  std::filesystem::create_directories((*argv)[2]);
  int number = 0;
  for (const std::string& seed : own_target().seeds()) std::ofstream(std::string((*argv)[2]) + "/seed_" + std::to_string(number++), std::ios::binary) << seed;
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  own_target().read(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

/// Knows where the integers of GGUF and safetensors stand, and keeps the length of a safetensors header true.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  const bool has_fields = own_target().name == "gguf" || own_target().name == "safetensors";
  if (!has_fields || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutant = with_another_number(std::string(reinterpret_cast<const char*>(data), size), random);
  if (mutant.size() > max_size) return size;
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
