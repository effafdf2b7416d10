#pragma once
// Jinja templates as transformers renders chat templates: trim_blocks, lstrip_blocks, loop
// controls, an immutable sandbox, generation blocks, raise_exception, strftime_now and its own
// tojson.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engines/templates/limits.h"
#include "engines/templates/template_error.h"

namespace speclab::templates {

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
