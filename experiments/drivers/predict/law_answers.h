#pragma once
// What rules of verification would keep of the same drafts, where the laws p and q are given.

#include <span>
#include <string>
#include <vector>

#include "experiments/drivers/predict/answers.h"

namespace speclab::experiments {

/// Means over prefixes, of what --candidates, --lenience and --speculation-length ask for.
class LawAnswers {
 public:
  /// @throws ConfigError about options
  explicit LawAnswers(const PredictOptions& options);

  /// One prefix. @throws ConfigError where there are fewer tokens than candidates
  void add(std::span<const double> p, std::span<const double> q);
  std::vector<Answer> answers() const;
  /// What was left out and why.
  std::vector<std::string> notes() const;

 private:
  /// A sum over prefixes; none where one prefix has too many combinations.
  struct Mean {
    std::string name;
    double sum = 0.0;
    bool is_left_out = false;
  };
  using Means = std::vector<Mean>;

  void add_candidates(std::span<const double> p, std::span<const double> q);
  void add_lenience(std::span<const double> p, std::span<const double> q);
  void add_blocks(std::span<const double> p, std::span<const double> q);
  /// Whether vocabulary^exponent combinations can still be tried.
  bool can_try(std::size_t vocabulary, int exponent);
  Answer answer_of(const char* name, const std::string& title, const Means& means) const;

  int candidates_ = 0;
  double lenience_ = 0.0;
  int length_ = 0;
  double combinations_left_;
  int prefixes_ = 0;
  Means rules_, lenient_, blocks_;
};

}  // namespace speclab::experiments
