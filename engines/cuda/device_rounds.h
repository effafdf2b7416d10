#pragma once
// Rounds of one sequence that stay on the device: every draft length is one graph, from the first drafted token to the record that the
// host polls.

#include <array>
#include <map>
#include <vector>

#include "engines/cuda/device_llama.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "engines/cuda/round_state.h"

namespace speclab::engines::cuda {

/// A model and the cache that holds the sequence.
struct CachedModel {
  const DeviceLlama* model = nullptr;
  KvCacheCuda* cache = nullptr;
  std::int32_t slot = 0;
};

class DeviceRounds {
 public:
  /// @param draft  no model where nothing is drafted @param max_length  longest draft
  DeviceRounds(const DeviceLlama& target, const DeviceLlama* draft, std::int32_t max_length, double temperature, std::uint64_t seed);

  /// Begins a sequence. The target's cache holds all its tokens but the last one, then and before every round; the drafter's must hold all but
  /// the last two before a round that drafts.
  void begin(const CachedModel& target, const CachedModel& draft, std::uint32_t sequence, std::span<const Token> tokens);
  /// Captures what a round of this length needs, if it is the first one: some milliseconds that are no round's.
  void prepare(std::int32_t length) { graph(length); }
  /// Runs a round and waits for it. @param length  tokens to draft, at most max_length
  /// @param forced  how many of them to accept whatever they are, or -1
  const RoundResult& run(std::int32_t length, std::int32_t forced);

 private:
  void put_round(std::int32_t length);
  void put_draft(std::int32_t length);
  const Graph& graph(std::int32_t length);
  void wait_for(std::uint32_t serial) const;
  DeviceLaws laws(const DeviceArray<float>& exponentials, const DeviceArray<double>& sums) const;

  const DeviceLlama& target_;
  const DeviceLlama* draft_;
  std::int32_t max_length_;
  float inverse_temperature_;
  std::uint64_t seed_;
  CachedModel in_target_, in_draft_;
  std::array<std::uint64_t, 2> generations_{};  ///< of the caches that the graphs were captured over
  DeviceArray<RoundState> state_;
  DeviceArray<ForwardState> target_state_, draft_state_;
  DeviceArray<float> target_exponentials_, draft_exponentials_;
  DeviceArray<double> target_sums_, draft_sums_;
  PinnedArray<RoundResult> result_;
  PinnedArray<std::int32_t> forced_;
  std::map<std::int32_t, Graph> graphs_;
  std::uint32_t serial_ = 0;
};

}  // namespace speclab::engines::cuda
