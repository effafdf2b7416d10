// Damaged indices of shards: an error of the right type and form, or the tensors that an
// independent slow reader finds in those shards.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/safetensors_writer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/slow_json.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

class CheckpointIndexMutants : public ::testing::Test {
 protected:
  CheckpointIndexMutants() {
    folder_.file("config.json", "{}");
    for (const auto& [shard, tensor, value] :
         {Shard{"1.safetensors", "a", 1.0F}, Shard{"2.safetensors", "b", 2.0F},
          Shard{"3.safetensors", "ab", 3.0F}}) {
      const std::vector<float> values{value};
      const TensorToWrite tensors[] = {{tensor, {1}, values}};
      write_safetensors(folder_.path(shard), tensors);
    }
  }

  struct Shard {
    const char *name, *tensor;
    float value;
  };

  void check(const std::string& text) {
    if (!some_.takes_next()) return;
    ++num_mutants_;
    std::ofstream(folder_.path("model.safetensors.index.json"), std::ios::binary) << text;
    try {
      const CheckpointFolder checkpoint = CheckpointFolder::open(folder_.path());
      ++num_loads_;
      expect_same(read_json_slowly(text, 64), checkpoint);
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what() << "\n" << text;
    } catch (const SlowRefusal& refusal) {
      FAIL() << "accepted against the rule '" << refusal.rule << "': " << text;
    }
    ASSERT_FALSE(HasFailure()) << text;
  }

  /// Every tensor of the map is the one of its shard, and no other shard was opened.
  void expect_same(const SlowJson& index, const CheckpointFolder& checkpoint) {
    const SlowJson* map = index.find("weight_map");
    ASSERT_NE(map, nullptr);
    std::set<std::string> shards;
    for (std::size_t i = 0; i < map->keys.size(); ++i) {
      const std::string& shard = map->items[i].text;
      shards.insert(folder_.path(shard));
      ASSERT_TRUE(shard == "1.safetensors" || shard == "2.safetensors" || shard == "3.safetensors")
          << shard;
      EXPECT_TRUE(map->keys[i] == "a" || map->keys[i] == "b" || map->keys[i] == "ab")
          << map->keys[i];
      EXPECT_EQ(checkpoint.read_float32(map->keys[i]),
                std::vector<float>{map->keys[i] == "a"   ? 1.0F
                                   : map->keys[i] == "b" ? 2.0F
                                                         : 3.0F});
    }
    const std::vector<std::string> paths = checkpoint.weight_paths();
    EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()), shards);
  }

  TemporaryFolder folder_{memory_folder()};
  EveryNth some_ = some_mutants();
  int num_mutants_ = 0, num_loads_ = 0;
};

TEST_F(CheckpointIndexMutants, GiveATypedErrorOrTheTensorsOfTheSlowReader) {
  for (const std::string seed :
       {R"({"metadata":{"total_size":12},"weight_map":{"a":"1.safetensors","b":"2.safetensors",)"
        R"("ab":"3.safetensors"}})",
        R"({"weight_map" : {"b" : "2.safetensors", "a" : "1.safetensors"} })",
        R"({"weight_map":{"ab":"3.safetensors"}})"}) {
    check(seed);
    const auto visit = [&](const std::string& text) { check(text); };
    visit_cuts_and_flips(seed, seed.size(), visit);
    for (std::size_t at = 0; at < seed.size(); ++at)
      for (int byte = 0; byte < 256; byte += at % 2 == 0 ? 1 : 3) {
        std::string mutant = seed;
        mutant[at] = static_cast<char>(byte);
        check(mutant);
      }
  }
  std::printf("indices of shards: %d mutants, %d loads\n", num_mutants_, num_loads_);
  EXPECT_GE(num_mutants_, share_of(20000));
  EXPECT_GE(num_loads_, share_of(100)) << "agreement is about loads as well";
}

}  // namespace
}  // namespace speclab::engines
