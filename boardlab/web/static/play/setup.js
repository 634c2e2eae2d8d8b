// A game's variant and who plays it.

import { post, remembered } from "../api.js";
import { board } from "../board.js";
import { h, put, tell } from "../dom.js";
import { form } from "../form.js";
import { runsOf, seatChoice } from "./seats.js";

export async function showSetup(page, name) {
  const games = await remembered("/games");
  const chosen = games.find(game => game.name === name);
  if (!chosen) throw new Error(`There is no game "${name}" on this server.`);
  page.title(chosen.title);
  const { query } = page;
  const given = Object.fromEntries(chosen.options.filter(option => query.has(option.name))
    .map(option => [option.name, fromText(option, query.get(option.name))]));
  const actions = query.get("actions") ? query.get("actions").split(".").map(Number) : [];
  const position = query.get("position") || undefined;
  const runs = await runsOf(name);
  const opponent = query.get("against");
  let preview = null;
  let seats = [];
  let timer = 0;
  const start = h("button.primary.big", { type: "submit", disabled: true }, "Start");  // until the seats are known
  const parameters = form(chosen.options, {
    values: given, few: 8, onchange: () => { start.disabled = true; clearTimeout(timer); timer = setTimeout(refresh, 120); },
  });
  const picture = board(() => {}, { label: `the first position of ${chosen.title}` });
  const seatsBox = h("div.stack");
  const problem = h("p.notice.bad", { hidden: true, role: "alert" });
  const from = position || actions.length
    ? h("p.notice", "The game starts from the position of the link. ", h("a", { href: `/play?game=${name}` }, "Start at the beginning"))
    : null;

  put(page.root,
    h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/play" }, "← All games")),
    h("form.split.setup", { onsubmit: event => { event.preventDefault(); begin(); } },
      h("section.stage", picture.element),
      h("div.stack",
        h("div", h("h1", chosen.title), h("p.lead", chosen.summary)),
        from,
        h("section.card", h("h2", "Players"), seatsBox),
        problem,
        start,
        chosen.options.length > 0 && h("section.card", h("h2", "Variant"), parameters.element),
        (chosen.notation || chosen.known) && h("div.stack.tight",
          chosen.notation && h("small", `Notation: ${chosen.notation}.`), chosen.known && h("small", `Known: ${chosen.known}.`)))));
  await refresh();

  function body() {
    return { game: { name, ...parameters.values() }, actions, position };
  }

  async function refresh() {
    if (!parameters.isValid()) { parameters.report(); return; }
    try {
      const got = await post("/preview", body());
      if (!page.isShown()) return;
      preview = got;
      problem.hidden = true;
      start.disabled = page.site.read_only;
      picture.show(preview.picture, { live: false });
      history.replaceState(null, "", setupUrl(name, parameters.values(), actions, position));
      makeSeats();
    } catch (error) {
      fail(error);
    }
  }

  function makeSeats() {
    const yours = actions.length || position ? preview.mover : 0;  // in a given position it is your turn
    if (seats.length !== preview.players.length)
      seats = preview.players.map((_, number) => seatChoice(preview.levels, runs, number === yours ? "you" : opponent || preview.levels[2].agent));
    const alone = preview.players.length === 1;
    put(seatsBox, seats.map((seat, number) => seat.element(alone ? "Player" : preview.players[number])));
  }

  async function begin() {
    start.disabled = true;
    try {
      const made = await post("/tables", { ...body(), seats: seats.map(seat => seat.read()) });
      page.go(`/play/${made.id}`);
    } catch (error) {
      fail(error);
      start.disabled = false;
    }
  }

  function fail(error) {
    tell(problem, error.message);
    start.disabled = true;
  }
}

/** The URL at which this game starts from this position. */
export function setupUrl(name, parameters, actions = [], position = undefined) {
  const words = new URLSearchParams({ game: name });
  for (const [key, value] of Object.entries(parameters)) words.set(key, String(value));
  if (actions.length) words.set("actions", actions.join("."));
  if (position) words.set("position", position);
  return `/play?${words}`;
}

function fromText(option, text) {
  if (option.kind === "switch") return text === "true";
  if (option.kind === "whole" || option.kind === "number") return Number(text);
  if (option.kind === "numbers") return text.split(",").map(Number);
  return text;
}
