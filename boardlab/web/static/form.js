// Forms made from the server's options: whole, number, switch, choice, text, numbers, evaluator.

import { h } from "./dom.js";

let made = 0;

/** Make a form from a list of options.
 *  Returns { element, values(), set(values), isValid() }; `values()` has only what differs from the defaults,
 *  unless `all` is given. `onchange` is called after every change. */
export function form(options, { values = {}, onchange = () => {}, few = 4, all = false } = {}) {
  const fields = options.map(option => field(option, values[option.name], onchange));
  const isChanged = one => JSON.stringify(one.read()) !== JSON.stringify(one.option.default);
  const first = fields.filter((one, index) => index < few || isChanged(one));
  const others = fields.filter(one => !first.includes(one));
  const element = h("div.form", first.map(one => one.element),
    others.length > 0 && h("details.more", h("summary", `${others.length} more`), h("div.form", others.map(one => one.element))));
  return {
    element,
    fields,
    values: () => Object.fromEntries(fields.filter(one => all || isChanged(one)).map(one => [one.option.name, one.read()])),
    set: given => { for (const one of fields) if (one.option.name in given) one.write(given[one.option.name]); },
    isValid: () => fields.every(one => one.input.checkValidity()),
    report: () => fields.find(one => !one.input.reportValidity()) === undefined,
  };
}

function field(option, value, onchange) {
  const id = `field-${++made}`;
  const { input, read, write } = control(option, id);
  write(value === undefined ? option.default : value);
  input.addEventListener("change", onchange);
  input.addEventListener("input", onchange);
  const name = words(option.name);
  const help = h("small", { id: `${id}-help` }, option.help, range(option) && h("span.range", ` (${range(option)})`));
  input.setAttribute("aria-describedby", `${id}-help`);
  const element = option.kind === "switch"
    ? h("div.field.switch", h("label", { for: id }, input, h("span", name)), help)
    : h("div.field", h("label", { for: id }, name), input, help);
  return { option, element, input, read, write };
}

/** The words of a name: max_nodes is "max nodes". */
export const words = name => name.replaceAll("_", " ");

function range({ low, high, kind }) {
  if (kind !== "whole" && kind !== "number") return "";
  const short = number => (Math.abs(number) >= 1e6 ? number.toExponential(0).replace("e+", "e") : String(number));
  if (low !== null && high !== null) return `${short(low)} to ${short(high)}`;
  return low !== null ? `at least ${short(low)}` : "";
}

function control(option, id) {
  if (option.kind === "switch") {
    const input = h("input", { type: "checkbox", id });
    return { input, read: () => input.checked, write: value => { input.checked = Boolean(value); } };
  }
  if (option.kind === "choice") {
    const empty = option.optional ? [h("option", { value: "" }, "default")] : [];
    const input = h("select", { id }, empty, option.choices.map(choice => h("option", { value: choice }, choice)));
    return { input, read: () => input.value || (option.optional ? null : option.default), write: value => { input.value = value ?? ""; } };
  }
  if (option.kind === "whole" || option.kind === "number") {
    const input = h("input", {
      type: "number", id, min: option.low, max: option.high, inputmode: option.kind === "whole" ? "numeric" : "decimal",
      step: option.kind === "whole" ? 1 : "any", placeholder: option.optional ? "default" : "", required: !option.optional,
    });
    return { input, read: () => (input.value === "" ? (option.optional ? null : option.default) : Number(input.value)), write: value => { input.value = value ?? ""; } };
  }
  if (option.kind === "numbers") {
    const input = h("input", { type: "text", id, pattern: "\\s*-?\\d+(\\s*,\\s*-?\\d+)*\\s*", placeholder: "3, 4, 5", required: !option.optional });
    return {
      input,
      read: () => (input.value.trim() ? input.value.split(",").map(Number) : null),
      write: value => { input.value = value === null ? "" : [].concat(value).join(", "); },
    };
  }
  const input = h("input", { type: "text", id, spellcheck: "false", autocapitalize: "off", placeholder: option.optional ? "default" : "" });
  return { input, read: () => (input.value === "" && option.optional ? null : input.value), write: value => { input.value = value ?? ""; } };
}
