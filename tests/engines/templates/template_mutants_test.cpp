// Damaged templates end: with a text or with an error that has a line, in bounded time and memory.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <sstream>

#include "tests/engines/templates/template_cases.h"
#include "tests/support/test_size.h"

namespace speclab::testing {
namespace {

std::vector<std::string> family_sources() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(golden_template_path("families")))
    if (entry.path().extension() == ".jinja") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> sources;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    sources.push_back(text.str());
  }
  return sources;
}

/// Pieces whose loss, doubling or exchange leaves something that is nearly a template.
constexpr std::string_view kPieces[] = {
    "{%",     "%}",         "{{",        "}}",          "-%}",       "{%-",
    "(",      ")",          "[",         "]",           "|",         ".",
    ":",      "'",          "\"",        " in ",        " if ",      " else ",
    "endif",  "endfor",     "loop",      "messages",    "not ",      "==",
    "+",      "~",          "range(99)", "loop.index0", "* 9999999", "|tojson(indent=9)",
    "[::-1]", "is defined", "recursive", "set "};

class Mutation {
 public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  std::string of(const std::string& source, const std::string& other) {
    std::string text = source;
    for (std::size_t times = 1 + below(3); times > 0; --times) change(text, other);
    return text;
  }

 private:
  std::size_t below(std::size_t end) {
    return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  void change(std::string& text, const std::string& other) {
    const std::size_t at = below(text.size() + 1);
    const std::string piece(kPieces[below(std::size(kPieces))]);
    switch (below(6)) {
      case 0:
        text.erase(at, 1 + below(20));
        return;
      case 1:
        text.insert(at, piece);
        return;
      case 2:
        if (const std::size_t found = text.find(piece, at); found != text.npos)
          text.erase(found, piece.size());
        return;
      case 3:
        if (const std::size_t found = text.find(piece, at); found != text.npos)
          text.replace(found, piece.size(), kPieces[below(std::size(kPieces))]);
        return;
      case 4:
        text.insert(at, text.substr(below(text.size() + 1), below(200)));
        return;
      default:
        text.insert(at, other.substr(below(other.size() + 1), below(200)));
    }
  }

  std::mt19937 random_;
};

Json conversation(const char* name) {
  std::ifstream file(golden_template_path("conversations.json"));
  const Json all = Json::parse(file);
  Json variables = all["special"];
  variables.update(all["conversations"][name]);
  if (variables.contains("tools")) variables["tools"] = all["tools"]["rich"];
  return variables;
}

/// Defect: a damaged template crashes the renderer, or keeps it busy without end.
TEST(TemplateMutants, EndInBoundedTime) {
  const std::vector<std::string> sources = family_sources();
  const Json variables = conversation("tools");
  const int count = by_size(500, 3000, 40000);
  int num_texts = 0;
  double slowest = 0;
  for (int i = 0; i < count; ++i) {
    Mutation mutation(static_cast<unsigned>(i));
    const std::string& source = sources[static_cast<std::size_t>(i) % sources.size()];
    const auto begin = std::chrono::steady_clock::now();
    const Json found = outcome_of(
        mutation.of(source, sources[static_cast<std::size_t>(7 * i + 3) % sources.size()]),
        variables);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, took.count());
    num_texts += found.contains("text");
    EXPECT_NE(found.value("message", "some"), "");
  }
  std::printf("%d of %d damaged templates rendered; the slowest took %.3f s\n", num_texts, count,
              slowest);
  EXPECT_GT(num_texts, count / 20);
  EXPECT_LT(num_texts, count);
}

/// Defect: a template that is cut short somewhere crashes the parser.
TEST(TemplateMutants, CutsAreErrorsOrTexts) {
  const std::vector<std::string> sources = family_sources();
  const Json variables = conversation("plain");
  const auto stride = static_cast<std::size_t>(by_size(397, 61, 3));
  std::size_t num_syntax = 0, num_all = 0;
  for (const std::string& source : sources)
    for (std::size_t size = 0; size < source.size(); size += stride, ++num_all)
      num_syntax += outcome_of(source.substr(0, size), variables).value("error", "") == "syntax";
  EXPECT_GT(num_syntax, num_all / 2);
}

}  // namespace
}  // namespace speclab::testing
