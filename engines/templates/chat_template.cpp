#include "engines/templates/chat_template.h"

#include <algorithm>

#include "engines/templates/template.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using templates::Fault;
using templates::TemplateError;

constexpr std::size_t kMostShown = 2000;  ///< bytes of a message of a template

const TemplateSource* named_template(const std::vector<TemplateSource>& templates,
                                     const char* name) {
  const auto found = std::ranges::find(templates, name, &TemplateSource::name);
  return found == templates.end() ? nullptr : &*found;
}

/// @source transformers: tool_use where tools are given, else default
const TemplateSource& fitting_template(const std::vector<TemplateSource>& templates,
                                       bool has_tools) {
  if (templates.empty()) throw ConfigError("the model has no chat template");
  if (has_tools)
    if (const TemplateSource* found = named_template(templates, "tool_use")) return *found;
  if (const TemplateSource* found = named_template(templates, "default")) return *found;
  std::string names;
  for (const TemplateSource& each : templates)
    names += (names.empty() ? "" : ", ") + escaped(each.name, 40);
  throw ConfigError("the model's chat templates are named " + names +
                    "; allowed: one named default");
}

nlohmann::ordered_json variables_of(const std::vector<SpecialTokenText>& special,
                                    const ChatRequest& request) {
  nlohmann::ordered_json variables = {{"tools", request.tools},
                                      {"documents", nullptr},
                                      {"add_generation_prompt", request.add_generation_prompt}};
  for (const SpecialTokenText& token : special) variables[token.role] = token.text;
  variables.update(request.variables);
  variables["messages"] = request.messages;
  return variables;
}

/// Whether a beginning of the conversation meets the same error.
bool fails_alike(const templates::Template& parsed, const nlohmann::ordered_json& variables,
                 const TemplateError& error) try {
  parsed.render(variables);
  return false;
} catch (const TemplateError& other) {
  return other.line() == error.line() && std::string_view(other.what()) == error.what();
}

/// ", message 3 of 5": the last message of the shortest beginning that meets the error. Empty for
/// one message, and for conversations that would take long to try.
std::string message_at_fault(const templates::Template& parsed, nlohmann::ordered_json variables,
                             const TemplateError& error) {
  constexpr std::size_t kMostMessages = 100;
  const nlohmann::ordered_json messages = std::move(variables["messages"]);
  if (messages.size() < 2 || messages.size() > kMostMessages) return "";
  nlohmann::ordered_json& beginning = variables["messages"] = nlohmann::ordered_json::array();
  do beginning.push_back(messages[beginning.size()]);
  while (beginning.size() < messages.size() && !fails_alike(parsed, variables, error));
  return ", message " + std::to_string(beginning.size()) + " of " + std::to_string(messages.size());
}

/// The place and the words of an error; lines of a message that the template raises stay lines.
/// @param message  that the template fails at, as message_at_fault says it
std::string shown(const TemplateSource& source, const TemplateError& error,
                  const std::string& message = "") {
  return "chat template in " + escaped(source.found_in, kLongestPath) + ", line " +
         std::to_string(error.line()) + message + ": " +
         std::string(error.what()).substr(0, kMostShown);
}

/// @throws ModelFileError if the template has a fault of syntax, ConfigError beyond a limit
templates::Template parsed_template(const TemplateSource& source) try {
  return templates::Template(source.source);
} catch (const TemplateError& error) {
  if (error.fault() != Fault::syntax) throw ConfigError(shown(source, error));
  throw ModelFileError(shown(source, error) + "; use a template that jinja2 takes");
}

}  // namespace

std::string render_chat(const std::vector<TemplateSource>& templates,
                        const std::vector<SpecialTokenText>& special, const ChatRequest& request) {
  if (!request.messages.is_array() || request.messages.empty())
    throw ConfigError("a conversation of no messages; give at least one");
  const bool has_tools = !request.tools.is_null();
  const TemplateSource& source = fitting_template(templates, has_tools);
  const templates::Template parsed = parsed_template(source);
  const nlohmann::ordered_json variables = variables_of(special, request);
  try {
    return parsed.render(variables);
  } catch (const TemplateError& error) {
    const std::string message = shown(source, error, message_at_fault(parsed, variables, error));
    throw ConfigError(error.fault() == Fault::raised
                          ? message + " (the template refuses this conversation)"
                          : message);
  }
}

}  // namespace speclab::engines
