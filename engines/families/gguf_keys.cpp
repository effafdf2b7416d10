#include "engines/families/gguf_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Keys that change no logit, whatever their value: names of layouts, notes about training, and
/// what only embeddings and servers read.
constexpr const char* kWithoutInfluence[] = {"vocab_size", "tensor_data_layout",
                                             "rope.scaling.finetuned", "pooling_type"};

/// A value at which a key says what every decoder here does anyway.
struct NeutralValue {
  const char* key;
  double value;
  const char* shown;
};

/// @source llama.cpp, llama-arch.cpp for the keys and llama-hparams.h for values that mean none
constexpr NeutralValue kNeutral[] = {
    {"attention.causal", 1, "true"},
    {"attention.clamp_kqv", 0, "0"},
    {"attention.max_alibi_bias", 0, "0"},
    {"attention.scale", 0, "0"},
    {"attention.sliding_window", 0, "0"},
    {"attention.temperature_scale", 0, "0"},
    {"attn_logit_softcapping", 0, "0"},
    {"final_logit_softcapping", 0, "0"},
    {"router_logit_softcapping", 0, "0"},
    {"embedding_scale", 0, "0"},
    {"embedding_scale", 1, "1"},
    {"logit_scale", 0, "0"},
    {"logit_scale", 1, "1"},
    {"residual_scale", 0, "0"},
    {"residual_scale", 1, "1"},
    {"expert_count", 0, "0"},
    {"expert_used_count", 0, "0"},
    {"expert_feed_forward_length", 0, "0"},
    {"expert_shared_count", 0, "0"},
    {"expert_shared_feed_forward_length", 0, "0"},
    {"expert_group_count", 0, "0"},
    {"expert_group_count", 1, "1"},
    {"expert_group_used_count", 0, "0"},
    {"expert_group_used_count", 1, "1"},
    {"expert_gating_func", 0, "0"},
    {"expert_gating_func", 1, "1, softmax"},
    {"expert_weights_scale", 0, "0"},
    {"expert_weights_scale", 1, "1"},
    {"leading_dense_block_count", 0, "0"},
    {"nextn_predict_layers", 0, "0"},
    {"use_parallel_residual", 0, "false"},
};

struct AsNumber {
  double operator()(bool value) const { return value ? 1 : 0; }
  double operator()(std::uint64_t value) const { return static_cast<double>(value); }
  double operator()(std::int64_t value) const { return static_cast<double>(value); }
  double operator()(double value) const { return value; }
  double operator()(const auto& /*text or list*/) const { return -1; }
};

struct AsText {
  std::string operator()(const std::string& value) const { return "'" + escaped(value, 64) + "'"; }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("a list of {}", values.size());
  }
  std::string operator()(const auto& value) const { return fmt::format("{}", value); }
};

bool is_harmless(const std::string& key, const GgufValue& value) {
  const double number = std::visit(AsNumber{}, value);
  return std::ranges::any_of(kWithoutInfluence, [&](const char* name) { return key == name; }) ||
         std::ranges::any_of(kNeutral, [&](const NeutralValue& each) {
           return key == each.key && number == each.value;
         });
}

std::string allowed_values(const std::string& key) {
  std::vector<std::string> values;
  for (const NeutralValue& each : kNeutral)
    if (key == each.key) values.emplace_back(each.shown);
  return values.empty() ? "only keys that are read here: this one may change the logits"
                        : fmt::format("{}", fmt::join(values, " or "));
}

}  // namespace

bool GgufKeys::has(const std::string& key) const {
  return file_.metadata().contains(prefix_ + key);
}

std::int32_t GgufKeys::within(const std::string& key, std::int64_t value, std::int64_t least,
                              std::int64_t most) const {
  if (value < least || value > most)
    fail(key, fmt::format("{}", value), fmt::format("{} to {}", least, most));
  return static_cast<std::int32_t>(value);
}

std::int32_t GgufKeys::integer(const std::string& key, std::int64_t least,
                               std::int64_t most) const {
  read_.insert(key);
  return within(key, file_.metadata().get<std::int64_t>(prefix_ + key), least, most);
}

std::int32_t GgufKeys::integer_or(const std::string& key, std::int64_t least, std::int64_t most,
                                  std::int32_t otherwise) const {
  return has(key) ? integer(key, least, most) : otherwise;
}

std::vector<std::int64_t> GgufKeys::integers(const std::string& key) const {
  read_.insert(key);
  return file_.metadata().find_integers(prefix_ + key);
}

std::int32_t GgufKeys::layer_integer(const std::string& key, std::int64_t least,
                                     std::int64_t most) const {
  const std::vector<std::int64_t> values = integers(key);
  if (values.size() <= 1) return integer(key, least, most);
  if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) != values.end())
    fail(key, "different numbers of the layers", "the same for every layer");
  return within(key, values.front(), least, most);
}

std::int32_t GgufKeys::layer_integer_or(const std::string& key, std::int64_t least,
                                        std::int64_t most, std::int32_t otherwise) const {
  return has(key) ? layer_integer(key, least, most) : otherwise;
}

float GgufKeys::number(const std::string& key) const {
  read_.insert(key);
  return file_.metadata().get<float>(prefix_ + key);
}

float GgufKeys::number_or(const std::string& key, float otherwise) const {
  return has(key) ? number(key) : otherwise;
}

bool GgufKeys::flag_or(const std::string& key, bool otherwise) const {
  read_.insert(key);
  return file_.metadata().find<bool>(prefix_ + key).value_or(otherwise);
}

std::string GgufKeys::text_or(const std::string& key, const std::string& otherwise) const {
  read_.insert(key);
  return file_.metadata().find<std::string>(prefix_ + key).value_or(otherwise);
}

void GgufKeys::fail(const std::string& key, std::string found, std::string allowed) const {
  file_.metadata().fail(prefix_ + key, std::move(found), std::move(allowed));
}

void GgufKeys::refuse_unread() const {
  for (const GgufEntry& entry : file_.metadata().entries()) {
    if (!entry.key.starts_with(prefix_)) continue;
    const std::string key = entry.key.substr(prefix_.size());
    if (!read_.contains(key) && !is_harmless(key, entry.value))
      fail(key, std::visit(AsText{}, entry.value), allowed_values(key));
  }
}

}  // namespace speclab::engines
