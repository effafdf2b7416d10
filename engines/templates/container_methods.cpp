// Methods of lists, tuples and dicts that change nothing.

#include <algorithm>

#include "engines/templates/attributes.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

Value get(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "get", arguments, {"key", "default?"});
  expect_hashable(rendering, given[0]);
  const Value* item = item_of(rendering, self.mapping(), given[0]);
  return item ? *item : given[1];
}

/// Keys, values or items of a dict.
template <SequenceKind kind>
Value view(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "a view of a dict", arguments, {});
  std::vector<Value> parts;
  parts.reserve(self.mapping().items.size());
  for (const auto& [key, value] : self.mapping().items)
    parts.push_back(kind == SequenceKind::dict_keys ? key
                    : kind == SequenceKind::dict_values
                        ? value
                        : rendering.make_sequence(SequenceKind::tuple, {key, value}));
  return rendering.make_sequence(kind, std::move(parts));
}

Value copied_mapping(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "copy", arguments, {});
  return rendering.make_mapping(self.mapping());
}

Value copied_list(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "copy", arguments, {});
  return rendering.make_list(self.sequence().items);
}

Value index_in(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "index", arguments, {"value", "start?", "stop?"});
  const std::vector<Value>& items = self.sequence().items;
  const auto size = static_cast<Integer>(items.size());
  const auto bound = [&](std::size_t i, Integer missing) {
    const Integer at = given.integer(i, missing);
    return std::clamp<Integer>(at < 0 ? at + size : at, 0, size);
  };
  for (Integer i = bound(1, 0); i < bound(2, size); ++i)
    if (are_equal(rendering, items[static_cast<std::size_t>(i)], given[0])) return Value(i);
  rendering.fail("index: " + repr(rendering, given[0]) + " is not in " + type_name(self));
}

Value count_in(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "count", arguments, {"value"});
  return Value::of_count(
      static_cast<std::size_t>(std::ranges::count_if(self.sequence().items, [&](const Value& item) {
        return are_equal(rendering, item, given[0]);
      })));
}

}  // namespace

Method container_method(const Value& value, const std::string& name) {
  if (value.is(Kind::mapping)) {
    if (name == "get") return get;
    if (name == "items") return view<SequenceKind::dict_items>;
    if (name == "keys") return view<SequenceKind::dict_keys>;
    if (name == "values") return view<SequenceKind::dict_values>;
    return name == "copy" ? copied_mapping : nullptr;
  }
  if (!value.is(Kind::sequence) || !value.sequence().has_subscripts()) return nullptr;
  if (name == "index") return index_in;
  if (name == "count") return count_in;
  return name == "copy" && value.sequence().kind == SequenceKind::list ? copied_list : nullptr;
}

}  // namespace speclab::templates
