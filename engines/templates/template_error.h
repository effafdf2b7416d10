#pragma once
#include <stdexcept>
#include <string>

namespace speclab::templates {

/// The kind of error: the source is no template; the template refuses its input with
/// raise_exception; a bound was reached; anything else while rendering.
enum class Fault : std::uint8_t { syntax, raised, limit, rendering };

/// An error of a template. The caller knows whose template it is and says so.
class TemplateError : public std::runtime_error {
 public:
  TemplateError(Fault fault, int line, const std::string& message)
      : std::runtime_error(message), fault_(fault), line_(line) {}

  Fault fault() const { return fault_; }
  int line() const { return line_; }  ///< of the template, from 1

 private:
  Fault fault_;
  int line_;
};

}  // namespace speclab::templates
