#pragma once
#include <span>
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/round_trace.h"

namespace speclab::sim {

/// Logged generations, replayed: sequence s is generation s of the log, which begins again when it
/// is through. Rounds stand where the policy's lengths bring them in the logged text. Under the
/// logged lengths the logged rounds come back; under others, rounds that reach a token whose draft
/// is not known end before it (RoundTotals::limited counts those), which is the limit of a replay.
class ReplayProcess final : public AcceptanceProcess {
 public:
  /// @throws DataError if there is no generation, or as LoggedText
  explicit ReplayProcess(std::span<const LoggedGeneration> log);

  std::size_t generations() const { return texts_.size(); }
  std::string name() const override { return "replay"; }
  void begin(const RngStream&, std::uint32_t sequence) override;
  int begin_round(std::uint32_t) override;
  DraftLevel level(int index) override;
  void advance(int emitted) override { token_ += emitted; }
  int tokens() const override { return text_->tokens(); }
  bool is_logged() const override { return true; }

 private:
  std::vector<LoggedText> texts_;
  const LoggedText* text_ = nullptr;
  int token_ = 0;
  int accepted_ = 0;  ///< of the round at hand
};

}  // namespace speclab::sim
