#pragma once
// Names and sizes of a decoder's tensors in one kind of file.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/families/family.h"
#include "engines/formats/weight_source.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// The places of the tensors in one kind of file.
struct FileLayout {
  std::span<const TensorPlace> places;
  std::span<const char* const> buffers;  ///< no weights, or read with the shape
  std::string prefix;                    ///< that names may lack
};

/// One place with its numbers put in.
struct FoundPlace {
  const TensorPlace* place;
  std::vector<std::string> names;  ///< one, or one an expert
};

class TensorFinder {
 public:
  TensorFinder(std::shared_ptr<const WeightSource> file, const DecoderShape& shape,
               FileLayout layout)
      : file_(std::move(file)), shape_(shape), layout_(std::move(layout)) {}

  /// The first place whose tensor is there in the right form; else the first that is there at all,
  /// else the first.
  FoundPlace find(TensorRole role, std::int32_t layer) const;
  /// The sizes that a tensor of this place must have.
  std::vector<std::int64_t> sizes_at(const TensorPlace& place) const;
  std::string name_at(const TensorPlace& place, std::int32_t layer, std::int32_t part) const;
  /// Names of buffers of this layer.
  std::vector<std::string> buffer_names(std::int32_t layer) const;
  /// True if a place stands for the parts of experts, and the model has none.
  bool is_of_no_part(const TensorPlace& place) const;
  /// Rows of the role, and of all roles that share its tensor; of each expert where there are some.
  std::int64_t rows(TensorRole role) const;
  std::int64_t stacked_rows(TensorRole role) const;
  const std::span<const TensorPlace>& places() const { return layout_.places; }

 private:
  std::int32_t num_parts(TensorRole role) const;
  std::string name_in_file(const std::string& name) const;
  std::vector<std::string> names_at(const TensorPlace& place, std::int32_t layer) const;

  std::shared_ptr<const WeightSource> file_;
  DecoderShape shape_;
  FileLayout layout_;
};

}  // namespace speclab::engines
