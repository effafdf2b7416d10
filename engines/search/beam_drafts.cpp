#include "engines/search/beam_drafts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/drafter_checks.h"
#include "engines/search/search_checks.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// A transformer keeps a cache for every beam, beside those of the target and of other parts.
/// @throws ConfigError if memory does not hold them, or if its tokenizer is another
void check_models(const DecoderOptions& options, std::int64_t prompt_tokens,
                  const ModelInfo& target, DrafterModels& models) {
  const std::int64_t of_target = tokens_of_beams(options, prompt_tokens);
  const std::int64_t tokens = of_target + (options.search->num_beams - 1) * prompt_tokens;
  std::int64_t other_bytes = of_target * target.cache_bytes_per_token;
  std::vector<DrafterOptions> drafters = options.drafter.parts;
  drafters.push_back(options.drafter);
  for (const DrafterOptions& drafter : drafters) {
    if (!drafter.traits().reads_language_model()) continue;
    const ModelInfo& model = models.language_model(drafter.kind, drafter.model)->info();
    require_memory_for_cache(model, tokens, options.search->num_beams, other_bytes);
    other_bytes += tokens * model.cache_bytes_per_token;
  }
}

std::int32_t depth_of(const TokenTree& tree) {
  std::int32_t depth = 0;
  for (TokenTree::Node node = 1; node < tree.size(); ++node)
    depth = std::max(depth, tree[node].depth);
  return depth;
}

void check_rows_of_drafts(const DecoderOptions& options) {
  constexpr std::int64_t kMostDraftRows = 1024;
  const std::int64_t rows = std::int64_t{options.search->num_beams} * (1 + most_drafted(options));
  if (rows > kMostDraftRows)
    throw ConfigError(
        fmt::format("{} beams with {} drafted tokens each are {} rows of a forward; allowed: {}; "
                    "take a smaller --speculation-length or tree",
                    options.search->num_beams, most_drafted(options), rows, kMostDraftRows));
}

}  // namespace

void BeamDrafts::begin(const Request& request, std::size_t num_beams) {
  drafted_.clear();
  if (!drafter_) return;
  texts_.assign(num_beams, {.id = request.sequence_id,
                            .prompt_length = static_cast<std::int32_t>(request.prompt_ids.size()),
                            .tokens = request.prompt_ids});
  for (std::size_t i = 0; i < num_beams; ++i) texts_[i].index = static_cast<std::int32_t>(i);
  drafter_->begin(texts_);
}

std::int32_t BeamDrafts::add_rows(std::span<const Beam> beams, std::int32_t levels,
                                  std::vector<ForwardRow>& rows) {
  drafted_.clear();
  if (!drafter_ || levels <= 0) return 0;
  std::vector<const Sequence*> texts;
  for (std::size_t i = 0; i < beams.size(); ++i) {
    texts_[i].tokens = beams[i].tokens;
    ++texts_[i].round;
    texts.push_back(&texts_[i]);
  }
  std::vector<Draft> drafts(beams.size());
  drafter_->propose(texts, std::vector(beams.size(), DraftLimit{.max_length = levels}), drafts);
  std::int32_t shallowest = levels;
  for (const Draft& draft : drafts) shallowest = std::min(shallowest, depth_of(draft.tree));
  for (std::size_t i = 0; i < beams.size(); ++i)
    add_tree(drafts[i].tree, shallowest, beams[i].row, rows);
  return shallowest;
}

void BeamDrafts::add_tree(const TokenTree& tree, std::int32_t levels, std::int32_t root,
                          std::vector<ForwardRow>& rows) {
  constexpr std::int32_t kNoRow = -1;
  std::vector<std::int32_t> row_of(static_cast<std::size_t>(tree.size()), kNoRow);
  row_of[0] = root;
  for (TokenTree::Node node = 1; node < tree.size(); ++node) {
    if (tree[node].depth > levels) continue;
    const std::int32_t parent = row_of[static_cast<std::size_t>(tree[node].parent)];
    const ForwardRow before = rows[static_cast<std::size_t>(parent)];
    const auto [place, is_new] =
        drafted_.try_emplace({parent, tree[node].token}, static_cast<std::int32_t>(rows.size()));
    if (is_new) rows.push_back({tree[node].token, before.position + 1, before.sequence, parent});
    row_of[static_cast<std::size_t>(node)] = place->second;
  }
}

bool BeamDrafts::follow(std::span<Beam> beams) const {
  std::vector<std::int32_t> rows;
  for (const Beam& beam : beams) {
    const auto row = drafted_.find({beam.row, beam.tokens.back()});
    if (row == drafted_.end()) return false;
    rows.push_back(row->second);
  }
  for (std::size_t i = 0; i < beams.size(); ++i) beams[i].row = rows[i];
  return true;
}

bool has_drafts(const DecoderOptions& options) { return options.drafter.traits().drafts(); }

std::int32_t most_drafted(const DecoderOptions& options) {
  if (!has_drafts(options)) return 0;
  return TreeGrowth::parse(options.drafter.tree, options.search->draft_length).max_nodes();
}

std::int64_t tokens_of_beams(const DecoderOptions& options, std::int64_t prompt_tokens) {
  return prompt_tokens + options.search->num_beams * (std::int64_t{options.stop.max_new_tokens} +
                                                      1 + most_drafted(options));
}

void check_drafts(const DecoderOptions& options) {
  check_drafter_options(options.drafter);
  if (!has_drafts(options)) return;
  const SearchOptions& search = *options.search;
  if (search.num_beams < 2 || search.num_beam_groups != 1 || search.do_sample ||
      !search.force_words_ids.empty())
    throw ConfigError(fmt::format(
        "drafter '{}' in a search with num_beams = {}, num_beam_groups = {}, do_sample = {} and {} "
        "forced words; allowed: at least 2 beams in 1 group, do_sample = false, no forced words",
        escaped(options.drafter.kind), search.num_beams, search.num_beam_groups, search.do_sample,
        search.force_words_ids.size()));
  check_beam_drafter(options.drafter);
  if (search.draft_length < 0)
    throw ConfigError(
        fmt::format("draft_length = {}; allowed: integers >= 0", search.draft_length));
  check_rows_of_drafts(options);
}

std::unique_ptr<Drafter> make_beam_drafter(const DecoderOptions& options, std::size_t prompt_tokens,
                                           const ModelInfo& target, DrafterModels& models) {
  check_drafts(options);
  if (!has_drafts(options)) return nullptr;
  check_models(options, static_cast<std::int64_t>(prompt_tokens), target, models);
  DecoderOptions decoder{.stop = options.stop, .drafter = options.drafter, .seed = options.seed};
  decoder.sampling.temperature = 0;
  return make_drafter(decoder, target, models);
}

}  // namespace speclab::engines
