// A form for a new tournament or match, and all tournaments of the store.

import { get, post, remembered } from "../api.js";
import { watch } from "../connection.js";
import { h, plain, put, renew, tell } from "../dom.js";
import { form } from "../form.js";
import { bar, labelled, stateTag } from "../train/parts.js";

export async function showTournaments(page, root) {
  const [games, runs] = await Promise.all([remembered("/games"), get("/players").catch(() => [])]);
  const list = h("section.stack", { "aria-label": "Tournaments" });
  put(root, h("p.lead", "Let agents meet. A match has two; everything is kept, with ratings and every game."),
    h("div.split.wide-left", page.site.read_only ? h("p.notice", "This server only shows its tournaments.") : newTournament(page, games, runs), list));
  page.onLeave(watch("tournaments:all", state => {
    if (state.waits) return;
    renew(list, h("h2", "Tournaments"), state.error ? h("p.notice.bad", state.error)
      : state.tournaments.length ? state.tournaments.map(row) : h("p.empty.card", "No tournament yet."));
  }));
}

const row = one => h("a.card.tile.run", { href: `/compete/${one.number}` },
  h("div.spread", h("h3", one.name || (one.agents.length === 2 ? `Match ${one.number}` : `Tournament ${one.number}`)), stateTag(one.state)),
  h("p.soft", `${one.title}, ${one.format}: ${one.agents.slice(0, 4).join(", ")}${one.agents.length > 4 ? ` and ${one.agents.length - 4} more` : ""}`),
  one.finished ? null : bar(one.played / Math.max(1, one.games), "progress"),
  h("small", `${plain(one.played)} of ${plain(one.games)} games`));

function newTournament(page, games, runs) {
  const { query } = page;
  let entrants = query.getAll("agent").map((agent, i) => ({ agent, name: query.getAll("name")[i] || "" }));
  const isGiven = entrants.length > 0;
  let levels = [];
  let gameForm = null;
  let asked = 0;
  let timer = 0;
  const game = h("select", games.map(one => h("option", { value: one.name }, one.title)));
  game.value = query.get("game") || localStorage.getItem("boardlab-game") || "connectfour";
  if (!game.value) game.value = games[0].name;
  const variant = h("div");
  const rows = h("div.stack.tight");
  const known = h("datalist", { id: "known-agents" });
  const format = h("select", [["round-robin", "round robin: all against all"], ["gauntlet", "gauntlet: the first against all others"], ["swiss", "Swiss"]]
    .map(([value, text]) => h("option", { value }, text)));
  const count = h("input", { type: "number", min: 1, max: 100000, value: 20, required: true });
  const opening = h("input", { type: "number", min: 0, max: 1000, value: 2, required: true });
  const seed = h("input", { type: "number", min: 0, value: 0, required: true });
  const name = h("input", { type: "text", maxlength: 60, placeholder: "none" });
  const problem = h("p.notice.bad", { hidden: true, role: "alert" });
  const start = h("button.primary.big", { type: "submit" }, "Start");
  game.addEventListener("change", () => { localStorage.setItem("boardlab-game", game.value); entrants = []; makeVariant(); load(); });
  makeVariant();
  load();

  return h("form.card.stack", { onsubmit: event => { event.preventDefault(); begin(); } },
    h("h2", "New tournament or match"),
    h("div.form", labelled("game", game), labelled("title", name)),
    variant,
    h("div.stack.tight", h("h3", "Agents"), known, rows,
      h("div.buttons", h("button.small", { type: "button", onclick: () => { read(); entrants.push({ agent: "", name: "" }); draw(true); } }, "Add an agent"))),
    h("div.form",
      labelled("format", format),
      labelled("games", count, "of every pairing; seats change from game to game"),
      labelled("random actions", opening, "at the beginning, the same for all pairings, so that games differ"),
      labelled("seed", seed, "the same seed gives the same games")),
    problem, h("div.buttons", start));

  function makeVariant() {
    const chosen = games.find(one => one.name === game.value);
    const given = Object.fromEntries(chosen.options.filter(option => query.get("game") === chosen.name && query.has(option.name)).map(option =>
      [option.name, option.kind === "whole" || option.kind === "number" ? Number(query.get(option.name)) : option.kind === "switch" ? query.get(option.name) === "true" : query.get(option.name)]));
    gameForm = form(chosen.options, { values: given, few: 20, onchange: () => { clearTimeout(timer); timer = setTimeout(load, 300); } });
    put(variant, chosen.options.length > 0 && h("details", h("summary", "Variant of the game"), gameForm.element));
  }

  async function load() {
    const mine = ++asked;
    let preview;
    try {
      preview = await post("/preview", { game: { name: game.value, ...gameForm.values() } });
    } catch (error) {
      fail(error);
      return;
    }
    if (mine !== asked || !page.isShown()) return;
    problem.hidden = true;
    levels = preview.levels;
    const own = runs.filter(run => run.game.name === game.value)
      .map(run => ({ ...run, name: run.name.startsWith(`${page.site.runs}/`) ? run.name.slice(page.site.runs.length + 1) : run.name }));
    put(known, levels.map(one => h("option", { value: one.agent }, one.name)), own.map(run => h("option", { value: run.agent }, run.name)),
      h("option", { value: "random" }, "random actions"));
    known.own = own;
    const least = Math.max(2, preview.players.length);
    const usual = [...own.slice(0, 1).map(run => ({ agent: run.agent, name: run.name })), ...levels.slice(0, 5).map(one => ({ agent: one.agent, name: one.name }))];
    if (!isGiven && entrants.length === 0) entrants = usual.slice(0, Math.max(3, least));
    const rival = levels[Number(localStorage.getItem("boardlab-level") ?? 1)];  // whom the visitor plays
    for (const one of [...(rival ? [rival] : []), ...usual]) if (entrants.length < least && !entrants.some(other => other.agent === one.agent || other.name === one.name)) entrants.push(one);
    draw();
  }

  function draw(isNew = false) {
    put(rows, entrants.map((one, i) => h("div.entrant",
      h("input", { type: "text", list: "known-agents", value: one.agent, required: true, spellcheck: "false", "aria-label": `agent ${i + 1}`, placeholder: "mcts(rollout, iterations=100)",
        onchange: event => { const level = levels.find(other => other.agent === event.target.value) || known.own?.find(other => other.agent === event.target.value);
          if (level && !entrants[i].name) { read(); entrants[i].name = level.name; draw(); } } }),
      h("input.short", { type: "text", value: one.name, maxlength: 40, placeholder: "name", "aria-label": `name of agent ${i + 1}` }),
      h("button.icon", { type: "button", "aria-label": `remove agent ${i + 1}`, onclick: () => { read(); entrants.splice(i, 1); draw(); } }, "×"))));
    if (isNew) rows.lastElementChild?.querySelector("input").focus();
  }

  function read() {
    [...rows.children].forEach((row, i) => {
      const [agent, called] = row.querySelectorAll("input");
      entrants[i] = { agent: agent.value.trim(), name: called.value.trim() };
    });
  }

  async function begin() {
    read();
    start.disabled = true;
    start.textContent = "Starting …";
    try {
      const made = await post("/tournaments", {
        game: { name: game.value, ...gameForm.values() }, agents: entrants, format: format.value,
        games: Number(count.value), random_actions: Number(opening.value), seed: Number(seed.value), name: name.value.trim(),
      });
      page.go(made.number ? `/compete/${made.number}` : "/compete");
    } catch (error) {
      fail(error);
    }
    start.disabled = false;
    start.textContent = "Start";
  }

  function fail(error) {
    tell(problem, error.message);
  }
}

