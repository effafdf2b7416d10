#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/prompt_matches.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kCandidates = 4;  ///< of a part, at least, where likelihoods are compared

/// A part that can speak in this draft.
struct Speaker {
  NextTokens* next_tokens;
  double weight;
  std::int32_t levels;              ///< that it was started for
  double share = 0;                 ///< at the place that is asked about
  std::optional<double> claimed{};  ///< NextTokens::claimed_share there
  std::vector<LawEntry<float>> likeliest{};
};

/// Every part reads every level that it has, whoever drafted it, so that its cache holds what comes
/// before.
class MixtureNextTokens final : public NextTokens {
 public:
  MixtureNextTokens(std::vector<MixturePart> parts, double temperature)
      : parts_(std::move(parts)), is_greedy_(temperature == 0) {
    SPECLAB_EXPECT(!parts_.empty(), "a mixture of nothing");
  }

  std::size_t vocab_size() const override { return parts_.front().next_tokens->vocab_size(); }
  bool reads_hidden() const override {
    return std::ranges::any_of(
        parts_, [](const MixturePart& part) { return part.next_tokens->reads_hidden(); });
  }
  std::int32_t most_levels() const override {
    std::int32_t most = 0;
    for (const MixturePart& part : parts_) most = std::max(most, part.next_tokens->most_levels());
    return most;
  }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) override {
    for (const MixturePart& part : parts_) part.next_tokens->begin(sequences, spare);
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override {
    for (const MixturePart& part : parts_)
      if (part.next_tokens->reads_hidden()) part.next_tokens->read_hidden(sequence, hidden);
  }

  std::int64_t bytes_read() const override {
    std::int64_t bytes = 0;
    for (const MixturePart& part : parts_) bytes += part.next_tokens->bytes_read();
    return bytes;
  }

  bool start(const Sequence& sequence, std::int32_t levels) override {
    speakers_.clear();
    for (const MixturePart& part : parts_) {
      const std::int32_t own_levels = std::min(levels, part.next_tokens->most_levels());
      if (part.next_tokens->start(sequence, own_levels))
        speakers_.push_back({part.next_tokens.get(), part.weight, own_levels});
    }
    return !speakers_.empty();
  }

  void read(const Sequence& sequence, const TokenTree& tree, TokenTree::Node first) override {
    for (const Speaker& speaker : speakers_)
      if (tree[first].depth < speaker.levels) speaker.next_tokens->read(sequence, tree, first);
  }

  bool knows(const DraftPlace& place) const override {
    return std::ranges::any_of(speakers_,
                               [&](const Speaker& speaker) { return knows(speaker, place); });
  }

  void law(const DraftPlace& place, Law& law) override {
    find_speakers(place);
    if (heard_.size() == 1) return heard_.front()->next_tokens->law(place, law);
    if (is_greedy_) return law.assign_point_mass(vocab_size(), preferred(place));
    mix_laws(place, law);
  }

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    find_speakers(place);
    if (heard_.size() == 1) return heard_.front()->next_tokens->most_likely(place, count);
    for (Speaker* speaker : heard_) ask_likeliest(*speaker, place, count);
    return ranked(place).first(std::min(count, entries_.size()));
  }

  double likelihood(const DraftPlace& place, Token token) override {
    find_speakers(place);
    double sum = 0;
    for (const Speaker* speaker : heard_)
      sum += speaker->share * speaker->next_tokens->likelihood(place, token);
    return sum;
  }

 private:
  static bool knows(const Speaker& speaker, const DraftPlace& place) {
    return place.tree[place.node].depth < speaker.levels && speaker.next_tokens->knows(place);
  }

  /// Those that know the place and have a share there, by falling share.
  void find_speakers(const DraftPlace& place) {
    heard_.clear();
    for (Speaker& speaker : speakers_)
      if (knows(speaker, place)) heard_.push_back(&speaker);
    SPECLAB_EXPECT(!heard_.empty(), "a mixture was asked about a place that no part knows");
    if (heard_.size() == 1) return void(heard_.front()->share = 1.0);
    share_out(place);
    std::ranges::stable_sort(heard_, std::ranges::greater(), &Speaker::share);
    while (heard_.back()->share == 0) heard_.pop_back();
  }

  /// What no part claims goes to the others by weight.
  void share_out(const DraftPlace& place) {
    double left = 1.0, weights = 0;
    for (Speaker* speaker : heard_) {
      speaker->claimed = speaker->next_tokens->claimed_share(place);
      if (!speaker->claimed) weights += speaker->weight;
    }
    for (Speaker* speaker : heard_)
      if (speaker->claimed) left -= speaker->share = likelier_share(*speaker->claimed, place);
    for (Speaker* speaker : heard_)
      if (!speaker->claimed) speaker->share = left * speaker->weight / weights;
  }

  /// At temperature 0 only the likeliest token counts: of two parts that are right with
  /// probabilities p and q and name different tokens, one is right with probability p (1 - q) / (1
  /// - p q), the other with q (1 - p) / (1 - p q).
  double likelier_share(double share, const DraftPlace& place) const {
    if (!is_greedy_ || share == 1) return share;
    double surest = 0;
    for (const Speaker* other : heard_)
      if (!other->claimed)
        surest = std::max(
            surest,
            static_cast<double>(other->next_tokens->most_likely(place, 1).front().probability));
    return share * (1 - surest) / (1 - share * surest);
  }

  static void ask_likeliest(Speaker& speaker, const DraftPlace& place, std::size_t count) {
    const std::span<const LawEntry<float>> likeliest =
        speaker.next_tokens->most_likely(place, count);
    speaker.likeliest.assign(likeliest.begin(), likeliest.end());
  }

  /// The likeliest token. The others are not asked where the first is so sure that they could not
  /// outweigh it; at one half it wins the tie.
  Token preferred(const DraftPlace& place) {
    for (Speaker* speaker : heard_) {
      ask_likeliest(*speaker, place, kCandidates);
      const LawEntry<float>& first = speaker->likeliest.front();
      if (speaker == heard_.front() &&
          speaker->share * static_cast<double>(first.probability) >= 0.5)
        return first.token;
    }
    return ranked(place).front().token;
  }

  /// The tokens that any part named, by their likelihoods in the mixture; none that has none.
  std::span<const LawEntry<float>> ranked(const DraftPlace& place) {
    entries_.clear();
    for (const Speaker* speaker : heard_)
      for (const LawEntry<float>& named : speaker->likeliest)
        if (std::ranges::find(entries_, named.token, &LawEntry<float>::token) == entries_.end())
          entries_.push_back(
              {named.token, static_cast<float>(mixed_likelihood(place, named.token))});
    std::erase_if(entries_, [](const LawEntry<float>& entry) { return entry.probability <= 0; });
    std::ranges::sort(entries_, is_likelier<float>);
    return entries_;
  }

  double mixed_likelihood(const DraftPlace& place, Token token) const {
    double sum = 0;
    for (const Speaker* speaker : heard_) {
      const auto named = std::ranges::find(speaker->likeliest, token, &LawEntry<float>::token);
      sum += speaker->share * (named != speaker->likeliest.end()
                                   ? static_cast<double>(named->probability)
                                   : speaker->next_tokens->likelihood(place, token));
    }
    return sum;
  }

  /// Sparse while all are, so that n-grams never fill the vocabulary.
  void mix_laws(const DraftPlace& place, Law& law) {
    entries_.clear();
    std::span<float> mixed;
    for (const Speaker* speaker : heard_) {
      speaker->next_tokens->law(place, law_);
      const auto share = static_cast<float>(speaker->share);
      if (law_.form() != Law::Form::dense && mixed.empty()) {
        merge_entries(share);
        continue;
      }
      if (mixed.empty()) mixed = spread(law);
      add_law(share, mixed);
    }
    if (mixed.empty()) law.assign_sparse(vocab_size(), entries_);
  }

  /// Adds those of law_ to entries_; both ascend by token.
  void merge_entries(float share) {
    merged_.clear();
    auto next = entries_.begin();
    for (const LawEntry<float>& entry : law_.entries()) {
      while (next != entries_.end() && next->token < entry.token) merged_.push_back(*next++);
      merged_.push_back({entry.token, share * entry.probability});
      if (next != entries_.end() && next->token == entry.token)
        merged_.back().probability += (next++)->probability;
    }
    merged_.insert(merged_.end(), next, entries_.end());
    entries_.swap(merged_);
  }

  /// What was mixed so far, over the whole vocabulary.
  std::span<float> spread(Law& law) const {
    const std::span<float> mixed = law.assign_dense(vocab_size());
    std::ranges::fill(mixed, 0.0f);
    for (const LawEntry<float>& entry : entries_)
      mixed[static_cast<std::size_t>(entry.token)] = entry.probability;
    return mixed;
  }

  void add_law(float share, std::span<float> mixed) const {
    if (law_.form() == Law::Form::dense)
      std::ranges::transform(
          mixed, law_.dense_values(), mixed.begin(),
          [share](float sum, float probability) { return sum + share * probability; });
    else
      for (const LawEntry<float>& entry : law_.entries())
        mixed[static_cast<std::size_t>(entry.token)] += share * entry.probability;
  }

  std::vector<MixturePart> parts_;
  bool is_greedy_;
  std::vector<Speaker> speakers_;
  std::vector<Speaker*> heard_;
  Law law_;
  std::vector<LawEntry<float>> entries_, merged_;
};

}  // namespace

std::unique_ptr<NextTokens> mixture_next_tokens(std::vector<MixturePart> parts,
                                                const SamplingOptions& sampling) {
  return std::make_unique<MixtureNextTokens>(std::move(parts), sampling.temperature);
}

std::unique_ptr<NextTokens> next_tokens_with_lookup(std::unique_ptr<NextTokens> model,
                                                    const DrafterOptions& options,
                                                    const SamplingOptions& sampling) {
  std::vector<MixturePart> parts;
  parts.push_back({copy_next_tokens(options, static_cast<std::int32_t>(model->vocab_size()))});
  parts.push_back({std::move(model)});
  return mixture_next_tokens(std::move(parts), sampling);
}

}  // namespace speclab::engines
