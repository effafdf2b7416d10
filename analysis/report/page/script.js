"use strict";
// Draws the figures of the page's JSON with plotly.js, opens their legends to the keyboard, sorts and copies tables and switches samples.

const report = JSON.parse(document.getElementById("report-data").textContent);
const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
const shapes = ["circle", "square", "triangle-up", "diamond", "triangle-down", "pentagon"];

const theme = () => (darkQuery.matches
  ? { index: 1, text: "#e7e9ee", grid: "#2b3039", axis: "#6b7280", page: "#14161a" }
  : { index: 0, text: "#1d2129", grid: "#e6e8ec", axis: "#8a909c", page: "#ffffff" });
const isNarrow = () => window.innerWidth < 640;
const colourOf = (series) => report.palette[series.colour][theme().index];

function errorBars(points, colour) {
  if (points.every((point) => point.low === null)) return undefined;
  const length = (end, point) => (point[end] === null ? 0 : Math.abs(point[end] - point.y));
  return {
    type: "data", symmetric: false, color: colour, thickness: 1.4, width: 4,
    array: points.map((point) => length("high", point)), arrayminus: points.map((point) => length("low", point)),
  };
}

const intervalText = (point) => (point.low === null ? "no interval" : `95 %: ${point.low.toPrecision(3)} to ${point.high.toPrecision(3)}`);

// One quantity against another: marks on two numeric axes.
const isScatter = (figure) => figure.kind === "marks" && figure.x.names.length === 0;

function measuredTrace(figure, series, index) {
  const colour = colourOf(series);
  const offset = figure.kind === "marks" && !isScatter(figure) ? 0.13 * (index - (figure.series.length - 1) / 2) : 0;
  return {
    name: series.name, legendgroup: series.name, type: "scatter", mode: figure.kind === "lines" ? "lines+markers" : "markers",
    x: series.points.map((point) => point.x + offset), y: series.points.map((point) => point.y),
    customdata: series.points.map(intervalText), hovertemplate: "%{y:.3g} (%{customdata})<extra>" + series.name + "</extra>",
    line: { color: colour, width: 2 }, error_y: errorBars(series.points, colour),
    marker: { color: colour, size: 8, line: { color: colour, width: 1.6 },
      symbol: series.points.map((point) => shapes[series.mark % shapes.length] + (point.hollow ? "-open" : "")) },
  };
}

function predictionTrace(series) {
  return {
    name: series.name + ", predicted", legendgroup: series.name, showlegend: false, type: "scatter", mode: "lines",
    x: series.prediction.map((point) => point.x), y: series.prediction.map((point) => point.y),
    line: { color: colourOf(series), width: 1.6, dash: "dash" }, hovertemplate: "%{y:.3g}<extra>" + series.name + ", predicted</extra>",
  };
}

function predictionKey(figure) {
  const point = figure.series[0].points[0];
  return { name: figure.dashed, type: "scatter", mode: "lines", x: [point.x], y: [null], hoverinfo: "skip",
    line: { color: report.palette[0][theme().index], width: 1.6, dash: "dash" } };
}

function lineTraces(figure) {
  const traces = figure.series.map((series, index) => measuredTrace(figure, series, index));
  const predicted = figure.series.filter((series) => series.prediction.length > 0);
  if (predicted.length > 0) traces.push(...predicted.map(predictionTrace), predictionKey(figure));
  return traces;
}

function barTraces(figure) {
  const names = figure.x.names;
  const traces = figure.series.map((series) => ({
    name: series.name, type: "bar", x: names, y: series.points.map((point) => point.y), marker: { color: colourOf(series) },
    hovertemplate: "%{y:.3g} ms<extra>" + series.name + "</extra>",
  }));
  const colour = theme().text;
  traces.push({
    name: "total", type: "scatter", mode: "markers", showlegend: false, x: names, y: figure.totals.map((point) => point.y),
    customdata: figure.totals.map(intervalText), hovertemplate: "%{y:.3g} ms (%{customdata})<extra>total</extra>",
    marker: { color: colour, size: 3 }, error_y: errorBars(figure.totals, colour),
  });
  return traces;
}

function waterfallTraces(figure) {
  const names = figure.x.names;
  const traces = figure.series.map((series) => ({
    name: series.name, type: "bar", x: names, base: series.points.map((point) => point.base), y: series.points.map((point) => point.y - point.base),
    customdata: series.points.map((point) => point.y), marker: { color: colourOf(series) }, hovertemplate: "%{y:+.3g} to %{customdata:.4g}<extra>" + series.name + "</extra>",
  }));
  const colour = theme().text;
  traces.push({
    name: "interval", type: "scatter", mode: "markers", showlegend: false, x: figure.totals.map((point) => names[point.x]), y: figure.totals.map((point) => point.y),
    customdata: figure.totals.map(intervalText), hovertemplate: "%{y:.4g} (%{customdata})<extra></extra>", marker: { color: colour, size: 3 }, error_y: errorBars(figure.totals, colour),
  });
  return traces;
}

function timelineTraces(figure) {
  return figure.series.map((series) => ({
    name: series.name, type: "bar", orientation: "h", y: series.points.map((point) => point.x), x: series.points.map((point) => point.y - point.base),
    base: series.points.map((point) => point.base), width: 0.6, marker: { color: colourOf(series), line: { width: 0 } },
    customdata: series.points.map((point) => point.base), hovertemplate: "%{x:.3g} ms, from %{customdata:.4g} ms<extra>" + series.name + "</extra>",
  }));
}

const tracesOf = { lines: lineTraces, marks: lineTraces, stacked_bars: barTraces, waterfall: waterfallTraces, timeline: timelineTraces };

function measuredPositions(figure) {
  return [...new Set(figure.series.flatMap((series) => series.points.map((point) => point.x)))].sort((a, b) => a - b);
}

// 1, 2 and 5 of every decade, written out.
function roundTicks() {
  const values = [];
  for (let exponent = -6; exponent <= 6; exponent += 1) values.push(...[1, 2, 5].map((digit) => Number(`${digit}e${exponent}`)));
  return { tickvals: values, ticktext: values.map(String) };
}

function axisLayout(axis, figure, isX) {
  const colours = theme();
  const layout = {
    title: { text: axis.label, standoff: 12 }, color: colours.text, linecolor: colours.axis, gridcolor: colours.grid,
    showgrid: !isX, zeroline: false, showline: true, ticks: "outside", tickcolor: colours.axis, automargin: true,
    type: axis.logarithmic ? "log" : undefined,
  };
  if (!isX && !axis.logarithmic) layout.rangemode = "tozero";
  if (axis.range !== null && (figure.kind === "waterfall" || isScatter(figure))) layout.range = axis.range;
  if (!isX && axis.logarithmic) Object.assign(layout, roundTicks());
  if (!isX) return layout;
  if (isScatter(figure)) return layout;
  const positions = measuredPositions(figure);
  if (axis.names.length > 0 && figure.kind === "marks") {
    Object.assign(layout, { tickvals: axis.names.map((_, index) => index), ticktext: axis.names, range: [-0.6, axis.names.length - 0.4] });
  } else if (axis.names.length === 0 && positions.length <= 8) {
    const text = positions.map((value) => (axis.logarithmic ? `${Number((value / 1e6).toPrecision(3))}M` : `${value}`));
    Object.assign(layout, { tickvals: positions, ticktext: text });
  }
  return layout;
}

// A timeline has its names beside rows, the first on top.
function axesLayout(figure) {
  if (figure.kind !== "timeline") return { xaxis: axisLayout(figure.x, figure, true), yaxis: axisLayout(figure.y, figure, false) };
  const names = figure.x.names.map((name) => (isNarrow() ? name.replace(": ", ":<br>") : name));
  const rows = { ...axisLayout({ label: "", names: [], logarithmic: false, range: null }, figure, false), tickvals: names.map((_, index) => index), ticktext: names, showgrid: false,
    range: [names.length - 0.4, -0.6] };
  return { xaxis: { ...axisLayout(figure.y, figure, false), showgrid: true }, yaxis: rows };
}

function referenceLine(figure) {
  if (figure.reference === null) return {};
  const colour = report.palette[0][theme().index];
  if (figure.reference.diagonal) {
    const [low, high] = figure.x.range;
    return { shapes: [{ type: "line", x0: low, x1: high, y0: low, y1: high, line: { color: colour, width: 1.6 } }],
      annotations: [{ x: high, y: high, xanchor: "right", yanchor: "bottom", showarrow: false, text: figure.reference.name, font: { color: colour, size: 12 } }] };
  }
  return {  // its name inside: beside the plot it lies under the legend
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: figure.reference.y, y1: figure.reference.y, line: { color: colour, width: 1.6 } }],
    annotations: [{ xref: "paper", x: 0, xanchor: "left", y: figure.reference.y, yanchor: "top", showarrow: false,
      text: figure.reference.name, font: { color: colour, size: 12 } }],
  };
}

function figureLayout(figure) {
  const colours = theme();
  const legend = isNarrow() ? { orientation: "h", y: -0.28, yanchor: "top", x: 0 } : { x: 1.02, y: 1, tracegroupgap: 2 };
  return {
    ...referenceLine(figure), barmode: ["waterfall", "timeline"].includes(figure.kind) ? "overlay" : "stack", bargap: 0.4, hovermode: "closest", autosize: true,
    paper_bgcolor: colours.page, plot_bgcolor: colours.page, font: { color: colours.text, size: isNarrow() ? 12 : 13, family: "inherit" },
    margin: { l: 60, r: 16, t: 12, b: 50 }, legend,
    ...axesLayout(figure),
  };
}

const nameOf = (item) => item.querySelector(".legendtext").dataset.unformatted ?? item.querySelector(".legendtext").textContent;

// A line goes with its prediction.
function toggleSeries(element, name) {
  const members = element.data.flatMap((trace, index) => ((trace.legendgroup ?? trace.name) === name ? [index] : []));
  const isHidden = element.data[members[0]].visible === "legendonly";
  return Plotly.restyle(element, { visible: isHidden ? true : "legendonly" }, members);
}

const legendItems = (element) => [...element.querySelectorAll(".legend .traces")];

function pressLegend(event, element, name) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  toggleSeries(element, name).then(() => legendItems(element).find((item) => nameOf(item) === name).querySelector(".legendtoggle").focus());
}

// The legend is drawn anew with the plot.
function openLegend(element) {
  for (const item of legendItems(element)) {
    const name = nameOf(item), toggle = item.querySelector(".legendtoggle");
    const isShown = element.data.some((trace) => (trace.legendgroup ?? trace.name) === name && trace.visible !== "legendonly");
    for (const [key, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": name, "aria-pressed": isShown })) toggle.setAttribute(key, value);
    toggle.onkeydown = (event) => pressLegend(event, element, name);
  }
}

function drawFigures() {
  for (const figure of report.figures) {
    const traces = tracesOf[figure.kind](figure);
    const element = document.getElementById("plot-" + figure.id);
    if (figure.x.names.some((name) => name.length > 24)) element.classList.add("long-names");
    const isFirst = element.data === undefined;
    Plotly.react(element, traces, figureLayout(figure), { responsive: true, displayModeBar: false });
    if (isFirst) element.on("plotly_afterplot", () => openLegend(element));
    openLegend(element);
  }
}

function sortTable(header) {
  const table = header.closest("table");
  const column = [...header.parentNode.children].indexOf(header);
  const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  const key = (row) => row.children[column].dataset.value ?? row.children[column].textContent;
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = Number.isNaN(Number(x)) || Number.isNaN(Number(y)) ? x.localeCompare(y) : Number(x) - Number(y);
    return direction === "ascending" ? order : -order;
  };
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
}

const csvField = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Estimates take three columns: themselves and the ends of their interval, empty where an entry has none.
function csvOf(table) {
  const rows = [...table.tBodies[0].rows].map((row) => [...row.children]);
  const titles = [...table.tHead.rows[0].children].map((cell) => cell.textContent);
  const isEstimate = titles.map((_, column) => rows.some((row) => row[column].dataset.low !== undefined));
  const header = titles.flatMap((title, i) => (isEstimate[i] ? [title, `${title} (low)`, `${title} (high)`] : [title]));
  const values = rows.map((row) => row.flatMap(({ dataset }, i) => (isEstimate[i] ? [dataset.value, dataset.low ?? "", dataset.high ?? ""] : [dataset.value])));
  return [header, ...values].map((row) => `${row.map(csvField).join(",")}\n`).join("");
}

// A page from a file may not be allowed to write to the clipboard by itself; a selection that is copied always is.
function copyText(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

function copyTable(button) {
  const table = button.closest("p").previousElementSibling.querySelector("table");
  button.nextElementSibling.textContent = copyText(csvOf(table)) ? `${table.tBodies[0].rows.length} rows copied` : "not copied: the browser does not allow it";
  button.focus();
}

function showSample(chooser) {
  chooser.closest("section").querySelectorAll(".sample").forEach((sample, index) => { sample.hidden = index !== chooser.selectedIndex; });
}

for (const header of document.querySelectorAll("th[data-sortable]")) {
  header.querySelector("button").addEventListener("click", () => sortTable(header));
}
for (const button of document.querySelectorAll("button[data-copy]")) button.addEventListener("click", () => copyTable(button));
for (const chooser of document.querySelectorAll("select[data-chooser]")) {
  chooser.addEventListener("change", () => showSample(chooser));
  showSample(chooser);  // a browser that comes back to the page keeps what was chosen
}
darkQuery.addEventListener("change", drawFigures);
drawFigures();
document.documentElement.dataset.figuresDrawn = document.querySelectorAll(".plot .main-svg").length > 0 ? String(report.figures.length) : "0";
