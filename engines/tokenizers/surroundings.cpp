#include "engines/tokenizers/surroundings.h"

#include <algorithm>

namespace speclab::engines {
namespace {

void set_presence(bool is_wanted, Token token, std::vector<Token>& tokens, bool is_before) {
  const bool is_there = std::ranges::count(tokens, token) > 0;
  if (is_wanted && !is_there) tokens.insert(is_before ? tokens.begin() : tokens.end(), token);
  if (!is_wanted) std::erase(tokens, token);
}

}  // namespace

void set_surroundings(const Surroundings& around, const FolderTokens& told, TokenRoles& roles) {
  roles.before = around.before;
  roles.after = around.after;
  if (told.add_begin && roles.begin)
    set_presence(*told.add_begin, *roles.begin, roles.before, true);
  if (told.add_end && roles.end) set_presence(*told.add_end, *roles.end, roles.after, false);
}

}  // namespace speclab::engines
