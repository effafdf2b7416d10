// Python's `text % values`.

#include "engines/templates/format_spec.h"
#include "engines/templates/operators.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

class PercentFormat {
 public:
  PercentFormat(Rendering& rendering, std::string_view format, const Value& values)
      : rendering_(rendering), rest_(format), values_(values) {}

  std::string write() {
    while (!rest_.empty()) {
      const std::size_t plain = std::min(rest_.find('%'), rest_.size());
      text_ += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (rest_.empty()) break;
      rest_.remove_prefix(1);
      write_value();
      rendering_.expect_text_size(text_.size());
    }
    const bool is_tuple = is_row();
    if (is_tuple && num_used_ < values_.sequence().items.size())
      rendering_.fail("not all arguments converted during string formatting");
    if (!is_tuple && num_used_ == 0 && !values_.is(Kind::mapping) && !values_.is(Kind::sequence))
      rendering_.fail("not all arguments converted during string formatting");
    return std::move(text_);
  }

 private:
  bool is_row() const {
    return values_.is(Kind::sequence) && values_.sequence().kind == SequenceKind::tuple;
  }

  Value next_value() {
    const std::size_t count = is_row() ? values_.sequence().items.size() : 1;
    if (num_used_ >= count) rendering_.fail("not enough arguments for format string");
    return is_row() ? values_.sequence().items[num_used_++] : (++num_used_, values_);
  }

  /// The value of %(name)s.
  Value named_value() {
    const std::size_t end = rest_.find(')');
    if (end == rest_.npos || !values_.is(Kind::mapping))
      rendering_.fail("format requires a mapping");
    const Value* found = item_of_text(rendering_, values_.mapping(), rest_.substr(1, end - 1));
    if (!found) rendering_.fail("no key '" + std::string(rest_.substr(1, end - 1)) + "'");
    rest_.remove_prefix(end + 1);
    return *found;
  }

  void write_value() {
    rendering_.step(kStepsOfField);
    std::optional<Value> named;
    if (rest_.starts_with('(')) named = named_value();
    FormatSpec spec;
    spec.align = '>';
    for (; !rest_.empty() && std::string_view("-+ 0#").find(rest_[0]) != std::string_view::npos;
         rest_.remove_prefix(1)) {
      if (rest_[0] == '-') spec.align = '<';
      if (rest_[0] == '0') spec.fill_zero = true;
      if (rest_[0] == '#') spec.alternate = true;
      if (rest_[0] == '+' || (rest_[0] == ' ' && spec.sign != '+')) spec.sign = rest_[0];
    }
    spec.width = take_number(rendering_, rest_);
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      spec.precision = static_cast<int>(take_number(rendering_, rest_));
    }
    if (rest_.empty()) rendering_.fail("incomplete format");
    spec.type = rest_[0];
    rest_.remove_prefix(1);
    if (spec.type == '%') {
      text_ += '%';
      return;
    }
    write(spec, named ? *named : next_value());
  }

  void write(FormatSpec& spec, const Value& value) {
    if (spec.type == 'r' || spec.type == 's') {
      const std::string shown = spec.type == 'r' ? repr(rendering_, value) : str(rendering_, value);
      spec.type = 's';
      spec.fill_zero = false;
      text_ += formatted(rendering_, spec, rendering_.make_text(shown));
      return;
    }
    if (spec.align == '<') spec.fill_zero = false;
    if (spec.type == 'c' && value.is_text()) {
      text_ += value.bytes();
      return;
    }
    if (std::string_view("diuxXoeEfFgGc").find(spec.type) == std::string_view::npos)
      rendering_.fail(std::string("the format %") +
                      (static_cast<signed char>(spec.type) < 0 ? '?' : spec.type) +
                      "; allowed: %s %r %d %i %u %x %X %o %e %E %f %F %g %G %c %%");
    if (!value.is_number())
      rendering_.fail(std::string("%") + spec.type + " format: a number is required, not " +
                      type_name(value));
    const bool is_decimal_form = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    if (is_decimal_form) spec.type = 'd';
    const bool cuts = is_decimal_form && value.is(Kind::real);
    text_ += formatted(rendering_, spec, cuts ? whole_part(rendering_, value.number()) : value);
  }

  Rendering& rendering_;
  std::string_view rest_;
  const Value& values_;
  std::size_t num_used_ = 0;
  std::string text_;
};

}  // namespace

Value formatted_by_percent(Rendering& rendering, const std::string& format, const Value& values) {
  return rendering.make_text(PercentFormat(rendering, format, values).write());
}

}  // namespace speclab::templates
