#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engines/templates/rendering.h"

namespace speclab::templates {

/// The value that Python's json.loads would give.
/// @throws TemplateError if it is nested too deeply or holds text that is no UTF-8
Value value_of(Rendering& rendering, const nlohmann::ordered_json& json);

}  // namespace speclab::templates
