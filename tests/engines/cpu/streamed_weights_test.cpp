// Weights that are read at every forward: the logits of weights in memory, bit for bit; limits and
// files that change are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/stream_plan.h"
#include "engines/families/catalogue.h"
#include "sim/system/errors.h"
#include "tests/engines/families/family_models.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using cpu::NumberForms;
using cpu::ProductKind;
using cpu::WeightChoice;
using speclab::testing::FamilyFixture;
using testing::FamilyFolder;

NumberForms with_limit(NumberForms numbers, std::int64_t limit) {
  numbers.resident_bytes = limit;
  return numbers;
}

std::unique_ptr<cpu::DecoderCpu> load(const ModelSource& source, const NumberForms& numbers) {
  return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights, numbers,
                                           std::make_shared<cpu::ThreadTeam>(2));
}

std::string refusal(const ModelSource& source, const NumberForms& numbers) {
  try {
    load(source, numbers);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// The smallest limit, as the refusal of a smaller one names it.
std::int64_t smallest_limit(const ModelSource& source, const NumberForms& numbers) {
  const std::string message = refusal(source, with_limit(numbers, 1));
  const std::size_t at = message.rfind(' ');
  EXPECT_TRUE(message.find("allowed: at least ") != std::string::npos) << message;
  return at == std::string::npos ? 0 : std::stoll(message.substr(at));
}

/// A forward of rows without logits between, so that the head's pieces are passed over once.
std::vector<std::vector<float>> logits_of(LanguageModel& model, std::span<const Token> text) {
  std::vector<std::vector<float>> logits = testing::logits_of(model, text);
  const auto cache = model.make_cache(1, 64);
  const std::int32_t slot = cache->begin();
  std::vector<ForwardRow> silent = testing::chain_rows(text.first(2), slot, 0);
  for (ForwardRow& row : silent) row.wants_logits = false;
  model.forward(silent, *cache);
  cache->commit(slot, std::vector<std::int32_t>{0, 1});
  for (std::size_t i = 2; i < text.size(); ++i)
    logits.push_back(testing::commit_all(model, *cache, slot, text.subspan(i, 1)).front());
  return logits;
}

/// Fixtures with experts, transposed matrices, or sizes that are no whole vectors.
bool cannot_be_streamed(const FamilyFixture& family) {
  const bool is_odd = family.name.ends_with("odd") || family.name == "gpt_neox_sequential",
             is_gpt2 = family.name.starts_with("gpt2");
  return is_odd || is_gpt2 || family.name.starts_with("mixtral") ||
         family.name.starts_with("qwen3_moe");
}

/// A checkpoint of the target whose tensors have the element type of the products.
class StoredFolder {
 public:
  StoredFolder(const FamilyFixture& family, cpu::ElementType type)
      : folder_(speclab::testing::memory_folder()) {
    using speclab::testing::WeightType;
    speclab::testing::write_family_folder(
        family, family.target, folder_.path(),
        {.type = type == cpu::ElementType::float32 ? WeightType::float32 : WeightType::bfloat16});
  }
  std::string path() const { return folder_.path(); }

 private:
  speclab::testing::TemporaryFolder folder_;
};

class StreamedFamily : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(, StreamedFamily, ::testing::ValuesIn(speclab::testing::family_names()),
                         [](const auto& named) { return named.param; });

// Catches a row at a wrong place of a buffer, a buffer that is read over while it is used, and a
// piece that is skipped. Models that cannot be streamed are refused, and never run otherwise.
TEST_P(StreamedFamily, HasTheLogitsOfWeightsInMemory) {
  const FamilyFixture family = speclab::testing::read_family(GetParam());
  const std::vector<Token> text = testing::text_of(family);
  for (const cpu::ElementType type : {cpu::ElementType::float32, cpu::ElementType::bfloat16}) {
    const StoredFolder folder(family, type);
    const ModelSource source = open_model(folder.path());
    const std::string message = refusal(source, with_limit(type, 1));
    const bool is_refused = message.find("allowed: a dense model") != std::string::npos;
    EXPECT_EQ(is_refused, cannot_be_streamed(family)) << message;
    if (is_refused) continue;
    const std::int64_t limit = smallest_limit(source, type);
    const auto streamed = load(source, with_limit(type, limit)), plain = load(source, type);
    // Both layers of opt_350m are nearly the whole model, so it fits where two layers do.
    EXPECT_EQ(streamed->info().streamed_bytes > 0, family.name != "opt_350m");
    EXPECT_EQ(logits_of(*streamed, text), logits_of(*plain, text));
    EXPECT_EQ(load(source, with_limit(type, std::int64_t{1} << 40))->info().streamed_bytes, 0);
  }
}

// Catches low-bit columns that are packed otherwise from the stream than at loading, in steps, in a
// prompt of more than 24 rows, and with some layers in memory.
TEST(StreamedWeightsTest, InLowBitFormsHaveTheLogitsOfWeightsInMemory) {
  const ModelSource source = open_model("smollm2-135m");
  std::vector<Token> text;
  for (Token token = 100; token < 3000; token += 100) text.push_back(token);
  for (const ProductKind kind : {ProductKind::exact, ProductKind::int8}) {
    const NumberForms numbers(WeightChoice::file, kind);
    const auto expected = testing::logits_of(*load(source, numbers), text);
    for (const std::int64_t limit : {9'000'000, 60'000'000}) {
      const auto streamed = load(source, with_limit(numbers, limit));
      EXPECT_GT(streamed->info().streamed_bytes, 0);
      EXPECT_EQ(testing::logits_of(*streamed, text), expected) << limit;
      EXPECT_EQ(testing::logits_of(*streamed, std::span(text).first(3)),
                std::vector(expected.begin(), expected.begin() + 3));
    }
  }
}

TEST(StreamedWeightsTest, RefusesModelsWithoutRowsInAFile) {
  const DecoderShape shape = testing::tiny_config();
  ModelSource made{shape, testing::tiny_weights(shape), nullptr};
  EXPECT_NE(refusal(made, with_limit(cpu::ElementType::bfloat16, 1 << 30)).find("in its file"),
            std::string::npos);
  for (const auto& [name, why] :
       {std::pair("mixtral", "experts"), {"gpt2", "stand otherwise"}, {"llama_odd", "a size of"}}) {
    const FamilyFixture family = speclab::testing::read_family(name);
    const FamilyFolder folder(family, family.target);
    EXPECT_NE(refusal(folder.open(), with_limit(cpu::ElementType::bfloat16, 1 << 30)).find(why),
              std::string::npos)
        << name;
  }
}

// Catches a limit that holds less than two layers and is taken, and layers kept beyond the limit.
TEST(StreamedWeightsTest, KeepAsManyLayersAsTheLimitHolds) {
  const ModelSource source = open_model("smollm2-135m");
  const NumberForms numbers(WeightChoice::file, ProductKind::exact);
  const std::int64_t smallest = smallest_limit(source, numbers);
  EXPECT_NE(refusal(source, with_limit(numbers, smallest - 1)), "");
  const auto streamed = [&](std::int64_t limit) {
    return cpu::DecoderCpu::describe(source.config, *source.weights, with_limit(numbers, limit))
        .streamed_bytes;
  };
  const std::int64_t all = streamed(smallest), layer = (all - streamed(smallest + 30'000'000)) / 13;
  EXPECT_NEAR(static_cast<double>(layer), 2.2e6, 0.1e6) << "13 layers in 30 MB more";
  EXPECT_EQ(streamed(200'000'000), 0);
}

// Catches a table that is loaded where the whole model fits, and is not counted.
TEST(StreamedWeightsTest, CountBothTablesOfTheWholeModel) {
  const FamilyFixture family = speclab::testing::read_family("llama");
  const StoredFolder folder(family, cpu::ElementType::float32);
  const ModelSource source = open_model(folder.path());
  std::int64_t values = 0;
  for (const speclab::testing::MadeTensor& tensor : family.tensors)
    values += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                              std::multiplies<>());
  const NumberForms numbers = cpu::ElementType::float32;
  const cpu::MatrixForms forms(source.config, *source.weights, numbers);
  const cpu::StreamPlan plan(source.config, *source.weights, forms, std::int64_t{1} << 40);
  EXPECT_GE(plan.resident_bytes(), values * static_cast<std::int64_t>(sizeof(float)));
}

/// Writes in place, as a careless copy does it.
void change(const std::filesystem::path& path) {
  const auto time = std::filesystem::last_write_time(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x7F');
  file.close();
  std::filesystem::last_write_time(path, time + std::chrono::seconds(1));
}

void cut(const std::filesystem::path& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

// Catches text that is made of two files, and threads that wait for a piece that never comes.
TEST(StreamedWeightsTest, OfAFileThatChangesEndWithAnErrorAndStayWithIt) {
  const FamilyFixture family = speclab::testing::read_family("llama");
  const cpu::ElementType type = cpu::ElementType::float32;
  for (const auto spoil : {change, cut}) {
    const FamilyFolder folder(family, family.target);
    const ModelSource source = folder.open();
    const auto model = load(source, with_limit(type, smallest_limit(source, type)));
    const std::vector<Token> text = testing::text_of(family);
    testing::logits_of(*model, text);
    spoil(folder.path() + "/model.safetensors");
    // Pieces that were read before the change may serve one forward more.
    EXPECT_THROW(
        {
          testing::logits_of(*model, text);
          testing::logits_of(*model, text);
        },
        ModelFileError);
    EXPECT_THROW(testing::logits_of(*model, text), ModelFileError);
  }
}

TEST(StreamedWeightsTest, AreNotTakenFromAFileThatWasChangedBefore) {
  const FamilyFixture family = speclab::testing::read_family("llama");
  const cpu::ElementType type = cpu::ElementType::float32;
  const FamilyFolder folder(family, family.target);
  const ModelSource source = folder.open();
  const std::int64_t limit = smallest_limit(source, type);
  change(folder.path() + "/model.safetensors");
  EXPECT_THROW(load(source, with_limit(type, limit)), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
