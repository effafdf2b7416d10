#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace speclab::engines {

/// A conversation for a chat template. Keys and values reach the template unchanged and in order.
struct ChatRequest {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools = nullptr;  ///< an array of JSON schemas, or null
  bool add_generation_prompt = true;       ///< opens the assistant's answer
  /// More variables by name, such as documents or date_string. They replace the texts of special
  /// tokens and what stands above, but not the messages.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();

  /// One message of a user.
  static ChatRequest of_user(const std::string& text) {
    ChatRequest request;
    request.messages.push_back({{"role", "user"}, {"content", text}});
    return request;
  }
};

}  // namespace speclab::engines
