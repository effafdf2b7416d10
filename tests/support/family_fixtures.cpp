#include "tests/support/family_fixtures.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "sim/system/files.h"

namespace speclab::testing {
namespace {

using Json = nlohmann::json;

std::filesystem::path families_folder() { return SPECLAB_SOURCE_DIR "/tests/golden/families"; }

MadeTensor made_tensor(const Json& entry) {
  return {entry.at("name"), entry.at("shape"), entry.at("scale"), entry.at("offset")};
}

GgufTensorSource gguf_tensor(const Json& entry) {
  return {.name = entry.at("name"),
          .shape = entry.at("shape"),
          .from = entry.value("from", std::vector<std::string>{}),
          .transposed = entry.value("transposed", false),
          .add = entry.value("add", 0.0f),
          .rows = entry.value("rows", std::vector<std::size_t>{}),
          .values = entry.value("values", std::vector<float>{})};
}

template <typename T, typename Make>
std::vector<T> made_list(const Json& entries, Make make) {
  std::vector<T> list;
  for (const Json& entry : entries) list.push_back(make(entry));
  return list;
}

std::vector<std::vector<float>> read_rows(const std::string& path, std::size_t num_rows) {
  const std::string bytes = read_file(path);
  const std::size_t row_bytes = bytes.size() / num_rows;
  if (row_bytes * num_rows != bytes.size() || row_bytes % sizeof(float) != 0)
    throw std::runtime_error(path + ": no whole rows");
  std::vector<std::vector<float>> rows(num_rows, std::vector<float>(row_bytes / sizeof(float)));
  for (std::size_t i = 0; i < num_rows; ++i)
    std::memcpy(rows[i].data(), bytes.data() + i * row_bytes, row_bytes);
  return rows;
}

void read_gguf_part(const Json& root, FamilyFixture& fixture) {
  if (!root.contains("gguf_tensors")) return;
  fixture.gguf_sum = root.at("gguf_sum");
  fixture.gguf_metadata = root.at("gguf_metadata").get<std::vector<Json>>();
  fixture.gguf_tensors = made_list<GgufTensorSource>(root.at("gguf_tensors"), gguf_tensor);
}

}  // namespace

const MadeTensor& FamilyFixture::tensor(const std::string& tensor_name) const {
  const auto found = std::ranges::find(tensors, tensor_name, &MadeTensor::name);
  if (found == tensors.end()) throw std::out_of_range(name + " has no " + tensor_name);
  return *found;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(families_folder()))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

FamilyFixture read_family(const std::string& name) {
  const std::string path = (families_folder() / name).string();
  const Json root = Json::parse(read_file(path + ".json"));
  FamilyFixture fixture;
  fixture.name = name;
  fixture.config = root.at("config");
  fixture.config_4 = root.value("config_4", fixture.config);
  fixture.tensors = made_list<MadeTensor>(root.at("tensors"), made_tensor);
  fixture.target = {.seed = root.at("seed")};
  fixture.twin = {.seed = root.at("seed"), .noise = root.at("twin_noise")};
  fixture.prompt = root.at("prompt").get<std::vector<Token>>();
  fixture.greedy = root.at("greedy").get<std::vector<Token>>();
  fixture.margins = root.at("margins").get<std::vector<double>>();
  fixture.logits = read_rows(path + ".logits", fixture.prompt.size() + fixture.greedy.size() - 1);
  fixture.twin_agrees = root.at("twin_agrees");
  fixture.values = root.at("values").get<std::vector<float>>();
  fixture.twin_values = root.at("twin_values").get<std::vector<float>>();
  read_gguf_part(root, fixture);
  return fixture;
}

}  // namespace speclab::testing
