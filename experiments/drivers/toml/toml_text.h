#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

/// Builds TOML: tables of keys, in the order given.
class TomlText {
 public:
  void table(const std::string&
                 header);  ///< as it stands between the brackets: "axes" or "[provenance.models]"
  void add(const std::string& key, const std::string& value);
  void add(const std::string& key, const char* value) { add(key, std::string(value)); }
  void add(const std::string& key, std::int64_t value);
  void add(const std::string& key, std::int32_t value) {
    add(key, static_cast<std::int64_t>(value));
  }
  void add(const std::string& key, std::uint64_t value) {
    add(key, static_cast<std::int64_t>(value));
  }
  void add(const std::string& key, double value);
  void add(const std::string& key, bool value);
  void add(const std::string& key, const std::vector<std::string>& values) {
    add_list(key, values);
  }
  void add(const std::string& key, const std::vector<double>& values) { add_list(key, values); }
  void add(const std::string& key, const std::vector<std::int32_t>& values) {
    add_list(key, values);
  }

  const std::string& content() const { return content_; }

 private:
  template <typename T>
  void add_list(const std::string& key, const std::vector<T>& values);
  void add_raw(const std::string& key, const std::string& text) {
    content_ += key + " = " + text + "\n";
  }

  std::string content_;
};

}  // namespace speclab::experiments
