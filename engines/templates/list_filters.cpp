// Filters that take lists apart or make them, and those that apply a filter or a test to every
// item.

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

Value length(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'length'", arguments, {});
  return Value::of_count(length_of(rendering, input));
}

Value to_list(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'list'", arguments, {});
  const auto items = items_of(rendering, input);
  return rendering.make_list({items.begin(), items.end()});
}

Value first(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'first'", arguments, {});
  if (input.is(Kind::sequence) && input.sequence().is_consumed_once()) {
    Sequence& source = input.sequence();
    if (source.num_taken < source.items.size()) return source.items[source.num_taken++];
  } else if (input.is_text() && !input.bytes().empty()) {
    return rendering.make_text(std::string(characters_between(rendering, input.text(), 0, 1)));
  } else if (const auto items = items_of(rendering, input); !items.empty()) {
    return items.front();
  }
  return rendering.make_undefined("No first item, sequence was empty.");
}

Value last(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'last'", arguments, {});
  if (input.is(Kind::sequence) && input.sequence().is_consumed_once())
    rendering.fail("'" + type_name(input) + "' object is not reversible");
  const auto items = items_of(rendering, input);
  return items.empty() ? rendering.make_undefined("No last item, sequence was empty.")
                       : items.back();
}

Value reverse(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'reverse'", arguments, {});
  const auto items = items_of(rendering, input);
  if (input.is_text()) {
    std::string text;
    for (auto item = items.rbegin(); item != items.rend(); ++item) text += item->bytes();
    return rendering.make_text(std::move(text));
  }
  return rendering.make_sequence(SequenceKind::iterator, {items.rbegin(), items.rend()});
}

Value items(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'items'", arguments, {});
  if (input.is(Kind::undefined)) return rendering.make_sequence(SequenceKind::generator, {});
  if (!input.is(Kind::mapping)) rendering.fail("Can only get item pairs from a mapping.");
  const Value view = method_of(input, "items")(rendering, input, {});
  return rendering.make_sequence(SequenceKind::generator, view.sequence().items);
}

/// @param name  of the count, for messages
std::size_t checked_count(const Rendering& rendering, const char* name, Integer count) {
  const std::size_t most = rendering.limits().range_items;
  if (count < 1 || count > static_cast<Integer>(most))
    rendering.fail(name + integer_text(count) + "; allowed: 1 to " + std::to_string(most));
  return static_cast<std::size_t>(count);
}

Value batch(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'batch'", arguments, {"linecount", "fill_with?"});
  const auto all = items_of(rendering, input);
  const std::size_t size = checked_count(rendering, "filter 'batch': linecount ", given.integer(0));
  std::vector<Value> rows;
  for (std::size_t at = 0; at < all.size(); at += size) {
    const auto row = all.subspan(at, std::min(size, all.size() - at));
    std::vector<Value> filled(row.begin(), row.end());
    if (!given[1].is_none()) filled.resize(size, given[1]);
    rows.push_back(rendering.make_list(std::move(filled)));
  }
  return rendering.make_sequence(SequenceKind::generator, std::move(rows));
}

Value slice(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'slice'", arguments, {"slices", "fill_with?"});
  const auto all = items_of(rendering, input);
  const std::size_t slices = checked_count(rendering, "filter 'slice': slices ", given.integer(0));
  const std::size_t each = all.size() / slices, longer = all.size() % slices;
  std::vector<Value> columns;
  std::size_t at = 0;
  for (std::size_t i = 0; i < slices; ++i) {
    const auto part = all.subspan(at, each + (i < longer ? 1 : 0));
    at += part.size();
    std::vector<Value> column(part.begin(), part.end());
    if (!given[1].is_none() && i >= longer) column.push_back(given[1]);
    columns.push_back(rendering.make_list(std::move(column)));
  }
  return rendering.make_sequence(SequenceKind::generator, std::move(columns));
}

Value with_default(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'default'", arguments, {"default_value?", "boolean?"});
  const bool is_missing = input.is(Kind::undefined) || (given.truth(1, false) && !is_true(input));
  if (!is_missing) return input;
  return given.has(0) ? given[0] : rendering.make_text("");
}

Value attribute(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'attr'", arguments, {"name"});
  const std::string name = given.text(0);
  rendering.step_characters(name.size());
  if (input.is(Kind::mapping) && !method_of(input, name))
    return rendering.make_undefined("'dict object' has no attribute " + repr_of_text(name));
  return attribute_of(rendering, input, name);
}

/// The arguments behind the first `count`.
CallArguments arguments_behind(const CallArguments& arguments, std::size_t count) {
  return {{arguments.positional.begin() + static_cast<std::ptrdiff_t>(count),
           arguments.positional.end()},
          arguments.named};
}

const std::string& name_of_function(const Rendering& rendering, const Value& name) {
  if (!name.is_text())
    rendering.fail("the name of a filter or test is of type " + type_name(name) + "; allowed: str");
  return name.bytes();
}

Value mapped(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const bool by_attribute = arguments.positional.empty();
  std::vector<Value> results;
  if (by_attribute) {
    const Parameters given(rendering, "filter 'map'", {{}, arguments.named},
                           {"attribute", "default?"});
    if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
    for (const Value& item : items_of(rendering, input)) {
      rendering.step();
      results.push_back(attribute_by_path(rendering, item, given[0], given[1]));
    }
    return rendering.make_sequence(SequenceKind::generator, std::move(results));
  }
  if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
  const std::string& name = name_of_function(rendering, arguments.positional[0]);
  const CallArguments rest = arguments_behind(arguments, 1);
  for (const Value& item : items_of(rendering, input))
    results.push_back(filtered(rendering, name, item, rest));
  return rendering.make_sequence(SequenceKind::generator, std::move(results));
}

/// select, reject, selectattr and rejectattr: keeps items, or an attribute's owner, for which a
/// test holds or does not.
template <bool keeps, bool by_attribute>
Value chosen(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  constexpr std::size_t kFirst = by_attribute ? 1 : 0;
  if (arguments.positional.size() < kFirst) rendering.fail("Missing parameter for attribute name");
  if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
  const bool has_test = arguments.positional.size() > kFirst;
  const CallArguments rest = has_test ? arguments_behind(arguments, kFirst + 1) : CallArguments{};
  std::vector<Value> kept;
  for (const Value& item : items_of(rendering, input)) {
    rendering.step();
    const Value value =
        by_attribute ? attribute_by_path(rendering, item, arguments.positional[0]) : item;
    const bool holds =
        has_test ? tested(rendering, name_of_function(rendering, arguments.positional[kFirst]),
                          value, rest)
                 : is_true(value);
    if (holds == keeps) kept.push_back(item);
  }
  return rendering.make_sequence(SequenceKind::generator, std::move(kept));
}

}  // namespace

const FilterTable& list_filters() {
  static const FilterTable table = {
      {"attr", attribute},       {"batch", batch},  {"count", length},    {"d", with_default},
      {"default", with_default}, {"first", first},  {"items", items},     {"last", last},
      {"length", length},        {"list", to_list}, {"reverse", reverse}, {"slice", slice}};
  return table;
}

const FilterTable& choice_filters() {
  static const FilterTable table = {{"map", mapped},
                                    {"reject", chosen<false, false>},
                                    {"rejectattr", chosen<false, true>},
                                    {"select", chosen<true, false>},
                                    {"selectattr", chosen<true, true>}};
  return table;
}

}  // namespace speclab::templates
