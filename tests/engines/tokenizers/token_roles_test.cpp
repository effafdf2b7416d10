// Ends, begins and special tokens from every file of a folder that carries them.

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <map>

#include "engines/interface/drafter_checks.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/tokenizers/sentencepiece_bytes.h"

namespace speclab::engines {
namespace {

using testing::TemporaryFolder;
using Files = std::map<std::string, std::string>;

/// "a" is 0, "b" 1, "<s>" 2, "</s>" 3, "<turn>" 4, "[P]" 5.
const std::string kTokenizer =
    R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"type":"BPE",)"
    R"("vocab":{"a":0,"b":1,"<s>":2,"</s>":3,"<turn>":4,"[P]":5},"merges":[]}})";

std::shared_ptr<const Tokenizer> load_beside(const Files& files) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : files) folder.file(name, text);
  return load_tokenizer_from_json(folder.file("tokenizer.json", kTokenizer));
}

std::vector<Token> ends(const Files& files) {
  std::vector<Token> ids;
  const auto tokenizer = load_beside(files);
  for (const EndToken& end : tokenizer->roles().ends) ids.push_back(end.id);
  return ids;
}

using Ids = std::vector<Token>;

/// Defect: a text goes on behind an end that only generation_config.json or config.json names.
TEST(TokenRoles, TakeEndsFromGenerationConfigThenFromConfigThenFromTheTokenizer) {
  const std::string generation = R"({"eos_token_id":[4,3]})", config = R"({"eos_token_id":2})",
                    tokenizer = R"({"eos_token":"</s>"})";
  EXPECT_EQ(ends({}), Ids{});
  EXPECT_EQ(ends({{"tokenizer_config.json", tokenizer}}), Ids{3});
  EXPECT_EQ(ends({{"config.json", config}, {"tokenizer_config.json", tokenizer}}), (Ids{2, 3}));
  EXPECT_EQ(ends({{"generation_config.json", generation}, {"config.json", config}}), (Ids{4, 3}));
  EXPECT_EQ(ends({{"generation_config.json", "{}"}, {"config.json", config}}), Ids{2});
  EXPECT_EQ(ends({{"config.json", R"({"text_config":{"eos_token_id":4}})"}}), Ids{4});
  EXPECT_EQ(ends({{"config.json", R"({"eos_token_id":-1})"}}), Ids{}) << "-1 is none";
  EXPECT_EQ(ends({{"config.json", R"({"eos_token_id":700})"}}), Ids{700})
      << "models have more rows than tokens";
}

/// Defect: an end that neither tokenizer nor model has is accepted, or one in the padding is not.
TEST(TokenRoles, RefuseEndsBeyondTokensAndRows) {
  const auto config = [](int rows, int end) {
    return R"({"vocab_size":)" + std::to_string(rows) + R"(,"eos_token_id":[)" +
           std::to_string(end) + "]}";
  };
  EXPECT_EQ(ends({{"config.json", config(8, 7)}}), Ids{7});
  EXPECT_EQ(ends({{"config.json", config(3, 5)}}), Ids{5}) << "a token that the model lacks";
  EXPECT_THROW(ends({{"config.json", config(8, 8)}}), ModelFileError);
  try {
    ends({{"config.json", R"({"text_config":{"vocab_size":8}})"},
          {"generation_config.json", R"({"eos_token_id":99999})"}});
    ADD_FAILURE() << "taken";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("generation_config.json: eos_token_id = 99999; allowed: 0 to 7"),
              std::string::npos)
        << error.what();
  }
}

/// Defect: an end is printed without the file that names it, or from the wrong one.
TEST(TokenRoles, SayWhereTheyWereFound) {
  const auto tokenizer =
      load_beside({{"generation_config.json", R"({"eos_token_id":4})"},
                   {"special_tokens_map.json", R"({"pad_token":{"content":"[P]"}})"}});
  const TokenRoles& roles = tokenizer->roles();
  ASSERT_EQ(roles.ends.size(), 1U);
  EXPECT_EQ(roles.ends[0].found_in, "generation_config.json: eos_token_id");
  ASSERT_EQ(roles.texts.size(), 1U);
  EXPECT_EQ(roles.texts[0].role + " " + roles.texts[0].text, "pad_token [P]");
  EXPECT_EQ(roles.texts[0].found_in, "special_tokens_map.json: pad_token");
  EXPECT_TRUE(tokenizer->is_end_of_sequence(4));
  EXPECT_FALSE(tokenizer->is_end_of_sequence(3));
}

/// Defect: a special token is spelt letter by letter because tokenizer.json does not list it.
TEST(TokenRoles, FindTokensThatOtherFilesAdd) {
  const std::string turns = "a<turn>b[P]";
  EXPECT_EQ(load_beside({})->encode(turns, SpecialText::parsed), (Ids{0, 1}))
      << "bytes without a token are left out";
  const Files files = {{"tokenizer_config.json",
                        R"({"added_tokens_decoder":{"4":{"content":"<turn>","special":true}}})"},
                       {"added_tokens.json", R"({"[P]":5,"<new>":7})"}};
  EXPECT_EQ(load_beside(files)->encode(turns, SpecialText::parsed), (Ids{0, 4, 1, 5}));
  EXPECT_EQ(load_beside(files)->encode("<new>", SpecialText::parsed), Ids{7});
  EXPECT_EQ(
      load_beside({{"special_tokens_map.json", R"({"additional_special_tokens":["<turn>"]})"}})
          ->encode(turns, SpecialText::parsed),
      (Ids{0, 4, 1}));
}

/// Defect: the post-processor and tokenizer_config.json contradict each other and the wrong one
/// wins.
TEST(TokenRoles, PutAroundATextWhatTheConfigSays) {
  const std::string names = R"("bos_token":"<s>","eos_token":"</s>")";
  const auto whole = [&](const std::string& more) {
    return load_beside({{"tokenizer_config.json", "{" + names + more + "}"}})->encode_whole("a");
  };
  EXPECT_EQ(whole(""), Ids{0});
  EXPECT_EQ(whole(R"(,"add_bos_token":true)"), (Ids{2, 0}));
  EXPECT_EQ(whole(R"(,"add_bos_token":true,"add_eos_token":true)"), (Ids{2, 0, 3}));
  EXPECT_EQ(whole(R"(,"add_bos_token":false)"), Ids{0});
}

/// Defect: a blank that tokenizer_config.json asks for is missing, or stands where it forbids one.
TEST(TokenRoles, LetTheConfigSayWhetherByteLevelTextsBeginWithABlank) {
  const auto first = [](const std::string& pre_tokenizer, const std::string& config) {
    const TemporaryFolder folder;
    folder.file("tokenizer_config.json", config);
    return load_tokenizer_from_json(
               folder.file("tokenizer.json",
                           R"({"pre_tokenizer":)" + pre_tokenizer +
                               R"(,"model":{"merges":[],"vocab":{"a":0,"\u0120":1}}})"))
        ->encode("a", SpecialText::parsed);
  };
  const std::string with = R"({"type":"ByteLevel","add_prefix_space":true})",
                    without = R"({"type":"ByteLevel","add_prefix_space":false})";
  EXPECT_EQ(first(with, "{}"), (Ids{1, 0}));
  EXPECT_EQ(first(with, R"({"add_prefix_space":false})"), Ids{0});
  EXPECT_EQ(first(without, R"({"add_prefix_space":true})"), (Ids{1, 0}));
  EXPECT_EQ(first(R"({"type":"Sequence","pretokenizers":[)" + without + "]}",
                  R"({"add_prefix_space":true})"),
            Ids{0})
      << "transformers leaves steps of a Sequence as they are";
}

/// Defect: each token that a file tells is sought in all others, which takes the square of them.
TEST(TokenRoles, FindManyToldTokensAsFastAsListedOnes) {
  constexpr int kTokens = 60'000;
  std::string vocab = R"("a":0)", listed, told;
  for (int i = 1; i <= kTokens; ++i) {
    const std::string id = std::to_string(i), name = "\"<" + std::to_string(100'000 + i) + ">\"";
    vocab += "," + name + ":" + id;
    listed += (i > 1 ? "," : "") + std::string(R"({"id":)") + id + R"(,"content":)" + name + "}";
    told += (i > 1 ? "," : "") + name + ":" + id;
  }
  const auto clocks = [&](const std::string& in_file, const std::string& beside) {
    const TemporaryFolder folder;
    folder.file("added_tokens.json", "{" + beside + "}");
    const std::string path = folder.file(
        "tokenizer.json", R"({"pre_tokenizer":{"type":"ByteLevel"},"added_tokens":[)" + in_file +
                              R"(],"model":{"merges":[],"vocab":{)" + vocab + "}}}");
    const std::clock_t begin = std::clock();
    EXPECT_EQ(load_tokenizer_from_json(path)->encode("<100007>", SpecialText::parsed), Ids{7});
    return std::clock() - begin;
  };
  EXPECT_LT(clocks("", told), 4 * clocks(listed, "") + CLOCKS_PER_SEC / 2);
}

/// Defect: a template in a list, a file or a folder is not seen, or the wrong one is the default.
TEST(TokenRoles, GatherTemplatesByName) {
  const std::string tool_use = R"({"name":"tool_use","template":"T"})";
  const std::string other = R"({"name":"default","template":"D"})";
  const Files files = {
      {"tokenizer_config.json", R"({"chat_template":[)" + tool_use + "," + other + "]}"}};
  const auto listed = load_beside(files);
  ASSERT_EQ(listed->roles().templates.size(), 2U);
  EXPECT_EQ(listed->roles().templates[0].source, "D");
  EXPECT_EQ(listed->roles().templates[1].name, "tool_use");
  Files with_file = files;
  with_file["chat_template.jinja"] = "F";
  const auto found = load_beside(with_file);
  EXPECT_EQ(found->roles().templates[0].source, "F");
  EXPECT_EQ(found->roles().templates[0].found_in, "chat_template.jinja");
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("additional_chat_templates"));
  folder.file("additional_chat_templates/rag.jinja", "R");
  EXPECT_EQ(read_folder_tokens(folder.path()).templates.at(0).name, "rag");
}

/// Defect: added tokens beside tokenizer.model are spelt piece by piece, or get a blank behind them
/// that models of the Llama family do not have.
TEST(TokenRoles, AreReadBesideSentencePiecesFileToo) {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "tokenizer.model",
      testing::sentencepiece_bytes(
          {{"<unk>", 0, 2}, {"<s>", 0, 3}, {"\u2581", -2, 1}, {"a", -1, 1}, {"\u2581a", -0.5F, 1}},
          2));
  folder.file("added_tokens.json", R"({"<turn>":6})");
  const auto first = load_tokenizer_from_sentencepiece(path);
  EXPECT_EQ(first->vocab_size(), 7);
  EXPECT_EQ(first->encode("a<turn>a", SpecialText::parsed), (Ids{4, 6, 3}));
  EXPECT_EQ(first->decode(Ids{4, 5, 6, 3}), "a<turn>a");
  folder.file("tokenizer_config.json", R"({"legacy":true,"eos_token":"<turn>"})");
  const auto always = load_tokenizer_from_sentencepiece(path);
  EXPECT_EQ(always->encode("a<turn>a", SpecialText::parsed), (Ids{4, 6, 4}));
  EXPECT_TRUE(always->is_end_of_sequence(6));
}

struct BadFile {
  std::string name, text, mentions;
};

/// Defect: a value of the wrong kind is taken for another one, or blamed on another file.
TEST(TokenRoles, RefuseWhatIsOfTheWrongKind) {
  const BadFile files[] = {
      {"generation_config.json", R"({"eos_token_id":"x"})", "eos_token_id"},
      {"generation_config.json", R"({"eos_token_id":[1.5]})", "eos_token_id[0]"},
      {"config.json", R"({"eos_token_id":-2})", "eos_token_id"},
      {"tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"a"}}})", "'x'"},
      {"tokenizer_config.json", R"({"added_tokens_decoder":{"900":{"content":"q"}}})", "id 900"},
      {"tokenizer_config.json", R"({"added_tokens_decoder":{"4":{"content":7}}})", "content"},
      {"tokenizer_config.json", R"({"add_bos_token":"yes"})", "add_bos_token"},
      {"tokenizer_config.json", R"({"add_bos_token":true,"bos_token":"<no>"})",
       "tokenizer_config.json: bos_token = '<no>', which is no token"},
      {"tokenizer_config.json", R"({"add_eos_token":true,"eos_token":"<no>"})", "eos_token"},
      {"tokenizer_config.json", R"({"add_prefix_space":"yes"})", "add_prefix_space"},
      {"tokenizer_config.json", R"({"added_tokens_decoder":{"4":{"content":"<other>"}}})",
       "tokenizer_config.json: added_tokens_decoder = id 4 for '<turn>' and '<other>'"},
      {"tokenizer_config.json", R"({"chat_template":[{"name":"a"}]})", "template"},
      {"special_tokens_map.json", R"({"eos_token":3})", "eos_token"},
      {"special_tokens_map.json", "[", "JSON"},
      {"added_tokens.json", R"({"q":-1})", "q"},
      {"chat_template.jinja", std::string((1 << 20) + 1, ' '), "size"}};
  for (const BadFile& file : files) try {
      load_beside({{file.name, file.text}});
      ADD_FAILURE() << file.name << " was taken: " << file.text.substr(0, 80);
    } catch (const ModelFileError& error) {
      EXPECT_NE(std::string(error.what()).find(file.mentions), std::string::npos) << error.what();
      EXPECT_LE(std::string(error.what()).size(), 300U);
    }
}

/// Defect: a drafter drafts ids that mean something else to the target; or one that pads its rows
/// otherwise is refused.
TEST(SameVocabulary, ComparesTextsAndNamesTheFirstIdThatDiffers) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& vocab) {
    return load_tokenizer_from_json(folder.file(
        "t.json",
        R"({"pre_tokenizer":{"type":"ByteLevel"},"model":{"merges":[],"vocab":)" + vocab + "}}"));
  };
  const auto target = with(R"({"a":0,"b":1,"c":2})"), padded = with(R"({"a":0,"b":1,"d":3})"),
             other = with(R"({"a":0,"c":1,"d":2})");
  EXPECT_NO_THROW(check_same_vocabulary({*padded, "p"}, {*target, "t"}));
  try {
    check_same_vocabulary({*other, "drafter.gguf"}, {*target, "target.gguf"});
    FAIL() << "taken";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    for (const char* part : {"id 1", "'c'", "'b'", "drafter.gguf", "target.gguf", "vocabulary"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace speclab::engines
