#include "tests/engines/formats/mutants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <regex>

#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"

namespace speclab::testing {
namespace {

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

bool same(const SlowTensor& a, const SlowTensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         std::ranges::equal(a.values, b.values, [](float x, float y) { return same(x, y); });
}

void sort(SlowModel& model) {
  std::ranges::sort(model.metadata);
  std::ranges::sort(model.tensors, {}, &SlowTensor::name);
}

bool same(SlowModel a, SlowModel b) {
  sort(a), sort(b);
  return a.metadata == b.metadata &&
         std::ranges::equal(a.tensors, b.tensors,
                            [](const SlowTensor& x, const SlowTensor& y) { return same(x, y); });
}

std::string hex(const std::string& bytes) {
  std::string shown;
  for (const char byte : bytes)
    shown += "0123456789abcdef"[static_cast<unsigned char>(byte) / 16],
        shown += "0123456789abcdef"[static_cast<unsigned char>(byte) % 16];
  return shown;
}

}  // namespace

std::string replace_binary(const std::string& seed, const std::vector<Replacement>& replacements) {
  std::string mutant = seed;
  for (const auto& [field, number] : replacements)
    mutant.replace(field.offset, field.size, raw(number), 0, field.size);
  return mutant;
}

std::string replace_in_text(const std::string& seed, const std::vector<Replacement>& replacements) {
  std::string mutant = seed;
  for (std::size_t i = replacements.size(); i-- > 0;)
    mutant.replace(replacements[i].first.offset, replacements[i].first.size,
                   std::to_string(replacements[i].second));
  return mutant;
}

std::string replace_in_safetensors(const std::string& seed,
                                   const std::vector<Replacement>& replacements) {
  const bool is_length = replacements.front().first.offset == 0;
  std::string mutant =
      replace_in_text(seed, {replacements.begin() + (is_length ? 1 : 0), replacements.end()});
  std::uint64_t header = 0;
  std::memcpy(&header, seed.data(), sizeof header);
  return mutant.replace(
      0, sizeof header,
      raw(is_length ? replacements.front().second : header + mutant.size() - seed.size()));
}

void visit_cuts_and_flips(const std::string& seed, std::size_t header_bytes,
                          const VisitMutant& visit) {
  for (std::size_t size = 0; size < seed.size(); ++size) visit(seed.substr(0, size));
  for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
    std::string mutant = seed;
    mutant[bit / 8] = static_cast<char>(mutant[bit / 8] ^ 1 << bit % 8);
    visit(mutant);
  }
}

void visit_fields(const std::string& seed, const std::vector<IntegerField>& fields,
                  const Replace& replace, const VisitMutant& visit) {
  for (const IntegerField& field : fields) {
    const std::uint64_t size = seed.size(), left = size - field.offset - field.size;
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{INT32_MAX}, std::uint64_t{1} << 31,
          std::uint64_t{UINT32_MAX}, std::uint64_t{1} << 32, std::uint64_t{INT64_MAX},
          std::uint64_t{1} << 63, UINT64_MAX, size - 1, size + 1, left - 1, left + 1})
      visit(replace(seed, {{field, number}}));
  }
}

void visit_pairs(const std::string& seed, const std::vector<IntegerField>& fields,
                 const Replace& replace, const VisitMutant& visit) {
  const std::uint64_t worst[] = {0, 1, UINT32_MAX, std::uint64_t{1} << 63, UINT64_MAX};
  for (std::size_t a = 0; a < fields.size(); ++a)
    for (std::size_t b = a + 1; b < fields.size(); ++b)
      for (const std::uint64_t first : worst)
        for (const std::uint64_t second : worst)
          visit(replace(seed, {{fields[a], first}, {fields[b], second}}));
}

void ReaderComparison::check(const std::string& bytes, const std::string& path) {
  if (!some_.takes_next()) return;
  ++num_mutants_;
  std::optional<SlowModel> loaded, expected;
  std::string refusal, rule;
  try {
    loaded = reader_(path);
    ++num_loads_;
  } catch (const ModelFileError& error) {
    refusal = error.what();
    EXPECT_EQ(fault_of_message(refusal), "") << refusal;
  }
  try {
    expected = slow_reader_(bytes);
  } catch (const SlowRefusal& refused) {
    rule = refused.rule;
  }
  if (loaded.has_value() == expected.has_value() && (!loaded || same(*loaded, *expected))) return;
  ++num_disagreements_;
  ADD_FAILURE() << "reader: " << (loaded ? "loaded" : refusal)
                << "\nslow reader: " << (expected ? "loaded" : rule) << "\n"
                << hex(bytes);
}

void ReaderComparison::print(const char* what) const {
  std::printf("%s: %d mutants, %d of them files too, %d disagreements\n", what, num_mutants_,
              num_loads_, num_disagreements_);
}

std::string fault_of_message(const std::string& message) {
  if (message.size() > 300) return "longer than 300 characters";
  if (std::ranges::any_of(message,
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return "with control bytes";
  static const std::regex form("[^]*: (byte [0-9]+: )?[^]+ = [^]+; allowed: [^]+");
  return std::regex_match(message, form)
             ? ""
             : "not of the form FILE: [byte N: ]FIELD = FOUND; allowed: ...";
}

}  // namespace speclab::testing
