#include "engines/templates/loop_object.h"

#include <algorithm>

#include "engines/templates/attributes.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {

const Value* LoopObject::attribute(Rendering& rendering, const std::string& name) {
  static constexpr std::string_view kNames[] = {
      "index",    "index0",   "revindex", "revindex0", "first", "last",   "length",
      "previtem", "nextitem", "depth",    "depth0",    "cycle", "changed"};
  if (std::ranges::find(kNames, name) == std::end(kNames)) return nullptr;
  attribute_ = made(rendering, name);
  return &attribute_;
}

Value LoopObject::made(Rendering& rendering, const std::string& name) {
  const std::size_t size = items_.size();
  if (name == "index") return Value::of_count(index_ + 1);
  if (name == "index0") return Value::of_count(index_);
  if (name == "revindex") return Value::of_count(size - index_);
  if (name == "revindex0") return Value::of_count(size - index_ - 1);
  if (name == "first") return Value(index_ == 0);
  if (name == "last") return Value(index_ + 1 == size);
  if (name == "length") return Value::of_count(size);
  if (name == "depth") return Value::of_count(depth_);
  if (name == "depth0") return Value::of_count(depth_ - 1);
  if (name == "previtem")
    return index_ > 0 ? items_[index_ - 1] : rendering.make_undefined("there is no previous item");
  if (name == "nextitem")
    return index_ + 1 < size ? items_[index_ + 1]
                             : rendering.make_undefined("there is no next item");
  const bool cycles = name == "cycle";
  return Value(rendering.make_object<Function>(
      name, [this, cycles](Rendering& r, const CallArguments& arguments) {
        return cycles ? cycle(r, arguments) : changed(r, arguments);
      }));
}

Value LoopObject::cycle(Rendering& rendering, const CallArguments& arguments) const {
  if (arguments.positional.empty()) rendering.fail("no items for cycling given");
  return arguments.positional[index_ % arguments.positional.size()];
}

Value LoopObject::changed(Rendering& rendering, const CallArguments& arguments) {
  const auto& now = arguments.positional;
  const bool is_same =
      last_changed_ && std::ranges::equal(*last_changed_, now, [&](const Value& a, const Value& b) {
        return are_equal(rendering, a, b);
      });
  if (is_same) return Value(false);
  last_changed_ = now;
  return Value(true);
}

Value LoopObject::call(Rendering& rendering, const CallArguments& arguments) {
  if (!loop_.is_recursive)
    rendering.fail("The loop must have the 'recursive' marker to be called recursively.");
  const Parameters given(rendering, "loop", arguments, {"iterable"});
  std::string text;
  evaluator_.run_loop(loop_, given[0], scope_, text, depth_ + 1);
  return rendering.make_text(std::move(text));
}

std::string LoopObject::shown(Rendering&) const {
  return "<LoopContext " + std::to_string(index_ + 1) + "/" + std::to_string(items_.size()) + ">";
}

}  // namespace speclab::templates
