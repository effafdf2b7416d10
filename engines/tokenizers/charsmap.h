#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::engines {

/// The table by which SentencePiece normalizes: texts and what takes their place. It comes as a
/// double-array trie and the replacements behind it, each ended by a zero byte.
/// @source SentencePiece's Normalizer and the library darts-clone
class Charsmap {
 public:
  struct Match {
    std::size_t length = 0;  ///< bytes of the text; 0 if nothing matches
    std::string_view replacement;
  };

  /// @param bytes  may be empty: then nothing matches
  /// @param problem  what is wrong with the bytes; the table is empty then
  Charsmap(std::string_view bytes, std::string& problem);

  bool empty() const { return units_.empty(); }
  /// The longest entry that `text` begins with.
  Match longest(std::string_view text) const;
  /// The shortest one.
  Match shortest(std::string_view text) const;

 private:
  template <typename Accept>
  void visit(std::string_view text, Accept accept) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace speclab::engines
