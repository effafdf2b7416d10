#include "tests/fuzz/seeds.h"

#include "engines/ngrams/ngram_estimation.h"
#include "engines/ngrams/ngram_file.h"
#include "sim/core/files.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/ngrams/slow_ngrams.h"

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
          R"("model":{"vocab":{"1":0,"11":1},"merges":[["1","1"]]}})"};
}

std::vector<std::string> checkpoint_seeds() {
  return {std::string(R"({"model_type":"llama","hidden_size":32})") + '\0' +
              R"({"metadata":{},"weight_map":{"t":"one.safetensors"}})",
          std::string("{}") + '\0' + R"({"weight_map":{}})"};
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
