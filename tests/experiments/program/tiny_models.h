#pragma once
// Two byte models that the built program trains in a second: for what does not depend on the model.

#include <string>

#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"

namespace speclab::testing {

/// A target and its drafter, trained once in a process.
class TinyModels {
 public:
  static const TinyModels& get() {
    static const TinyModels models;
    return models;
  }

  std::string target() const { return folder_.path("target"); }
  std::string drafter() const { return folder_.path("drafter"); }
  /// Options of a command that takes both.
  std::string pair() const {
    return " --model " + target() + " --drafter small_transformer --drafter-model " + drafter() +
           " --no-chat-template ";
  }

 private:
  TinyModels() {
    std::string text;
    for (int i = 0; i < 1600; ++i) text += "abc d" + std::to_string(i % 10) + "\n";
    folder_.file("text.txt", text);
    folder_.file("held_out.txt", text.substr(0, 3200));
    folder_.file("train.toml", R"([text]
files = "text.txt"
held_out_files = "held_out.txt"
sequence_length = 64
[drafter]
kind = "language_model"
hidden_size = 32
num_layers = 1
num_heads = 2
intermediate_size = 64
batch = 8
epochs = 2
learning_rate = 1e-2
validation_sequences = 8
)");
    train(target(), "");
    train(drafter(), " --set text.max_sequences=80 --set drafter.epochs=1");
  }

  void train(const std::string& output, const std::string& settings) const {
    const Outcome outcome = run_program("train " + folder_.path("train.toml") + " --output " +
                                        output + settings + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }

  TemporaryFolder folder_;
};

}  // namespace speclab::testing
