// Line charts as SVG: several lines, error bars, marks to click, a reading under the pointer.

import { h, plain, put, s } from "./dom.js";

const WIDEST = 640;     // units of the picture, one a pixel while the page is narrower
const NARROWEST = 260;
const COLOURS = 8;

/** Make a chart. Call `.show({ lines, low, high, xLabel, yLabel, marks })` with
 *  lines: [{ name, points: [{ x, y, low, high, title }] }], marks: [{ x, y, title, kind }];
 *  `onpick(x)` is called with the x that was clicked. */
export function chart({ height = 240, onpick = null, label = "chart" } = {}) {
  const legend = h("div.legend");
  const reading = h("div.reading", { "aria-live": "off" });
  const holder = h("div.plot");
  const element = h("figure.chart", legend, holder, reading);
  let last = null;
  let width = WIDEST;
  new ResizeObserver(() => { if (last && fitting() !== width) show(last); }).observe(holder);

  const fitting = () => Math.max(NARROWEST, Math.min(WIDEST, holder.clientWidth || WIDEST));

  function show(content) {
    last = content;
    width = fitting();
    const lines = content.lines.filter(line => line.points.length);
    put(legend, content.lines.length > 1 || content.legend
      ? content.lines.map((line, index) => h("span.key", h("i", { class: `c${index % COLOURS}` }), line.name)) : []);
    if (!lines.length) {
      put(holder, h("p.empty", content.empty || "Nothing to show yet."));
      put(reading);
      return;
    }
    put(holder, draw(content, lines));
  }

  function draw(content, lines) {
    const all = lines.flatMap(line => line.points);
    const xs = all.map(point => point.x);
    const ys = all.flatMap(point => [point.y, point.low ?? point.y, point.high ?? point.y]).filter(Number.isFinite);
    const x = scale(content.xLow ?? Math.min(...xs), content.xHigh ?? Math.max(...xs), false, width < 420 ? 3 : 5);
    const y = scale(content.low ?? Math.min(...ys), content.high ?? Math.max(...ys), true);
    const left = 52, right = 14, top = content.yLabel ? 26 : 10, bottom = content.xLabel ? 40 : 26;
    const px = value => left + (width - left - right) * x.part(value);
    const py = value => top + (height - top - bottom) * (1 - y.part(value));
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, s("desc", `last ${lines.map(lastOf).join("; ")}`));
    for (const tick of y.ticks) {
      svg.append(s("line.grid", { x1: left, x2: width - right, y1: py(tick), y2: py(tick) }));
      svg.append(s("text.tick", { x: left - 8, y: py(tick) + 4, "text-anchor": "end" }, short(tick)));
    }
    for (const tick of x.ticks)
      svg.append(s("text.tick", { x: px(tick), y: height - bottom + 18, "text-anchor": "middle" }, short(tick)));
    if (content.xLabel) svg.append(s("text.tick", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, content.xLabel));
    if (content.yLabel) svg.append(s("text.tick", { x: left, y: 12 }, content.yLabel));
    if (content.zero !== undefined && y.low < content.zero && content.zero < y.high)
      svg.append(s("line.axis", { x1: left, x2: width - right, y1: py(content.zero), y2: py(content.zero) }));
    content.lines.forEach((line, index) => {
      const group = s("g", { class: `line c${index % COLOURS}` });
      const points = line.points.filter(point => Number.isFinite(point.y));
      for (const point of points.filter(p => Number.isFinite(p.low) && Number.isFinite(p.high)))
        group.append(s("path.bar", { d: `M${px(point.x)} ${py(point.low)}V${py(point.high)}m-4 0h8M${px(point.x) - 4} ${py(point.low)}h8` }));
      group.append(s("path.stroke", { d: points.map((point, i) => `${i ? "L" : "M"}${px(point.x).toFixed(1)} ${py(point.y).toFixed(1)}`).join("") }));
      if (points.length <= 80) for (const point of points) group.append(s("circle.point", { cx: px(point.x), cy: py(point.y), r: 2.6 }));
      svg.append(group);
    });
    for (const mark of content.marks || [])
      svg.append(s("circle.mark", { class: mark.kind || "", cx: px(mark.x), cy: py(mark.y), r: 6 }, s("title", mark.title || "")));
    if (content.at !== undefined && content.at !== null)
      svg.append(s("line.at", { x1: px(content.at), x2: px(content.at), y1: top, y2: height - bottom }));
    const cursor = s("line.cursor", { y1: top, y2: height - bottom, visibility: "hidden" });
    svg.append(cursor);
    const nearest = event => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.x) / box.width) * width;
      return xs.reduce((best, value) => (Math.abs(px(value) - at) < Math.abs(px(best) - at) ? value : best), xs[0]);
    };
    svg.addEventListener("pointermove", event => {
      const value = nearest(event);
      cursor.setAttribute("x1", px(value));
      cursor.setAttribute("x2", px(value));
      cursor.setAttribute("visibility", "visible");
      put(reading, read(content, value));
    });
    svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); put(reading); });
    if (onpick) {
      svg.classList.add("pick");
      svg.addEventListener("click", event => onpick(nearest(event)));
    }
    return svg;
  }

  function read(content, value) {
    const parts = content.lines.map(line => {
      const point = line.points.find(one => one.x === value);
      if (!point) return null;
      const bar = Number.isFinite(point.low) && Number.isFinite(point.high) ? ` (${plain(point.low)} to ${plain(point.high)})` : "";
      return `${line.name ? `${line.name}: ` : ""}${plain(point.y)}${bar}${point.title ? `, ${point.title}` : ""}`;
    }).filter(Boolean);
    return `${content.xLabel ? `${content.xLabel} ` : ""}${plain(value)} — ${parts.join("; ")}`;
  }

  return { element, show, again: () => last && show(last) };
}

function lastOf(line) {
  const point = line.points.at(-1);
  return `${line.name ? `${line.name}: ` : ""}${plain(point.y)} at ${plain(point.x)}`;
}

function scale(low, high, isWide = false, parts = 5) {
  if (low === high) { low -= 0.5; high += 0.5; }
  const room = isWide ? 0.04 * (high - low) : 0;
  low -= room;
  high += room;
  const raw = (high - low) / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, ...(power >= 10 || power < 1 ? [2.5] : []), 5, 10].map(n => n * power).find(n => n >= raw);  // 2.5 is no episode
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) ticks.push(Number((Math.round(tick / step) * step).toPrecision(12)));
  return { low, high, ticks, part: value => (value - low) / (high - low) };
}

/** Write a number of an axis: 1.5M, 20k, 0.25. */
export function short(number) {
  const size = Math.abs(number);
  for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (size >= unit) return `${Number((number / unit).toPrecision(4))}${name}`;
  return String(Number(number.toPrecision(4)));
}
