// Damaged n-gram files: an error of the right type and form, or what an independent slow reader
// reads too.

#include <gtest/gtest.h>

#include <algorithm>

#include "engines/ngrams/ngram_estimation.h"
#include "engines/ngrams/ngram_file.h"
#include "sim/system/files.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/ngrams/slow_ngram_file.h"
#include "tests/engines/ngrams/slow_ngrams.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr std::size_t kHeaderBytes = 8 + 8 * 4;

std::string shown(const std::string& name, const std::vector<std::uint64_t>& values) {
  std::string list = name;
  for (const std::uint64_t value : values) list += " " + std::to_string(value);
  return list;
}

template <typename Array>
std::string shown_array(const std::string& name, const Array& array) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return shown(name, values);
}

SlowModel as_model(const SlowNgramFile& f) {
  return {.metadata = {shown("header", {f.vocab_size, f.order, f.max_successors, f.num_unigrams}),
                       shown("contexts", f.context_tokens), shown("back_off", f.back_off),
                       shown("counts", f.num_successors), shown("children", f.first_child),
                       shown("successors", f.successor_tokens),
                       shown("probabilities", f.probabilities)},
          .tensors = {},
          .fields = f.fields};
}

SlowModel as_model(const NgramArrays& a) {
  const auto wide = [](std::int32_t value) { return static_cast<std::uint64_t>(value); };
  return {
      .metadata = {shown("header", {wide(a.vocab_size), wide(a.order), wide(a.max_successors),
                                    a.num_unigrams}),
                   shown_array("contexts", a.context_tokens), shown_array("back_off", a.back_off),
                   shown_array("counts", a.num_successors), shown_array("children", a.first_child),
                   shown_array("successors", a.successor_tokens),
                   shown_array("probabilities", a.probabilities)},
      .tensors = {},
      .fields = {}};
}

std::string seed(std::int32_t order) {
  const TemporaryFolder folder;
  const std::vector<testing::Tokens> texts{{0, 1, 2, 0, 1, 3, 0, 1, 2, 4, 4}, {2, 1, 0}};
  save_ngrams(
      estimate_ngrams(testing::as_ngram_texts(texts), 6, {.order = order, .max_successors = 3}),
      folder.path("ngram.bin"));
  return read_file(folder.path("ngram.bin"));
}

TEST(NgramMutants, GiveATypedErrorOrWhatTheSlowReaderReads) {
  std::string bytes;
  ReaderComparison comparison(
      [&](const std::string& path) { return as_model(parse_ngrams(bytes, path).arrays()); },
      [](const std::string& mutant) { return as_model(read_ngrams_slowly(mutant)); });
  const auto visit = [&](const std::string& mutant) {
    bytes = mutant;
    comparison.check(mutant, "ngram.bin");
  };
  for (const std::int32_t order : {1, 2, 3}) {
    const std::string good = seed(order);
    const std::vector<IntegerField> fields = read_ngrams_slowly(good).fields;
    visit_cuts_and_flips(good, good.size(), visit);
    visit_fields(good, fields, replace_binary, visit);
    // Where the header stands beside any other field: pairs within the arrays are many and alike.
    const auto header_end = static_cast<std::ptrdiff_t>(std::ranges::count_if(
        fields, [](const IntegerField& field) { return field.offset < kHeaderBytes; }));
    for (auto other = fields.begin() + header_end; other != fields.end(); other += header_end) {
      std::vector<IntegerField> some(fields.begin(), fields.begin() + header_end);
      some.insert(some.end(), other, std::min(other + header_end, fields.end()));
      visit_pairs(good, some, replace_binary, visit);
      if (fields.end() - other < header_end) break;
    }
  }
  comparison.print("n-gram files");
  EXPECT_GE(comparison.num_mutants(), share_of(20000));
  EXPECT_GE(comparison.num_loads(), share_of(500)) << "agreement is about loads as well";
}

}  // namespace
}  // namespace speclab::engines
