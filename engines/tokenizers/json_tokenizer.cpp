#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/tokenizers/json_items.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kMaxTemplateBytes = 1 << 20;

// Patterns of Split pre-tokenizers that are known. @source tokenizer.json of Llama 3 and Qwen2
constexpr const char* kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

struct NamedToken {
  std::string text;
  TokenKind kind = TokenKind::unused;
};

bool flag(const JsonNode& node, const char* key, bool missing) {
  const auto value = node.find(key);
  return value ? value->as_bool() : missing;
}

void require_flag(const JsonNode& node, const char* key, bool missing, bool required) {
  if (flag(node, key, missing) != required)
    node.at(key).fail(required ? "false" : "true", required ? "true" : "false");
}

/// One step of the pre-tokenizer in a word: "digits", "bytes", "bytes by GPT-2's pattern", or the
/// name of a known pattern.
std::string step_name(const JsonNode& node) {
  const std::string& type = node.at("type").as_string();
  if (type == "Digits") {
    require_flag(node, "individual_digits", false, true);
    return "digits";
  }
  if (type == "ByteLevel") {
    require_flag(node, "add_prefix_space", true, false);
    return flag(node, "use_regex", true) ? "gpt-2" : "bytes";
  }
  if (type == "Split") {
    const JsonNode pattern = node.at("pattern").at("Regex");
    if (node.at("behavior").as_string() != "Isolated")
      node.at("behavior").fail(node.at("behavior").shown(), "\"Isolated\"");
    require_flag(node, "invert", false, false);
    if (pattern.as_string() == kLlama3Pattern) return "llama-bpe";
    if (pattern.as_string() == kQwen2Pattern) return "qwen2";
    pattern.fail(pattern.shown(), "the patterns of Llama 3 and Qwen2");
  }
  node.at("type").fail(node.at("type").shown(), "Digits, ByteLevel, Split, Sequence");
}

/// The GGUF name of what the steps amount to.
std::string pre_tokenizer_name(const JsonNode& node) {
  static const std::map<std::string, std::string> known = {{"gpt-2 ", "gpt-2"},
                                                           {"digits gpt-2 ", "smollm"},
                                                           {"llama-bpe bytes ", "llama-bpe"},
                                                           {"qwen2 bytes ", "qwen2"}};
  std::string steps;
  if (node.at("type").as_string() == "Sequence") {
    for (const JsonNode& step : node.at("pretokenizers").elements()) steps += step_name(step) + " ";
  } else {
    steps = step_name(node) + " ";
  }
  const auto found = known.find(steps);
  if (found == known.end()) node.fail(steps, "the pre-tokenizers " + known_pre_tokenizers());
  return found->second;
}

void require_plain_bpe(const JsonNode& model) {
  if (const auto type = model.find("type"); type && type->as_string() != "BPE")
    type->fail(type->shown(), "\"BPE\" (byte-level)");
  require_flag(model, "byte_fallback", false, false);
  for (const char* key :
       {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto value = model.find(key);
    if (value && !(value->is_string() && value->as_string().empty()))
      value->fail(value->shown(), "null");
  }
}

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(const std::string& path, const TokenizerLimits& limits)
      : path_(path),
        limits_(limits),
        tokens_read_(make_failure(path), limits.tokens),
        merges_read_(make_failure(path), limits.merges),
        json_(read_json_file(path, {}, sinks())),
        root_(json_, path),
        builder_(make_failure(path)) {}

  std::shared_ptr<const Tokenizer> read() {
    const JsonNode model = root_.at("model");
    if (const auto normalizer = root_.find("normalizer"))
      normalizer->fail(normalizer->shown(), "null (no normalizer)");
    require_plain_bpe(model);
    read_vocabulary(model.at("vocab"));
    read_added_tokens();
    add_tokens();
    if (const JsonNode merges = model.at("merges"); !merges.is_array())
      merges.fail(merges.shown(), "an array");
    merges_read_.add_to(builder_);
    builder_.set_pre_tokenizer("pre_tokenizer", pre_tokenizer_name(root_.at("pre_tokenizer")));
    read_companions();
    if (const auto processor = root_.find("post_processor")) read_post_processor(*processor);
    BpeVocabulary vocabulary = builder_.finish();
    vocabulary.whole_pieces_first = flag(model, "ignore_merges", false);
    return std::make_shared<BpeTokenizer>(std::move(vocabulary));
  }

 private:
  static FieldFailure make_failure(const std::string& path) {
    return [path](const std::string& field, const std::string& found, const std::string& allowed) {
      throw_model_file_error(path, 0, {field, found, allowed});
    };
  }

  JsonSinks sinks() {
    return {{"/model/vocab", [this](const std::string& text,
                                    const nlohmann::json& id) { tokens_read_.add(text, id); }},
            {"/model/merges",
             [this](const std::string&, const nlohmann::json& merge) { merges_read_.add(merge); }}};
  }

  void read_vocabulary(const JsonNode& vocab) {
    const std::vector<JsonTokens::NamedId> members = tokens_read_.take();
    if (!vocab.value().is_object() || members.empty())
      vocab.fail(vocab.shown(), "an object of 1 to " + std::to_string(limits_.tokens) + " tokens");
    id_limit_ = 2 * members.size();
    for (const auto& [text, id] : members)
      set_token(text, vocab_id(vocab, text, id), TokenKind::normal);
  }

  std::size_t vocab_id(const JsonNode& vocab, const std::string& text,
                       const nlohmann::json& id) const {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= id_limit_) {
      vocab.fail("id " + escaped(id.dump(), 40) + " of '" + escaped(text, 40) + "'",
                 "ids below " + std::to_string(id_limit_));
    }
    return id.get<std::size_t>();
  }

  void set_token(const std::string& text, std::size_t id, TokenKind kind) {
    if (text.size() > limits_.token_bytes)
      root_.fail("a token of " + std::to_string(text.size()) + " bytes",
                 "at most " + std::to_string(limits_.token_bytes));
    if (id >= tokens_.size()) tokens_.resize(id + 1);
    NamedToken& token = tokens_[id];
    if (token.kind != TokenKind::unused && token.text != text) {
      root_.fail("id " + std::to_string(id) + " for '" + escaped(token.text, 30) + "' and '" +
                     escaped(text, 30) + "'",
                 "one token an id");
    }
    token = {text, kind};
  }

  void read_added_tokens() {
    const auto added = root_.find("added_tokens");
    if (!added) return;
    for (const JsonNode& node : added->elements()) {
      for (const char* key : {"single_word", "lstrip", "rstrip"})
        require_flag(node, key, false, false);
      if (node.at("content").as_string().empty())
        node.at("content").fail("empty", "one or more characters");
      const auto id = static_cast<std::size_t>(
          node.at("id").as_integer(0, static_cast<std::int64_t>(id_limit_) - 1));
      set_token(node.at("content").as_string(), id,
                flag(node, "special", false) ? TokenKind::control : TokenKind::user_defined);
    }
  }

  void add_tokens() {
    for (const NamedToken& token : std::exchange(tokens_, {})) {
      if (token.kind == TokenKind::unused)
        builder_.add_unused_token();
      else
        builder_.add_token(token.text, token.kind);
    }
  }

  /// What is put around a text: nothing, or one token before it.
  void read_post_processor(const JsonNode& node) {
    const std::string& type = node.at("type").as_string();
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      for (const JsonNode& step : node.at("processors").elements()) read_post_processor(step);
      return;
    }
    if (type != "TemplateProcessing")
      node.at("type").fail(node.at("type").shown(), "ByteLevel, TemplateProcessing, Sequence");
    const std::vector<JsonNode> parts = node.at("single").elements();
    if (parts.empty() || parts.size() > 2 || !parts.back().find("Sequence"))
      node.at("single").fail(node.at("single").shown(),
                             "the text, or one special token and the text");
    if (parts.size() == 2)
      builder_.set_begin_of_sequence(
          "post_processor", builder_.find(parts.front().at("SpecialToken").at("id").as_string()));
  }

  /// What stands beside tokenizer.json: the end of sequence and the chat template.
  void read_companions() {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const std::filesystem::path config_path = folder / "tokenizer_config.json";
    if (std::filesystem::exists(config_path)) read_config(config_path.string());
    const std::filesystem::path template_path = folder / "chat_template.jinja";
    if (std::filesystem::exists(template_path))
      builder_.set_chat_template(read_template(template_path.string()));
  }

  /// A token is named by its text, or by an object that holds it.
  static std::string token_text(const JsonNode& token) {
    return token.is_string() ? token.as_string() : token.at("content").as_string();
  }

  void read_config(const std::string& path) {
    const nlohmann::json json = read_json_file(path);
    const JsonNode config(json, path);
    if (const auto end = config.find("eos_token"))
      builder_.add_end_of_sequence("eos_token", builder_.find(token_text(*end)));
    const auto begin = config.find("bos_token");
    if (begin && flag(config, "add_bos_token", false))
      builder_.set_begin_of_sequence("bos_token", builder_.find(token_text(*begin)));
    if (const auto source = config.find("chat_template"); source && source->is_string())
      builder_.set_chat_template(source->as_string());
  }

  static std::string read_template(const std::string& path) {
    const InputFile file(path);
    if (file.size() > kMaxTemplateBytes)
      file.fail(
          0, {"size", std::to_string(file.size()), "at most " + std::to_string(kMaxTemplateBytes)});
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
  }

  std::string path_;
  TokenizerLimits limits_;
  JsonTokens tokens_read_;
  JsonMerges merges_read_;
  nlohmann::json json_;
  JsonNode root_;
  VocabularyBuilder builder_;
  std::size_t id_limit_ = 0;
  std::vector<NamedToken> tokens_;
};

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_json(const std::string& path,
                                                          const TokenizerLimits& limits) {
  return JsonTokenizerReader(path, limits).read();
}

}  // namespace speclab::engines
