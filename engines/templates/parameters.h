#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "engines/templates/rendering.h"

namespace speclab::templates {

/// Arguments of a call put in the order of its parameters.
class Parameters {
 public:
  /// @param callee  for messages: "filter 'join'"
  /// @param names   of the parameters; those that are not required have a ? at the end
  /// @throws TemplateError for a missing, unknown or double argument, and for too many
  Parameters(Rendering& rendering, std::string callee, const CallArguments& given,
             std::initializer_list<std::string_view> names);

  bool has(std::size_t i) const { return given_[i]; }
  /// The argument; none if it is not given.
  const Value& operator[](std::size_t i) const { return values_[i]; }

  // Each throws a TemplateError if the argument is of another type.
  const std::string& text(std::size_t i) const;
  std::string text(std::size_t i, const char* missing) const {
    return has(i) ? text(i) : std::string(missing);
  }
  Integer integer(std::size_t i) const;
  Integer integer(std::size_t i, Integer missing) const {
    return has(i) && !values_[i].is_none() ? integer(i) : missing;
  }
  bool truth(std::size_t i, bool missing) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;

  Rendering& rendering_;
  std::string callee_;
  std::vector<Value> values_;
  std::vector<bool> given_;
  std::vector<std::string_view> names_;
};

}  // namespace speclab::templates
