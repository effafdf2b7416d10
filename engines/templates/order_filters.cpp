// Filters that compare items with each other.

#include <algorithm>

#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// An item beside what it is compared by.
struct Keyed {
  std::vector<Value> keys;
  Value item;
};

bool comes_before(Rendering& rendering, const Keyed& a, const Keyed& b) {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (are_equal(rendering, a.keys[i], b.keys[i])) continue;
    return compared(rendering, a.keys[i], b.keys[i]) < 0;
  }
  return false;
}

/// A stable order by merging; a comparison that throws leaves nothing half done.
void order(Rendering& rendering, std::vector<Keyed>& items, bool is_reverse) {
  std::ranges::stable_sort(items, [&](const Keyed& a, const Keyed& b) {
    return is_reverse ? comes_before(rendering, b, a) : comes_before(rendering, a, b);
  });
}

/// Paths "a" or "a,b.c" of an attribute; one none for the item itself.
std::vector<Value> paths_of(Rendering& rendering, const Value& attribute) {
  if (!attribute.is_text()) return {attribute};
  std::vector<Value> paths;
  std::string_view rest = attribute.bytes();
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    paths.push_back(rendering.make_text(std::string(rest.substr(0, comma))));
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return paths;
}

Value key_of(Rendering& rendering, const Value& item, const Value& path, bool is_case_sensitive) {
  rendering.step();
  const Value value = path.is_none() ? item : attribute_by_path(rendering, item, path);
  return without_case(rendering, value, is_case_sensitive);
}

std::vector<Keyed> keyed(Rendering& rendering, std::span<const Value> items,
                         const std::vector<Value>& paths, bool is_case_sensitive) {
  std::vector<Keyed> result;
  for (const Value& item : items) {
    Keyed each{{}, item};
    for (const Value& path : paths)
      each.keys.push_back(key_of(rendering, item, path, is_case_sensitive));
    rendering.charge(sizeof(Keyed) + each.keys.size() * sizeof(Value));
    result.push_back(std::move(each));
  }
  return result;
}

Value list_of_items(Rendering& rendering, const std::vector<Keyed>& items) {
  std::vector<Value> values;
  for (const Keyed& each : items) values.push_back(each.item);
  return rendering.make_list(std::move(values));
}

Value sorted(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'sort'", arguments,
                         {"reverse?", "case_sensitive?", "attribute?"});
  auto items = keyed(rendering, items_of(rendering, input), paths_of(rendering, given[2]),
                     given.truth(1, false));
  order(rendering, items, given.truth(0, false));
  return list_of_items(rendering, items);
}

Value sorted_mapping(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'dictsort'", arguments,
                         {"case_sensitive?", "by?", "reverse?"});
  const std::string by = given.text(1, "key");
  if (by != "key" && by != "value")
    rendering.fail("filter 'dictsort': by = " + repr_of_text(by) + "; allowed: key, value");
  if (!input.is(Kind::mapping))
    rendering.fail("filter 'dictsort': a " + type_name(input) + "; allowed: dict");
  const Value pairs = method_of(input, "items")(rendering, input, {});
  auto items = keyed(rendering, pairs.sequence().items, {Value(Integer{by == "key" ? 0 : 1})},
                     given.truth(0, false));
  order(rendering, items, given.truth(2, false));
  return list_of_items(rendering, items);
}

/// The least or the greatest item.
template <bool is_least>
Value extreme(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, is_least ? "filter 'min'" : "filter 'max'", arguments,
                         {"case_sensitive?", "attribute?"});
  const auto items =
      keyed(rendering, items_of(rendering, input), {given[1]}, given.truth(0, false));
  if (items.empty()) return rendering.make_undefined("No aggregated item, sequence was empty.");
  const Keyed* best = &items.front();
  for (const Keyed& each : items)
    if (is_least ? comes_before(rendering, each, *best) : comes_before(rendering, *best, each))
      best = &each;
  return best->item;
}

Value unique(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'unique'", arguments,
                         {"case_sensitive?", "attribute?"});
  std::vector<Value> seen, kept;
  for (const Value& item : items_of(rendering, input)) {
    const Value key = key_of(rendering, item, given[1], given.truth(0, false));
    expect_hashable(rendering, key);
    const auto is_same = [&](const Value& old) { return are_equal(rendering, old, key); };
    if (std::ranges::any_of(seen, is_same)) continue;
    seen.push_back(key);
    kept.push_back(item);
  }
  return rendering.make_sequence(SequenceKind::generator, std::move(kept));
}

Value grouped(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'groupby'", arguments,
                         {"attribute", "default?", "case_sensitive?"});
  const bool is_case_sensitive = given.truth(2, false);
  const auto value_of = [&](const Value& item) {
    return attribute_by_path(rendering, item, given[0], given[1]);
  };
  std::vector<Keyed> items;
  for (const Value& item : items_of(rendering, input))
    items.push_back({{without_case(rendering, value_of(item), is_case_sensitive)}, item});
  order(rendering, items, false);
  std::vector<Value> groups;
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    std::vector<Value> members;
    while (end < items.size() && are_equal(rendering, items[end].keys[0], items[begin].keys[0]))
      members.push_back(items[end++].item);
    const Value name = value_of(members.front());
    groups.push_back(rendering.make_sequence(SequenceKind::tuple,
                                             {name, rendering.make_list(std::move(members))}));
    groups.back().sequence().is_group = true;
  }
  return rendering.make_list(std::move(groups));
}

}  // namespace

const FilterTable& order_filters() {
  static const FilterTable table = {
      {"dictsort", sorted_mapping}, {"groupby", grouped}, {"max", extreme<false>},
      {"min", extreme<true>},       {"sort", sorted},     {"unique", unique}};
  return table;
}

}  // namespace speclab::templates
