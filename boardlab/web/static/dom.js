// Elements, written as calls: h("button.primary", { onclick }, "Play").

const SVG = "http://www.w3.org/2000/svg";
const parser = new DOMParser();

/** Make an element. `tag` may have classes: "div.card.wide". Properties that start with "on" are listeners. */
export function h(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name || "div"), classes, rest);
}

/** Make an element of SVG. */
export function s(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS(SVG, name), classes, rest);
}

function fill(element, classes, rest) {
  if (classes.length) element.classList.add(...classes);
  for (const part of rest) {
    if (part && part.constructor === Object) setAll(element, part);
    else append(element, part);
  }
  return element;
}

function setAll(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.classList.add(...String(value).split(" ").filter(Boolean));
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

function append(element, part) {
  if (part === undefined || part === null || part === false) return;
  if (Array.isArray(part)) for (const one of part) append(element, one);
  else element.append(part);
}

/** Replace what is inside of an element. */
export function put(element, ...parts) {
  element.replaceChildren();
  append(element, parts);
  return element;
}

/** The same as `put` for what changes while one looks: see `morph`. */
export function renew(element, ...parts) {
  const fresh = element.cloneNode(false);
  append(fresh, parts);
  morph(element, fresh);
}

/** Make an element look like a fresh one, but keep what is inside of it: its focus, scrolling and animations stay.
 *  Listeners stay too, so those of changing parts belong to what is around them. */
export function morph(old, fresh) {
  if (old.nodeName !== fresh.nodeName) { old.replaceWith(fresh); return; }
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
  const kept = [...old.childNodes];
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, place) => (place < kept.length ? morph(kept[place], node) : old.append(node)));
  for (const node of kept.slice(wanted.length)) node.remove();
}

/** Scroll a box until what is inside of it shows; the page stays where it is. */
export function scrollWithin(box, inner) {
  if (!inner) return;
  const { top, bottom } = box.getBoundingClientRect();
  const at = inner.getBoundingClientRect();
  if (at.top < top) box.scrollTop -= top - at.top;
  else if (at.bottom > bottom) box.scrollTop += at.bottom - bottom;
}

/** Parse a picture that the server drew. */
export function picture(text) {
  const root = parser.parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(root, true);
}

const MOST_SHOWN = 64;  // characters of the expression that an error points into

/** Show an error in a box. Where it points into an expression, show what stands around that place. */
export function tell(box, text) {
  const [sentence, source, pointer] = String(text).split("\n");
  const place = pointer?.indexOf("^") ?? -1;
  put(box, place < 0 ? text : [sentence, h("pre.where", around(source, place))]);
  box.hidden = false;
}

function around(source, place) {
  const first = Math.max(0, Math.min(place - MOST_SHOWN / 2, source.length - MOST_SHOWN));
  const last = first + MOST_SHOWN;
  const start = first > 0 ? "…" : "";
  const shown = start + source.slice(first, last) + (last < source.length ? "…" : "");
  return `${shown}\n${" ".repeat(place - first + start.length)}^`;
}

/** Show a sentence at the lower edge for a while. */
export function toast(text, kind = "") {
  const box = h("div.toast", { class: kind });
  tell(box, text);
  document.getElementById("toasts").append(box);
  setTimeout(() => box.classList.add("leaving"), 5000);
  setTimeout(() => box.remove(), 5600);
}

/** Write a number with separators, and few digits after the point. */
export function plain(number, digits = 3) {
  if (number === null || number === undefined || Number.isNaN(number)) return "";
  if (Number.isInteger(number)) return number.toLocaleString("en");
  return Number(number.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 6 });
}

/** Copy text, and say so. */
export async function copy(text, what = "Copied") {
  try {
    await navigator.clipboard.writeText(text);
    toast(what);
  } catch {
    window.prompt("Copy this:", text);
  }
}
