#pragma once
// How a piece of text becomes tokens.

#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

class PieceModel {
 public:
  /// Work space of one call, so that threads can share the model.
  class Work {
   public:
    virtual ~Work() = default;
    /// @param piece  not empty; any bytes where the model takes them, else valid UTF-8
    virtual void append_tokens(std::string_view piece, std::vector<Token>& out) = 0;
  };

  virtual ~PieceModel() = default;
  virtual std::unique_ptr<Work> start() const = 0;
  /// Bytes of a text that stand in no token, not even in one for unknown text.
  virtual std::size_t num_bytes_without_token(std::string_view text) const = 0;
  /// Whether bytes that are no UTF-8 have tokens of their own.
  virtual bool takes_any_bytes() const = 0;
};

}  // namespace speclab::engines
