#pragma once
#include <string>
#include <vector>

#include "engines/formats/byte_cursor.h"
#include "engines/formats/gguf_metadata.h"
#include "engines/formats/weight_source.h"

namespace speclab::engines {

/// Everything of a GGUF v3 file before its tensor data, checked.
struct GgufHeader {
  GgufMetadata metadata;
  TensorTable table;
  std::vector<TensorExtent> extents;  ///< in the order of the table, apart from each other
};

inline constexpr std::uint64_t kMaxGgufHeaderBytes = std::uint64_t{1} << 30;

/// @param max_header_bytes  of everything before the tensor data, whatever the file says
/// @throws ModelFileError at the first byte that is not allowed
GgufHeader read_gguf_header(const InputFile& file,
                            std::uint64_t max_header_bytes = kMaxGgufHeaderBytes);

// The files that a split GGUF model lies in: "NAME-00001-of-00003.gguf" and its neighbours.

/// One file of a model with its header.
struct GgufPart {
  InputFile file;
  GgufHeader header;
};

inline constexpr std::int64_t kMaxGgufParts = 1000;

/// The file itself, or all parts of a split model, in their order.
/// @param path  of the only file, or of the first part
/// @throws ModelFileError if a part is missing, is no part of this model, or not the first is given
std::vector<GgufPart> open_gguf_parts(const std::string& path);

/// A GGUF v3 model, in one file or split into parts. Tensors come in float32, bit-equal to the
/// Python package `gguf`.
class GgufFile : public WeightSource {
 public:
  /// Reads and checks the headers; tensor data is only read when asked for.
  /// @param path  of the file, or of the first part
  /// @throws ModelFileError
  static GgufFile open(const std::string& path);

  /// The metadata of the first part, which speaks for all.
  const GgufMetadata& metadata() const { return parts_.front().header.metadata; }
  const std::vector<TensorInfo>& tensors() const override { return table_.tensors(); }
  bool contains(const std::string& name) const override { return table_.contains(name); }
  const TensorInfo& tensor(const std::string& name) const override;
  std::vector<float> read_float32(const std::string& name) const override;
  std::vector<std::byte> read_stored(const std::string& name) const override;
  TensorBytes stored_bytes(const std::string& name) const override;
  const std::string& path() const override { return parts_.front().file.path(); }
  std::vector<std::string> weight_paths() const override;

 private:
  explicit GgufFile(std::vector<GgufPart> parts);
  void add_tensors(std::size_t part);

  /// The place of a tensor's data: a part, and the number of the tensor there.
  struct Place {
    std::size_t part, tensor;
  };

  std::vector<GgufPart> parts_;
  TensorTable table_;          ///< of all parts
  std::vector<Place> places_;  ///< in the order of the table
};

}  // namespace speclab::engines
