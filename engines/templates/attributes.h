#pragma once
// value.name, value[index], value[begin:end:step] and value.method(...).

#include <optional>
#include <string>

#include "engines/templates/parameters.h"
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
/// Null if Python has no such method, or it changes its object.
Method method_of(const Value& value, const std::string& name);
/// Null if there is no such method of texts, or of lists and dicts.
Method text_method(const std::string& name);
Method container_method(const Value& value, const std::string& name);

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

}  // namespace speclab::templates
