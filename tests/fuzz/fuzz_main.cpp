// libFuzzer's entry points for one target. `seeds FOLDER` as first arguments writes the seed corpus
// and ends.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/slow_json.h"
#include "tests/fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace speclab;

const fuzz::Target& own_target() {
  static const fuzz::Target& own = fuzz::target(SPECLAB_FUZZ_TARGET);
  return own;
}

using Fields = std::vector<testing::IntegerField>;

/// Numbers of a JSON text, in rising order.
void collect_numbers(const testing::SlowJson& json, Fields& fields) {
  if (json.natural()) fields.push_back({json.offset, json.text.size()});
  for (const testing::SlowJson& item : json.items) collect_numbers(item, fields);
}

Fields numbers_of(const std::string& text) {
  Fields fields;
  try {
    collect_numbers(testing::read_json_slowly(text, 64), fields);
  } catch (const testing::SlowRefusal&) {
  }
  return fields;
}

/// Every run of digits in a text.
Fields digits_of(const std::string& text) {
  constexpr const char* kDigits = "0123456789";
  Fields fields;
  for (std::size_t begin = 0, end = 0;
       (begin = text.find_first_of(kDigits, end)) != std::string::npos;) {
    end = std::min(text.find_first_not_of(kDigits, begin), text.size());
    fields.push_back({begin, end - begin});
  }
  return fields;
}

/// Where integers stand in an input of a target, and how they are replaced.
struct Structure {
  const char* target;
  Fields (*fields)(const std::string& bytes);
  std::string (*replace)(const std::string& bytes,
                         const std::vector<testing::Replacement>& replacements);
};
constexpr Structure kStructures[] = {
    {"gguf", testing::gguf_fields_slowly, testing::replace_binary},
    {"safetensors", testing::safetensors_fields_slowly, testing::replace_in_safetensors},
    {"tokenizer", numbers_of, testing::replace_in_text},
    {"json_schema", numbers_of, testing::replace_in_text},
    {"generation", numbers_of, testing::replace_in_text},
    {"experiment", digits_of, testing::replace_in_text},
    {"run_folder", digits_of, testing::replace_in_text},
    {"tables", digits_of, testing::replace_in_text}};

const Structure* own_structure() {
  for (const Structure& structure : kStructures)
    if (own_target().name == structure.target) return &structure;
  return nullptr;
}

std::string with_another_number(const Structure& structure, const std::string& bytes,
                                std::mt19937& random) {
  const Fields fields = structure.fields(bytes);
  if (fields.empty()) return bytes;
  constexpr std::uint64_t worst[] = {0,
                                     1,
                                     2,
                                     31,
                                     255,
                                     INT32_MAX,
                                     std::uint64_t{1} << 31,
                                     UINT32_MAX,
                                     std::uint64_t{1} << 32,
                                     INT64_MAX,
                                     std::uint64_t{1} << 63,
                                     UINT64_MAX};
  const std::uint64_t number = random() % 2   ? worst[random() % std::size(worst)]
                               : random() % 2 ? random() % 64
                                              : bytes.size() + random() % 5 - 2;
  return structure.replace(bytes, {{fields[random() % fields.size()], number}});
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc < 3 || std::strcmp((*argv)[1], "seeds") != 0) return 0;
  std::filesystem::create_directories((*argv)[2]);
  int number = 0;
  for (const std::string& seed : own_target().seeds())
    std::ofstream(std::string((*argv)[2]) + "/seed_" + std::to_string(number++), std::ios::binary)
        << seed;
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  own_target().read(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

/// Knows where the integers of GGUF, safetensors, JSON, configs and rows stand, and keeps the
/// length of a safetensors header true.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  const Structure* structure = own_structure();
  if (!structure || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutant = with_another_number(
      *structure, std::string(reinterpret_cast<const char*>(data), size), random);
  if (mutant.size() > max_size) return size;
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
