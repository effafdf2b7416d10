#pragma once
// Values of a template, as Python would have them. A rendering owns all of them until it ends, so
// values are copied freely, may point at each other, and are destroyed without recursion.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  Value() : kind_(Kind::none), integer_(0) {}
  explicit Value(bool boolean) : kind_(Kind::boolean), integer_(boolean ? 1 : 0) {}
  explicit Value(Integer integer) : kind_(Kind::integer), integer_(integer) {}
  explicit Value(double real) : kind_(Kind::real), real_(real) {}
  explicit Value(const Text* text) : kind_(Kind::text), text_(text) {}
  explicit Value(Sequence* sequence) : kind_(Kind::sequence), sequence_(sequence) {}
  explicit Value(const Mapping* mapping) : kind_(Kind::mapping), mapping_(mapping) {}
  explicit Value(Object* object) : kind_(Kind::object), object_(object) {}
  explicit Value(const UndefinedOrigin* origin) : kind_(Kind::undefined), undefined_(origin) {}
  static Value of_count(std::size_t count) { return Value(static_cast<Integer>(count)); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_text() const { return kind_ == Kind::text; }
  /// A bool is an int in Python.
  bool is_whole() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }
  bool is_number() const { return is_whole() || kind_ == Kind::real; }

  // Each needs a value of its kind; `integer` and `number` take what is_whole and is_number say.
  bool boolean() const { return integer_ != 0; }
  Integer integer() const { return integer_; }
  double number() const { return kind_ == Kind::real ? real_ : static_cast<double>(integer_); }
  const Text& text() const { return *text_; }
  const std::string& bytes() const;
  Sequence& sequence() const { return *sequence_; }
  const Mapping& mapping() const { return *mapping_; }
  Object& object() const { return *object_; }
  const UndefinedOrigin& undefined() const { return *undefined_; }

 private:
  Kind kind_;
  union {
    Integer integer_;
    double real_;
    const Text* text_;
    Sequence* sequence_;
    const Mapping* mapping_;
    Object* object_;
    const UndefinedOrigin* undefined_;
  };
};

struct Text {
  std::string bytes;       ///< valid UTF-8
  bool is_markup = false;  ///< came from the filters escape and safe
  std::size_t num_characters = 0;

  /// Then a character is a byte.
  bool is_ascii() const { return num_characters == bytes.size(); }
};

inline const std::string& Value::bytes() const { return text_->bytes; }

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

}  // namespace speclab::templates
