#include "engines/tokenizers/folder_tokens.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/tokenizers/json_parts.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kMaxTokenBytes = 1 << 16;

/// Names of roles that have one token. @source transformers, SPECIAL_TOKENS_ATTRIBUTES
constexpr const char* kRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                  "pad_token", "cls_token", "mask_token"};

std::optional<bool> told_flag(const JsonNode& node, const char* key) {
  const auto value = node.find(key);
  return value ? std::optional(value->as_bool()) : std::nullopt;
}

/// A token is named by its text, or by an object that holds it.
const std::string& text_of(const JsonNode& node) {
  const JsonNode content = node.is_string() ? node : node.at("content");
  if (content.as_string().size() > kMaxTokenBytes)
    content.fail(std::to_string(content.as_string().size()) + " bytes",
                 "at most " + std::to_string(kMaxTokenBytes));
  return content.as_string();
}

AddedToken added_token(const JsonNode& node, bool is_special) {
  AddedToken token{.id = -1, .text = text_of(node), .special = is_special};
  if (node.is_string()) return token;
  token.special = told_flag(node, "special").value_or(is_special);
  read_options(node, token);
  return token;
}

class FolderReader {
 public:
  explicit FolderReader(std::string folder) : folder_(std::move(folder)) {}

  FolderTokens read() {
    told_.folder = folder_;
    with_file("generation_config.json", [&](const JsonNode& root) { read_ends(root); });
    with_file("config.json", [&](const JsonNode& root) { read_model_config(root); });
    with_file("tokenizer_config.json", [&](const JsonNode& root) { read_config(root); });
    with_file("special_tokens_map.json", [&](const JsonNode& root) { read_texts(root); });
    with_file("added_tokens.json", [&](const JsonNode& root) { read_added(root); });
    told_.templates = chat_templates_of(folder_);
    return std::move(told_);
  }

 private:
  template <typename Read>
  void with_file(const std::string& name, Read read) {
    const std::string path = folder_.empty() ? name : folder_ + "/" + name;
    if (!is_file(path)) return;
    file_ = name;
    const nlohmann::json json = read_json_file(path);
    read(JsonNode(json, path));
  }

  std::string field(const std::string& name) const { return file_ + ": " + name; }

  /// A list of ids, one id, or -1 for none.
  void read_ends(const JsonNode& root) {
    const auto ends = root.find("eos_token_id");
    if (!ends) return;
    const std::vector<JsonNode> ids =
        ends->is_array() ? ends->elements() : std::vector<JsonNode>{*ends};
    for (const JsonNode& id : ids)
      if (const auto token = id.as_integer(-1, INT32_MAX); token >= 0)
        told_.ends.push_back({static_cast<Token>(token), field("eos_token_id")});
  }

  /// Models that see pictures keep the words of their text part apart.
  void read_model_config(const JsonNode& root) {
    auto text = root.find("text_config");
    if (text && !text->value().is_object()) text.reset();
    read_rows(root);
    if (text) read_rows(*text);
    if (told_.ends.empty()) read_ends(root);
    if (told_.ends.empty() && text) read_ends(*text);
  }

  /// A size that is no number is for the reader of the weights to refuse.
  void read_rows(const JsonNode& root) {
    const auto rows = root.find("vocab_size");
    if (rows && rows->value().is_number_integer() && !told_.num_rows)
      told_.num_rows = rows->as_integer(0, INT32_MAX);
  }

  void read_config(const JsonNode& root) {
    if (const auto added = root.find("added_tokens_decoder")) {
      for (const std::string& id : added->keys()) {
        ToldToken told{added_token(added->at(id), false), field("added_tokens_decoder")};
        told.token.id = id_of_key(*added, id);
        told_.added.push_back(std::move(told));
      }
      std::ranges::stable_sort(told_.added, {}, [](const ToldToken& t) { return t.token.id; });
    }
    told_.add_begin = told_flag(root, "add_bos_token");
    told_.add_end = told_flag(root, "add_eos_token");
    told_.add_prefix_space = told_flag(root, "add_prefix_space");
    told_.is_legacy = told_flag(root, "legacy");
    read_texts(root);
  }

  static Token id_of_key(const JsonNode& added, const std::string& key) {
    const bool is_number =
        !key.empty() && key.size() <= 9 && key.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) added.at(key).fail("key '" + escaped(key, 40) + "'", "ids as keys");
    return static_cast<Token>(std::stol(key));
  }

  void read_texts(const JsonNode& root) {
    for (const char* role : kRoles) {
      const auto node = root.find(role);
      const bool is_known = std::ranges::count(told_.texts, role, &SpecialTokenText::role) > 0;
      if (!node || is_known || node->value().is_boolean()) continue;
      told_.texts.push_back({role, text_of(*node), field(role)});
      add_special(*node, role);
    }
    if (const auto more = root.find("additional_special_tokens"); more && more->is_array())
      for (const JsonNode& node : more->elements()) add_special(node, "additional_special_tokens");
  }

  void add_special(const JsonNode& node, const char* name) {
    AddedToken token = added_token(node, true);
    token.special = true;
    if (node.is_string() || !node.find("normalized")) token.normalized = false;
    if (!token.text.empty()) told_.added.push_back({std::move(token), field(name)});
  }

  void read_added(const JsonNode& root) {
    for (const std::string& text : root.keys()) {
      AddedToken token{.id = -1, .text = text, .special = false, .normalized = true};
      token.id = static_cast<Token>(root.at(text).as_integer(0, INT32_MAX));
      if (!text.empty()) told_.added.push_back({std::move(token), file_});
    }
  }

  std::string folder_, file_;
  FolderTokens told_;
};

/// Without the number of the model's rows any end may be one of them.
void check_ends(const FolderTokens& told, std::size_t num_tokens) {
  if (!told.num_rows) return;
  const std::int64_t num_ids = std::max(static_cast<std::int64_t>(num_tokens), *told.num_rows);
  for (const EndToken& end : told.ends)
    if (end.id >= num_ids)
      throw_model_file_error(
          told.folder, 0,
          {end.found_in, std::to_string(end.id), "0 to " + std::to_string(num_ids - 1)});
}

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

bool is_file(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

void read_options(const JsonNode& node, AddedToken& token) {
  token.normalized = node.flag_or("normalized", !token.special);
  token.single_word = node.flag_or("single_word", false);
  token.lstrip = node.flag_or("lstrip", false);
  token.rstrip = node.flag_or("rstrip", false);
}

FolderTokens read_folder_tokens(const std::string& folder) { return FolderReader(folder).read(); }

TokenRoles roles_of(const FolderTokens& told, std::size_t num_tokens,
                    const std::function<Token(const std::string&)>& id_of) {
  check_ends(told, num_tokens);
  TokenRoles roles;
  roles.ends = told.ends;
  roles.texts = told.texts;
  roles.templates = told.templates;
  for (const SpecialTokenText& text : told.texts) {
    const Token id = id_of(text.text);
    if (id == kNoToken) continue;
    if (text.role == "bos_token") roles.begin = id;
    const bool is_known = std::ranges::count(roles.ends, id, &EndToken::id) > 0;
    if (text.role == "eos_token") roles.end = id;
    if (text.role == "eos_token" && !is_known) roles.ends.push_back({id, text.found_in});
  }
  return roles;
}

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
