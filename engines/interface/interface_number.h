#pragma once
// Tells whether the program and its engines library were built from the same declarations. Between
// them go structs of the standard library, which would be read wrongly without a word.

#include <cstddef>
#include <cstdint>

#include "engines/interface/chat_request.h"
#include "engines/interface/engines.h"
#include "engines/interface/token_mask.h"

namespace speclab::engines {

/// Raise it with every change of the classes and structs of engines/interface that leaves the sizes
/// below as they are: another virtual function, another order or meaning of members.
inline constexpr std::uint64_t kInterfaceVersion = 4;

/// Depends on the size of each struct, and on their order.
/// @source Fowler, Noll, Vo: FNV-1a, by words instead of bytes
template <typename... Structs>
constexpr std::uint64_t number_of_sizes(std::uint64_t version) {
  std::uint64_t number = 0xcbf29ce484222325;
  const auto add = [&number](std::uint64_t word) { number = (number ^ word) * 0x100000001b3; };
  add(version);
  (add(sizeof(Structs)), ...);
  return number;
}

/// All structs that cross the boundary.
inline constexpr std::uint64_t kInterfaceNumber =
    number_of_sizes<ModelOptions, ModelInfo, LoadedModel, InspectedModel, StoredWeights, KnownModel,
                    MachineInfo, DeviceSample, ChatRequest, TokenRoles, EndToken, SpecialTokenText,
                    TemplateSource, ForwardRow, ForwardResult, SamplingOptions, TextRules,
                    StopOptions, DrafterOptions, DecoderOptions, LossyRuleOptions, ReplayTrace,
                    Request, SearchOptions, FoundSequence, SearchRecord, GenerationRecord,
                    RoundRecord, BridgeUse, EnergyUse, AllowedTokens, Draft, TargetLaws<float>,
                    TrainingRecord, TrainOptions, TrainProgress, TrainCallbacks>(kInterfaceVersion);

}  // namespace speclab::engines
