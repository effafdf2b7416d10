#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::experiments {

/// Prints text as it becomes complete; nothing from a stop string on, and no end-of-sequence
/// tokens.
class TextStream {
 public:
  /// @param tokenizer  null where the model has none: then there is no text
  /// @param echo       whether anything is printed
  TextStream(const engines::Tokenizer* tokenizer, const std::vector<std::string>& stop_strings,
             bool echo);

  void push(std::span<const Token> tokens);
  /// The whole text.
  const std::string& finish();

 private:
  void cut_at_stop_string();
  std::size_t held_back() const;
  void print(std::size_t end);

  const engines::Tokenizer* tokenizer_;
  std::unique_ptr<engines::StreamingDecoder> decoder_;
  std::vector<std::string> stop_strings_;
  bool echo_;
  std::string text_;
  std::size_t printed_ = 0;
};

}  // namespace speclab::experiments
