#pragma once
#include <string_view>

#include "engines/templates/limits.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// @throws TemplateError (syntax, or limit where expressions or blocks are nested too deeply)
Body parsed(std::string_view source, const Limits& limits);

}  // namespace speclab::templates
