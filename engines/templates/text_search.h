#pragma once
// Search of a text in a text. A hostile pair compares almost all of the sought text at almost every
// place, so every byte that is read or compared counts towards the steps of the rendering.

#include <string_view>

#include "engines/templates/rendering.h"

namespace speclab::templates {

/// As std::string_view::find. @throws TemplateError if the steps are used up
std::size_t found_from_left(Rendering& rendering, std::string_view text, std::string_view sought,
                            std::size_t first = 0);
/// As std::string_view::rfind. @throws TemplateError likewise
std::size_t found_from_right(Rendering& rendering, std::string_view text, std::string_view sought);

}  // namespace speclab::templates
