#include "tests/analysis/support/synthetic_run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>

#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::analysis::testing {
namespace {

constexpr int kOutputTokens = 64;
constexpr std::array kCategories = {"chat",        "code_editing",       "extraction",
                                    "mathematics", "question_answering", "summarisation",
                                    "translation"};
constexpr const char* kHeadAxes =
    "model,drafter,tree,policy,verifier,temperature,top_k,top_p,min_p,repetition_penalty";

/// The files under way, and the generator that makes every number repeatable.
struct Builder {
  const SyntheticRun& options;
  std::ostringstream rows, rounds, times, predictions, texts, drafts, timeline;
  std::mt19937_64 random{7};
  int row_id = 0;

  double normal(double sigma) { return sigma * std::normal_distribution<double>()(random); }
};

struct Cell {
  std::string model;
  double scale = 1;                           ///< of all times, by model size
  const SyntheticDrafter* drafter = nullptr;  ///< nullptr is plain decoding
  double temperature = 0;
  bool shape = false;

  std::string name() const { return drafter ? drafter->name : "none"; }
  std::string id() const {
    std::ostringstream id;
    id << model << '-' << name() << '-' << temperature;
    return id.str();
  }
  bool is_lossy() const {
    return drafter && !shape && drafter->law_distance > 0 && temperature > 0;
  }
  std::string verifier() const {
    return shape ? "replay" : drafter->law_distance > 0 ? "lenient" : "rejection";
  }
  std::string axes() const {
    std::ostringstream axes;
    axes << model << ',' << name() << ',' << (!drafter ? ",," : "chain,constant:4," + verifier())
         << ',' << temperature << ",0,1,0,1";
    return axes.str();
  }
  double acceptance_rate() const {
    return drafter ? drafter->acceptance_rate * (1 - 0.5 * temperature) : 0;
  }
};

struct Totals {
  int rounds = 0, drafting_rounds = 0, drafted = 0, accepted = 0, tested = 0, recovered = 0,
      bonus = 0;
  std::vector<std::pair<int, int>> kept{};  ///< accepted and emitted tokens of each round
};

Totals write_rounds(Builder& b, const Cell& cell, double prompt_effect) {
  const double alpha = std::clamp(cell.acceptance_rate() * prompt_effect, 0.01, 0.97);
  std::bernoulli_distribution accept(alpha);
  Totals t;
  for (int emitted = 0; emitted < kOutputTokens; ++t.rounds) {
    const int length = b.options.speculation_length;
    int accepted = 0;
    while (accepted < length && accept(b.random)) ++accepted;
    const bool bonus = accepted == length;
    const int tested = bonus ? length : accepted + 1;
    const int kept = std::min(accepted + 1, kOutputTokens - emitted);
    b.rounds << b.row_id << ',' << t.rounds << ',' << 100 + emitted << ',' << length << ','
             << length + 1 << ',' << length << ',' << accepted << ',' << tested << ',' << kept
             << ',' << (bonus ? "bonus" : "recovered") << '\n';
    t.kept.emplace_back(accepted, kept);
    emitted += kept;
    ++t.drafting_rounds;
    t.drafted += length;
    t.accepted += accepted;
    t.tested += tested;
    ++(bonus ? t.bonus : t.recovered);
  }
  return t;
}

void write_times(Builder& b, const Cell& cell, const Totals& t) {
  const double noise = std::exp(b.normal(0.02)) * cell.scale;
  const double rows = cell.drafter ? b.options.speculation_length : 0;
  const double target =
      t.rounds * (SyntheticRun::kStepNs + rows * SyntheticRun::kVerifyRowsNs) * noise;
  const double draft = cell.drafter ? t.rounds * cell.drafter->draft_ns * noise : 0;
  const double verify = t.rounds * (cell.drafter ? 3e5 : 1e5) * noise;
  const double other = t.rounds * 5e4;
  const auto ns = [](double value) { return static_cast<long long>(value); };
  b.times << b.row_id << ',' << ns(9e7 * noise) << ',' << ns(1e8 * noise) << ','
          << ns(target) + ns(draft) + ns(verify) + ns(other) << ',' << ns(draft) << ','
          << ns(target) << ',' << ns(verify) << ',' << ns(other) << ",\n";
}

void write_text(Builder& b, const Cell& cell) {
  const char* fates[] = {"accepted", "accepted", "accepted", "recovered",
                         "accepted", "accepted", "accepted", "bonus"};
  const char* words[] = {"The",  " ferry",         " leaves",    " the",
                         " old", " harbour",       " at",        " seven.\\n",
                         "In",   " winter",        " it",        " <stays>",
                         " &",   " \\\"waits\\\"", " </script>", " \u00e9t\u00e9."};
  b.texts << R"({"row_id": )" << b.row_id
          << R"(, "prompt": "When does the <ferry> leave?", "pieces": [)";
  for (std::size_t i = 0; i < std::size(words); ++i) {
    b.texts << (i ? ", " : "") << R"({"text": ")" << words[i] << R"(", "fate": ")"
            << (cell.drafter ? fates[i % 8] : "plain") << R"("})";
  }
  b.texts << "]}\n";
}

/// The first two rounds of a generation, as chains.
void write_drafts(Builder& b, const Cell& cell, const Totals& t) {
  b.drafts << R"({"row_id": )" << b.row_id << R"(, "rounds": [)";
  for (int round = 0; round < 2; ++round) {
    const int accepted = t.kept[static_cast<std::size_t>(round)].first;
    b.drafts << (round ? ", " : "") << R"({"round": )" << round << R"(, "accepted": )" << accepted
             << R"(, "next": "\" <next>\"", "next_kind": ")"
             << (accepted == b.options.speculation_length ? "bonus" : "recovered")
             << R"(", "nodes": [{"parent": 0, "token": "\"root\"", "p": 1, "accepted": true})";
    for (int node = 0; node < b.options.speculation_length; ++node)
      b.drafts << R"(, {"parent": )" << node << R"(, "token": "\"drafted )" << node
               << R"(\"", "p": 0.25, )" << (cell.temperature > 0 ? R"("q": 0.5, )" : "")
               << R"("accepted": )" << (node < accepted ? "true" : "false") << "}";
    b.drafts << "]}";
  }
  b.drafts << "]}\n";
}

void write_timeline(Builder& b, const Cell& cell, const Totals& t) {
  const int length = cell.drafter ? b.options.speculation_length : 0;
  for (std::size_t round = 0; round < t.kept.size(); ++round)
    b.timeline << b.row_id << ',' << round << ',' << length << ',' << t.kept[round].first << ','
               << t.kept[round].second << ','
               << (cell.drafter ? static_cast<long long>(cell.drafter->draft_ns) : 0) << ','
               << static_cast<long long>(SyntheticRun::kStepNs) << ",100000,50000\n";
}

void write_generation(Builder& b, const Cell& cell, const std::string& category, int prompt,
                      int repetition) {
  std::mt19937_64 prompt_random(std::hash<std::string>()(category) + static_cast<unsigned>(prompt));
  const double prompt_effect = std::exp(0.15 * std::normal_distribution<double>()(prompt_random));
  const Totals t = cell.drafter ? write_rounds(b, cell, prompt_effect)
                                : Totals{.rounds = kOutputTokens,
                                         .bonus = kOutputTokens,
                                         .kept = {kOutputTokens, {0, 1}}};
  b.rows << b.row_id << ',' << cell.id() << ',' << repetition << ',' << category << "_0"
         << prompt + 1 << ',' << category << ',' << cell.axes() << ",1," << b.row_id << ",120,"
         << kOutputTokens << ',' << t.rounds << ',' << t.drafting_rounds << ',' << t.drafted << ','
         << t.accepted << ',' << t.tested << ',' << t.recovered << ',' << t.bonus
         << ",length,0123456789abcdef," << (cell.is_lossy() || (cell.shape && cell.drafter) ? 0 : 1)
         << ',';
  if (cell.is_lossy()) b.rows << cell.drafter->law_distance * (1 + cell.temperature);
  b.rows << ',' << (cell.shape && cell.drafter ? 1 : 0) << '\n';
  write_times(b, cell, t);
  if (prompt == 0 && repetition == 0 && category == "extraction") {
    write_text(b, cell);
    write_timeline(b, cell, t);
    if (cell.drafter && !cell.shape) write_drafts(b, cell, t);
  }
  ++b.row_id;
}

void write_prediction(Builder& b, const Cell& cell) {
  const int length = b.options.speculation_length;
  const double alpha = cell.acceptance_rate();
  const double tokens = cell.drafter ? (1 - std::pow(alpha, length + 1)) / (1 - alpha) : 1;
  const double plain_ns = 9e7 + kOutputTokens * (SyntheticRun::kStepNs + 1.5e5);
  const double round_ns = SyntheticRun::kStepNs + length * SyntheticRun::kVerifyRowsNs + 3.5e5 +
                          (cell.drafter ? cell.drafter->draft_ns : 0);
  const double own_ns = cell.drafter
                            ? b.options.prediction_bias * (9e7 + kOutputTokens / tokens * round_ns)
                            : plain_ns;
  b.predictions << cell.id() << ",all," << cell.axes() << ','
                << own_ns * cell.scale / b.options.pace_ratio << ',' << plain_ns / own_ns << ','
                << tokens << ',';
  if (cell.drafter) b.predictions << alpha;
  b.predictions << ',' << own_ns * cell.scale;
  if (cell.drafter)
    b.predictions << ',' << 0.8 * plain_ns / own_ns << ',' << 1.2 * plain_ns / own_ns << '\n';
  else
    b.predictions << ",,\n";
}

void write_cell(Builder& b, const Cell& cell) {
  for (const char* category : kCategories) {
    for (int prompt = 0; prompt < b.options.prompts_per_category; ++prompt) {
      for (int repetition = 0; repetition < b.options.repetitions; ++repetition)
        write_generation(b, cell, category, prompt, repetition);
    }
  }
  write_prediction(b, cell);
}

void write_model(Builder& b, const std::string& model, double scale, bool shape) {
  for (const double temperature : b.options.temperatures) {
    write_cell(b, {.model = model,
                   .scale = scale,
                   .drafter = nullptr,
                   .temperature = temperature,
                   .shape = shape});
    for (const auto& drafter : b.options.drafters) {
      write_cell(b, {.model = model,
                     .scale = scale,
                     .drafter = &drafter,
                     .temperature = temperature,
                     .shape = shape});
    }
  }
}

double shape_scale(std::size_t index) { return std::pow(3.0, static_cast<double>(index) - 1.5); }

std::string manifest(const SyntheticRun& options) {
  std::ostringstream text;
  const std::string config =
      "[experiment]\nkind = \"" + options.kind + "\"\nname = \"synthetic\"\nseed = 1\n";
  text
      << config
      << "\n[provenance]\n"
         "question = \"Does temperature eat the speed-up, and does the model say by how much?\"\n"
         "revision = \"0123456789ab\"\nbuild_type = \"Release\"\nflags = \"-O3\"\ncompiler = \"GNU "
         "12.2.0\"\nlibtorch = \"2.11.0\"\nblas = \"none\"\nmachine = \"a made-up machine\"\n"
         "governor = \"none\"\ndevice = \"cpu\"\ndriver = \"none\"\nthreads = 2\nkernels = "
         "\"portable\"\ndtype = \"bfloat16\"\nseed = 1\nconfig_sha256 = \""
      << sha256_text(config) << "\"\n";
  if (options.planned_generations > 0)
    text << "planned_generations = " << options.planned_generations << '\n';
  text << "prompts_sha256 = \"beef\"\nstarted_at = "
          "\"2026-01-01T00:00:00Z\"\n\n[[provenance.models]]\nname = \"base\"\nrole = \"target\"\n"
          "sha256 = \"abc\"\nparameters = 135000000\nweights = \"trained\"\n";
  for (std::size_t i = 0; i < options.shape_models.size(); ++i) {
    text << "\n[[provenance.models]]\nname = \"" << options.shape_models[i]
         << "\"\nrole = \"target\"\nsha256 = \"def\"\nparameters = "
         << static_cast<long long>(135e6 * shape_scale(i)) << "\nweights = \""
         << (options.shape_models[i].starts_with("widened:") ? "widened" : "random") << "\"\n";
  }
  return text.str();
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "speclab_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_synthetic_run(const SyntheticRun& options, const std::string& folder) {
  Builder b{.options = options,
            .rows = {},
            .rounds = {},
            .times = {},
            .predictions = {},
            .texts = {},
            .drafts = {},
            .timeline = {}};
  b.timeline << "row_id,round,drafted,accepted,emitted,draft_ns,target_ns,verify_ns,other_ns\n";
  b.rows << "row_id,cell_id,repetition,prompt_id,category," << kHeadAxes
         << ",seed,sequence_id,prompt_tokens,output_tokens,rounds,drafting_rounds,drafted,accepted,"
            "tested,recovered,bonus,stop_reason,output_hash,"
            "lossless,law_distance,forced_acceptance\n";
  b.rounds << "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n";
  b.times << "row_id,prefill_ns,time_to_first_token_ns,decode_ns,draft_ns,target_ns,verify_ns,"
             "other_ns,peak_memory_bytes\n";
  b.predictions
      << "cell_id,category," << kHeadAxes
      << ",predicted_walltime_ns,predicted_speedup,predicted_tokens_per_round,predicted_acceptance_"
         "rate,paced_walltime_ns,predicted_speedup_low,predicted_speedup_high\n";
  write_model(b, "base", 1, false);
  for (std::size_t i = 0; i < options.shape_models.size(); ++i)
    write_model(b, options.shape_models[i], shape_scale(i), true);
  make_folder(folder);
  write_file(folder + "/manifest.toml", manifest(options));
  write_file(folder + "/rows.csv", b.rows.str());
  write_file(folder + "/rounds.csv", b.rounds.str());
  write_file(folder + "/times.csv", b.times.str());
  write_file(folder + "/predictions.csv", b.predictions.str());
  write_file(folder + "/texts.jsonl", b.texts.str());
  write_file(folder + "/drafts.jsonl", b.drafts.str());
  write_file(folder + "/timeline.csv", b.timeline.str());
}

}  // namespace speclab::analysis::testing
