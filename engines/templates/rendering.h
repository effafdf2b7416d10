#pragma once
// Values of a template, as Python would have them, and the rendering that makes and owns them until
// it ends: they are copied freely, may point at each other, and are destroyed without recursion. It
// counts against the limits and knows the line.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engines/templates/template.h"

namespace speclab::templates {

/// Python's integers have no bound. These have 127 bits; an overflow is an error.
__extension__ typedef __int128 Integer;
/// The size of any Integer, and the distance of any two.
__extension__ typedef unsigned __int128 Magnitude;

enum class Kind : std::uint8_t {
  undefined,
  none,
  boolean,
  integer,
  real,
  text,
  sequence,
  mapping,
  object
};

struct Text;
struct Sequence;
struct Mapping;
class Object;
struct UndefinedOrigin;

class Value {
 public:
  Value() = default;  ///< none
  template <typename Form>
  explicit Value(Form form) : form_(form) {}
  static Value of_count(std::size_t count) { return Value(static_cast<Integer>(count)); }

  Kind kind() const { return static_cast<Kind>(form_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_none() const { return is(Kind::none); }
  bool is_text() const { return is(Kind::text); }
  /// A bool is an int in Python.
  bool is_whole() const { return is(Kind::integer) || is(Kind::boolean); }
  bool is_number() const { return is_whole() || is(Kind::real); }

  // Each needs a value of its kind; `integer` and `number` take what is_whole and is_number say.
  bool boolean() const { return std::get<bool>(form_); }
  Integer integer() const { return is(Kind::boolean) ? boolean() : std::get<Integer>(form_); }
  double number() const {
    return is(Kind::real) ? std::get<double>(form_) : static_cast<double>(integer());
  }
  const Text& text() const { return *std::get<const Text*>(form_); }
  const std::string& bytes() const;
  Sequence& sequence() const { return *std::get<Sequence*>(form_); }
  const Mapping& mapping() const { return *std::get<const Mapping*>(form_); }
  Object& object() const { return *std::get<Object*>(form_); }
  const UndefinedOrigin& undefined() const { return *std::get<const UndefinedOrigin*>(form_); }

 private:
  /// In the order of Kind.
  std::variant<const UndefinedOrigin*, std::monostate, bool, Integer, double, const Text*,
               Sequence*, const Mapping*, Object*>
      form_ = std::monostate{};
};

struct Text {
  std::string bytes;       ///< valid UTF-8
  bool is_markup = false;  ///< came from the filters escape and safe
  std::size_t num_characters = 0;

  /// Then a character is a byte.
  bool is_ascii() const { return num_characters == bytes.size(); }
};

inline const std::string& Value::bytes() const { return text().bytes; }

/// generator and iterator give their items once; the views and ranges are not printed as lists.
enum class SequenceKind : std::uint8_t {
  list,
  tuple,
  range,
  dict_keys,
  dict_values,
  dict_items,
  generator,
  iterator
};

struct Sequence {
  SequenceKind kind = SequenceKind::list;
  std::vector<Value> items;
  std::size_t num_taken = 0;  ///< of a generator or iterator
  std::string shown;          ///< of a range: how Python prints it
  bool is_group = false;      ///< a tuple of the filter groupby: its parts are grouper and list

  bool is_consumed_once() const {
    return kind == SequenceKind::generator || kind == SequenceKind::iterator;
  }
  /// Whether Python takes an index for it.
  bool has_subscripts() const {
    return kind == SequenceKind::list || kind == SequenceKind::tuple || kind == SequenceKind::range;
  }
};

/// A dict: keys in the order in which they came.
struct Mapping {
  std::vector<std::pair<Value, Value>> items;
};

/// A value that is not there: it prints as nothing, and anything else that is done with it is an
/// error.
struct UndefinedOrigin {
  std::string message;
};

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
  /// Nothing if there is no such attribute.
  virtual std::optional<Value> attribute(Rendering&, const std::string&) { return std::nullopt; }
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

/// Arguments of a call put in the order of its parameters.
class Parameters {
 public:
  /// @param callee  for messages: "filter 'join'"
  /// @param names   of the parameters; those that are not required have a ? at the end
  /// @throws TemplateError for a missing, unknown or double argument, and for too many
  Parameters(Rendering& rendering, std::string callee, const CallArguments& given,
             std::initializer_list<std::string_view> names);

  bool has(std::size_t i) const { return given_[i]; }
  /// The argument; none if it is not given.
  const Value& operator[](std::size_t i) const { return values_[i]; }

  // Each throws a TemplateError if the argument is of another type.
  const std::string& text(std::size_t i) const;
  std::string text(std::size_t i, const char* missing) const {
    return has(i) ? text(i) : std::string(missing);
  }
  Integer integer(std::size_t i) const;
  Integer integer(std::size_t i, Integer missing) const {
    return has(i) && !values_[i].is_none() ? integer(i) : missing;
  }
  bool truth(std::size_t i, bool missing) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;

  Rendering& rendering_;
  std::string callee_;
  std::vector<Value> values_;
  std::vector<bool> given_;
  std::vector<std::string_view> names_;
};

}  // namespace speclab::templates
