#include "engines/tokenizers/surroundings.h"

#include <algorithm>

#include "engines/formats/input_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void set_presence(bool is_wanted, Token token, std::vector<Token>& tokens, bool is_before) {
  const bool is_there = std::ranges::count(tokens, token) > 0;
  if (is_wanted && !is_there) tokens.insert(is_before ? tokens.begin() : tokens.end(), token);
  if (!is_wanted) std::erase(tokens, token);
}

/// Where no file names the token, the class that transformers would take does, and the
/// post-processor is its work.
void require_token(const FolderTokens& told, const std::string& role, const char* key) {
  for (const SpecialTokenText& text : told.texts)
    if (text.role == role)
      throw_model_file_error(told.folder, 0,
                             {text.found_in, "'" + escaped(text.text, 40) + "', which is no token",
                              std::string("a token, as ") + key + " is true"});
}

}  // namespace

void set_surroundings(const Surroundings& around, const FolderTokens& told, TokenRoles& roles) {
  roles.before = around.before;
  roles.after = around.after;
  if (told.add_begin.value_or(false) && !roles.begin)
    require_token(told, "bos_token", "add_bos_token");
  if (told.add_end.value_or(false) && !roles.end) require_token(told, "eos_token", "add_eos_token");
  if (told.add_begin && roles.begin)
    set_presence(*told.add_begin, *roles.begin, roles.before, true);
  if (told.add_end && roles.end) set_presence(*told.add_end, *roles.end, roles.after, false);
}

}  // namespace speclab::engines
