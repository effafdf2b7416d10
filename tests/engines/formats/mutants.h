#pragma once
// Deterministic damage to a small good file.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/engines/formats/slow_reader.h"
#include "tests/support/test_size.h"

namespace speclab::testing {

/// Every format has more than 20,000 mutants; a usual test reads every ninth. The strides share no
/// factor with the bits of a byte or with the numbers that stand in for a field, so that none of
/// those is always left out.
inline int mutant_stride() { return by_size(37, 9, 1); }
inline EveryNth some_mutants() { return EveryNth(mutant_stride()); }
/// How many mutants, or loads of mutants, of a whole test's are left for this one.
inline int share_of(int whole) { return whole / mutant_stride(); }

using VisitMutant = std::function<void(const std::string& bytes)>;
using Replacement = std::pair<IntegerField, std::uint64_t>;
/// The seed with other numbers in some of its fields, which are in rising order.
using Replace = std::function<std::string(const std::string& seed,
                                          const std::vector<Replacement>& replacements)>;

/// Little-endian numbers, cut to the size of their field.
std::string replace_binary(const std::string& seed, const std::vector<Replacement>& replacements);
/// Decimal numbers in a text.
std::string replace_in_text(const std::string& seed, const std::vector<Replacement>& replacements);
/// Decimal numbers in the header of a safetensors file; its length follows unless it is itself
/// replaced.
std::string replace_in_safetensors(const std::string& seed,
                                   const std::vector<Replacement>& replacements);

/// Every truncation, and every bit of the first `header_bytes` flipped.
void visit_cuts_and_flips(const std::string& seed, std::size_t header_bytes,
                          const VisitMutant& visit);
/// Every field with {0, 1, 2^31 - 1, 2^31, 2^32 - 1, 2^32, 2^63 - 1, 2^63, 2^64 - 1, file size +-
/// 1, bytes left +- 1}.
void visit_fields(const std::string& seed, const std::vector<IntegerField>& fields,
                  const Replace& replace, const VisitMutant& visit);
/// All pairs of fields with {0, 1, 2^32 - 1, 2^63, 2^64 - 1}.
void visit_pairs(const std::string& seed, const std::vector<IntegerField>& fields,
                 const Replace& replace, const VisitMutant& visit);

/// Puts bytes before a reader and an independent slow one; they must agree on whether to load and
/// on all that is loaded.
class ReaderComparison {
 public:
  /// Reads the file at `path`, and its tensors. @throws ModelFileError
  using Reader = std::function<SlowModel(const std::string& path)>;
  using SlowReader = std::function<SlowModel(const std::string& bytes)>;
  ReaderComparison(Reader reader, SlowReader slow_reader)
      : reader_(std::move(reader)), slow_reader_(std::move(slow_reader)) {}

  /// Takes some of what it is given. Fails the test where they disagree, or where a refusal is not
  /// put into words as it should be.
  void check(const std::string& bytes, const std::string& path);
  /// Prints the counts. @param what  "GGUF files"
  void print(const char* what) const;
  int num_mutants() const { return num_mutants_; }
  int num_loads() const { return num_loads_; }

 private:
  Reader reader_;
  SlowReader slow_reader_;
  EveryNth some_ = some_mutants();
  int num_mutants_ = 0, num_loads_ = 0, num_disagreements_ = 0;
};

/// What is wrong with a refusal's message: it must be "FILE: byte N: FIELD = FOUND; allowed: ...;
/// ...", without the byte where there is no place, and at most 300 printable characters.
/// @return empty if nothing is
std::string fault_of_message(const std::string& message);

}  // namespace speclab::testing
