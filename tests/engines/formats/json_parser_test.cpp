// Items of containers that are given away as they are read, and what is counted of them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Items = std::vector<std::pair<std::string, std::string>>;

nlohmann::json parse(const std::string& text, const JsonSinks& sinks,
                     const JsonLimits& limits = {}) {
  return parse_json(text, "memory", 0, limits, sinks);
}

JsonSink into(Items& items) {
  return [&items](const std::string& key, const nlohmann::json& value) {
    items.emplace_back(key, value.dump());
  };
}

TEST(JsonSinks, GetItemsInTheirOrderAndLeaveTheContainerEmpty) {
  Items vocab, merges;
  const auto root = parse(
      R"({"x":{"vocab":{"kept":1}},"model":{"vocab":{"b":0,"a":{"deep":[1,{}]}},"type":"BPE",)"
      R"("merges":["a b",["a","b"],[]]},"vocab":[2]})",
      {{"/model/vocab", into(vocab)}, {"/model/merges", into(merges)}});
  EXPECT_EQ(vocab, (Items{{"b", "0"}, {"a", R"({"deep":[1,{}]})"}}));
  EXPECT_EQ(merges, (Items{{"", R"("a b")"}, {"", R"(["a","b"])"}, {"", "[]"}}));
  EXPECT_EQ(
      root.dump(),
      R"({"model":{"merges":[],"type":"BPE","vocab":{}},"vocab":[2],"x":{"vocab":{"kept":1}}})");
}

TEST(JsonSinks, GetTheMembersOfTheOutermostObject) {
  Items items;
  EXPECT_EQ(parse(R"({"a":[1,[2]],"b":{"a":null},"c":3})", {{"", into(items)}}).dump(), "{}");
  EXPECT_EQ(items, (Items{{"a", "[1,[2]]"}, {"b", R"({"a":null})"}, {"c", "3"}}));
  items.clear();
  EXPECT_EQ(parse("[1,[2]]", {{"", into(items)}}).dump(), "[]");
  EXPECT_EQ(items, (Items{{"", "1"}, {"", "[2]"}}));
  items.clear();
  EXPECT_EQ(parse("7", {{"", into(items)}}).dump(), "7");
  EXPECT_TRUE(items.empty()) << "no container";
}

TEST(JsonSinks, KeysComeOnceInTheirContainerAndAgainInAnother) {
  Items items;
  EXPECT_THROW(parse(R"({"a":1,"b":{"a":1},"a":2})", {{"", into(items)}}), ModelFileError);
  EXPECT_THROW(parse(R"({"x":{"k":1,"k":2}})", {{"/x", into(items)}}), ModelFileError);
  EXPECT_THROW(parse(R"({"x":{"k":{"k":1,"k":2}}})", {{"/x", into(items)}}), ModelFileError);
  EXPECT_THROW(parse(R"({"x":{"k":1},"x":{}})", {{"/x", into(items)}}), ModelFileError);
  EXPECT_NO_THROW(
      parse(R"({"x":{"k":1},"y":{"k":1}})", {{"/x", into(items)}, {"/y", into(items)}}));
}

TEST(JsonLimits, CountTheValuesThatAreKeptAndThoseOfOneItem) {
  Items items;
  for (const std::size_t limit : {3U, 4U, 5U}) {
    const auto accepted = [&](const std::string& text, const JsonSinks& sinks) {
      try {
        parse(text, sinks, {.max_values = limit});
        return true;
      } catch (const ModelFileError& error) {
        EXPECT_NE(std::string(error.what()).find("size"), std::string::npos) << error.what();
        return false;
      }
    };
    EXPECT_EQ(accepted("[1,2,3]", {}), limit >= 4) << limit;
    EXPECT_EQ(accepted(R"({"a":[1,2]})", {}), limit >= 4) << limit;
    EXPECT_EQ(accepted("[[1],[2],[3,4],5,6,7,8]", {{"", into(items)}}), limit >= 4)
        << "an array, its longest item of three";
    EXPECT_EQ(accepted(R"({"x":[1,2,3,4,5],"y":1})", {{"/x", into(items)}}), true) << limit;
  }
}

}  // namespace
}  // namespace speclab::engines
