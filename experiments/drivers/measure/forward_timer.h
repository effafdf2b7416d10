#pragma once
#include <memory>
#include <vector>

#include "engines/interface/language_model.h"

namespace speclab::experiments {

/// Times bare forwards of one model on top of one context.
class ForwardTimer {
 public:
  /// @param context   tokens in the cache, which repeat `tokens`
  /// @param max_rows  of any forward to be timed
  ForwardTimer(engines::LanguageModel& model, int context, int max_rows, std::vector<Token> tokens);

  /// A chain of `rows` rows, of which none is committed.
  double forward_ns(int rows);

 private:
  std::vector<engines::ForwardRow> chain(int rows) const;
  void commit(int rows);

  engines::LanguageModel& model_;
  std::vector<Token> tokens_;
  std::unique_ptr<engines::KvCache> cache_;
  std::int32_t slot_;
};

}  // namespace speclab::experiments
