#include "sim/core/law.h"

#include <algorithm>
#include <string>

#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

void expect_token(Token token, std::size_t vocab_size) {
  SPECLAB_EXPECT(token >= 0 && static_cast<std::size_t>(token) < vocab_size,
                 "token " + std::to_string(token) + " is outside the vocabulary of " +
                     std::to_string(vocab_size));
}

}  // namespace

template <typename Scalar>
BasicLaw<Scalar> BasicLaw<Scalar>::point_mass(std::size_t vocab_size, Token token) {
  BasicLaw law;
  law.assign_point_mass(vocab_size, token);
  return law;
}

template <typename Scalar>
BasicLaw<Scalar> BasicLaw<Scalar>::sparse(std::size_t vocab_size,
                                          std::vector<LawEntry<Scalar>> entries) {
  BasicLaw law;
  law.assign_sparse(vocab_size, entries);
  return law;
}

template <typename Scalar>
BasicLaw<Scalar> BasicLaw<Scalar>::dense(std::vector<Scalar> probabilities) {
  BasicLaw law;
  law.vocab_size_ = probabilities.size();
  law.values_ = std::move(probabilities);
  law.form_ = Form::dense;
  return law;
}

template <typename Scalar>
void BasicLaw<Scalar>::assign_point_mass(std::size_t vocab_size, Token token) {
  expect_token(token, vocab_size);
  form_ = Form::point_mass;
  vocab_size_ = vocab_size;
  entries_.assign(1, {token, Scalar(1)});
}

template <typename Scalar>
void BasicLaw<Scalar>::assign_sparse(std::size_t vocab_size,
                                     std::span<const LawEntry<Scalar>> entries) {
  const auto by_token = [](const auto& a, const auto& b) { return a.token < b.token; };
  entries_.assign(entries.begin(), entries.end());
  if (!std::is_sorted(entries_.begin(), entries_.end(), by_token))
    std::sort(entries_.begin(), entries_.end(), by_token);
  SPECLAB_EXPECT(!entries_.empty(), "a sparse law needs an entry");
  expect_token(entries_.front().token, vocab_size);
  expect_token(entries_.back().token, vocab_size);
  const auto same_token = [](const auto& a, const auto& b) { return a.token == b.token; };
  SPECLAB_EXPECT(std::adjacent_find(entries_.begin(), entries_.end(), same_token) == entries_.end(),
                 "a sparse law has two entries of one token");
  form_ = Form::sparse;
  vocab_size_ = vocab_size;
}

template <typename Scalar>
std::span<Scalar> BasicLaw<Scalar>::assign_dense(std::size_t vocab_size) {
  form_ = Form::dense;
  vocab_size_ = vocab_size;
  values_.resize(vocab_size);
  return values_;
}

template <typename Scalar>
Scalar BasicLaw<Scalar>::operator[](Token token) const {
  expect_token(token, vocab_size_);
  if (form_ == Form::dense) return values_[static_cast<std::size_t>(token)];
  const auto entry = std::lower_bound(entries_.begin(), entries_.end(), token,
                                      [](const auto& e, Token t) { return e.token < t; });
  return entry != entries_.end() && entry->token == token ? entry->probability : Scalar(0);
}

template <typename Scalar>
Token BasicLaw<Scalar>::arg_max() const {
  SPECLAB_EXPECT(vocab_size_ > 0, "the law is empty");
  if (form_ == Form::dense) return static_cast<Token>(index_of_max(dense_values()));
  return std::max_element(
             entries_.begin(), entries_.end(),
             [](const auto& a, const auto& b) { return a.probability < b.probability; })
      ->token;
}

template <typename Scalar>
std::span<const Scalar> BasicLaw<Scalar>::dense_values() const {
  SPECLAB_EXPECT(form_ == Form::dense, "the law is not dense");
  return values_;
}

template <typename Scalar>
std::span<const LawEntry<Scalar>> BasicLaw<Scalar>::entries() const {
  SPECLAB_EXPECT(form_ != Form::dense, "a dense law has no entries");
  return entries_;
}

template class BasicLaw<float>;
template class BasicLaw<double>;

}  // namespace speclab
