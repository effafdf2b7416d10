#pragma once
// Small good files of each format, made by code.

#include <string>
#include <vector>

namespace speclab::fuzz {

std::vector<std::string> gguf_seeds();
std::vector<std::string> safetensors_seeds();
std::vector<std::string> tokenizer_seeds();
std::vector<std::string> template_seeds();
std::vector<std::string> sentencepiece_seeds();
inline constexpr const char* kTokenFiles[] = {"generation_config.json", "tokenizer_config.json",
                                              "special_tokens_map.json", "added_tokens.json",
                                              "chat_template.jinja"};
std::vector<std::string> token_file_seeds();
std::vector<std::string> checkpoint_seeds();
/// The first and the second part of one model.
std::vector<std::string> gguf_part_seeds();
std::vector<std::string> adapter_seeds();
std::vector<std::string> ngram_seeds();
std::vector<std::string> config_seeds();
std::vector<std::string> experiment_seeds();
std::vector<std::string> journal_seeds();
/// Of a run whose cells and generations run_folder_seeds are.
std::string run_manifest();
inline constexpr const char* kRunFiles[] = {"rows.csv", "times.csv", "rounds.csv",
                                            "predictions.csv", "texts.jsonl"};
std::vector<std::string> run_folder_seeds();
std::vector<std::string> table_seeds();

}  // namespace speclab::fuzz
