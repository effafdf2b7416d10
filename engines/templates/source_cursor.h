#pragma once
#include <string>
#include <string_view>

namespace speclab::templates {

/// A place in the source of a template that only goes forward.
class SourceCursor {
 public:
  /// Line ends become line feeds, and one at the end goes.
  explicit SourceCursor(std::string_view source);
  SourceCursor(const SourceCursor&) = delete;
  SourceCursor& operator=(const SourceCursor&) = delete;

  std::string_view rest() const { return rest_; }
  bool is_at_end() const { return rest_.empty(); }
  int line() const { return line_; }
  bool begins_line() const { return begins_line_; }

  void take(std::size_t count);
  bool take_if(std::string_view text);
  std::size_t num_blanks() const;
  void take_blanks() { take(num_blanks()); }

  /// The end of a comment or of a block: `-%}` takes the blanks behind it, `%}` one line feed.
  bool take_end(char kind);
  /// The end of an expression that is printed: `-}}` takes the blanks behind it.
  bool take_expression_end();
  /// Takes `raw %}` if it stands here.
  bool take_raw();

 private:
  std::string source_;
  std::string_view rest_;
  int line_ = 1;
  bool begins_line_ = true;
};

}  // namespace speclab::templates
