#include "analysis/report/figure_json.h"

#include <nlohmann/json.hpp>

namespace speclab::analysis {
namespace {

using nlohmann::json;

json points_json(const std::vector<Point>& points) {
  json list = json::array();
  for (const auto& p : points) {
    list.push_back({{"x", p.x},
                    {"y", p.y},
                    {"low", p.interval ? json(p.interval->low) : json()},
                    {"high", p.interval ? json(p.interval->high) : json()},
                    {"hollow", p.mark == Mark::hollow},
                    {"base", p.base}});
  }
  return list;
}

json axis_json(const Axis& axis) {
  return {{"label", axis.label},
          {"logarithmic", axis.scale == Scale::logarithmic},
          {"names", axis.names},
          {"range", axis.range ? json{axis.range->low, axis.range->high} : json()}};
}

const char* kind_name(FigureKind kind) {
  switch (kind) {
    case FigureKind::lines:
      return "lines";
    case FigureKind::marks:
      return "marks";
    case FigureKind::stacked_bars:
      return "stacked_bars";
    case FigureKind::waterfall:
      return "waterfall";
    case FigureKind::timeline:
      return "timeline";
  }
  return "";
}

json figure_json(const Figure& figure) {
  json series = json::array();
  for (const auto& s : figure.series) {
    series.push_back({{"name", s.name},
                      {"colour", palette_index(s.colour)},
                      {"mark", mark_index(s.colour)},
                      {"points", points_json(s.points)},
                      {"prediction", points_json(s.prediction)}});
  }
  return {{"id", figure.id},
          {"kind", kind_name(figure.kind)},
          {"x", axis_json(figure.x)},
          {"y", axis_json(figure.y)},
          {"series", series},
          {"totals", points_json(figure.totals)},
          {"dashed", figure.dashed},
          {"reference", figure.reference ? json{{"y", figure.reference->y},
                                                {"name", figure.reference->name},
                                                {"diagonal", figure.reference->is_diagonal}}
                                         : json()}};
}

}  // namespace

std::string figures_json(const std::vector<Figure>& figures) {
  json root = {{"palette", json::array()}, {"figures", json::array()}};
  for (const auto& entry : kPalette) root["palette"].push_back({entry.light, entry.dark});
  for (const auto& figure : figures) root["figures"].push_back(figure_json(figure));
  return root.dump();
}

}  // namespace speclab::analysis
