#pragma once
#include <string>
#include <vector>

#include "engines/interface/token_roles.h"

namespace speclab::engines {

class GgufMetadata;

/// The chat templates of a folder: chat_template.jinja, the files of additional_chat_templates, and
/// the key chat_template of tokenizer_config.json, a text or a list of named ones. The first place
/// that has a name counts; "default" comes first.
/// @throws ModelFileError naming the file, and the field, where one is too large or no text
std::vector<TemplateSource> chat_templates_of(const std::string& folder);

/// Those of a GGUF file: tokenizer.chat_template and tokenizer.chat_template.NAME.
std::vector<TemplateSource> chat_templates_of(const GgufMetadata& metadata);

}  // namespace speclab::engines
