#pragma once
// Small good files of each format, made by code.

#include <string>
#include <vector>

namespace speclab::fuzz {

std::vector<std::string> gguf_seeds();
std::vector<std::string> safetensors_seeds();
std::vector<std::string> tokenizer_seeds();
std::vector<std::string> checkpoint_seeds();
std::vector<std::string> ngram_seeds();
std::vector<std::string> config_seeds();
std::vector<std::string> journal_seeds();

}  // namespace speclab::fuzz
