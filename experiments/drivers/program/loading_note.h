#pragma once
// Before a model is loaded: its path and what must not overwrite it, a warning for too many
// threads, and a line for people who wait for a large model.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Processors that this process may use.
int num_processors();

/// A warning for more threads than processors, which share them and are slower; else empty.
std::string threads_warning(std::int32_t threads, int processors);

/// Says it on standard error.
void warn_of_threads(std::int32_t threads);

/// The file or folder of a model; empty for a shape model, which has none.
/// @param model  catalogue name, file or folder
std::filesystem::path path_of_model(const engines::Engines& engines, const std::string& model);

/// Keeps a command from writing over the model that it reads. Tables of logits in a model's folder
/// may be replaced.
/// @param option  that names the file, for the message
/// @param model   catalogue name, file or folder
/// @throws ConfigError if the file is the model's file, another part of it, or in its folder
void refuse_file_of_model(const engines::Engines& engines, const std::string& option,
                          const std::string& file, const std::string& model);

/// Calls `say` once from another thread if it lives longer than `delay`.
class LateNote {
 public:
  LateNote(std::chrono::milliseconds delay, std::function<void()> say);
  ~LateNote();
  LateNote(const LateNote&) = delete;
  LateNote& operator=(const LateNote&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread thread_;
};

/// "loading NAME, 1.1 GB ...". @param path  file or folder of the model; its size is left out where
/// there is none
std::string loading_line(const std::string& name, const std::string& path);

/// A line that says how much faster int8 activations are, and what they change; empty where that
/// was not measured or is little.
std::string int8_note(const engines::ModelInfo& model);

/// Says it on standard error.
void note_int8(const engines::ModelInfo& model);

/// Loads a model. A terminal on standard error shows the line if it takes more than a second, and
/// every caller a warning for more threads than processors.
/// @throws as Engines::load_model
engines::LoadedModel load_with_note(engines::Engines& engines,
                                    const engines::ModelOptions& options);

}  // namespace speclab::experiments
