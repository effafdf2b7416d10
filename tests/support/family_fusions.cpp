#include "tests/support/family_fusions.h"

#include <algorithm>
#include <map>
#include <regex>

namespace speclab::testing {
namespace {

/// Rows of `part` behind those of `all`, in dimension 0.
void append_rows(StoredTensor& all, const StoredTensor& part) {
  if (all.shape.empty()) {
    all.shape = part.shape;
    all.shape[0] = 0;
  }
  all.shape[0] += part.shape[0];
  all.values.insert(all.values.end(), part.values.begin(), part.values.end());
}

/// Replaces each of `parts` in a name that has it by `whole`; the parts' order is that of the rows.
void stack(std::vector<StoredTensor>& tensors, const std::vector<std::string>& parts,
           const std::string& whole) {
  std::map<std::string, StoredTensor> stacked;
  for (const std::string& part : parts)
    for (const StoredTensor& tensor : tensors) {
      const std::size_t at = tensor.name.find(part);
      if (at == std::string::npos) continue;
      std::string name = tensor.name;
      name.replace(at, part.size(), whole);
      StoredTensor& all = stacked[name];
      all.name = name;
      append_rows(all, tensor);
    }
  std::erase_if(tensors, [&](const StoredTensor& tensor) {
    return std::ranges::any_of(parts, [&](const std::string& part) {
      return tensor.name.find(part) != std::string::npos;
    });
  });
  for (auto& [name, tensor] : stacked) tensors.push_back(std::move(tensor));
}

/// The experts of a layer as [experts, ...], gates and ups of each one behind the other.
void stack_experts(std::vector<StoredTensor>& tensors) {
  static const std::regex pattern(R"((.*)(?:block_sparse_moe|mlp)\.experts\.(\d+)\.)"
                                  R"((w1|w2|w3|gate_proj|up_proj|down_proj)\.weight)");
  std::map<std::string, std::map<int, std::map<std::string, StoredTensor>>> layers;
  std::erase_if(tensors, [&](const StoredTensor& tensor) {
    std::smatch match;
    if (!std::regex_match(tensor.name, match, pattern)) return false;
    const std::map<std::string, std::string> roles = {
        {"w1", "gate_proj"}, {"w2", "down_proj"}, {"w3", "up_proj"}};
    const auto role = roles.find(match[3]);
    layers[match[1]][std::stoi(match[2])][role == roles.end() ? match[3].str() : role->second] =
        tensor;
    return true;
  });
  for (const auto& [layer, experts] : layers) {
    const auto count = static_cast<std::int64_t>(experts.size());
    StoredTensor gate_up{layer + "mlp.experts.gate_up_proj", {}, {}},
        down{layer + "mlp.experts.down_proj", {}, {}};
    for (const auto& [number, parts] : experts) {
      append_rows(gate_up, parts.at("gate_proj"));
      append_rows(gate_up, parts.at("up_proj"));
      append_rows(down, parts.at("down_proj"));
    }
    for (StoredTensor* all : {&gate_up, &down}) {
      all->shape = {count, all->shape[0] / count, all->shape[1]};
      tensors.push_back(*all);
    }
  }
}

/// A tensor whose name has `whole` becomes one for each part, with as many rows.
void split(std::vector<StoredTensor>& tensors, const std::string& whole,
           const std::vector<std::pair<std::string, std::int64_t>>& parts) {
  std::vector<StoredTensor> result;
  for (const StoredTensor& tensor : tensors) {
    const std::size_t at = tensor.name.find(whole);
    if (at == std::string::npos) {
      result.push_back(tensor);
      continue;
    }
    const std::int64_t width = static_cast<std::int64_t>(tensor.values.size()) / tensor.shape[0];
    auto from = tensor.values.begin();
    for (const auto& [part, rows] : parts) {
      StoredTensor piece = tensor;
      piece.name.replace(at, whole.size(), part);
      piece.shape[0] = rows;
      piece.values.assign(from, from + rows * width);
      from += rows * width;
      result.push_back(std::move(piece));
    }
  }
  tensors = std::move(result);
}

std::int64_t rows_of_first(const std::vector<StoredTensor>& tensors, const std::string& part) {
  for (const StoredTensor& tensor : tensors)
    if (tensor.name.find(part) != std::string::npos) return tensor.shape[0];
  return 0;
}

}  // namespace

std::vector<StoredTensor> fused(const std::vector<StoredTensor>& tensors) {
  std::vector<StoredTensor> result = tensors;
  stack_experts(result);
  stack(result, {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, "self_attn.qkv_proj");
  stack(result, {"mlp.gate_proj", "mlp.up_proj"}, "mlp.gate_up_proj");
  return result;
}

std::vector<StoredTensor> separated(const std::vector<StoredTensor>& tensors,
                                    std::int64_t query_rows, std::int64_t key_rows) {
  std::vector<StoredTensor> result = tensors;
  split(result, "self_attn.qkv_proj",
        {{"self_attn.q_proj", query_rows},
         {"self_attn.k_proj", key_rows},
         {"self_attn.v_proj", key_rows}});
  const std::int64_t half = rows_of_first(result, "mlp.gate_up_proj") / 2;
  split(result, "mlp.gate_up_proj", {{"mlp.gate_proj", half}, {"mlp.up_proj", half}});
  return result;
}

}  // namespace speclab::testing
