#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/rng_stream.h"
#include "sim/core/token.h"

namespace speclab::bench {

inline constexpr std::int32_t kTextVocab = 49'152;

/// Zipf's law of ids; two tokens in three are one of four that like to follow the one before.
inline std::vector<Token> made_up_text(std::size_t size, std::uint64_t seed) {
  const RngStream stream(seed);
  std::vector<Token> text;
  for (std::uint32_t i = 0; i < size; ++i) {
    const double u = stream.uniform({0, i, Purpose::weights, 0}),
                 v = stream.uniform({0, i, Purpose::weights, 1});
    const auto frequent = static_cast<Token>(std::pow(static_cast<double>(kTextVocab), u)) - 1;
    const auto follower = [&](Token before) {
      return static_cast<Token>((std::uint64_t{7919} * static_cast<std::uint64_t>(before) +
                                 static_cast<std::uint64_t>(12 * v) + 1) %
                                8192);
    };
    text.push_back(i > 0 && v < 2.0 / 3 ? follower(text.back()) : frequent);
  }
  return text;
}

/// Sentences of a few that come again and again: prompts that are copied from.
inline std::vector<Token> repetitive_text(std::size_t size) {
  std::vector<Token> text = made_up_text(64, 3);
  const RngStream stream(4);
  for (std::uint32_t i = 0; text.size() < size; ++i) {
    const auto begin = static_cast<std::size_t>(stream.uniform({0, i, Purpose::weights, 0}) *
                                                static_cast<double>(text.size() - 16));
    for (std::size_t k = begin; k < begin + 16 && text.size() < size; ++k) text.push_back(text[k]);
    if (text.size() < size) text.push_back(static_cast<Token>(i % 8192));
  }
  return text;
}

}  // namespace speclab::bench
