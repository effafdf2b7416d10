#pragma once
// One rendering: it makes and owns the values, counts against the limits and knows the line.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/templates/limits.h"
#include "engines/templates/template_error.h"
#include "engines/templates/value.h"

namespace speclab::templates {

/// Positional and named arguments of a call, a filter or a test.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Rendering;

/// A value with attributes of its own, or one that can be called.
class Object {
 public:
  virtual ~Object() = default;
  /// Python's name of the type, for messages.
  virtual std::string type_name() const = 0;
  virtual bool is_callable() const { return false; }
  /// Null if there is no such attribute.
  virtual const Value* attribute(Rendering&, const std::string&) { return nullptr; }
  virtual Value call(Rendering& rendering, const CallArguments&);
  virtual std::string shown(Rendering&) const { return "<" + type_name() + ">"; }
};

class Rendering {
 public:
  /// @param strftime  the time now in a format of strftime
  using Clock = std::function<std::string(const std::string& format)>;

  Rendering(const Limits& limits, Clock clock) : limits_(limits), clock_(std::move(clock)) {}
  Rendering(const Rendering&) = delete;
  Rendering& operator=(const Rendering&) = delete;

  const Limits& limits() const { return limits_; }
  const Clock& clock() const { return clock_; }
  int line = 1;                 ///< of the node that is evaluated
  std::size_t shown_depth = 0;  ///< namespaces that are being printed inside each other

  /// @throws TemplateError with the present line
  [[noreturn]] void fail(const std::string& message) const { fail(Fault::rendering, message); }
  [[noreturn]] void fail(Fault fault, const std::string& message) const {
    throw TemplateError(fault, line, message);
  }
  /// @param bound  the limit that was reached
  [[noreturn]] void fail_limit(const std::string& bound) const;

  void step(std::uint64_t count = 1) {
    if ((steps_ += count) > limits_.steps) fail_steps();
  }
  /// Steps for reading or writing so many bytes, or so many items.
  void step_bytes(std::size_t bytes) { step(bytes / 64); }
  /// Steps for looking at the characters of so many bytes one by one: their class, their case.
  void step_characters(std::size_t bytes) { step(bytes / 4); }
  /// Steps for making a text of its own of almost every character of so many bytes.
  void step_texts(std::size_t bytes) { step(4 * bytes); }
  void step_items(std::size_t items) { step(items / 8); }

  /// @param text  valid UTF-8
  Value make_text(std::string text, bool is_markup = false);
  Value make_list(std::vector<Value> items) {
    return make_sequence(SequenceKind::list, std::move(items));
  }
  Value make_sequence(SequenceKind kind, std::vector<Value> items, std::string shown = {});
  Value make_mapping(Mapping mapping);
  Value make_undefined(std::string message);
  template <typename Kind, typename... Arguments>
  Kind* make_object(Arguments&&... arguments) {
    charge(sizeof(Kind) + 64);
    auto made = std::make_unique<Kind>(std::forward<Arguments>(arguments)...);
    Kind* object = made.get();
    objects_.push_back(std::move(made));
    return object;
  }
  /// Memory that something else keeps for as long as the rendering.
  void charge(std::size_t bytes);
  /// @throws TemplateError if a text of so many bytes may not be made
  void expect_text_size(std::size_t bytes) const;

 private:
  [[noreturn]] void fail_steps() const;

  Limits limits_;
  Clock clock_;
  std::uint64_t steps_ = 0;
  std::size_t made_bytes_ = 0;
  std::deque<Text> texts_;
  std::deque<Sequence> sequences_;
  std::deque<Mapping> mappings_;
  std::deque<UndefinedOrigin> undefined_;
  std::deque<std::unique_ptr<Object>> objects_;
};

/// Counts one level of a recursion while it lives.
class Level {
 public:
  /// @throws TemplateError if there are `most` levels already
  Level(const Rendering& rendering, std::size_t& depth, std::size_t most, const char* bound)
      : depth_(depth) {
    if (depth >= most) rendering.fail_limit(std::string(bound) + " " + std::to_string(most));
    ++depth_;
  }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  std::size_t& depth_;
};

}  // namespace speclab::templates
