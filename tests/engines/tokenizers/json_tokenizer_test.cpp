#include <gtest/gtest.h>

#include "engines/interface/chat_request.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using testing::TemporaryFolder;

const std::string kAdded =
    R"([{"id":5,"content":"<s>","single_word":false,"lstrip":false,"rstrip":false,)"
    R"("normalized":false,"special":true}])";
const std::string kGpt2 = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true})";
const std::string kSmollm =
    R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},)" + kGpt2 +
    "]}";
const std::string kModel =
    R"({"type":"BPE","unk_token":null,"vocab":{"a":0,"b":1,"1":2,"11":3,"ab":4},)"
    R"("merges":["a b",["1","1"]]})";

std::string tokenizer_json(const std::string& added, const std::string& pre_tokenizer,
                           const std::string& model, const std::string& normalizer = "null") {
  return R"({"version":"1.0","added_tokens":)" + added + ",\"normalizer\":" + normalizer +
         ",\"pre_tokenizer\":" + pre_tokenizer + ",\"model\":" + model + "}";
}

std::shared_ptr<const Tokenizer> load(const std::string& json) {
  const TemporaryFolder folder;
  return load_tokenizer_from_json(folder.file("tokenizer.json", json));
}

TEST(JsonTokenizer, ReadsVocabularyMergesAndAddedTokens) {
  const auto tokenizer = load(tokenizer_json(kAdded, kGpt2, kModel));
  EXPECT_EQ(tokenizer->vocab_size(), 6);
  EXPECT_EQ(tokenizer->encode("ab11<s>", SpecialText::parsed), (std::vector<Token>{4, 3, 5}));
}

TEST(JsonTokenizer, RecognisesThePreTokenizer) {
  EXPECT_EQ(load(tokenizer_json(kAdded, kSmollm, kModel))->encode("11", SpecialText::parsed),
            (std::vector<Token>{2, 2}));
}

TEST(JsonTokenizer, ReadsWhatStandsBesideIt) {
  const TemporaryFolder folder;
  folder.file("tokenizer_config.json", R"({"eos_token":"<s>","chat_template":"not this one"})");
  folder.file(
      "chat_template.jinja",
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] "
      "+ '<|im_end|>' + '\n'}}"
      "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");
  const auto tokenizer = load_tokenizer_from_json(
      folder.file("tokenizer.json", tokenizer_json(kAdded, kGpt2, kModel)));
  EXPECT_TRUE(tokenizer->is_end_of_sequence(5));
  EXPECT_EQ(tokenizer->apply_chat_template(ChatRequest::of_user("a")),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n");
}

std::string with_post_processor(const std::string& processor) {
  std::string json = tokenizer_json(kAdded, kGpt2, kModel);
  return json.insert(1, "\"post_processor\":" + processor + ",");
}

TEST(JsonTokenizer, BeginsAWholeTextAsThePostProcessorSays) {
  const std::string bytes = R"({"type":"ByteLevel"})";
  const std::string text = R"({"Sequence":{"id":"A","type_id":0}})",
                    begin = R"({"SpecialToken":{"id":"<s>","type_id":0}})";
  const std::string with_begin =
      R"({"type":"TemplateProcessing","single":[)" + begin + "," + text + "]}";
  const std::vector<Token> plain{4}, begun{5, 4};
  EXPECT_EQ(load(with_post_processor("null"))->encode_whole("ab"), plain);
  EXPECT_EQ(load(with_post_processor(bytes))->encode_whole("ab"), plain);
  EXPECT_EQ(load(with_post_processor(R"({"type":"TemplateProcessing","single":[)" + text + "]}"))
                ->encode_whole("ab"),
            plain);
  EXPECT_EQ(load(with_post_processor(with_begin))->encode_whole("ab"), begun);
  EXPECT_EQ(load(with_post_processor(R"({"type":"Sequence","processors":[)" + bytes + "," +
                                     with_begin + "]}"))
                ->encode_whole("ab"),
            begun);
}

TEST(JsonTokenizer, BeginsAWholeTextAsTheConfigBesideItSays) {
  for (const auto& [config, begins] :
       {std::pair(R"({"bos_token":"<s>","add_bos_token":true})", true),
        std::pair(R"({"bos_token":"<s>"})", false)}) {
    const TemporaryFolder folder;
    folder.file("tokenizer_config.json", config);
    const auto tokenizer = load_tokenizer_from_json(
        folder.file("tokenizer.json", tokenizer_json(kAdded, kGpt2, kModel)));
    EXPECT_EQ(tokenizer->encode_whole("ab").size(), begins ? 2u : 1u);
  }
}

TEST(JsonTokenizer, FillsIdsThatNobodyHas) {
  const auto tokenizer =
      load(tokenizer_json("[]", kGpt2, R"({"vocab":{"a":0,"b":3},"merges":[]})"));
  EXPECT_EQ(tokenizer->vocab_size(), 4);
  EXPECT_EQ(tokenizer->encode("ab", SpecialText::parsed), (std::vector<Token>{0, 3}));
  EXPECT_EQ(tokenizer->decode(std::vector<Token>{1}), "");
}

/// Defect: a pattern of the file runs for ever on a text that it does not fit.
TEST(JsonTokenizer, EndsAPatternThatTakesTooManySteps) {
  const auto tokenizer = load(tokenizer_json(
      kAdded,
      R"({"type":"Split","pattern":{"Regex":"(a+)+$"},"behavior":"Isolated","invert":false})",
      kModel));
  EXPECT_EQ(tokenizer->encode("aab", SpecialText::parsed), (std::vector<Token>{0, 4}));
  EXPECT_THROW(tokenizer->encode(std::string(60, 'a') + "b", SpecialText::parsed), ModelFileError);
}

/// Defect: bytes are spelt in pieces without the pattern that the file leaves out, or a blank that
/// the file wants is missing.
TEST(JsonTokenizer, TakesByteLevelWithoutPatternAndWithABlankBefore) {
  const std::string bytes = R"({"type":"BPE","vocab":{"a":0,"b":1,"\u0120":2,"\u0120a":3,)"
                            R"("ab":4},"merges":["\u0120 a","a b"]})";
  const auto whole = load(tokenizer_json(
      "[]", R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", bytes));
  EXPECT_EQ(whole->encode("b a", SpecialText::parsed), (std::vector<Token>{1, 3}));
  const auto prefixed = load(tokenizer_json("[]", R"({"type":"ByteLevel"})", bytes));
  EXPECT_EQ(prefixed->encode("ab", SpecialText::parsed), (std::vector<Token>{3, 1}));
  EXPECT_FALSE(prefixed->gives_texts_back());
}

/// So many steps of a Sequence, each of which doubles every "a".
std::string doubling(const std::string& member, int steps) {
  std::string list;
  for (int i = 0; i < steps; ++i)
    list += (i > 0 ? "," : "") +
            std::string(R"({"type":"Replace","pattern":{"String":"a"},"content":"aa"})");
  return R"({"type":"Sequence",")" + member + "\":[" + list + "]}";
}
std::string with_decoder(const std::string& decoder) {
  return tokenizer_json(kAdded, "null", kModel).insert(1, "\"decoder\":" + decoder + ",");
}

/// Defect: steps that make a text longer fill the memory.
TEST(JsonTokenizer, BoundsWhatStepsMakeOfAText) {
  const auto six = load(tokenizer_json(kAdded, kGpt2, kModel, doubling("normalizers", 6)));
  EXPECT_EQ(six->encode("a", SpecialText::parsed).size(), 64U);
  const auto forty = load(tokenizer_json(kAdded, kGpt2, kModel, doubling("normalizers", 40)));
  EXPECT_THROW(forty->encode("a", SpecialText::parsed), ModelFileError);
  const auto invalid = load(tokenizer_json(kAdded, kGpt2, kModel, doubling("normalizers", 20)));
  EXPECT_THROW(invalid->encode("a\xff"
                               "a\xff",
                               SpecialText::parsed),
               ModelFileError)
      << "the parts of a text share the bound";
  EXPECT_EQ(load(with_decoder(doubling("decoders", 6)))->decode(std::vector<Token>{0}).size(), 64U);
}

struct Refusal {
  std::string name;
  std::string json;
  std::string mentions;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

std::string with_model(const std::string& model) { return tokenizer_json("[]", kGpt2, model); }
std::string with_pre(const std::string& pre_tokenizer) {
  return tokenizer_json(kAdded, pre_tokenizer, kModel);
}

std::vector<Refusal> refusals() {
  return {
      {"NoModel", "{}", "no 'model'"},
      {"NotAnObject", "[]", "an object"},
      {"OtherModel", with_model(R"({"type":"WordPiece","vocab":{"a":0},"merges":[]})"),
       "model.type"},
      {"WordLevel", with_model(R"({"type":"WordLevel","vocab":{"a":0},"merges":[]})"), "WordLevel"},
      {"UnigramOfNothing", with_model(R"({"type":"Unigram","vocab":[]})"), "model.vocab"},
      {"UnigramWithoutScore", with_model(R"({"type":"Unigram","vocab":[["a"]]})"), "entry 0"},
      {"UnknownOutsideTheVocabulary",
       with_model(R"({"type":"Unigram","unk_id":1,"vocab":[["a",0.0]]})"), "unk_id"},
      {"UnknownToken", with_model(R"({"type":"BPE","unk_token":"c","vocab":{"a":0},"merges":[]})"),
       "unk_token"},
      {"Dropout", with_model(R"({"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]})"),
       "dropout"},
      {"Suffix",
       with_model(R"({"type":"BPE","end_of_word_suffix":"</w>","vocab":{"a":0},"merges":[]})"),
       "end_of_word_suffix"},
      {"Normalizer", tokenizer_json(kAdded, kGpt2, kModel, R"({"type":"BertNormalizer"})"),
       "normalizer.type"},
      {"ReplaceNothing",
       tokenizer_json(kAdded, kGpt2, kModel,
                      R"({"type":"Replace","pattern":{"String":""},"content":"x"})"),
       "normalizer.pattern.String"},
      {"TableInNoBase64",
       tokenizer_json(kAdded, kGpt2, kModel,
                      R"({"type":"Precompiled","precompiled_charsmap":"*"})"),
       "base64"},
      {"TableTooShort",
       tokenizer_json(kAdded, kGpt2, kModel,
                      R"({"type":"Precompiled","precompiled_charsmap":"/////w=="})"),
       "precompiled_charsmap"},
      {"NormalizerThatFillsTheMemory",
       tokenizer_json(R"([{"id":5,"content":"xa","special":false,"normalized":true}])", kGpt2,
                      kModel, doubling("normalizers", 40)),
       "normalizer = "},
      {"DecoderThatFillsTheMemory", with_decoder(doubling("decoders", 40)), "decoder = "},
      {"DecoderOfTooManySteps", with_decoder(doubling("decoders", 1001)), "decoder.decoders[1000]"},
      {"EmptyVocabulary", with_model(R"({"vocab":{},"merges":[]})"), "model.vocab"},
      // A huge id must not become a huge array.
      {"HugeId", with_model(R"({"vocab":{"a":0,"b":4294967295},"merges":[]})"), "4294967295"},
      {"NegativeId", with_model(R"({"vocab":{"a":-1},"merges":[]})"), "-1"},
      {"IdOf2To64", with_model(R"({"vocab":{"a":18446744073709551616},"merges":[]})"), "ids below"},
      {"FractionalId", with_model(R"({"vocab":{"a":0.5},"merges":[]})"), "0.5"},
      {"IdTwice", with_model(R"({"vocab":{"a":0,"b":0},"merges":[]})"), "id 0"},
      {"TokenTwice", with_model(R"({"vocab":{"a":0,"a":1},"merges":[]})"), "again"},
      {"AddedTokenOverAnother",
       tokenizer_json(R"([{"id":0,"content":"x","special":true}])", kGpt2, kModel), "id 0"},
      {"AddedTokenFarAway",
       tokenizer_json(R"([{"id":10,"content":"x","special":true}])", kGpt2, kModel),
       "added_tokens[0].id"},
      {"AddedTokenWithOddStrip",
       tokenizer_json(R"([{"id":5,"content":"x","special":true,"lstrip":1}])", kGpt2, kModel),
       "lstrip"},
      {"EmptyAddedToken",
       tokenizer_json(R"([{"id":5,"content":"","special":true}])", kGpt2, kModel),
       "added_tokens[0].content"},
      {"MergeOfUnknownTokens", with_model(R"({"vocab":{"a":0},"merges":["a a"]})"), "merges"},
      {"MergeOfThree", with_model(R"({"vocab":{"a":0},"merges":[["a","a","a"]]})"), "merges"},
      {"MergeOfNumbers", with_model(R"({"vocab":{"a":0},"merges":[[0,0]]})"), "merges"},
      {"PatternThatDoesNotCompile",
       with_pre(R"({"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated"})"), "Regex"},
      {"UnknownBehavior",
       with_pre(R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"isolated"})"), "behavior"},
      {"UnknownPreTokenizer", with_pre(R"({"type":"UnicodeScripts"})"), "pre_tokenizer.type"},
      {"MarkOfTwoCharacters", with_pre(R"({"type":"Metaspace","replacement":"__"})"),
       "replacement"},
      {"ByteLevelInTheMiddle",
       with_pre(R"({"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"Digits"}]})"),
       "after ByteLevel"},
      {"TextTwice",
       with_post_processor(R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},)"
                           R"({"Sequence":{"id":"A"}}]})"),
       "single"},
      {"UnknownBegin",
       with_post_processor(
           R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<x>"}},)"
           R"({"Sequence":{"id":"A"}}]})"),
       "post_processor"},
      {"OtherPostProcessor", with_post_processor(R"({"type":"PairProcessing"})"),
       "post_processor.type"},
      {"TooDeep", std::string(1000, '[') + std::string(1000, ']'), "nesting"},
      {"CutShort", tokenizer_json(kAdded, kGpt2, kModel).substr(0, 100), "JSON"},
      {"Empty", "", "JSON"},
  };
}

class JsonTokenizerRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(JsonTokenizerRefusals, NameTheField) {
  try {
    load(GetParam().json);
    FAIL() << "the file was accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().mentions), std::string::npos)
        << error.what();
    EXPECT_LE(std::string(error.what()).size(), 300U);
  }
}

INSTANTIATE_TEST_SUITE_P(, JsonTokenizerRefusals, ::testing::ValuesIn(refusals()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab::engines
