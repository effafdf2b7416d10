// Numbers that came out of a file are added, multiplied and shifted as CheckedSize only: the gap
// that most faults of model readers came through.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sim/system/files.h"
#include "tests/layering/raw_arithmetic.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;
using testing::raw_arithmetic;

const std::vector<std::string>& parser_sources() {
  static const std::vector<std::string> files{"engines/formats/byte_cursor.cpp",
                                              "engines/formats/byte_cursor.h",
                                              "engines/formats/checkpoint_folder.cpp",
                                              "engines/formats/folder_kind.cpp",
                                              "engines/formats/gguf_file.cpp",
                                              "engines/formats/gguf_header.cpp",
                                              "engines/formats/gguf_metadata.cpp",
                                              "engines/formats/input_file.cpp",
                                              "engines/formats/json_file.cpp",
                                              "engines/formats/json_file.h",
                                              "engines/formats/json_parser.cpp",
                                              "engines/formats/safetensors_file.cpp",
                                              "engines/formats/weight_source.cpp",
                                              "engines/models/decoder_shape.cpp",
                                              "engines/ngrams/ngram_file.cpp",
                                              "engines/tokenizers/charsmap.cpp",
                                              "engines/tokenizers/chat_template_files.cpp",
                                              "engines/tokenizers/folder_tokens.cpp",
                                              "engines/tokenizers/gguf_tokenizer.cpp",
                                              "engines/tokenizers/json_decoder.cpp",
                                              "engines/tokenizers/json_tokenizer.cpp",
                                              "engines/tokenizers/json_vocabulary.cpp",
                                              "engines/tokenizers/sentencepiece_tokenizer.cpp",
                                              "engines/tokenizers/vocabulary_builder.cpp"};
  return files;
}

struct Allowed {
  std::string file, expression, reason;
};

const std::vector<Allowed>& allowed() {
  const std::string read = "take() has compared it with what is left of the file", texts = "texts";
  static const std::vector<Allowed> all{
      {"input_file.cpp", "kBlobs.size() + kGitDigest", "both are the program's"},
      {"input_file.cpp", "kBlobs.size() + kSha256", "both are the program's"},
      {"byte_cursor.cpp", "buffer_.data() + buffer_begin_", "inside the buffer"},
      {"byte_cursor.cpp", "buffer_begin_ += count", read},
      {"byte_cursor.cpp", "offset_ += count", read},
      {"input_file.cpp", "into.data() + done", "inside the buffer"},
      {"input_file.cpp", "offset + done",
       "the system refuses offsets from 2^63 on, and a buffer is in memory"},
      {"input_file.cpp", "done += static_cast", "bytes that the system has read into the buffer"},
      {"gguf_file.cpp", "number + 1", "at most 1000 parts"},
      {"gguf_file.cpp", "found += part.header.table.tensors().size()",
       "tensors in memory, of at most 1000 parts"},
      {"gguf_file.cpp", "std::filesystem::path(prefix).filename().string() + ending(0,count)",
       texts},
      {"gguf_file.cpp", "prefix + ending(number,count)", texts},
      {"json_parser.cpp", "offset + zero", "for a message, at most the size of a text in memory"},
      {"json_parser.cpp", "offset_ + position",
       "for a message, at most the size of a text in memory"},
      {"json_file.cpp", "parent.field_ + step", texts},
      {"json_parser.cpp", "place + 2", "a place inside a text"},
      {"json_vocabulary.cpp", "merges_ += merge[0].get_ref", texts},
      {"json_vocabulary.cpp", "() + merge[1].get_ref", texts},
      {"json_vocabulary.cpp", "merges_ += merge.get_ref", texts},
      {"weight_source.cpp", "kChunkBlocks * format.block_bytes", "both are the program's"},
      {"weight_source.cpp", "format.block_bytes * format.block_elements",
       "bytes of a checked extent by those of a block, times elements below 2^63"},
      {"weight_source.cpp", "done += chunk_bytes",
       "at most a chunk above the file's size, which is below 2^63"},
      {"weight_source.cpp", "extent.offset + done", "inside the checked extent"},
      {"weight_source.cpp", "next += blocks.size()", "inside the values' memory"},
      {"ngram_file.cpp", "offset_ += *count", read},
      {"ngram_file.cpp", "values.size() * sizeof(T)", "of values in memory, on writing"},
      {"ngram_file.cpp", "bytes += part", texts},
      {"gguf_tokenizer.cpp", "kGgufPrefix + field", texts},
      {"gguf_tokenizer.cpp", "pieces.charsmap += static_cast", texts},
      {"charsmap.cpp", "10 << ((unit&1U<<9)>>6)", "22 bits moved by 0 or 8 places"},
      {"charsmap.cpp", "bytes.data() + 4", "the table's length has been compared with the rest"},
      {"charsmap.cpp", "4 + trie_bytes", "compared with what is left behind four bytes"},
      {"charsmap.cpp", "i + 1", "a place inside a text"},
      {"charsmap.cpp", "replacements_.data() + place", "match() has compared it with the size"},
      {"chat_template_files.cpp", "more + (\"\"+path.filename().string())", texts},
      {"chat_template_files.cpp", "key.size() + 1", "a place inside a text"},
      {"json_decoder.cpp", "bytes += text.size()", "texts in memory"},
      {"json_decoder.cpp", "text.data() + kLength", "inside a text of kLength bytes"},
      {"json_decoder.cpp", "text.data() + 3", "inside a text of kLength bytes"},
      {"json_decoder.cpp", "read_.before.size() + read_.after.size()", "tokens in memory"},
      {"json_vocabulary.cpp", "2 * members.size()", "members in memory, at most limits.tokens"},
      {"json_vocabulary.cpp", "2 * pieces.size()", "pieces in memory, at most limits.tokens"},
      {"json_vocabulary.cpp", "id + 1", "below twice the number of members"},
      {"sentencepiece_tokenizer.cpp", "offset_ + at_", "a place in a file of at most 256 MiB"},
      {"sentencepiece_tokenizer.cpp", "offset_ + static_cast",
       "a place in a file of at most 256 MiB"},
      {"sentencepiece_tokenizer.cpp", "shift += 7", "below 64"},
      {"sentencepiece_tokenizer.cpp", "std::uint64_t{byte&0x7FU} << shift", "shift is below 64"},
      {"sentencepiece_tokenizer.cpp", "std::uint64_t{static_cast<unsignedchar>(bytes[i])} << (8*i)",
       "i is below 8"},
      {"sentencepiece_tokenizer.cpp", "8 * i", "i is below 8"},
      {"sentencepiece_tokenizer.cpp", "at_ += static_cast",
       "take() has compared it with what is left of the message"},
      {"sentencepiece_tokenizer.cpp", "(vocabulary.texts.size()) + kMostBehind",
       "texts in memory, and a constant of the program"},
      {"vocabulary_builder.cpp", "blank + 1", "a place inside a text"},
  };
  return all;
}

bool is_allowed(const fs::path& file, const std::string& expression) {
  return std::ranges::any_of(allowed(), [&](const Allowed& entry) {
    return entry.file == file.filename() && entry.expression == expression;
  });
}

std::string text_of(const std::string& file) {
  return read_file(std::string(SPECLAB_SOURCE_DIR) + "/" + file);
}

TEST(CheckedArithmetic, IsAllThatParsersDoWithNumbersFromFiles) {
  for (const std::string& file : parser_sources())
    for (const std::string& expression : raw_arithmetic(text_of(file)))
      EXPECT_TRUE(is_allowed(file, expression))
          << file << ": " << expression
          << " is not checked: use CheckedSize, or say in this test why it cannot wrap";
}

TEST(CheckedArithmetic, HasNoExceptionThatNobodyNeeds) {
  std::set<std::string> found;
  for (const std::string& file : parser_sources())
    for (const std::string& expression : raw_arithmetic(text_of(file)))
      found.insert(fs::path(file).filename().string() + ": " + expression);
  for (const Allowed& entry : allowed())
    EXPECT_EQ(found.count(entry.file + ": " + entry.expression), 1u)
        << entry.file << ": " << entry.expression;
}

TEST(CheckedArithmetic, LooksAtEveryParser) {
  const std::set<std::string> not_parsers{"engines/formats/block_codes.cpp",
                                          "engines/formats/dequantise.cpp",
                                          "engines/formats/safetensors_writer.cpp"};
  for (const auto& entry :
       fs::directory_iterator(fs::path(SPECLAB_SOURCE_DIR) / "engines/formats")) {
    const std::string file = "engines/formats/" + entry.path().filename().string();
    const bool is_parser = entry.path().extension() == ".cpp" && not_parsers.count(file) == 0;
    EXPECT_LE(is_parser ? 1 : 0, std::ranges::count(parser_sources(), file)) << file;
  }
}

/// The gaps of other readers, planted into ours.
TEST(CheckedArithmetic, SeesPlantedViolations) {
  const auto planted = [](const std::string& file, const std::string& checked,
                          const std::string& raw) {
    std::string text = text_of(file);
    const std::size_t place = text.find(checked);
    EXPECT_NE(place, std::string::npos) << checked;
    return raw_arithmetic(text.replace(place, checked.size(), raw));
  };
  const auto sees = [](const std::vector<std::string>& found, const std::string& expression) {
    return std::ranges::count(found, expression) == 1;
  };
  EXPECT_TRUE(sees(planted("engines/formats/gguf_header.cpp", "CheckedSize elements = 1;",
                           "std::uint64_t elements = 1;"),
                   "elements * size"));
  EXPECT_TRUE(sees(planted("engines/formats/gguf_header.cpp",
                           "CheckedSize(data_begin) + extent.offset", "data_begin + extent.offset"),
                   "data_begin + extent.offset"));
  EXPECT_TRUE(sees(
      planted("engines/formats/safetensors_file.cpp",
              "*(CheckedSize(kLengthBytes) + length).within(file.size())", "kLengthBytes + length"),
      "kLengthBytes + length"));
  EXPECT_TRUE(sees(
      planted("engines/formats/gguf_metadata.cpp",
              "const auto length = cursor.read<std::uint64_t>(\"length\");",
              "auto length = cursor.read<std::uint64_t>(\"length\"); length *= min_element_bytes;"),
      "length *= min_element_bytes"));
}

TEST(RawArithmetic, TellsNumbersFromTextsPointersAndConstants) {
  EXPECT_EQ(raw_arithmetic("x = count * size; y = 1 << shift; z += f(a, b).c[2];"),
            (std::vector<std::string>{"count * size", "1 << shift", "z += f(a,b).c[2]"}));
  EXPECT_EQ(raw_arithmetic("void f(const char* text, Node*) { g(-1, *p, ++i); constexpr int k = a "
                           "* b; s = \"a + b\" + name; }  // c * d"),
            std::vector<std::string>{});
  EXPECT_EQ(raw_arithmetic("CheckedSize total = 1; total = total * n; auto u = CheckedSize(a) + b; "
                           "t = escaped(a) + b;"),
            std::vector<std::string>{});
  EXPECT_EQ(raw_arithmetic("if (a) b += c; R\"(x * y)\"; d = 'q' + e;"),
            (std::vector<std::string>{"b += c", "0 + e"}));
}

}  // namespace
}  // namespace speclab
