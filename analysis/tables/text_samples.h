#pragma once
// Texts and drafts of a run, as a person looks at them: pieces of text with the fate of every
// token, and token trees with what drafter and target thought of it.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/records.h"

namespace speclab::analysis {

/// A piece of generated text and where its token came from.
struct TextPiece {
  std::string text;
  TokenFate fate = TokenFate::plain;
};

struct TextSample {
  std::int64_t row_id = 0;
  std::string prompt;
  std::vector<TextPiece> pieces;
};

/// Reads texts.jsonl. @throws DataError with file and line
std::vector<TextSample> read_text_samples(const std::string& path);

struct Run;

/// A drafted token. Probabilities are of the laws after its parent, to four decimals.
struct DraftNode {
  std::int64_t parent = 0;  ///< place of its parent in DraftedRound::nodes, before its own
  std::string token;  ///< as JSON quotes its text; its number where the model has no tokenizer
  std::optional<double> draft_probability{};  ///< missing where tokens are chosen, not drawn
  double target_probability = 1.0;
  bool is_accepted = false;
};

struct DraftedRound {
  std::int64_t round = 0;
  std::vector<DraftNode> nodes{};  ///< the root, which is the token before the draft, and the
                                   ///< drafted ones; none where nothing was drafted
  std::int64_t accepted = 0;       ///< tokens; a stop rule may leave less of them in the text
  std::string next{};  ///< token after them, likewise quoted; empty where a stop rule cut it off
  NextKind next_kind = NextKind::recovered;
};

/// One line of drafts.jsonl: the first rounds of a generation whose text is shown.
struct DraftSample {
  std::int64_t row_id = 0;
  std::vector<DraftedRound> rounds{};
};

nlohmann::ordered_json to_json(const DraftedRound& round);
/// Nodes of a round at most, root included: as many as a tree may have.
inline constexpr std::size_t kMostDraftNodes = 4096;

/// @throws DataError about what is no such round
DraftedRound drafted_round(const nlohmann::ordered_json& json);

/// Those of generations of `run`; none if the file is missing. @throws DataError naming file and
/// line; also where they are not the rounds of their generation
std::vector<DraftSample> read_drafts(const std::string& path, const Run& run);

}  // namespace speclab::analysis
