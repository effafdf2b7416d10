// Entries of a journal as text: by the names of their fields, and as format 1 had them.
#include "experiments/drivers/journal/entry_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/kinds/kind_entries.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/journal_payloads.h"

namespace speclab::experiments {
namespace {

/// The text of an entry in both formats, and what reads it and writes it again.
struct EntryTexts {
  const char* kind;
  const char *format_1, *format_2;
  std::function<Json(const Json&)> again;
};

template <typename Entry>
std::function<Json(const Json&)> again_by(Entry (*read)(const Json&)) {
  return [read](const Json& json) { return to_json(read(json)); };
}

/// Every place of every list has a value of its own.
const std::vector<EntryTexts>& all_entries() {
  static const std::vector<EntryTexts> entries{
      {"header",
       R"({"started_at":"then","provenance":[["revision","abc"],["arithmetic","fast"],)"
       R"(["threads","1"]],)"
       R"("config":"[experiment]\n","models":[["m","target","s1","trained",6720,null,"c1"],)"
       R"(["d","drafter","s2","trained",20,[5040,3.5,0.5,0.25],"c2"],["e","drafter","s3",)"
       R"("file",7]],)"
       R"("machine":[["bytes_per_s",1.5]],"plan":"c31a"})",
       R"({"format":2,"started_at":"then","provenance":{"revision":"abc","threads":"1"},)"
       R"("config":"[experiment]\n","models":{"name":["m","d","e"],)"
       R"("role":["target","drafter","drafter"],"sha256":["s1","s2","s3"],)"
       R"("weights":["trained","trained","file"],"parameters":[6720,20,7],)"
       R"("config_sha256":["c1","c2",null],"training":[null,{"tokens":5040,"held_out_loss":3.5,)"
       R"("held_out_agreement":0.5,"held_out_acceptance":0.25},null]},)"
       R"("machine":{"bytes_per_s":1.5},"plan":"c31a"})",
       again_by(header_entry)},
      {"row",
       R"({"prompt_tokens":6,"output_tokens":5,"output_hash":"c5","stop_reason":"length",)"
       R"("prefill_ns":71,"time_to_first_token_ns":72,"decode_ns":73,"peak_memory_bytes":74,)"
       R"("rounds":[[6,2,3,1,0,9,4,"recovered",10,11,12,13],[8,22,23,21,20,29,24,"bonus",30,)"
       R"(31,32,33]],)"
       R"("pieces":[["a","plain"],["b","bonus"]],"read_bytes":[41,42],"energy":[0.25,"gpu"],)"
       R"("bridge":["re_encode",51,52,53,54,55,56],"law_distance":0.125,)"
       R"("device":[61,62,63,300.5,64,65,null],"drafts":[{"round":0,"nodes":[{"parent":0,)"
       R"("token":"\"a\"","p":1.0,"accepted":true}],"accepted":0,"next":"\"b\"",)"
       R"("next_kind":"bonus"}]})",
       R"({"prompt_tokens":6,"output_tokens":5,"output_hash":"c5","stop_reason":"length",)"
       R"("prefill_ns":71,"time_to_first_token_ns":72,"decode_ns":73,"peak_memory_bytes":74,)"
       R"("rounds":{"position":[6,8],"drafted":[2,22],"rows":[3,23],"depth":[1,21],)"
       R"("accepted":[0,20],"tested":[9,29],"emitted":[4,24],"next_kind":["recovered","bonus"],)"
       R"("draft_ns":[10,30],"target_ns":[11,31],"verify_ns":[12,32],"other_ns":[13,33]},)"
       R"("pieces":{"text":["a","b"],"fate":["plain","bonus"]},"read_bytes":{"target":41,)"
       R"("draft":42},)"
       R"("energy":{"joules":0.25,"source":"gpu"},"bridge":{"bridge":"re_encode",)"
       R"("draft_tokens":51,)"
       R"("spelling_ns":52,"unshared_outputs":53,"shared_vocabulary":54,"draft_vocabulary":55,)"
       R"("target_vocabulary":56},"law_distance":0.125,"device":{"sm_clock_mhz":61,)"
       R"("memory_clock_mhz":62,"temperature_c":63,"power_w":300.5,"slowdowns":64,)"
       R"("other_processes":65},"drafts":[{"round":0,"nodes":[{"parent":0,"token":"\"a\"","p":1.0,)"
       R"("accepted":true}],"accepted":0,"next":"\"b\"","next_kind":"bonus"}]})",
       again_by(row_entry)},
      {"row",
       R"({"prompt_tokens":6,"output_tokens":0,"output_hash":"c5","stop_reason":"time",)"
       R"("prefill_ns":71,"time_to_first_token_ns":72,"decode_ns":73,"peak_memory_bytes":74,)"
       R"("rounds":[],"pieces":[],"device":[null,null,null,null,null,null,null]})",
       R"({"prompt_tokens":6,"output_tokens":0,"output_hash":"c5","stop_reason":"time",)"
       R"("prefill_ns":71,"time_to_first_token_ns":72,"decode_ns":73,"peak_memory_bytes":74,)"
       R"("rounds":{},"device":{}})",
       again_by(row_entry)},
      {"failure", R"({"status":"timeout","message":"took longer","attempts":2})",
       R"({"status":"timeout","message":"took longer","attempts":2})", again_by(failure_entry)},
      {"pilot", R"({"rounds":[[6,2,3,1,0,9,4,"recovered",10,11,12,13]]})",
       R"({"rounds":{"position":[6],"drafted":[2],"rows":[3],"depth":[1],"accepted":[0],)"
       R"("tested":[9],"emitted":[4],"next_kind":["recovered"],"draft_ns":[10],"target_ns":[11],)"
       R"("verify_ns":[12],"other_ns":[13]}})",
       again_by(pilot_entry)},
      {"pace", R"({"model":"m","context":5,"forwards":[[1,1232.0],[2,1552.0]]})",
       R"({"model":"m","context":5,"forwards":{"rows":[1,2],"ns":[1232.0,1552.0]}})",
       again_by(pace_entry)},
      {"costs",
       R"({"model":"m","drafter":"d","tree":"chain","verifier":"v","regime":"greedy",)"
       R"("kind":"draft",)"
       R"("rows":1,"context":5,"ns":1072.0,"interval":[1001.0,2093.0],"n":4,"passes":[[0,)"
       R"(1072.0],[2,9.5]]})",
       R"({"model":"m","drafter":"d","tree":"chain","verifier":"v","regime":"greedy",)"
       R"("kind":"draft",)"
       R"("rows":1,"context":5,"ns":1072.0,"interval":{"low":1001.0,"high":2093.0},"n":4,)"
       R"("passes":{"pass":[0,2],"ns":[1072.0,9.5]}})",
       again_by(cost_entry)},
      {"costs",
       R"({"model":"m","drafter":"","tree":"","verifier":"","regime":"","kind":"target",)"
       R"("rows":1,"context":5,"ns":1072.0,"interval":[],"n":4})",
       R"({"model":"m","kind":"target","rows":1,"context":5,"ns":1072.0,"n":4})",
       again_by(cost_entry)},
      {"predictions",
       R"({"walltime_ns":2.5,"speedup":0.5,"tokens_per_round":1.5,"acceptance_rate":0.75,)"
       R"("speedup_interval":[0.25,3.5]})",
       R"({"walltime_ns":2.5,"speedup":0.5,"tokens_per_round":1.5,"acceptance_rate":0.75,)"
       R"("speedup_interval":{"low":0.25,"high":3.5}})",
       again_by(prediction_entry)},
      {"atlas",
       R"({"rows":9,"rules":[{"rule":"a","drafts":1,"lossless":true,"distance":0.5,"trials":7,)"
       R"("acceptance":[0.1,0.2,0.3,0.4,0.5],"block":[1.1,1.2,1.3,1.4,0.6]},{"rule":"b",)"
       R"("drafts":2,)"
       R"("lossless":false,"distance":0.25,"trials":8,"acceptance":[0.6,0.7,0.8,0.9,1.0]}]})",
       R"({"rows":9,"rules":{"rule":["a","b"],"drafts":[1,2],"lossless":[true,false],)"
       R"("distance":[0.5,0.25],"trials":[7,8],"acceptance":[{"closed_form":0.1,"counted":0.2,)"
       R"("low":0.3,"high":0.4,"p":0.5},{"closed_form":0.6,"counted":0.7,"low":0.8,"high":0.9,)"
       R"("p":1.0}],"block":[{"closed_form":1.1,"counted":1.2,"low":1.3,"high":1.4,"p":0.6},)"
       R"(null]}})",
       again_by(atlas_entry)},
      {"acceptance",
       R"({"positions":3,"depths":[[4,1.5,0.5,2,[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0]]],)"
       R"("siblings":[[1,0,2,5,2.5,0.25],[2,1,3,6,3.5,0.75]]})",
       R"({"positions":3,"depths":{"drafts":[4],"reached":[1.5],"accepted":[0.5],)"
       R"("known_ranks":[2],)"
       R"("in_top":[[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0]]},"siblings":{"depth":[1,2],)"
       R"("parent_rank":[0,1],"rank":[2,3],"drafts":[5,6],"reached":[2.5,3.5],)"
       R"("accepted":[0.25,0.75]}})",
       again_by(acceptance_entry)}};
  return entries;
}

/// Defect: a field of an old journal is read as another, or an entry is lost when a run goes on.
TEST(EntryJson, OfFormat1HasTheFieldsOfFormat2) {
  for (const EntryTexts& entry : all_entries())
    EXPECT_EQ(entry.again(Json::parse(entry.format_1)).dump(), entry.format_2) << entry.kind;
}

TEST(EntryJson, IsReadAsItWasWritten) {
  for (const EntryTexts& entry : all_entries())
    EXPECT_EQ(entry.again(Json::parse(entry.format_2)).dump(), entry.format_2) << entry.kind;
}

std::string refusal_of(const EntryTexts& entry, const Json& damaged) {
  try {
    entry.again(damaged);
    return "";
  } catch (const DataError& error) {
    return error.what();
  }
}

/// Defect: a field that is not there or of another type is read as nothing, or its name is not
/// told.
TEST(EntryJson, RefusesByItsNameAFieldThatIsMissingOrOfAnotherType) {
  const std::set<std::string> may_lack{
      "pieces", "read_bytes",      "energy",   "bridge",          "law_distance", "device",
      "drafts", "drafter",         "tree",     "verifier",        "regime",       "interval",
      "passes", "acceptance_rate", "siblings", "speedup_interval"};
  for (const EntryTexts& entry : all_entries()) {
    const Json whole = Json::parse(entry.format_2);
    for (const auto& [name, value] : whole.items()) {
      if (name == "format") continue;
      Json damaged = whole;
      damaged[name] = value.is_structured() ? Json(7) : Json::object({{"a", 1}});
      EXPECT_EQ(refusal_of(entry, damaged).find(name + ": "), 0u) << entry.kind << " " << name;
      damaged.erase(name);
      EXPECT_EQ(refusal_of(entry, damaged).empty(), may_lack.contains(name))
          << entry.kind << " " << name;
    }
  }
}

TEST(EntryJson, RefusesColumnsOfDifferentLengths) {
  for (const char* name : {"position", "drafted", "other_ns"}) {
    Json pilot = Json::parse(all_entries()[4].format_2);
    pilot["rounds"][name].push_back(7);
    EXPECT_NE(refusal_of(all_entries()[4], pilot).find("values; expected"), std::string::npos);
  }
}

/// The entry of a line, read and written again.
Json again_by_kind(std::string_view kind, const Json& entry) {
  const auto found = std::ranges::find(all_entries(), kind, &EntryTexts::kind);
  if (found == all_entries().end()) return entry;  // "end"
  if (kind != "costs" && kind != "predictions") return found->again(entry);
  Json list = Json::array();
  for (const Json& one : as_rows(entry)) list.push_back(found->again(one));
  return as_columns(list);
}

/// Defect: format 2 loses a field that a program of format 1 wrote, or makes a journal longer.
TEST(EntryJson, OfOldJournalsStaysInFormat2AndBecomesShorter) {
  std::size_t before = 0, after = 0;
  for (const char* folder :
       {"decoding", "cost_surface", "rule_atlas", "drafter_acceptance", "edited_config", "meters",
        "workers", "workers/shards/0", "workers/shards/1"})
    for (const std::string& payload : testing::journal_payloads(
             std::string(SPECLAB_SOURCE_DIR "/tests/golden/journals/") + folder)) {
      const EntryLine line = entry_line(payload);
      const Json entry = again_by_kind(line.kind, entry_json(line));
      EXPECT_EQ(again_by_kind(line.kind, entry), entry) << folder << ": " << line.kind;
      before += line.json.size(), after += entry.dump().size();
    }
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace speclab::experiments
