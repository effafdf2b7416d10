#pragma once
// Makes SentencePiece's file by hand.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace speclab::testing {

struct MadePiece {
  std::string text;
  float score;
  int type;
};

inline std::string proto_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
inline std::string proto_bytes(std::uint64_t field, const std::string& bytes) {
  return proto_varint(field << 3 | 2) + proto_varint(bytes.size()) + bytes;
}
inline std::string proto_number(std::uint64_t field, std::uint64_t value) {
  return proto_varint(field << 3) + proto_varint(value);
}

/// @param model_type  1 Unigram, 2 BPE
inline std::string sentencepiece_bytes(const std::vector<MadePiece>& pieces,
                                       std::uint64_t model_type) {
  std::string bytes;
  for (const MadePiece& piece : pieces) {
    std::string score(sizeof piece.score, '\0');
    std::memcpy(score.data(), &piece.score, sizeof piece.score);
    bytes += proto_bytes(1, proto_bytes(1, piece.text) + proto_varint(2 << 3 | 5) + score +
                                proto_number(3, static_cast<std::uint64_t>(piece.type)));
  }
  return bytes + proto_bytes(2, proto_number(3, model_type) + proto_number(42, 1)) +
         proto_bytes(3, proto_bytes(1, "identity") + proto_number(3, 1) + proto_number(4, 0));
}

}  // namespace speclab::testing
