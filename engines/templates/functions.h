#pragma once
// Everything that a template can call or look up by its name: attributes and methods of values,
// filters, tests and functions.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "engines/templates/characters.h"
#include "engines/templates/rendering.h"

namespace speclab::templates {

/// `value.name`: first Python's attribute, then the item of that name. Methods that would change a
/// value, and names with an underscore first, are undefined, as jinja2's immutable sandbox has it.
Value attribute_of(Rendering& rendering, const Value& value, const std::string& name);
/// `value[index]`: first the item, then the attribute.
Value item_at(Rendering& rendering, const Value& value, const Value& index);
/// Bounds are none where they are left out.
Value slice_of(Rendering& rendering, const Value& value, const Value& begin, const Value& end,
               const Value& step);
/// The value that filters take for `attribute=`: "a.b.0" goes through items and attributes.
/// @param missing  in place of any part that is undefined; none: it stays undefined
Value attribute_by_path(Rendering& rendering, const Value& value, const Value& path,
                        const Value& missing = {});

/// A method of a text, list or dict that changes nothing. @throws TemplateError
using Method = Value (*)(Rendering&, const Value& self, const CallArguments&);
using MethodTable = std::map<std::string, Method, std::less<>>;
/// Null if Python has no such method, or it changes its object.
Method method_of(const Value& value, const std::string& name);
/// Null if there is no such method of texts, or of lists and dicts.
Method text_method(const std::string& name);
Method container_method(const Value& value, const std::string& name);
/// Methods of texts that cut, join and replace parts; that look for parts and split at them; of
/// case, of classes of characters and of width.
const MethodTable& cutting_methods();
const MethodTable& searching_methods();
const MethodTable& case_methods();

/// @throws TemplateError if the value cannot be called
Value called(Rendering& rendering, const Value& callee, const CallArguments& arguments);

/// A function of the program as a value.
class Function final : public Object {
 public:
  using Body = std::function<Value(Rendering&, const CallArguments&)>;
  Function(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {}
  std::string type_name() const override { return "function"; }
  bool is_callable() const override { return true; }
  Value call(Rendering& rendering, const CallArguments& arguments) override {
    return body_(rendering, arguments);
  }
  std::string shown(Rendering&) const override { return "<function " + name_ + ">"; }

 private:
  std::string name_;
  Body body_;
};

/// `input | name(arguments)`: a filter is called as a method is.
using FilterTable = MethodTable;
/// input is name(arguments)
using TestFunction = std::function<bool(Rendering&, const Value& input, const CallArguments&)>;
using TestTable = std::map<std::string, TestFunction, std::less<>>;

const FilterTable& text_filters();
const FilterTable& number_filters();
const FilterTable& list_filters();
const FilterTable& choice_filters();
const FilterTable& order_filters();
const FilterTable& all_filters();
const TestTable& all_tests();

/// @throws TemplateError that names the known ones if there is no such filter or test
Value filtered(Rendering& rendering, const std::string& name, const Value& input,
               const CallArguments& arguments);
bool tested(Rendering& rendering, const std::string& name, const Value& input,
            const CallArguments& arguments);

/// range, dict, namespace and the others. A rendering's variables may hide them.
std::map<std::string, Value> global_functions(Rendering& rendering);

/// Python's json.dumps as transformers' tojson calls it: non-ASCII characters stay as they are.
Value as_json(Rendering& rendering, const Value& input, const CallArguments& arguments);

/// The text of any value, like markupsafe's soft_str: a text stays what it is.
Value soft_text(Rendering& rendering, const Value& value);
/// The value that orders and groups look at: texts in lower case unless case matters.
Value without_case(Rendering& rendering, const Value& value, bool is_case_sensitive);

/// The mutable object that `{% set name.attribute = value %}` changes.
class Namespace final : public Object {
 public:
  std::string type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(Rendering&, const std::string& name) override {
    const auto found = values_.find(name);
    if (found == values_.end() || name.starts_with('_')) return std::nullopt;
    return found->second;
  }
  void set(Rendering& rendering, const std::string& name, const Value& value) {
    if (values_.emplace(name, value).second) {
      rendering.charge(sizeof(Value) + name.size() + 64);
      order_.push_back(name);
    }
    values_.insert_or_assign(name, value);
  }
  std::string shown(Rendering& rendering) const override;

 private:
  std::map<std::string, Value> values_;
  std::vector<std::string> order_;
};

/// Python's text.strip and its like. @param set  characters to remove; null: blanks
Value stripped_text(Rendering& rendering, std::string_view text, Side side,
                    const std::string* set = nullptr);
/// Python's text.replace. @param most  replacements; negative: all
std::string replaced(Rendering& rendering, std::string_view text, std::string_view old,
                     std::string_view with, Integer most);

}  // namespace speclab::templates
