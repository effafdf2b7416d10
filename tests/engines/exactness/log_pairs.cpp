// Writes real_pairs() into a file: of each pair the target's law and the draft's, kVocab float32
// values each.

#include <cstdio>
#include <string>

#include "sim/system/files.h"
#include "tests/engines/exactness/real_pairs.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: log_pairs FILE\n"), 2;
  std::string bytes;
  for (const auto& pair : speclab::engines::testing::real_pairs())
    for (const speclab::Law* law : {&pair.target, &pair.draft})
      for (speclab::Token token = 0; static_cast<std::size_t>(token) < law->vocab_size(); ++token) {
        const float value = (*law)[token];
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
  speclab::write_file(argv[1], bytes);
}
