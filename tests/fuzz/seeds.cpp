#include "tests/fuzz/seeds.h"

#include "engines/ngrams/ngram_estimation.h"
#include "engines/ngrams/ngram_file.h"
#include "sim/system/files.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/ngrams/slow_ngrams.h"
#include "tests/engines/tokenizers/sentencepiece_bytes.h"

namespace speclab::fuzz {
namespace {

using namespace speclab::testing;

std::string strings(const std::vector<std::string>& texts) {
  std::string bytes = raw<std::uint32_t>(8) + raw<std::uint64_t>(texts.size());
  for (const std::string& text : texts) bytes += raw_string(text);
  return bytes;
}

std::string vocabulary() {
  GgufBytes file;
  std::string types = raw<std::uint32_t>(5) + raw<std::uint64_t>(4);
  for (const std::int32_t type : {1, 1, 1, 3}) types += raw(type);
  file.metadata = {metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")),
                   metadata_entry("tokenizer.ggml.pre", 8, raw_string("smollm")),
                   metadata_entry("tokenizer.ggml.tokens", 9, strings({"a", "b", "ab", "<|end|>"})),
                   metadata_entry("tokenizer.ggml.token_type", 9, types),
                   metadata_entry("tokenizer.ggml.merges", 9, strings({"a b"})),
                   metadata_entry("tokenizer.ggml.eos_token_id", 4, raw<std::uint32_t>(3))};
  return file.str();
}

std::string aligned() {
  GgufBytes file;
  file.metadata = {metadata_entry("general.alignment", 4, raw<std::uint32_t>(64))};
  file.alignment = 64;
  file.tensors = {tensor_entry("a", {256}, 12, 0), tensor_entry("b", {4, 2}, 1, 192)};
  file.data.resize(208, 'x');
  return file.str();
}

}  // namespace

std::vector<std::string> gguf_seeds() { return {small_gguf().str(), aligned(), vocabulary()}; }

std::vector<std::string> safetensors_seeds() {
  return {safetensors_bytes("{" + safetensors_entry("t", "F32", "[2]", "[0,8]") + "}",
                            std::string(8, '\0')),
          safetensors_bytes(R"({"__metadata__":{"format":"pt"},)" +
                                safetensors_entry("wide", "F32", "[2,3]", "[0,24]") + "," +
                                safetensors_entry("narrow", "BF16", "[4]", "[24,32]") + "}",
                            std::string(32, 'x'))};
}

std::vector<std::string> template_seeds() {
  return {
      "{% for m in messages if m.role != 'x' -%}\n  {{- loop.index ~ m['content']|trim|upper }}\n"
      "{%- else %}none{% endfor %}{{ bos_token * 3 }}",
      "{% set ns = namespace(n=0, l=[]) %}{% macro f(a, b=2) %}{{ a + b }}{{ varargs }}{% endmacro "
      "%}"
      "{% for i in range(9)[::2] %}{% set ns.n = ns.n + i %}{{ f(i, b=ns.n) }}{% endfor %}",
      "{{ messages|tojson(indent=2) }}{% set x %}{% if tools is none %}a\nb{% elif y %}c{% endif %}"
      "{% endset %}{{ x|indent(3)|replace('a', 'bb') }}{# note #}{% raw %}{{ }}{% endraw %}",
      "{{ '%s %5.2f' % ('a', 1.5) }}{{ '{:>8}'.format('x') }}{{ 'a,b'.split(',')|map('upper')|join "
      "}}"
      "{{ messages|groupby('role')|list }}{{ {'k': (1, none)}.items()|list }}{{ 7 // 2 ** 3 }}",
      "{% call(u) g(messages) %}{{ u.role }}{% endcall %}{% filter upper %}x{% endfilter %}"
      "{% macro g(l) %}{% for i in l recursive %}{{ caller(i) }}{% break %}{% endfor %}{% endmacro "
      "%}",
  };
}

std::vector<std::string> tokenizer_seeds() {
  const std::string bytes = R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false})";
  return {"{" + bytes + R"(,"model":{"vocab":{"a":0,"b":1},"merges":[]}})",
          "{" + bytes +
              R"(,"added_tokens":[{"id":3,"content":"<s>","special":true}],"model":{"type":"BPE",)"
              R"("vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}})",
          R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits",)"
          R"("individual_digits":true},{"type":"ByteLevel","add_prefix_space":false}]},)"
          R"("post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}}]},)"
          R"("model":{"vocab":{"1":0,"11":1},"merges":[["1","1"]]}})",
          R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Replace",)"
          R"("pattern":{"Regex":" {2,}"},"content":" "},{"type":"Prepend","prepend":"_"}]},)"
          R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\s+|[a&&[^b]]"},)"
          R"("behavior":"MergedWithNext","invert":false},"decoder":{"type":"Sequence","decoders":[)"
          R"({"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":"_","start":1,)"
          R"("stop":1}]},"model":{"type":"BPE","unk_token":"a","byte_fallback":true,)"
          R"("vocab":{"a":0,"_":1,"_a":2,"<0x62>":3},"merges":["_ a"]}})",
          R"({"normalizer":{"type":"Precompiled","precompiled_charsmap":"BAAAAAAAAABhAA=="},)"
          R"("pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"first"},)"
          R"("decoder":{"type":"Metaspace","replacement":"_"},"model":{"type":"Unigram",)"
          R"("unk_id":0,"vocab":[["<unk>",0],["a",-1.5],["_a",-2]]}})"};
}

std::vector<std::string> sentencepiece_seeds() {
  using speclab::testing::MadePiece;
  const std::vector<MadePiece> pieces = {{"<unk>", 0, 2}, {"<s>", 0, 3},     {"\u2581", -1, 1},
                                         {"a", -2, 1},    {"\u2581a", 0, 1}, {"<0x62>", 0, 6}};
  return {speclab::testing::sentencepiece_bytes(pieces, 1),
          speclab::testing::sentencepiece_bytes(pieces, 2)};
}

std::vector<std::string> token_file_seeds() {
  const std::vector<std::string> files = {
      R"({"eos_token_id":[1,2]})",
      R"({"bos_token":"a","add_bos_token":true,"added_tokens_decoder":{"1":{"content":"b"}},)"
      R"("chat_template":[{"name":"default","template":"x"}]})",
      R"({"eos_token":{"content":"b","lstrip":true},"additional_special_tokens":["a"]})",
      R"({"b":1})", "{{ x }}"};
  std::string seed;
  for (const std::string& file : files) seed += file + '\0';
  return {seed};
}

std::vector<std::string> checkpoint_seeds() {
  return {std::string(R"({"model_type":"llama","hidden_size":32})") + '\0' +
              R"({"metadata":{},"weight_map":{"t":"one.safetensors"}})",
          std::string("{}") + '\0' + R"({"weight_map":{}})"};
}

std::vector<std::string> gguf_part_seeds() {
  std::vector<std::string> parts;
  for (const std::uint16_t number : {std::uint16_t{0}, std::uint16_t{1}}) {
    GgufBytes file;
    file.metadata = {metadata_entry("split.no", 2, raw(number)),
                     metadata_entry("split.count", 2, raw<std::uint16_t>(2)),
                     metadata_entry("split.tensors.count", 5, raw<std::int32_t>(2))};
    file.tensors = {tensor_entry(number == 0 ? "a" : "b", {2}, 0, 0)};
    file.data = raw(1.0f) + raw(2.0f);
    parts.push_back(file.str());
  }
  return parts;
}

std::vector<std::string> adapter_seeds() {
  return {R"({"peft_type":"LORA","base_model_name_or_path":"a/b"})", "{}"};
}

std::vector<std::string> ngram_seeds() {
  std::vector<std::string> seeds;
  const TemporaryFolder folder;
  const std::vector<engines::testing::Tokens> texts{{0, 1, 2, 0, 1, 3, 0}, {2, 1, 0}};
  for (const std::int32_t order : {1, 3}) {
    engines::save_ngrams(engines::estimate_ngrams(engines::testing::as_ngram_texts(texts), 4,
                                                  {.order = order, .max_successors = 3}),
                         folder.path("ngram.bin"));
    seeds.push_back(read_file(folder.path("ngram.bin")));
  }
  return seeds;
}

}  // namespace speclab::fuzz
