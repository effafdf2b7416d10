#pragma once
// Jinja templates as transformers renders chat templates: trim_blocks, lstrip_blocks, loop
// controls, an immutable sandbox, generation blocks, raise_exception, strftime_now and its own
// tojson.

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// Bounds of one template and of one rendering. Templates come with models, so they are not
/// trusted. The templates of known models stay below a hundredth of each.
struct Limits {
  std::size_t source_bytes = std::size_t{1} << 20;
  std::size_t nesting = 200;             ///< of expressions and blocks in the source
  std::uint64_t steps = 20'000'000;      ///< evaluated nodes; 8 a round of a loop, 1 for 64
                                         ///< bytes that are read, written or compared, 1 for
                                         ///< 4 whose characters are looked at one by one
  std::size_t output_bytes = 64u << 20;  ///< of the rendered text
  std::size_t made_bytes = 256u << 20;   ///< of all values that a rendering makes
  std::size_t text_bytes = 64u << 20;    ///< of one text
  std::size_t range_items = 100'000;     ///< @source jinja2's sandbox: MAX_RANGE
  std::size_t evaluation_depth = 1'000;  ///< nested evaluations, over all macros that are open
  std::size_t value_depth = 200;         ///< lists and maps in each other, where they are read
};

/// The local time now in a format of strftime.
std::string time_now(const std::string& format);

struct RenderOptions {
  Limits limits{};
  std::function<std::string(const std::string& format)> strftime_now = time_now;
};

class Template {
 public:
  /// @throws TemplateError (syntax, limit)
  explicit Template(std::string_view source, const Limits& limits = {});
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;
  ~Template();

  /// @param variables  an object; every other name is undefined
  /// @throws TemplateError (raised, limit, rendering)
  std::string render(const nlohmann::ordered_json& variables,
                     const RenderOptions& options = {}) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace speclab::templates
