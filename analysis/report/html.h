#pragma once
// Parts of a page as HTML: texts, estimates, tables whose columns sort at a click and that copy at
// another, and the document around them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

/// Text made safe for element content and quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON or script made safe inside a <script> element.
std::string script_escaped(std::string text, std::string_view what, std::string_view replacement);

/// An estimate as texts that share their decimals; `low` and `high` are empty where there is no
/// interval.
struct EstimateText {
  std::string value;
  std::string low;
  std::string high;
};
EstimateText estimate_text(const Estimate& estimate, double factor = 1, int digits = 3);

/// "95 %: 1.91 to 2.42 UNIT, n = 56".
std::string interval_text(const Estimate& estimate, double factor, const std::string& unit,
                          int digits = 3);

/// "2.10 [1.91, 2.42]", values times `factor`; without brackets where there is no interval.
std::string with_interval(const Estimate& estimate, double factor = 1, int digits = 3);

struct TableColumn {
  std::string title;
  bool is_text = false;
};

/// What is shown and what is sorted by; an empty key sorts last. Of an estimate also the ends of
/// its interval, empty without one.
struct TableEntry {
  std::string html;
  std::string key;
  std::string low{}, high{};
};

TableEntry text_entry(const std::string& text);  ///< readable; a dash if empty
TableEntry setting_entry(double value);          ///< in all its digits
TableEntry estimate_entry(const std::optional<Estimate>& estimate, double factor = 1,
                          int digits = 3);
TableEntry value_entry(const std::optional<double>& value, double factor = 1, int digits = 3);

/// With a button that copies it as it is sorted: of every entry what it is sorted by, with all its
/// digits, and behind estimates the ends of their intervals in columns of their own.
/// @param rows  each with an entry a column
std::string sortable_table_html(const std::vector<TableColumn>& columns,
                                const std::vector<std::vector<TableEntry>>& rows);

/// What every report has, whatever kind of run it shows.
struct DocumentContent {
  const Manifest& manifest;
  const std::vector<Figure>& figures;
  std::string answer;          ///< the sentence that opens the page
  std::string under_answer{};  ///< HTML: facts and notes
  std::string tables;          ///< HTML: sections between the figures and the provenance
};

/// The whole page as one HTML text. @param plotly_js  source text of plotly.js
std::string document_html(const DocumentContent& content, const std::string& plotly_js);

/// page/style.css and page/script.js, compiled in.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace speclab::analysis
