#pragma once
// Files with one JSON object a line, and typed members of such objects.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace speclab::analysis {

/// Visits the objects of a file. @throws DataError with file and line for a line that is no JSON,
/// or where `visit` throws
void for_each_json_line(const std::string& path,
                        const std::function<void(const nlohmann::ordered_json& object)>& visit);

/// The member of that name, of that type: a whole number is one without a point. @throws DataError
/// with what was found and what is allowed
std::int64_t whole_number(const nlohmann::ordered_json& object, const char* key);
double number(const nlohmann::ordered_json& object, const char* key);
bool flag(const nlohmann::ordered_json& object, const char* key);
const std::string& text(const nlohmann::ordered_json& object, const char* key);
const nlohmann::ordered_json& list(const nlohmann::ordered_json& object, const char* key);

}  // namespace speclab::analysis
