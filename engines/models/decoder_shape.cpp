#include "engines/models/decoder_shape.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

[[noreturn]] void refuse_field(const std::string& where, const char* field, std::string found,
                               std::string allowed) {
  throw_model_file_error(where, 0,
                         {field, std::move(found), std::move(allowed),
                          "no decoder has this shape: check the file that says so"});
}

void require_between(const std::string& where, const char* field, std::int64_t value,
                     std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    refuse_field(where, field, fmt::format("{}", value), fmt::format("{} to {}", least, most));
}

void require_positive(const std::string& where, const char* field, float value) {
  if (!(value > 0) || !std::isfinite(value))
    refuse_field(where, field, fmt::format("{}", value), "finite numbers above 0");
}

/// Numbers whose logarithms and quotients the scalings take.
void validate_scaling(const DecoderShape& s, const std::string& where) {
  const RotaryScaling& scaling = s.rotary_scaling;
  const bool is_yarn = scaling.kind == RotaryScaling::Kind::yarn;
  if (is_yarn && !(s.rope_theta > 1))
    refuse_field(where, "rope_theta", fmt::format("{}", s.rope_theta), "above 1 with yarn");
  if (is_yarn && !(scaling.slow > 0 && scaling.fast > scaling.slow && std::isfinite(scaling.fast)))
    refuse_field(where, "beta_fast, beta_slow", fmt::format("{}, {}", scaling.fast, scaling.slow),
                 "the first above the second, both above 0");
  if (scaling.kind == RotaryScaling::Kind::longrope && scaling.original_context < 2)
    refuse_field(where, "original context", fmt::format("{}", scaling.original_context),
                 "2 or more with longrope");
  if (scaling.kind == RotaryScaling::Kind::llama3 && !(scaling.low_frequency > 0))
    refuse_field(where, "low_freq_factor", fmt::format("{}", scaling.low_frequency),
                 "numbers above 0");
}

void validate_positions(const DecoderShape& s, const std::string& where) {
  if (s.positions != Positions::rotary) return;
  require_positive(where, "rope_theta", s.rope_theta);
  require_positive(where, "rope_local_base_freq", s.window_rope_theta.value_or(1.0f));
  require_between(where, "rotating values of a head", s.rotary_size(), 2, s.head_dim);
  if (s.rotary_size() % 2 != 0)
    refuse_field(where, "rotating values of a head", fmt::format("{}", s.rotary_size()),
                 "even numbers");
  const RotaryScaling& scaling = s.rotary_scaling;
  if (scaling.kind == RotaryScaling::Kind::dynamic && s.rotary_size() == 2)
    refuse_field(where, "rotating values of a head", "2", "more than 2 with dynamic scaling");
  validate_scaling(s, where);
}

void validate_experts(const DecoderShape& s, const std::string& where) {
  if (s.num_experts == 0) return;
  require_between(where, "num_experts", s.num_experts, 1, DecoderLimits::kMostExperts);
  require_between(where, "num_experts_per_tok", s.experts_per_token, 1, s.num_experts);
  require_between(where, "size of an expert", s.expert_size, 1, DecoderLimits::kWidest);
}

void validate_scales(const DecoderShape& s, const std::string& where) {
  for (const auto& [field, value] : {std::pair{"residual scale", s.residual_scale},
                                     {"embedding scale", s.embedding_scale},
                                     {"attention scale", s.attention_scale.value_or(1.0f)},
                                     {"logit scale", s.logit_scale}})
    if (!std::isfinite(value) || value == 0)
      refuse_field(where, field, fmt::format("{}", value), "finite numbers but 0");
  for (const auto& [field, value] : {std::pair{"soft cap of scores", s.attention_soft_cap},
                                     {"soft cap of logits", s.logit_soft_cap}})
    if (!std::isfinite(value) || value < 0)
      refuse_field(where, field, fmt::format("{}", value), "0, none, or finite numbers above 0");
}

}  // namespace

float score_scale(const DecoderShape& shape) {
  return shape.attention_scale.value_or(1.0f / std::sqrt(static_cast<float>(shape.head_dim)));
}

void DecoderShape::validate(const std::string& where) const {
  require_between(where, "vocab_size", vocab_size, 1, DecoderLimits::kMostTokens);
  require_between(where, "context_length", context_length, 1, DecoderLimits::kLongest);
  require_between(where, "num_layers", num_layers, 1, DecoderLimits::kMostLayers);
  require_between(where, "hidden_size", hidden_size, 1, DecoderLimits::kWidest);
  require_between(where, "intermediate_size", intermediate_size, 1, DecoderLimits::kWidest);
  require_between(where, "num_heads", num_heads, 1, DecoderLimits::kMostHeads);
  require_between(where, "num_kv_heads", num_kv_heads, 1, num_heads);
  require_between(where, "head_dim", head_dim, 1, 1024);
  if (num_heads % num_kv_heads != 0)
    refuse_field(where, "num_kv_heads", fmt::format("{}", num_kv_heads),
                 fmt::format("divisors of num_heads = {}", num_heads));
  require_positive(where, "norm_epsilon", norm_epsilon);
  validate_positions(*this, where);
  validate_experts(*this, where);
  validate_scales(*this, where);
}

std::optional<std::string> beyond_llama(const DecoderShape& s) {
  const std::pair<bool, const char*> choices[] = {
      {s.norm != NormKind::rms, "LayerNorms"},
      {s.norm_place != NormPlace::before || !s.final_norm, "norms behind its blocks"},
      {s.positions != Positions::rotary, "learned positions"},
      {s.rotary_size() != s.head_dim, "heads of which only a part turns"},
      {s.rotary_scaling.kind != RotaryScaling::Kind::none, "scaled rotary positions"},
      {s.query_key_value_bias || s.attention_output_bias || s.feed_forward_bias || s.head_bias,
       "biases"},
      {s.head_norm != HeadNorm::none, "norms of query and key heads"},
      {s.attention_soft_cap != 0 || s.logit_soft_cap != 0, "soft caps"},
      {!s.windows.empty(), "attention windows"},
      {!s.gated || s.activation != Activation::silu, "another feed-forward than gated silu"},
      {s.num_experts > 0, "experts"},
      {s.parallel, "parallel blocks"},
      {s.attention_scale || s.residual_scale != 1 || s.embedding_scale != 1 || s.logit_scale != 1,
       "multipliers"},
      {s.embedding_size > 0, "a projected embedding table"}};
  for (const auto& [has, what] : choices)
    if (has) return what;
  return std::nullopt;
}

std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size) {
  std::vector<Token> tokens;
  for (const JsonNode& element : list.elements()) {
    tokens.push_back(static_cast<Token>(element.as_integer(0, vocab_size - 1)));
    if (tokens.size() > 1 && tokens.end()[-2] >= tokens.back())
      element.fail(element.shown(),
                   fmt::format("tokens in rising order: one above {}", tokens.end()[-2]));
  }
  if (tokens.empty()) list.fail("no tokens", "at least one");
  return tokens;
}

std::vector<std::int32_t> rows_of_tokens(std::span<const Token> draft_vocabulary,
                                         std::int32_t vocab_size, std::int32_t absent) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(vocab_size), absent);
  if (draft_vocabulary.empty()) std::iota(rows.begin(), rows.end(), 0);
  std::int32_t row = 0;
  for (const Token token : draft_vocabulary) rows[static_cast<std::size_t>(token)] = row++;
  return rows;
}

}  // namespace speclab::engines
