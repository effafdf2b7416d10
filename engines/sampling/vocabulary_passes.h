#pragma once
// Softmax and arg max over a vocabulary. A team of threads shares a large one by its values, so
// that one row is enough to share, and rows that no rule asks for are never computed.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace speclab::engines {

namespace cpu {
class ThreadTeam;
}

/// Float runs on the processor's kernels, double on plain code. Sums are added chunk by chunk in
/// one order, so the bits do not depend on the number of threads.
class VocabularyPasses {
 public:
  /// @param team  null: the caller's thread alone
  explicit VocabularyPasses(std::shared_ptr<cpu::ThreadTeam> team) : team_(std::move(team)) {}

  /// out = softmax(scores / temperature). @return the sum of the exponentials; not finite where a
  /// score is no number
  double softmax(std::span<const float> scores, double temperature, std::span<float> out);
  double softmax(std::span<const double> scores, double temperature, std::span<double> out);
  /// Index of the largest score, the lowest on ties; index of a NaN where there is one.
  std::size_t arg_max(std::span<const float> scores);
  std::size_t arg_max(std::span<const double> scores);

 private:
  /// Scores that one thread goes over at a time.
  struct Part {
    std::size_t number;
    int begin, end;
  };
  /// Calls job(part) for all parts of a vocabulary.
  template <typename Job>
  void for_each_part(std::size_t size, const Job& job);

  std::shared_ptr<cpu::ThreadTeam> team_;
  std::vector<float> tops_;        ///< the largest score of every part
  std::vector<std::size_t> best_;  ///< its index
  std::vector<double> sums_;       ///< of the exponentials of every chunk
};

}  // namespace speclab::engines
