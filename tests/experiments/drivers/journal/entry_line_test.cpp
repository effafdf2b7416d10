#include "experiments/drivers/journal/entry_json.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

TEST(EntryLine, IsWhatWasPut) {
  const Json entry = {{"text", "a blank, a \n, {braces}"}, {"number", 2.5}};
  for (const std::string key : {"", "0123456789abcdef-0-7"}) {
    const std::string payload =
        entry_payload({.kind = "row", .section = 12, .key = key, .json = {}}, entry);
    EXPECT_EQ(payload.find('\n'), std::string::npos);
    const EntryLine line = entry_line(payload);
    EXPECT_EQ(line.kind, "row");
    EXPECT_EQ(line.section, 12);
    EXPECT_EQ(line.key, key);
    EXPECT_EQ(entry_json(line), entry);
  }
}

TEST(EntryLine, RefusesWhatIsNone) {
  for (const char* payload :
       {"", " ", "row", "row 1", "row 1 -", " 1 - {}", "row  - {}", "row one - {}", "row 1x - {}",
        "row 0 - {}", "row -1 - {}", "row 99999999999 - {}", "row 1  {}", "{}"})
    EXPECT_THROW(entry_line(payload), DataError) << payload;
}

TEST(EntryLine, RefusesWhatIsNoJson) {
  for (const char* payload : {"row 1 - ", "row 1 - {", "row 1 - nan", "row 1 - {} {}"})
    EXPECT_THROW(entry_json(entry_line(payload)), DataError) << payload;
}

TEST(EntryLine, ReplacesTextThatIsNoUtf8) {
  EXPECT_EQ(entry_payload({.kind = "row", .section = 1, .key = {}, .json = {}}, {{"text", "\xff"}}),
            "row 1 - {\"text\":\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace speclab::experiments
