// Functions that every template may call: jinja2's own, and those that transformers adds.

#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// How many items Python's range has, without an overflow.
Magnitude range_size(Integer start, Integer stop, Integer step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const auto first = static_cast<Magnitude>(start), end = static_cast<Magnitude>(stop);
  const auto stride = static_cast<Magnitude>(step);
  return 1 + (step > 0 ? (end - first - 1) / stride : (first - end - 1) / (0 - stride));
}

Value range(Rendering& rendering, const CallArguments& arguments) {
  const Parameters given(rendering, "range", arguments, {"start", "stop?", "step?"});
  const Integer start = given.has(1) ? given.integer(0) : 0;
  const Integer stop = given.has(1) ? given.integer(1) : given.integer(0);
  const Integer step = given.has(2) ? given.integer(2) : 1;
  if (step == 0) rendering.fail("range() arg 3 must not be zero");
  const Magnitude size = range_size(start, stop, step);
  if (size > rendering.limits().range_items)
    rendering.fail_limit("items of a range " + std::to_string(rendering.limits().range_items));
  std::vector<Value> items;
  Integer item = start;
  for (Magnitude i = 0; i < size; ++i) {
    if (i > 0) item += step;  // and not behind the last: that may be no Integer
    items.push_back(Value(item));
  }
  std::string shown = "range(" + integer_text(start) + ", " + integer_text(stop);
  if (step != 1) shown += ", " + integer_text(step);
  return rendering.make_sequence(SequenceKind::range, std::move(items), shown + ")");
}

/// dict(mapping or pairs, name=value, ...)
Mapping mapping_of(Rendering& rendering, const CallArguments& arguments) {
  Mapping mapping;
  if (arguments.positional.size() > 1)
    rendering.fail("dict expected at most 1 argument, got " +
                   std::to_string(arguments.positional.size()));
  for (const Value& source : arguments.positional) {
    if (source.is(Kind::mapping)) {
      mapping = source.mapping();
      continue;
    }
    for (const Value& pair : items_of(rendering, source)) {
      const auto parts = items_of(rendering, pair);
      if (parts.size() != 2)
        rendering.fail("dict: an item of length " + std::to_string(parts.size()) +
                       "; allowed: pairs");
      set_item(rendering, mapping, parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : arguments.named)
    set_item(rendering, mapping, rendering.make_text(name), value);
  return mapping;
}

Value dict(Rendering& rendering, const CallArguments& arguments) {
  return rendering.make_mapping(mapping_of(rendering, arguments));
}

Value make_namespace(Rendering& rendering, const CallArguments& arguments) {
  auto* object = rendering.make_object<Namespace>();
  for (const auto& [key, value] : mapping_of(rendering, arguments).items)
    object->set(rendering, str(rendering, key), value);
  return Value(object);
}

/// Gives its items in turn, and begins again behind the last.
class Cycler final : public Object {
 public:
  explicit Cycler(std::vector<Value> items) : items_(std::move(items)) {}
  std::string type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(Rendering& rendering, const std::string& name) override {
    if (name == "current") return items_[at_];
    if (name != "next" && name != "reset") return std::nullopt;
    const bool moves = name == "next";
    return Value(
        rendering.make_object<Function>(name, [this, moves](Rendering&, const CallArguments&) {
          const Value current = moves ? items_[at_] : Value();
          at_ = moves ? (at_ + 1) % items_.size() : 0;
          return current;
        }));
  }

 private:
  std::vector<Value> items_;
  std::size_t at_ = 0;
};

Value make_cycler(Rendering& rendering, const CallArguments& arguments) {
  if (arguments.positional.empty()) rendering.fail("at least one item has to be provided");
  rendering.charge(arguments.positional.size() * sizeof(Value));
  return Value(rendering.make_object<Cycler>(arguments.positional));
}

/// Gives nothing at the first call, and a separator from then on.
Value make_joiner(Rendering& rendering, const CallArguments& arguments) {
  const Parameters given(rendering, "joiner", arguments, {"sep?"});
  const Value separator = given.has(0) ? given[0] : rendering.make_text(", ");
  return Value(rendering.make_object<Function>(
      "joiner", [separator, is_used = false](Rendering& r, const CallArguments&) mutable {
        return std::exchange(is_used, true) ? separator : r.make_text("");
      }));
}

Value raise_exception(Rendering& rendering, const CallArguments& arguments) {
  const Parameters given(rendering, "raise_exception", arguments, {"message"});
  rendering.fail(Fault::raised, str(rendering, given[0]));
}

Value strftime_now(Rendering& rendering, const CallArguments& arguments) {
  const Parameters given(rendering, "strftime_now", arguments, {"format"});
  rendering.step(given.text(0).size());
  return rendering.make_text(rendering.clock()(given.text(0)));
}

}  // namespace

std::string Namespace::shown(Rendering& rendering) const {
  constexpr std::size_t kMostNested = 20;  // namespaces may hold each other in a ring
  const Level level(rendering, rendering.shown_depth, kMostNested, "namespaces in each other");
  std::string text = "<Namespace {";
  const char* between = "";
  for (const std::string& name : order_) {
    const Value& value = values_.at(name);
    text += between + repr_of_text(name) + ": ";
    text += repr(rendering, value);
    rendering.expect_text_size(text.size());
    between = ", ";
  }
  return text + "}>";
}

std::map<std::string, Value> global_functions(Rendering& rendering) {
  std::map<std::string, Value> functions;
  using Called = Value (*)(Rendering&, const CallArguments&);
  static constexpr std::pair<const char*, Called> kFunctions[] = {
      {"range", range},
      {"dict", dict},
      {"namespace", make_namespace},
      {"cycler", make_cycler},
      {"joiner", make_joiner},
      {"raise_exception", raise_exception},
      {"strftime_now", strftime_now}};
  for (const auto& [name, body] : kFunctions)
    functions.emplace(name, Value(rendering.make_object<Function>(name, body)));
  return functions;
}

}  // namespace speclab::templates
