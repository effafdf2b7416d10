#pragma once

namespace speclab::analysis {

/// page/style.css and page/script.js, compiled in.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace speclab::analysis
