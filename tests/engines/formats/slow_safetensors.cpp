#include <algorithm>
#include <map>

#include "tests/engines/formats/slow_json.h"
#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {
namespace {

void require_tensor(bool condition, const char* rule) {
  if (!condition) throw SlowRefusal{rule};
}

/// Element sizes in bytes. @source the safetensors format
const std::map<std::string, std::uint64_t>& element_bytes() {
  static const std::map<std::string, std::uint64_t> bytes = {
      {"F64", 8}, {"F32", 4}, {"F16", 2},  {"BF16", 2},    {"I64", 8},
      {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U64", 8},     {"U32", 4},
      {"U16", 2}, {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  return bytes;
}

struct SafetensorsEntry {
  SlowTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

class SlowSafetensors {
 public:
  explicit SlowSafetensors(const std::string& bytes) : bytes_(bytes) {}

  std::vector<IntegerField> fields() {
    try {
      return read().fields;
    } catch (const SlowRefusal&) {
      return model_.fields;
    }
  }

  SlowModel read() {
    require_tensor(bytes_.size() >= 8, "eight bytes of length");
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length * 256 + static_cast<unsigned char>(bytes_[i]);
    model_.fields.push_back({0, 8});
    require_tensor(length >= 2 && length <= 100000000 && length <= bytes_.size() - 8,
                   "a header inside the file");
    const std::string header = bytes_.substr(8, length);
    require_tensor(header[0] == '{', "a header that begins with {");
    data_ = bytes_.substr(8 + length);
    read_header(read_json_slowly(header, 8));
    return std::move(model_);
  }

 private:
  void read_header(const SlowJson& header) {
    std::vector<SafetensorsEntry> placed;
    for (std::size_t i = 0; i < header.keys.size(); ++i) {
      const std::string& name = header.keys[i];
      const SlowJson& entry = header.items[i];
      require_tensor(entry.kind == SlowJson::Kind::object, "objects");
      if (name == "__metadata__") {
        read_metadata(entry);
      } else {
        placed.push_back(read_tensor(name, entry));
      }
    }
    require_tensor(placed.size() <= 1000000, "1,000,000 tensors");
    place(placed);
  }

  void read_metadata(const SlowJson& entry) {
    for (std::size_t i = 0; i < entry.keys.size(); ++i) {
      const std::string& key = entry.keys[i];
      const SlowJson& value = entry.items[i];
      require_tensor(value.kind == SlowJson::Kind::string, "metadata of strings");
      model_.metadata.push_back(key + " = " + value.text);
    }
  }

  static const SlowJson& member(const SlowJson& entry, const char* key, SlowJson::Kind kind) {
    const SlowJson* found = entry.find(key);
    require_tensor(found != nullptr && found->kind == kind, "dtype, shape and data_offsets");
    return *found;
  }

  std::uint64_t natural(const SlowJson& json) {
    const auto value = json.natural();
    require_tensor(value.has_value(), "integers from 0 to 2^63 - 1");
    model_.fields.push_back({8 + json.offset, json.text.size()});
    return static_cast<std::uint64_t>(*value);
  }

  SafetensorsEntry read_tensor(const std::string& name, const SlowJson& entry) {
    require_tensor(name.size() <= 4096, "names of 4 KiB");
    SafetensorsEntry placed;
    placed.tensor.name = name;
    placed.tensor.dtype = member(entry, "dtype", SlowJson::Kind::string).text;
    require_tensor(element_bytes().count(placed.tensor.dtype) == 1, "types");
    const std::vector<SlowJson>& sizes = member(entry, "shape", SlowJson::Kind::array).items;
    require_tensor(sizes.size() <= 8, "rank");
    std::uint64_t elements = 1;
    for (const SlowJson& json : sizes) {
      const std::uint64_t size = natural(json);
      require_tensor(elements == 0 || size <= INT64_MAX / elements, "a product below 2^63");
      elements *= size;
      placed.tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    const std::vector<SlowJson>& range = member(entry, "data_offsets", SlowJson::Kind::array).items;
    require_tensor(range.size() == 2, "two offsets");
    placed.begin = natural(range[0]);
    placed.end = natural(range[1]);
    require_tensor(placed.begin <= placed.end && placed.end <= data_.size(),
                   "data inside the file");
    require_tensor(elements <= data_.size() && elements * element_bytes().at(placed.tensor.dtype) ==
                                                   placed.end - placed.begin,
                   "as many bytes as type and shape need");
    return placed;
  }

  void place(std::vector<SafetensorsEntry>& placed) {
    std::sort(placed.begin(), placed.end(),
              [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                return a.begin < b.begin || (a.begin == b.begin && a.end < b.end);
              });
    std::uint64_t expected = 0;
    for (SafetensorsEntry& each : placed) {
      require_tensor(each.begin == expected, "no hole and no overlap");
      expected = each.end;
      read_values(each);
      model_.tensors.push_back(std::move(each.tensor));
    }
    require_tensor(expected == data_.size(), "data to the end of the file");
  }

  void read_values(SafetensorsEntry& placed) const {
    const std::string& type = placed.tensor.dtype;
    if (type != "F32" && type != "F16" && type != "BF16") return;
    const std::string own = data_.substr(placed.begin, placed.end - placed.begin);
    for (std::size_t i = 0; i < own.size() / element_bytes().at(type); ++i)
      placed.tensor.values.push_back(slow_value(type, own, i));
  }

  const std::string& bytes_;
  std::string data_;
  SlowModel model_;
};

}  // namespace

SlowModel read_safetensors_slowly(const std::string& bytes) {
  return SlowSafetensors(bytes).read();
}

std::vector<IntegerField> safetensors_fields_slowly(const std::string& bytes) {
  return SlowSafetensors(bytes).fields();
}

}  // namespace speclab::testing
