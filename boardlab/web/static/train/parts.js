// Small parts that the pages of trainings and tournaments share.

import { post } from "../api.js";
import { h, plain, toast } from "../dom.js";

const KINDS = { running: "good", failed: "bad", interrupted: "bad", paused: "warn", saving: "warn", stopped: "", finished: "", unfinished: "" };

/** A state as a label: running, paused, finished ... */
export const stateTag = state => h("span.tag", { class: KINDS[state] || "" }, state);

/** A bar that shows how much is done. */
export function bar(share, label) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
  return h("div.progress", { role: "progressbar", "aria-valuenow": percent, "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": label },
    h("i", { style: { width: `${percent}%` } }));
}

/** Seconds in words: 42 s, 3.5 min, 1.2 h. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 100) return `${plain(Math.round(seconds))} s`;
  return seconds < 6000 ? `${plain(seconds / 60, 2)} min` : `${plain(seconds / 3600, 2)} h`;
}

/** The path of a run's page. */
export const runUrl = name => `/train/${name.split("/").map(encodeURIComponent).join("/")}`;

/** A number and half of its interval. */
export const withHalf = ({ value, half }) => `${plain(value)}${half ? ` ± ${plain(half, 2)}` : ""}`;

/** Do something after a click; the button waits meanwhile, an error becomes a message. */
export function act(label, properties, action) {
  const button = h("button", { type: "button", ...properties, onclick: async () => {
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      toast(error.message, "bad");
    }
    button.disabled = false;
  } }, label);
  return button;
}

/** Start a game against an agent and go there. */
export async function playAgainst(page, game, agent, name) {
  const { players } = await post("/preview", { game });
  const seats = players.map((_, seat) => (seat === 0 && players.length > 1 ? "you" : { agent, name }));
  const made = await post("/tables", { game, seats });
  page.go(`/play/${made.id}`);
}

/** Whether the server has a page. */
export const has = (page, name) => page.site.pages.some(one => one.name === name);

/** A game's form of parameters as a query: game=hex&size=7. */
export function gameQuery(game) {
  const words = new URLSearchParams({ game: game.name });
  for (const [key, value] of Object.entries(game)) if (key !== "name" && key !== "fingerprint") words.set(key, String(value));
  return words;
}

/** A label, its control and a sentence. */
export function labelled(text, control, help = null) {
  const id = `part-${++made}`;
  control.id = id;
  return h("div.field", h("label", { for: id }, text), control, help && h("small", help));
}

let made = 0;
