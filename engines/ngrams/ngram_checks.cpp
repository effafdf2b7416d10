#include "engines/ngrams/ngram_file.h"

#include <fmt/format.h>

#include "engines/formats/input_file.h"
#include "engines/ngrams/ngram_arrays.h"
#include "sim/core/token.h"

namespace speclab::engines {
namespace {

class Checks {
 public:
  Checks(const std::string& path, const NgramOffsets& at, const NgramArrays& arrays)
      : path_(path), at_(at), arrays_(arrays) {}

  void run() const {
    check_tree();
    check_depth();
    check_siblings();
    check_lists();
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const char* field, std::size_t i, std::uint64_t found,
                         std::string allowed) const {
    throw_model_file_error(path_, offset,
                           {fmt::format("{}[{}]", field, i), fmt::format("{}", found),
                            std::move(allowed), "train the drafter again"});
  }

  /// Children follow their parents, without gaps; all contexts but the empty one are children.
  void check_tree() const {
    for (std::size_t c = 0; c <= arrays_.num_inner(); ++c) {
      const std::uint32_t child = arrays_.first_child[c];
      const std::size_t low =
          c == 0 ? 1
                 : std::max<std::size_t>(arrays_.first_child[c - 1],
                                         c < arrays_.num_inner() ? c + 1 : arrays_.num_contexts());
      const std::size_t high = c == 0 ? 1 : arrays_.num_contexts();
      if (child < low || child > high)
        fail(at_.first_child + 3 * c, "first_child", c, child, fmt::format("{} to {}", low, high));
    }
    if (arrays_.num_inner() == 0 && arrays_.num_contexts() != 1)
      fail(at_.first_child, "first_child", 0, 1,
           fmt::format("children for {} contexts", arrays_.num_contexts() - 1));
  }

  void check_depth() const {
    std::vector<std::uint8_t> depth(arrays_.num_contexts());
    for (std::size_t c = 0; c < arrays_.num_inner(); ++c) {
      const bool has_children = arrays_.first_child[c] < arrays_.first_child[c + 1];
      if (has_children && depth[c] + 1 >= arrays_.order)
        fail(at_.first_child + 3 * c, "first_child", c, arrays_.first_child[c],
             fmt::format("no context of more than {} tokens", arrays_.order - 1));
      for (std::uint32_t child = arrays_.first_child[c]; child < arrays_.first_child[c + 1];
           ++child)
        depth[child] = static_cast<std::uint8_t>(depth[c] + 1);
    }
  }

  void check_siblings() const {
    for (std::size_t c = 0; c < arrays_.num_inner(); ++c)
      for (std::uint32_t child = arrays_.first_child[c]; child < arrays_.first_child[c + 1];
           ++child) {
        const std::uint32_t low =
            child == arrays_.first_child[c] ? 0 : arrays_.context_tokens[child - 1] + 1;
        if (const std::uint32_t token = arrays_.context_tokens[child];
            token < low || token >= vocab_size())
          fail(at_.context_tokens + 3 * child, "context_tokens", child, token,
               fmt::format("{} to {}", low, vocab_size() - 1));
      }
  }

  void check_lists() const {
    std::vector<std::uint32_t> last_list(vocab_size(), 0xFFFFFFFFu);
    if (arrays_.num_successors[0] != 0)
      fail(at_.num_successors, "num_successors", 0, arrays_.num_successors[0],
           "0: the header has the number of unigrams");
    std::size_t begin = 0;
    for (std::uint32_t c = 0; c < arrays_.num_contexts(); ++c) {
      const std::uint32_t size = c == 0 ? arrays_.num_unigrams : arrays_.num_successors[c];
      const std::size_t most =
          c == 0 ? arrays_.num_unigrams : static_cast<std::size_t>(arrays_.max_successors);
      if (size > most || size > arrays_.num_ngrams() - begin)
        fail(at_.num_successors + c, "num_successors", c, size,
             fmt::format("at most {}", std::min(most, arrays_.num_ngrams() - begin)));
      for (std::size_t i = begin; i < begin + size; ++i)
        check_successor(i, i == begin, c, last_list);
      begin += size;
    }
    if (begin != arrays_.num_ngrams())
      fail(at_.num_successors, "num_successors", 0, begin,
           fmt::format("{} in all", arrays_.num_ngrams()));
  }

  void check_successor(std::size_t i, bool first, std::uint32_t context,
                       std::vector<std::uint32_t>& last_list) const {
    const std::uint32_t token = arrays_.successor_tokens[i],
                        high = first ? kSmallFloatOne : arrays_.probabilities[i - 1];
    if (token >= vocab_size() || last_list[token] == context)
      fail(at_.successor_tokens + 3 * i, "successor_tokens", i, token,
           fmt::format("0 to {}, each once", vocab_size() - 1));
    last_list[token] = context;
    if (arrays_.probabilities[i] > high)
      fail(at_.probabilities + 2 * i, "probabilities", i, arrays_.probabilities[i],
           fmt::format("0 to {}", high));
    if (!first && arrays_.probabilities[i] == high && token < arrays_.successor_tokens[i - 1])
      fail(at_.successor_tokens + 3 * i, "successor_tokens", i, token,
           "the lower token first if probabilities are equal");
  }

  std::uint32_t vocab_size() const { return static_cast<std::uint32_t>(arrays_.vocab_size); }

  const std::string& path_;
  const NgramOffsets& at_;
  const NgramArrays& arrays_;
};

}  // namespace

void check_arrays(const std::string& path, const NgramOffsets& at, const NgramArrays& arrays) {
  Checks(path, at, arrays).run();
}

}  // namespace speclab::engines
