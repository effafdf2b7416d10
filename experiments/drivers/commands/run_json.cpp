#include "experiments/drivers/commands/run_json.h"

#include <nlohmann/json.hpp>

#include "experiments/drivers/program/exit_codes.h"

namespace speclab::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

const char* status_of(const RunEnd& end) {
  return end.is_submitted && end.exit_code == ExitCode::ok ? "submitted" : to_string(end.exit_code);
}

}  // namespace

void RunEnd::fail(const std::exception& failure) {
  const auto* coded = dynamic_cast<const Error*>(&failure);
  exit_code = coded ? coded->code() : ExitCode::internal;
  error = failure.what();
}

std::string run_json(const RunEnd& end) {
  Json object = {{"folder", text_or_null(end.folder)},
                 {"status", status_of(end)},
                 {"exit_code", static_cast<int>(end.exit_code)},
                 {"error", text_or_null(end.error)},
                 {"report", text_or_null(end.report)},
                 {"answer", text_or_null(end.answer)},
                 {"details", text_or_null(end.details)},
                 {"was_complete", end.was_complete},
                 {"cells", end.cells}};
  const auto& counts = end.generations;
  object["generations"] = counts ? Json(counts->planned) : Json();
  object["measured"] = counts ? Json(counts->measured) : Json();
  object["failed"] = counts ? Json(counts->failed) : Json();
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace speclab::experiments
