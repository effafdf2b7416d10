#pragma once
// What made a run: without it no number of the run is used.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/records.h"

namespace speclab::analysis {

enum class ModelRole : std::uint8_t { target, drafter };
enum class Weights : std::uint8_t {
  trained,
  random,   ///< a shape model, whose time is real and whose text is not
  widened,  ///< a trained model in the sizes of a larger one, with its own text
};

/// The limits of a widened model, for figures and reports.
inline constexpr const char* kWidenedNote =
    "Models named widened are SmolLM2-135M in the sizes of a larger model. Bytes of layers are "
    "those of the larger model. Text, acceptance, vocabulary and heads of 64 values are those of "
    "SmolLM2-135M; larger models usually differ in acceptance.";

struct ModelProvenance {
  std::string name;
  ModelRole role = ModelRole::target;
  std::string sha256;
  std::int64_t parameters = 0;
  Weights weights = Weights::trained;
  std::string config_sha256{};  ///< of its config.json; empty where it has none, or the run does
                                ///< not tell it
  std::string version{};        ///< "NAME/v1" of a drafter that has versions, else empty
  std::optional<TrainingRecord> training{};  ///< missing where the run does not tell it
};

/// What a committed run of an older revision, which did not note it, says in the place of an entry.
inline constexpr std::string_view kNotRecorded = "not recorded";

/// Entries of every provenance, of runs and of trainings.
inline constexpr std::array<std::string_view, 11> kProgramAndMachine{
    "revision", "build_type", "flags",   "compiler", "libtorch", "blas",
    "machine",  "governor",   "threads", "device",   "driver"};

/// A part of the rows that was measured apart: before the config was edited, or by another program
/// or machine.
struct SectionProvenance {
  std::int64_t number = 1;
  std::int64_t generations = 0;  ///< rows that it measured
  std::string started_at;
  std::vector<std::string>
      differs;  ///< from what the manifest says of the run: "dtype: was float32, now bfloat16"
};

struct Manifest {
  std::string name;      ///< of the experiment
  std::string kind;      ///< "decoding", "cost_surface"
  std::string question;  ///< what it asks; empty if the config does not say
  std::uint64_t seed = 0;
  std::optional<std::int64_t>
      repetitions{};  ///< of every prompt in every cell; missing in manifests by hand
  std::optional<std::int64_t> plain_repetitions{};  ///< of plain cells, where they have more
  std::optional<std::int64_t>
      planned_generations{};  ///< what a whole run has; missing in older runs
  std::vector<ModelProvenance> models;
  std::vector<SectionProvenance>
      sections{};  ///< where there are several; none where all rows are of one
  /// Every key of the config, as "table.key" and its value's text, in the order of the file.
  std::vector<std::pair<std::string, std::string>> config;
  /// Every entry of [provenance] but `question`, the models and the sections, as text, in
  /// alphabetical order.
  std::vector<std::pair<std::string, std::string>> entries;

  /// The target model of that name. @throws DataError if the manifest has none
  const ModelProvenance& target(const std::string& model_name) const;
  /// The text of an entry of [provenance]; empty if it has none.
  std::string provenance(std::string_view key) const;
  /// "3 of 8 texts were measured; ..." where so many `what` are less than what was planned; empty
  /// where they are all.
  std::string missing(std::size_t measured, std::string_view what) const;
};

/// @throws DataError with line and column for a syntax error; naming the key if something required
/// is missing, or an entry has control characters;
///         if the config is not the one whose digest stands there
Manifest read_manifest(const std::string& path);

}  // namespace speclab::analysis
