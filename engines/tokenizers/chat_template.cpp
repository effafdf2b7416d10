#include "engines/tokenizers/chat_template.h"

#include <algorithm>

#include "engines/templates/template.h"
#include "sim/core/errors.h"

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

/// The place and the words of an error; lines of a message that the template raises stay lines.
std::string shown(const TemplateSource& source, const TemplateError& error) {
  return "chat template in " + escaped(source.found_in, kLongestPath) + ", line " +
         std::to_string(error.line()) + ": " + std::string(error.what()).substr(0, kMostShown);
}

}  // namespace

std::string render_chat(const std::vector<TemplateSource>& templates,
                        const std::vector<SpecialTokenText>& special, const ChatRequest& request) {
  if (!request.messages.is_array() || request.messages.empty())
    throw ConfigError("a conversation of no messages; give at least one");
  const bool has_tools = !request.tools.is_null();
  const TemplateSource& source = fitting_template(templates, has_tools);
  try {
    const templates::Template parsed(source.source);
    return parsed.render(variables_of(special, request));
  } catch (const TemplateError& error) {
    if (error.fault() == Fault::syntax)
      throw ModelFileError(shown(source, error) + "; use a template that jinja2 takes");
    if (error.fault() == Fault::raised)
      throw ConfigError(shown(source, error) + " (the template refuses this conversation)");
    throw ConfigError(shown(source, error));
  }
}

}  // namespace speclab::engines
