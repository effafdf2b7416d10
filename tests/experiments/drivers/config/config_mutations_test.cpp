// The project's configs, damaged at random: never a crash, always a place or a config.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/config/train_config.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using Rng = std::mt19937_64;

std::size_t below(Rng& rng, std::size_t count) { return static_cast<std::size_t>(rng() % count); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

const std::vector<std::string> kPieces{"[",
                                       "]",
                                       "[[",
                                       "\"",
                                       "'",
                                       "\"\"\"",
                                       "=",
                                       ",",
                                       "{",
                                       "}",
                                       ".",
                                       "#",
                                       "\n",
                                       "nan",
                                       "inf",
                                       "-1",
                                       "1e999",
                                       "true",
                                       "99999999999999999999",
                                       "\xff",
                                       "\xc3",
                                       "\x01",
                                       "\t",
                                       "[[zip]]\n",
                                       "[[exclude]]\n",
                                       "include = \"x\"\n",
                                       "seed = 1\n",
                                       "\xef\xbb\xbf",
                                       "0x",
                                       "1979-05-27"};

std::string mutated(std::string text, Rng& rng) {
  std::vector<std::string> lines = lines_of(text);
  switch (below(rng, 6)) {
    case 0:
      text[below(rng, text.size())] = static_cast<char>(rng() & 0xff);
      return text;
    case 1:
      return text.erase(below(rng, text.size()), 1 + below(rng, 8));
    case 2:
      return text.insert(below(rng, text.size()), kPieces[below(rng, kPieces.size())]);
    case 3:
      std::swap(lines[below(rng, lines.size())], lines[below(rng, lines.size())]);
      return joined(lines);
    case 4:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(rng, lines.size())),
                   lines[below(rng, lines.size())]);
      return joined(lines);
    default:
      return text.substr(0, below(rng, text.size()));
  }
}

struct Sample {
  std::string text;
  bool trains = false;
};

std::vector<Sample> real_configs() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(SPECLAB_SOURCE_DIR "/experiments/configs"))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<Sample> samples;
  for (const std::string& path : paths)
    samples.push_back({read_file(path), path.find("/train_") != std::string::npos});
  return samples;
}

/// What a damaged config gives: "" for a valid one, else the message. A training's prompt lists are
/// elsewhere then, which is said of them.
std::string outcome(const std::string& path, bool trains) {
  try {
    if (trains)
      read_train_config(path);
    else
      read_run_config(path, {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool has_place(const std::string& message, const std::string& path) {
  return message.starts_with(path + ":") && message.size() > path.size() + 1 &&
         std::isdigit(static_cast<unsigned char>(message[path.size() + 1]));
}

TEST(ConfigMutations, AThousandAreRefusedWithAPlaceOrAreConfigs) {
  const testing::TemporaryFolder folder;
  make_folder(folder.path("configs"));
  make_folder(folder.path("prompts"));
  for (const char* name : {"train", "train_wide"})
    folder.file(std::string("prompts/") + name + ".toml",
                "templates = [\"Say {topic}.\"]\ntopics = [\"tea\"]\n");
  const std::vector<Sample> samples = real_configs();
  ASSERT_GE(samples.size(), 13u);
  Rng rng(20240601);
  int refused = 0, accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    const Sample& sample = samples[below(rng, samples.size())];
    std::string text = sample.text;
    for (std::size_t k = 1 + below(rng, 3); k-- > 0 && !text.empty();) text = mutated(text, rng);
    const std::string path = folder.file("configs/damaged.toml", text),
                      message = outcome(path, sample.trains);
    (message.empty() ? accepted : refused) += 1;
    const bool is_about_prompts = message.starts_with(folder.path("configs/../prompts")) ||
                                  message.find("cannot read") != std::string::npos;
    EXPECT_TRUE(message.empty() || has_place(message, path) || (sample.trains && is_about_prompts))
        << text << "\n-> " << message;
  }
  EXPECT_GT(refused, 300) << "the mutations reach the checks";
  EXPECT_GT(accepted, 50) << "the mutations are not all gross";
  RecordProperty("refused", refused);
}

}  // namespace
}  // namespace speclab::experiments
