#include <nlohmann/json.hpp>

#include "engines/tokenizers/bpe_merger.h"
#include "engines/tokenizers/json_steps.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kMostSurrounding = 100;

class PostProcessorReader {
 public:
  PostProcessorReader(const std::function<Token(const std::string&)>& id_of, std::int64_t most_id)
      : id_of_(id_of), most_id_(most_id) {}

  void add(const JsonNode& node) {
    const std::string& type = node.at("type").as_string();
    if (type == "ByteLevel") return;  // says what the places of tokens are, which nobody asks here
    if (type == "Sequence") {
      for (const JsonNode& step : node.at("processors").elements()) add(step);
      return;
    }
    if (type == "TemplateProcessing") {
      add_template(node);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      read_.before.insert(read_.before.begin(), id_of_pair(node.at("cls")));
      read_.after.push_back(id_of_pair(node.at("sep")));
    } else {
      node.at("type").fail(
          node.at("type").shown(),
          "ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing, Sequence");
    }
    if (read_.before.size() + read_.after.size() > kMostSurrounding)
      node.fail("more than 100 tokens around a text", "at most 100");
  }

  Surroundings take() { return std::move(read_); }

 private:
  /// ["</s>", 2]
  Token id_of_pair(const JsonNode& node) const {
    const std::vector<JsonNode> parts = node.elements();
    if (parts.size() != 2) node.fail(node.shown(), "a text and an id");
    return static_cast<Token>(parts[1].as_integer(0, most_id_));
  }

  void add_template(const JsonNode& node) {
    const JsonNode single = node.at("single");
    std::vector<Token> before, after;
    bool has_text = false;
    for (const JsonNode& part : single.elements()) {
      if (part.find("Sequence")) {
        if (has_text) single.fail("the text twice", "the text once");
        has_text = true;
        continue;
      }
      for (const Token id : ids_of(node, part.at("SpecialToken").at("id")))
        (has_text ? after : before).push_back(id);
    }
    if (!has_text) single.fail("no text", "special tokens around the text");
    read_.before.insert(read_.before.begin(), before.begin(), before.end());
    read_.after.insert(read_.after.end(), after.begin(), after.end());
  }

  /// Ids from the template's own table, or from the vocabulary where it has none.
  std::vector<Token> ids_of(const JsonNode& node, const JsonNode& name) const {
    if (const auto table = node.find("special_tokens"))
      if (const auto entry = table->find(name.as_string())) {
        std::vector<Token> ids;
        for (const JsonNode& id : entry->at("ids").elements())
          ids.push_back(static_cast<Token>(id.as_integer(0, most_id_)));
        return ids;
      }
    const Token id = id_of_(name.as_string());
    if (id == kNoToken) name.fail(name.shown(), "a token of the vocabulary");
    return {id};
  }

  const std::function<Token(const std::string&)>& id_of_;
  std::int64_t most_id_;
  Surroundings read_;
};

}  // namespace

Surroundings json_post_processor(const JsonNode& node,
                                 const std::function<Token(const std::string&)>& id_of,
                                 std::int64_t most_id) {
  PostProcessorReader reader(id_of, most_id);
  reader.add(node);
  return reader.take();
}

}  // namespace speclab::engines
