#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// A token at which a text ends.
struct EndToken {
  Token id = 0;
  std::string found_in;  ///< file and field: "generation_config.json: eos_token_id"
};

/// The text of a token that has a part to play.
struct SpecialTokenText {
  std::string
      role;  ///< as transformers names it: "bos_token", "eos_token", "unk_token", "pad_token"
  std::string text;
  std::string found_in;
};

struct TemplateSource {
  std::string name;    ///< "default", "tool_use", ...
  std::string source;  ///< Jinja text
  std::string found_in;
};

/// All that the files of a model say about its special tokens.
struct TokenRoles {
  std::string kind;  ///< of the tokenizer: "byte-level BPE", "BPE", "Unigram"
  std::vector<EndToken> ends;
  std::optional<Token> begin, end;        ///< bos_token and eos_token of the tokenizer itself
  std::vector<SpecialTokenText> texts;    ///< each role once
  std::vector<TemplateSource> templates;  ///< each name once, "default" first
  std::vector<Token> before, after;       ///< what a whole text without a chat template gets
};

}  // namespace speclab::engines
