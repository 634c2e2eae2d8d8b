// A form for a new training, and all runs of the server.

import { post, remembered } from "../api.js";
import { watch } from "../connection.js";
import { h, plain, put, renew, tell } from "../dom.js";
import { form } from "../form.js";
import { bar, duration, labelled, runUrl, stateTag, withHalf } from "./parts.js";

const LENGTHS = [["1 minute", 1], ["5 minutes", 5], ["30 minutes", 30], ["as the preset", 0], ["other", -1]];

export async function showTrainings(page) {
  const games = await remembered("/games");
  const list = h("section.stack", { "aria-label": "Runs" });
  put(page.root,
    h("h1", "Train"),
    h("p.lead", "An agent plays against itself and learns from every game. You see its strength grow, and play it whenever you like."),
    h("div.split.wide-left", page.site.read_only ? h("p.notice", "This server only shows its runs.") : newTraining(page, games), list));
  page.onLeave(watch("trainings:all", state => {
    if (state.waits) return;
    renew(list, h("h2", "Runs"), state.error ? h("p.notice.bad", state.error) : rows(state.runs));
  }));
}

function rows(runs) {
  if (!runs.length) return h("p.empty.card", "No run yet. Start one, or train on the command line: boardlab train tictactoe");
  return runs.map(run => h("a.card.tile.run", { href: runUrl(run.name) },
    h("div.spread", h("h3", run.name), stateTag(run.state)),
    h("p.soft", `${run.title}, ${run.learner}`, run.last && `, ${run.last.name} ${withHalf(run.last)}`),
    run.state === "running" || (run.share < 1 && run.share > 0) ? bar(run.share, `progress of ${run.name}`) : null,
    h("small", run.error || progress(run))));
}

/** How far a run is: "12,000 of 30,000 episodes, 41 s". */
export function progress(run) {
  const total = run.total && !run.minutes ? ` of ${plain(run.total)}` : "";
  const left = run.state === "running" && run.speed && run.total > run.episodes ? `, about ${duration((run.total - run.episodes) / run.speed)} left` : "";
  return `${plain(run.episodes)}${total} episodes, ${duration(run.seconds)}${run.minutes ? ` of ${plain(run.minutes)} min` : ""}${left}`;
}

function newTraining(page, games) {
  const { query } = page;
  let forms = null;
  let gameForm = null;
  let settings = null;
  let options = null;
  let timer = 0;
  let asked = 0;
  let length = 1;
  const game = h("select", games.map(one => h("option", { value: one.name }, one.title)));
  game.value = games.some(one => one.name === query.get("game")) ? query.get("game") : localStorage.getItem("boardlab-game") || "connectfour";
  if (!game.value) game.value = games[0].name;
  const learner = h("select");
  const preset = h("select");
  const name = h("input", { type: "text", placeholder: "chosen for you", maxlength: 60, spellcheck: "false" });
  const learnerHelp = h("small");
  const variant = h("div");
  const settingsBox = h("div");
  const optionsBox = h("div");
  const lengths = h("div.segments.wrap", { role: "group", "aria-label": "Length" });
  const episodes = h("input", { type: "number", min: 1, step: 1, value: 10000 });
  const episodesBox = labelled("episodes", episodes, "games of self-play");
  const about = h("p.soft.about", { role: "status" });
  const problem = h("p.notice.bad", { hidden: true, role: "alert" });
  const start = h("button.primary.big", { type: "submit" }, "Start training");

  game.addEventListener("change", () => { localStorage.setItem("boardlab-game", game.value); learner.value = ""; makeVariant(); load(); });
  learner.addEventListener("change", () => { preset.value = ""; load(); });
  preset.addEventListener("change", load);
  episodes.addEventListener("input", checkSoon);
  drawLengths();
  makeVariant();
  load();

  return h("form.card.stack", { onsubmit: event => { event.preventDefault(); begin(); } },
    h("h2", "New training"),
    h("div.form",
      labelled("game", game),
      h("div.field", labelled("learner", learner), learnerHelp),
      labelled("preset", preset, "settings that others have tried"),
      labelled("name", name, "the folder of the run")),
    variant,
    h("div.stack.tight", h("h3", "Length"), lengths, episodesBox),
    settingsBox,
    optionsBox,
    about, problem,
    h("div.buttons", start));

  function drawLengths() {
    put(lengths, LENGTHS.map(([text, value]) => h("button", {
      type: "button", "aria-pressed": String(value === length),
      onclick: () => { length = value; drawLengths(); check(); },
    }, value === 0 && forms ? `${plain(presetEpisodes())} episodes` : text)));
    episodesBox.hidden = length !== -1;
  }

  function presetEpisodes() {
    return forms.options.find(option => option.name === "episodes").default;
  }

  function makeVariant() {
    const chosen = games.find(one => one.name === game.value);
    const given = Object.fromEntries(chosen.options.filter(option => query.get("game") === chosen.name && query.has(option.name))
      .map(option => [option.name, option.kind === "whole" ? Number(query.get(option.name)) : query.get(option.name)]));
    gameForm = form(chosen.options, { values: given, few: 20, onchange: () => soon(load) });
    put(variant, chosen.options.length > 0 && h("details", { open: Object.keys(given).length > 0 }, h("summary", "Variant of the game"), gameForm.element));
  }

  function soon(what) {
    clearTimeout(timer);
    timer = setTimeout(what, 300);
  }

  function checkSoon() { soon(check); }

  function chosenGame() {
    return { name: game.value, ...gameForm.values() };
  }

  async function load() {
    const mine = ++asked;
    start.disabled = true;
    try {
      const got = await post("/trainings/forms", { game: chosenGame(), learner: learner.value || undefined, preset: preset.value || undefined });
      if (mine !== asked || !page.isShown()) return;
      forms = got;
    } catch (error) {
      if (mine === asked) fail(error);
      return;
    }
    put(learner, forms.learners.map(one => h("option", { value: one.name }, one.name)));
    learner.value = forms.learner;
    learnerHelp.textContent = forms.learners.find(one => one.name === forms.learner).summary;
    put(preset, forms.presets.map(one => h("option", { value: one }, one)));
    preset.value = forms.preset;
    preset.disabled = forms.presets.length < 2;
    settings = form(forms.settings, { few: forms.settings.length, onchange: checkSoon });
    options = form(forms.options.filter(option => option.name !== "episodes" && option.name !== "minutes"), { few: 20, onchange: checkSoon });
    put(settingsBox, h("details", h("summary", `Settings of ${forms.learner} (${forms.settings.length})`), settings.element));
    put(optionsBox, h("details", h("summary", "Seed, exams and snapshots"),
      h("p.soft", `Exams of this game: ${forms.exams.join(", ") || "none"}; any agent as an opponent, too. Semicolons divide several.`), options.element));
    drawLengths();
    await check();
  }

  function order() {
    const run = { ...options.values() };
    if (length > 0) run.minutes = length;
    if (length < 0) run.episodes = Number(episodes.value);
    return { game: chosenGame(), learner: forms.learner, preset: forms.preset, settings: settings.values(), options: run };
  }

  async function check() {
    if (!forms) return;
    const mine = ++asked;
    try {
      const got = await post("/trainings/check", order());
      if (mine !== asked || !page.isShown()) return;
      problem.hidden = true;
      start.disabled = false;
      about.textContent = [`Trains ${got.length}`, `exams: ${got.exams}`, got.memory && `memory of the tables: ${got.memory}`].filter(Boolean).join("; ") + ".";
    } catch (error) {
      if (mine === asked) fail(error);
    }
  }

  async function begin() {
    if (!forms || !settings.report() || !options.report()) return;
    start.disabled = true;
    try {
      const made = await post("/trainings", { ...order(), name: name.value.trim() || undefined });
      page.go(runUrl(made.name));
    } catch (error) {
      fail(error);
      start.disabled = false;
    }
  }

  function fail(error) {
    tell(problem, error.message);
    about.textContent = "";
    start.disabled = true;
  }
}
