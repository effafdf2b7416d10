#include <fstream>
#include <stdexcept>

#include "tests/engines/formats/gguf_bytes.h"
#include "tests/support/family_files.h"

namespace speclab::testing {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kF32 = 0;
constexpr std::size_t kDataAlignment = 32;

/// Rows of a tensor; a vector has rows of one value.
struct Rows {
  std::size_t width = 1;
  std::vector<float> values;
};

Rows rows_of(const MadeTensor& tensor, const MadeModel& model) {
  Rows rows{tensor.shape.size() > 1 ? static_cast<std::size_t>(tensor.shape.back()) : 1,
            made_values(tensor, model)};
  return rows;
}

Rows transposed(const Rows& rows) {
  const std::size_t height = rows.values.size() / rows.width;
  Rows turned{height, std::vector<float>(rows.values.size())};
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < rows.width; ++j)
      turned.values[j * height + i] = rows.values[i * rows.width + j];
  return turned;
}

Rows all_rows(const FamilyFixture& fixture, const MadeModel& model,
              const GgufTensorSource& tensor) {
  Rows all;
  for (const std::string& name : tensor.from) {
    const Rows made = rows_of(fixture.tensor(name), model);
    const Rows rows = tensor.transposed ? transposed(made) : made;
    all.width = rows.width;
    all.values.insert(all.values.end(), rows.values.begin(), rows.values.end());
  }
  return all;
}

std::string scalar_bytes(std::uint32_t type, const Json& value) {
  switch (type) {
    case 4:
      return raw(value.get<std::uint32_t>());
    case 5:
      return raw(value.get<std::int32_t>());
    case 6:
      return raw(value.get<float>());
    case 7:
      return raw<std::uint8_t>(value.get<bool>() ? 1 : 0);
    case 8:
      return raw_string(value.get<std::string>());
    default:
      throw std::runtime_error("a GGUF value type that no fixture has: " + std::to_string(type));
  }
}

std::string value_bytes(const Json& entry) {
  const std::uint32_t type = entry.at("type");
  if (type != 9) return scalar_bytes(type, entry.at("value"));
  const std::uint32_t of = entry.at("of");
  std::string bytes = raw(of) + raw<std::uint64_t>(entry.at("value").size());
  for (const Json& value : entry.at("value")) bytes += scalar_bytes(of, value);
  return bytes;
}

}  // namespace

std::vector<float> gguf_values(const FamilyFixture& fixture, const MadeModel& model,
                               const GgufTensorSource& tensor) {
  if (!tensor.values.empty()) return tensor.values;
  const Rows all = all_rows(fixture, model, tensor);
  std::vector<float> values;
  values.reserve(all.values.size());
  for (const std::size_t row : tensor.rows) {
    const auto first = all.values.begin() + static_cast<std::ptrdiff_t>(row * all.width);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(all.width));
  }
  if (tensor.rows.empty()) values = all.values;
  for (float& value : values) value += tensor.add;
  return values;
}

void write_family_gguf(const FamilyFixture& fixture, const MadeModel& model,
                       const std::string& path) {
  GgufBytes file;
  for (const Json& entry : fixture.gguf_metadata)
    file.metadata.push_back(metadata_entry(entry.at("key"), entry.at("type"), value_bytes(entry)));
  for (const GgufTensorSource& tensor : fixture.gguf_tensors) {
    const std::vector<std::uint64_t> dims(tensor.shape.rbegin(), tensor.shape.rend());
    file.tensors.push_back(tensor_entry(tensor.name, dims, kF32, file.data.size()));
    for (const float value : gguf_values(fixture, model, tensor)) file.data += raw(value);
    file.data.resize((file.data.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment);
  }
  std::ofstream(path, std::ios::binary) << file.str();
}

}  // namespace speclab::testing
