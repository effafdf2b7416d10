#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {
namespace {

constexpr std::uint64_t kMebibyte = 1048576;

void require(bool condition, const char* rule) {
  if (!condition) throw SlowRefusal{rule};
}

struct PlacedTensor {
  SlowTensor tensor;
  std::string type;
  std::uint64_t begin = 0, bytes = 0;  ///< of the data, within the data section
};

class SlowGguf {
 public:
  explicit SlowGguf(const std::string& bytes) : bytes_(bytes) {}

  std::vector<IntegerField> fields() {
    try {
      return read().fields;
    } catch (const SlowRefusal&) {
      return model_.fields;
    }
  }

  SlowModel read() {
    require(text(4) == "GGUF", "magic");
    require(number(4) == 3, "version");
    const std::uint64_t num_tensors = number(8), num_keys = number(8);
    require(num_tensors <= 1000000 && num_keys <= 1000000, "1,000,000 tensors and keys");
    for (std::uint64_t i = 0; i < num_keys; ++i) read_entry();
    require(alignment_ >= 1 && alignment_ <= 65536 &&
                std::set<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                        8192, 16384, 32768, 65536}
                        .count(alignment_) == 1,
            "alignment");
    std::vector<PlacedTensor> placed;
    for (std::uint64_t i = 0; i < num_tensors; ++i) placed.push_back(read_tensor());
    require(at_ <= 1024 * kMebibyte, "header of 1 GiB");
    read_data(placed);
    return std::move(model_);
  }

 private:
  std::string text(std::uint64_t size) {
    require(size <= bytes_.size() - at_, "inside the file");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::uint64_t number(std::size_t size) {
    model_.fields.push_back({at_, size});
    const std::string digits = text(size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value * 256 + static_cast<unsigned char>(digits[i]);
    return value;
  }
  std::string string(std::uint64_t least, std::uint64_t most, const char* rule) {
    const std::uint64_t size = number(8);
    require(size >= least && size <= most, rule);
    return text(size);
  }

  void read_entry() {
    const std::string key = string(1, 65535, "keys of 1 to 65535 bytes");
    require(keys_.insert(key).second, "each key once");
    const std::uint64_t type = number(4);
    if (type != 9) {
      last_integer_ = -1;
      model_.metadata.push_back(key + " = " + kind_of(type) + value(type));
      if (key == "general.alignment") {
        require(last_integer_ >= 0, "an integer");
        alignment_ = static_cast<std::uint64_t>(last_integer_);
      }
      return;
    }
    require(key != "general.alignment", "an integer");
    const std::uint64_t element = number(4), length = number(8);
    require(element <= 12 && element != 9 && length <= 16777216, "arrays of 16,777,216 values");
    std::string shown = key + " = [" + (element == 7 ? "u" : kind_of(element));
    for (std::uint64_t i = 0; i < length; ++i) shown += value(element) + ",";
    model_.metadata.push_back(shown + "]");
  }

  static std::string kind_of(std::uint64_t type) {
    require(type <= 12 && type != 9, "value types");
    return type == 7                                           ? "b"
           : type == 8                                         ? "s"
           : type == 6 || type == 12                           ? "f"
           : type == 1 || type == 3 || type == 5 || type == 11 ? "i"
                                                               : "u";
  }

  std::string value(std::uint64_t type) {
    const std::string kind = kind_of(type);
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == 8) return string(0, 64 * kMebibyte, "strings of 64 MiB");
    const std::uint64_t bits = number(sizes[type]);
    if (type == 7) require(bits <= 1, "bool of 0 or 1");
    if (type == 6 || type == 12) return shown_float(bits, type == 6);
    if (kind != "i") {
      last_integer_ = type == 7 || bits > INT64_MAX ? -1 : static_cast<std::int64_t>(bits);
      return std::to_string(bits);
    }
    const std::uint64_t half = std::uint64_t{1} << (8 * sizes[type] - 1);
    last_integer_ = bits < half ? static_cast<std::int64_t>(bits)
                                : -static_cast<std::int64_t>(half - 1 - (bits - half)) - 1;
    return std::to_string(last_integer_);
  }

  static std::string shown_float(std::uint64_t bits, bool is_single) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (is_single) {
      float single;
      std::memcpy(&single, &bits, sizeof single);
      value = static_cast<double>(single);
    }
    char shown[40];
    std::snprintf(shown, sizeof shown, "%a", value);
    return value != value ? "nan" : shown;
  }

  PlacedTensor read_tensor() {
    PlacedTensor placed;
    placed.tensor.name = string(1, 63, "tensor names of 1 to 63 bytes");
    require(names_.insert(placed.tensor.name).second, "each tensor once");
    const std::uint64_t rank = number(4);
    require(rank >= 1 && rank <= 4, "rank");
    std::uint64_t elements = 1, row = 0;
    for (std::uint64_t i = 0; i < rank; ++i) {
      const std::uint64_t size = number(8);
      require(size >= 1 && size <= INT64_MAX / elements, "dimensions whose product is below 2^63");
      elements *= size;
      if (i == 0) row = size;
      placed.tensor.shape.insert(placed.tensor.shape.begin(), static_cast<std::int64_t>(size));
    }
    const std::uint64_t type = number(4);
    placed.begin = number(8);
    for (const SlowType& known : slow_types())
      if (known.number == type) {
        require(row % known.block_elements == 0, "rows of whole blocks");
        require(elements / known.block_elements <= bytes_.size() / known.block_bytes,
                "data inside the file");
        placed.type = placed.tensor.dtype = known.name;
        placed.bytes = elements / known.block_elements * known.block_bytes;
        placed.tensor.values.resize(elements);
      }
    require(!placed.type.empty(), "tensor types");
    require(placed.begin % alignment_ == 0, "aligned data");
    return placed;
  }

  void read_data(std::vector<PlacedTensor>& placed) {
    std::uint64_t section = at_;
    while (section % alignment_ != 0) ++section;
    std::map<std::uint64_t, std::uint64_t> ends;
    for (PlacedTensor& each : placed) {
      require(section <= bytes_.size() && each.begin <= bytes_.size() - section &&
                  each.bytes <= bytes_.size() - section - each.begin,
              "data inside the file");
      require(ends.emplace(each.begin, each.begin + each.bytes).second, "no overlap");
      const std::string data = bytes_.substr(section + each.begin, each.bytes);
      for (std::size_t i = 0; i < each.tensor.values.size(); ++i)
        each.tensor.values[i] = slow_value(each.type, data, i);
      model_.tensors.push_back(std::move(each.tensor));
    }
    std::uint64_t end = 0;
    for (const auto& [begin, own_end] : ends) {
      require(begin >= end, "no overlap");
      end = own_end;
    }
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  SlowModel model_;
  std::set<std::string> keys_, names_;
  std::uint64_t alignment_ = 32;
  std::int64_t last_integer_ =
      -1;  ///< the value read last, or -1 if it was negative, above 2^63 - 1 or no integer
};

}  // namespace

SlowModel read_gguf_slowly(const std::string& bytes) { return SlowGguf(bytes).read(); }

std::vector<IntegerField> gguf_fields_slowly(const std::string& bytes) {
  return SlowGguf(bytes).fields();
}

}  // namespace speclab::testing
