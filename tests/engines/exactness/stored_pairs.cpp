#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "sim/system/files.h"
#include "tests/engines/exactness/real_pairs.h"

namespace speclab::engines::testing {
namespace {

std::vector<LawPair> stored_pairs() {
  const char* path = std::getenv("SPECLAB_PAIRS");
  if (path == nullptr)
    throw std::runtime_error("SPECLAB_PAIRS is not set; it names the file that log_pairs wrote");
  const std::string bytes = read_file(path);
  constexpr std::size_t kLawBytes = kVocab * sizeof(float);
  if (bytes.size() != 2 * kContexts * kLawBytes)
    throw std::runtime_error(std::string(path) + ": not written by log_pairs");
  const auto law_at = [&](std::size_t i) {
    std::vector<float> values(kVocab);
    std::memcpy(values.data(), bytes.data() + i * kLawBytes, kLawBytes);
    return Law::dense(values);
  };
  std::vector<LawPair> pairs;
  for (std::size_t i = 0; i < kContexts; ++i) pairs.push_back({law_at(2 * i), law_at(2 * i + 1)});
  return pairs;
}

}  // namespace

const std::vector<LawPair>& real_pairs() {
  static const std::vector<LawPair> all = stored_pairs();
  return all;
}

}  // namespace speclab::engines::testing
