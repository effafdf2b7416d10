#include "experiments/drivers/config/text_caches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

std::string cache_file(const std::string& kind, const engines::ModelInfo& target,
                       const std::string& choice) {
  const std::string made_from = fmt::format("{} {} {}", target.sha256, target.dtype, choice);
  return fmt::format("{}/{}_{}.bin", user_cache_folder(), kind,
                     sha256_text(made_from).substr(0, 12));
}

}  // namespace

void name_text_caches(const engines::ModelInfo& target, engines::TrainOptions& options) {
  engines::OwnTextOptions& own = options.own_text;
  const std::string kind = own.keeps_layers   ? "own_text_layers"
                           : own.keeps_hidden ? "own_text_hidden"
                                              : "own_text";
  if (own.cache_file.empty())
    own.cache_file = cache_file(kind, target,
                                fmt::format("{} {} {} {}", own.max_new_tokens, own.batch, own.seed,
                                            fmt::join(own.temperatures, " ")));
  engines::TextOptions& text = options.text;
  if (text.cache_file.empty())
    text.cache_file = cache_file("file_text", target,
                                 fmt::format("{} {} {} {}", fmt::join(text.files, "\n"),
                                             fmt::join(text.held_out_files, "\n"),
                                             text.sequence_length, text.max_sequences));
}

}  // namespace speclab::experiments
