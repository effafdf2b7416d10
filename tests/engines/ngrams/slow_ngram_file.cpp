#include "tests/engines/ngrams/slow_ngram_file.h"

#include <algorithm>
#include <set>

namespace speclab::testing {
namespace {

void require(bool condition, const char* rule) {
  if (!condition) throw SlowRefusal{rule};
}

constexpr std::uint64_t kOne = 31 * 2048;  // of a probability, in 16 bits

class Parser {
 public:
  explicit Parser(const std::string& bytes) : bytes_(bytes) {}

  SlowNgramFile parse() {
    require(bytes_.substr(0, 8) == "speclabN", "magic");
    at_ = 8;
    require(number(4) == 1, "version");
    file_.vocab_size = number(4), file_.order = number(4), file_.max_successors = number(4),
    file_.num_unigrams = number(4);
    const std::uint64_t contexts = number(4), inner = number(4), ngrams = number(4);
    require(file_.vocab_size >= 1 && file_.vocab_size <= 2000000, "vocabulary");
    require(file_.order >= 1 && file_.order <= 5, "order");
    require(file_.max_successors >= 1 && file_.max_successors <= 255, "successors");
    require(file_.num_unigrams >= 1 && file_.num_unigrams <= file_.vocab_size, "unigrams");
    require(contexts >= 1 && contexts < 16777216 && inner <= (file_.order == 1 ? 0 : contexts) &&
                ngrams >= file_.num_unigrams && ngrams <= 268435456,
            "counts");
    file_.context_tokens = numbers(contexts, 3), file_.back_off = numbers(contexts, 2),
    file_.num_successors = numbers(contexts, 1);
    file_.first_child = numbers(inner + 1, 3), file_.successor_tokens = numbers(ngrams, 3),
    file_.probabilities = numbers(ngrams, 2);
    require(at_ == bytes_.size(), "nothing after the arrays");
    check_tree();
    check_lists();
    return std::move(file_);
  }

 private:
  std::uint64_t number(std::size_t size) {
    require(size <= bytes_.size() - at_, "inside the file");
    file_.fields.push_back({at_, size});
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value * 256 + static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return value;
  }
  std::vector<std::uint64_t> numbers(std::uint64_t count, std::size_t size) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < count; ++i) all.push_back(number(size));
    return all;
  }

  /// Breadth first: every context but the empty one is the child of one before it, siblings in
  /// rising order of their token.
  void check_tree() {
    const std::uint64_t contexts = file_.context_tokens.size();
    std::vector<std::uint64_t> depth(contexts, 0);
    std::uint64_t next = 1;
    for (std::size_t c = 0; c + 1 < file_.first_child.size(); ++c) {
      require(file_.first_child[c] == next && next > c,
              "children without gaps, behind their parents");
      next = file_.first_child[c + 1];
      require(next >= file_.first_child[c] && next <= contexts, "children inside the file");
      for (std::uint64_t child = file_.first_child[c]; child < next; ++child) {
        depth[child] = depth[c] + 1;
        require(depth[child] < file_.order, "contexts shorter than the order");
        require(file_.context_tokens[child] < file_.vocab_size, "tokens of the vocabulary");
        require(child == file_.first_child[c] ||
                    file_.context_tokens[child] > file_.context_tokens[child - 1],
                "siblings in order");
      }
    }
    require(file_.first_child.back() == next && next == contexts, "a parent for every context");
  }

  void check_lists() {
    require(file_.num_successors[0] == 0, "0 for the empty context");
    std::size_t at = 0;
    for (std::size_t c = 0; c < file_.num_successors.size(); ++c) {
      const std::uint64_t size = c == 0 ? file_.num_unigrams : file_.num_successors[c];
      require((c == 0 || size <= file_.max_successors) && size <= file_.probabilities.size() - at,
              "lists inside the file");
      std::set<std::uint64_t> tokens;
      for (std::size_t i = at; i < at + size; ++i) {
        const std::uint64_t token = file_.successor_tokens[i];
        require(token < file_.vocab_size && tokens.insert(token).second, "each token once");
        require(file_.probabilities[i] <= (i == at ? kOne : file_.probabilities[i - 1]),
                "falling probabilities");
        require(i == at || file_.probabilities[i] < file_.probabilities[i - 1] ||
                    token > file_.successor_tokens[i - 1],
                "ties to the lower token");
      }
      at += size;
    }
    require(at == file_.probabilities.size(), "as many n-grams as the header says");
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  SlowNgramFile file_;
};

}  // namespace

SlowNgramFile read_ngrams_slowly(const std::string& bytes) { return Parser(bytes).parse(); }

}  // namespace speclab::testing
