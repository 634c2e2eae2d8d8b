// Analyse: a game on a desk, what agents think of its positions, and where it was lost.

import { showDesk } from "../analyse/desk.js";
import { showStart } from "../analyse/start.js";
import { post } from "../api.js";

export async function show(page) {
  const { query } = page;
  if (page.rest.length) { await showDesk(page, page.rest[0]); return; }
  if (!query.has("game")) { await showStart(page); return; }
  const parameters = Object.fromEntries([...query].filter(([name]) => !["game", "actions", "position", "at", "agent"].includes(name)));
  const made = await post("/desks", {
    game: await typed(query.get("game"), parameters),
    actions: query.get("actions") ? query.get("actions").split(".").map(Number) : [],
    position: query.get("position") || undefined,
    at: query.has("at") ? Number(query.get("at")) : undefined,
    agents: query.has("agent") ? query.getAll("agent") : undefined,
  });
  page.go(`/analyse/${made.id}`, { replace: true });
}

/** The game of a URL, whose values are text. */
async function typed(name, texts) {
  const { remembered } = await import("../api.js");
  const game = (await remembered("/games")).find(one => one.name === name);
  const read = (option, text) => {
    if (option.kind === "switch") return text === "true";
    if (option.kind === "whole" || option.kind === "number") return Number(text);
    if (option.kind === "numbers") return text.split(",").map(Number);
    return text;
  };
  const values = (game?.options || []).filter(option => option.name in texts).map(option => [option.name, read(option, texts[option.name])]);
  return { name, ...Object.fromEntries(values) };
}
