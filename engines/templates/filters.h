#pragma once
// Filters and tests by name, and the functions that every template may call.

#include <functional>
#include <map>
#include <string>

#include "engines/templates/parameters.h"
#include "engines/templates/rendering.h"

namespace speclab::templates {

/// input | name(arguments)
using Filter = Value (*)(Rendering&, const Value& input, const CallArguments&);
using FilterTable = std::map<std::string, Filter, std::less<>>;
/// input is name(arguments)
using TestFunction = bool (*)(Rendering&, const Value& input, const CallArguments&);
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
  const Value* attribute(Rendering&, const std::string& name) override {
    const auto found = values_.find(name);
    return found == values_.end() || name.starts_with('_') ? nullptr : &found->second;
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

}  // namespace speclab::templates
