#pragma once
#include <string>

#include "engines/ngrams/ngram_arrays.h"
#include "engines/ngrams/ngram_model.h"

namespace speclab::engines {

/// The model's file: `path` itself, or ngram.bin in the folder `path` or in its newest version.
/// @throws ConfigError for a version whose weights were removed
std::string ngram_file(const std::string& path);

/// @param path  a file, or the folder that speclab train wrote it into
/// @throws ConfigError if there is no such file, ModelFileError naming file, offset and field
NgramModel load_ngrams(const std::string& path);

/// The model in the bytes of a file. @param path  for messages @throws ModelFileError naming file,
/// offset and field
NgramModel parse_ngrams(std::string_view bytes, const std::string& path);

/// Written under a temporary name, then renamed. @throws WriteError
void save_ngrams(const NgramModel& model, const std::string& path);

/// Where the arrays begin in their file, bytes.
struct NgramOffsets {
  std::size_t context_tokens, num_successors, first_child, successor_tokens, probabilities;
};

/// What NgramModel relies on: contexts form a tree of at most order - 1 levels, children and
/// successors are in their order, no token is listed twice, and everything stays within the arrays.
/// @throws ModelFileError naming file, offset and field
void check_arrays(const std::string& path, const NgramOffsets& at, const NgramArrays& arrays);

}  // namespace speclab::engines
