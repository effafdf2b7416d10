#pragma once
// Answers about rules of verification for the same drafts, where the laws p and q are given.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/drivers/predict/answers.h"

namespace speclab::experiments {

/// Means over prefixes, of what --candidates, --lenience and --speculation-length ask for.
class LawAnswers {
 public:
  using Probabilities = std::span<const double>;
  /// A sum over prefixes; none where its prefixes have too many combinations.
  struct Mean {
    std::string name;
    std::function<double(Probabilities p, Probabilities q)> value;
    int num_tokens = 0;  ///< the form tries every text of so many tokens; 0 for none
    double sum = 0.0;
    bool is_left_out = false;
  };
  struct Question {
    std::string name;   ///< of its answer
    std::string title;  ///< words before the means
    std::vector<Mean> means;
  };

  /// @throws ConfigError about options
  explicit LawAnswers(const PredictOptions& options);

  /// One prefix. @throws ConfigError where there are fewer tokens than candidates
  void add(Probabilities p, Probabilities q);
  std::vector<Answer> answers() const;
  /// Names of the means that were left out, and why.
  std::vector<std::string> notes() const;

 private:
  /// Whether all texts of so many tokens can still be tried.
  bool can_try(std::size_t vocabulary, int num_tokens);

  int candidates_ = 0;
  double combinations_left_;
  int prefixes_ = 0;
  std::vector<Question> questions_;
};

}  // namespace speclab::experiments
