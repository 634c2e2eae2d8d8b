// The desk: boards with opinions, tables of actions, the value curve, and ways to move about.

import { post } from "../api.js";
import { board } from "../board.js";
import { chart } from "../chart.js";
import { ask, watch } from "../connection.js";
import { copy, h, morph, picture, plain, put, scrollWithin, tell, toast } from "../dom.js";
import { setupUrl } from "../play/setup.js";

const SUGGESTED = ["mcts(rollout)", "mcts(rollout, iterations=5000)", "mcts(rollout, cpuct=0.5)", "random"];

export async function showDesk(page, id) {
  const topic = `desk:${id}`;
  let state = null;
  let log = [];
  let curve = null;
  let seenLog = -1;
  let seenCurve = -1;
  let voiced = null;      // { agent, action, at } whose tuples are shown
  let cards = [];         // one an agent: { element, show }
  let agentsShown = "";

  const parts = {
    title: h("h1"),
    status: h("p.unseen", { role: "status" }),
    banner: h("div.banner"),
    boards: h("div.boards"),
    steps: h("div.buttons.actions", { role: "toolbar", "aria-label": "Positions" }),
    chance: h("div.row.chance"),
    agents: h("div.stack.tight"),
    tables: h("div.tables"),
    log: h("ol.log", { tabindex: "0", "aria-label": "Actions" }),
    voices: h("section.card.voices", { hidden: true, "aria-label": "What the tuples say" }),
    review: h("section.card.review", { "aria-label": "The whole game" }),
    tools: h("div.buttons"),
    typed: typedAction(),
    position: positionForm(),
  };
  const plot = chart({ height: 220, label: "the value of the game at every position; click to go there", onpick: ply => go(ply, true) });
  const review = reviewBox();

  put(page.root,
    h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/analyse" }, "← All analyses")),
    h("div.spread.head", parts.title, parts.tools),
    h("div.desk",
      h("div.stack.tight.left", parts.banner, parts.boards, parts.status, parts.chance, parts.steps),
      h("div.stack.right",
        h("section.card", h("h2", "Agents"), parts.agents),
        h("section.card", h("h2", "Actions"), parts.log, parts.typed),
        parts.position)),
    h("div.stack.below", parts.tables, parts.voices, parts.review));

  page.onLeave(watch(topic, next => { if (next.error) missing(next); else update(next); }));
  listenToKeys();

  // A name that is none of a desk may be that of a table: analyse the game there.
  async function missing(next) {
    if (!next.missing) { broken(next.error); return; }
    try {
      const at = page.query.has("at") ? Number(page.query.get("at")) : undefined;
      const made = await post("/desks", { table: id, at });
      if (page.isShown()) page.go(`/analyse/${made.id}`, { replace: true });
    } catch (error) { broken(error.message); }
  }

  function broken(text) {
    put(page.root, h("div.notice.bad", h("p", text), h("p", h("a", { href: "/analyse" }, "Analyse something else"))));
  }

  function update(next) {
    const moved = !state || state.version !== next.version;
    state = next;
    page.title(`${state.title}, analysis`);
    if (moved && voiced) { voiced = null; parts.voices.hidden = true; }
    if (state.version !== seenLog) loadLog();
    if (state.curve_version !== seenCurve) loadCurve();
    draw(moved);
  }

  async function loadLog() {
    seenLog = state.version;
    const found = await ask(topic, "log").catch(() => null);
    if (!found || !page.isShown()) return;
    log = found.log;
    drawLog();
  }

  async function loadCurve() {
    seenCurve = state.curve_version;
    const found = await ask(topic, "curve").catch(() => null);
    if (!found || !page.isShown()) return;
    curve = found.curve;
    review.draw();
  }

  // ---- what is shown ----

  function draw(moved) {
    parts.title.textContent = state.title;
    parts.status.textContent = `${capital(state.status)}.`;
    drawBanner();
    drawBoards();
    drawTables();
    if (moved) { drawSteps(); drawChance(); drawTools(); drawLog(); parts.position.reset(); }
    drawAgents();
    review.draw();
  }

  function drawBanner() {
    const rows = [];
    if (!state.own) rows.push(h("div.notice", h("p", "This is another visitor's analysis."),
      state.may && h("button.primary", { type: "button", onclick: takeCopy }, "Take a copy")));
    if (state.branch !== null) rows.push(h("div.notice.warn", h("p", `A variation from action ${state.branch + 1} on.`),
      state.own && h("button", { type: "button", onclick: () => say("go", { main: true }) }, "Back to the game")));
    put(parts.banner, rows);
  }

  function drawBoards() {
    const wanted = state.agents.map(one => one.agent).join("\n");
    if (wanted !== agentsShown) {
      agentsShown = wanted;
      cards = state.agents.map(() => boardCard());
      put(parts.boards, cards.map(card => card.element));
      parts.boards.classList.toggle("several", cards.length > 1);
    }
    state.agents.forEach((one, place) => cards[place].show(one));
  }

  function boardCard() {
    const view = board(action => play(action), { label: "the position; arrow keys move, Enter plays" });
    const caption = h("figcaption");
    let shown = "";
    return {
      element: h("figure.one", view.element, caption),
      show: one => {
        const svg = one.picture || state.picture;
        if (svg !== shown) view.show(svg, { live: state.own && !state.over && state.player >= 0 });
        shown = svg;
        morph(caption, h("figcaption", cards.length > 1 && h("code", one.agent), " ", progress(one)));
      },
    };
  }

  function progress(one) {
    if (one.problem) return h("span.tag.bad", one.problem);
    if (!one.iterations && one.busy) return h("small", "thinking …");
    const words = [];
    if (one.iterations) words.push(`${one.iterations.toLocaleString("en")} iterations`);
    if (one.facts.depth) words.push(`depth ${plain(one.facts.depth)}`);
    return h("small", words.join(", "), one.busy && h("span.live", { title: "it goes on thinking" }, " ●"));
  }

  function drawTables() {
    const several = state.agents.length > 1;
    if (isPressed) return;
    morph(parts.tables, h("div.tables", state.over && h("p.notice", "The game ends here. Step back to see what the agent thinks, or review the whole game."), state.agents.map((one, place) => one.rows.length > 0 && h("section.card.opinion",
      h("div.spread", h("h2", several ? h("code", one.agent) : "What the agent thinks"),
        one.network && h("button.small", { type: "button", dataset: { agent: place } }, "Which tuples speak?")),
      one.line && h("p.line", h("small", "expected: "), one.line),
      h("div.scroll.few", h("table", h("thead", h("tr", h("th", "action"), h("th.number", "value"), h("th", "share of the search"), one.iterations > 0 && h("th.number", "visits"))),
        h("tbody", one.rows.map(row => h("tr", { class: row.best ? "best" : "" },
          h("td", h("button.quiet.small", { type: "button", disabled: !state.own, dataset: { agent: place, row: row.action }, title: one.network && voiced ? "Which tuples speak for it" : "Play it" }, row.name)),
          h("td.number", row.value === null ? "" : signed(row.value)),
          h("td", h("div.bar", { style: { "--share": row.share ?? 0 } }, h("i"), h("span", row.share === null ? "" : percent(row.share)))),
          one.iterations > 0 && h("td.number", row.share === null ? "" : Math.round(row.share * one.iterations).toLocaleString("en"))))))),
      one.count > one.rows.length && h("small", `${one.count - one.rows.length} more actions`)))));
  }

  let isPressed = false;  // a table that changes between press and release would take the click away
  parts.tables.addEventListener("pointerdown", () => {
    isPressed = true;
    const release = () => setTimeout(() => { isPressed = false; });
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, release, { once: true });
  });
  parts.tables.addEventListener("click", event => {
    const { agent, row } = event.target.closest("button")?.dataset || {};
    if (agent === undefined) return;
    if (row === undefined) showVoices(Number(agent), null);
    else if (state.agents[agent].network && voiced) showVoices(Number(agent), Number(row));
    else play(Number(row));
  });

  function drawSteps() {
    const step = (sign, name, ply, key) => h("button", { type: "button", "aria-label": name, title: key ? `${name} (${key})` : name, disabled: !state.own || ply < 0 || ply > state.total || ply === state.at, onclick: () => go(ply) }, sign);
    put(parts.steps, step("«", "First position", 0), step("‹", "Back", state.at - 1, "←"),
      h("span.at", `${state.at} of ${state.total}`),
      step("›", "Forward", state.at + 1, "→"), step("»", "Last position", state.total));
  }

  function drawChance() {
    const select = h("select", { "aria-label": "What chance does" }, state.outcomes.map(([action, name]) => h("option", { value: action }, name)));
    put(parts.chance, state.outcomes.length > 0 && state.own && [
      h("button.primary", { type: "button", onclick: () => say("play", { chance: true }) }, "Let chance decide"),
      h("span.soft", "or"), select, h("button", { type: "button", onclick: () => play(Number(select.value)) }, "Take this")]);
    parts.chance.hidden = !state.outcomes.length;
  }

  function drawTools() {
    put(parts.tools,
      !state.hidden && h("button.primary", { type: "button", disabled: !state.may, onclick: tryAgain, title: "A game at Play that begins here" }, "Try again from here"),
      !state.hidden && h("button.quiet", { type: "button", onclick: copyLink }, "Copy link"),
      h("a.button.quiet", { href: `/api/desks/${state.id}/record.pgn`, download: "" }, "Download PGN"),
      /^table /.test(state.source) && h("a.button.quiet", { href: `/play/${state.source.slice(6)}` }, "The table"));
  }

  let agentsDrawn = "";
  function drawAgents() {
    const wanted = JSON.stringify([state.agents.map(one => one.agent), state.thinks, state.own]);
    if (wanted === agentsDrawn) return;
    agentsDrawn = wanted;
    const input = h("input", { type: "text", list: "analysis-agents", placeholder: "Another agent", "aria-label": "another agent", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    const set = agents => ask(topic, "agents", { agents }).catch(error => toast(error.message, "bad"));
    const names = state.agents.map(one => one.agent);
    put(parts.agents,
      names.map((name, place) => h("div.agent", h("code", name),
        state.own && names.length > 1 && h("button.icon", { type: "button", "aria-label": `remove ${name}`, title: "Remove", onclick: () => set(names.filter((_, other) => other !== place)) }, "×"))),
      state.own && names.length < 4 && h("form.typed", { onsubmit: async event => {
        event.preventDefault();
        if (!input.value.trim()) return;
        try { await ask(topic, "agents", { agents: [...names, input.value.trim()] }); } catch (error) { toast(error.message, "bad"); }
      } }, input, h("button", "Add")),
      state.own && h("div.buttons", h("button.small", { type: "button", "aria-pressed": String(state.thinks), onclick: () => say("think", { on: !state.thinks }) }, state.thinks ? "Pause thinking" : "Think")),
      h("datalist", { id: "analysis-agents" }, SUGGESTED.map(value => h("option", { value }))));
    suggestRuns();
  }

  async function suggestRuns() {
    const { remembered } = await import("../api.js");
    const found = await remembered("/players").catch(() => []);
    const list = parts.agents.querySelector("datalist");
    for (const one of found.filter(run => run.game.name === state.game.name)) list?.append(h("option", { value: one.agent }, one.name));
  }

  function drawLog() {
    const lost = new Map((curve?.moments || []).map(moment => [moment.ply, moment.loss]));
    put(parts.log, log.map(([number, player, name]) => h("li", { class: [number + 1 === state.at ? "now" : "", number >= state.at ? "undone" : "", player < 0 ? "chance" : ""].join(" ") },
      h("button", { type: "button", tabindex: "-1", onclick: () => go(number + 1) },
        h("small", `${number + 1}`), player >= 0 && state.labels.length > 1 ? h("span.by", state.labels[player]) : player < 0 ? h("span.by", "chance") : null, h("b", name),
        state.branch === null && lost.has(number) && h("span.mark", { title: `loses ${plain(lost.get(number))}` }, "!")))),
      !log.length && h("li.none", "Click on the board to play actions."));
    scrollWithin(parts.log, parts.log.querySelector(".now"));
  }

  // ---- the value curve ----

  function reviewBox() {
    const input = h("input", { type: "text", id: "review-agent", list: "analysis-agents", value: "mcts(rollout, iterations=2000)", spellcheck: "false", autocapitalize: "off" });
    const button = h("button.primary", { type: "submit" }, "Review the game");
    const progressBar = h("progress", { hidden: true, "aria-label": "the review" });
    const problem = h("p.notice.bad", { hidden: true, role: "alert" });
    const found = h("div.moments");
    const form = h("form.row", { onsubmit: async event => {
      event.preventDefault();
      try { await (state.review.running ? ask(topic, "review", { stop: true }) : ask(topic, "review", { agent: input.value })); } catch (error) { toast(error.message, "bad"); }
    } }, h("label", { for: "review-agent" }, "by"), input, button, progressBar);
    put(parts.review, h("h2", "The whole game"),
      h("p.soft", "An agent judges every position; the curve shows what the game was worth, and marks where most was lost."), form, problem, h("div.whole", plot.element, found));
    let drawn = "";
    return { draw: () => {
      const { review: now } = state;
      const shown = JSON.stringify([now, seenCurve, curve?.points?.length, state.at, state.branch, state.own]);
      if (shown === drawn) return;
      drawn = shown;
      form.hidden = !state.own;
      button.textContent = now.running ? "Stop" : curve ? "Review again" : "Review the game";
      button.disabled = !now.total;
      progressBar.hidden = !now.running;
      progressBar.max = now.total || 1;
      progressBar.value = now.done;
      tell(problem, now.problem);
      problem.hidden = !now.problem;
      plot.element.hidden = !curve;
      put(found);
      if (!curve) return;
      plot.show(curveContent());
      put(found, curve.moments.length > 0 && [h("h3", "Where most was lost"),
        h("ol.plain", curve.moments.map(moment => h("li",
          h("button.small", { type: "button", disabled: !state.own, onclick: () => go(moment.ply, true) }, `Action ${moment.ply + 1}`),
          h("span", state.labels.length > 1 && `${state.labels[moment.player]} `, h("b", moment.played), ` lost ${plain(moment.loss, 2)}; better was `, h("b", moment.best)))))],
        !now.running && curve.points.length > 0 && !curve.moments.length && h("p.soft", "No action lost much, as far as this agent sees."),
        now.stale && !now.running && h("p.soft", "The game has changed since this review."));
      drawLog();
    } };
  }

  function curveContent() {
    const seats = state.labels.length === 2 && curve.points.every(point => point.scores[0] === null || Math.abs(point.scores[0] + point.scores[1]) < 1e-6) ? [0] : state.labels.map((_, seat) => seat);
    const points = [...curve.points];
    const end = curve.end ? [{ ply: curve.actions.length, scores: curve.end, title: "the end" }] : [];
    const title = point => point.title || `${point.played}${point.is_best ? "" : `, better ${point.best}`}`;
    const all = [...points, ...end];
    const [low, high] = state.range;
    const isPlain = high - low <= 2;   // losing to winning; other games show where the values are
    return {
      lines: seats.map(seat => ({ name: seats.length > 1 ? state.labels[seat] : `for ${state.labels[0]}`, points: all.filter(point => point.scores[seat] !== null && point.scores[seat] !== undefined).map(point => ({ x: point.ply, y: point.scores[seat], title: seat === seats[0] ? title(point) : "" })) })),
      legend: seats.length === 1 && state.labels.length > 1,
      low: isPlain ? low : undefined, high: isPlain ? high : undefined,
      xLow: 0, xHigh: curve.actions.length, zero: 0, xLabel: "position",
      at: state.branch === null ? state.at : null,
      marks: curve.moments.filter(moment => Number.isFinite(moment.scores[seats.length > 1 ? moment.player : 0]))
        .map(moment => ({ x: moment.ply, y: moment.scores[seats.length > 1 ? moment.player : 0], title: `${moment.played} lost ${plain(moment.loss, 2)}` })),
      empty: "The review has just begun.",
    };
  }

  // ---- the tuples of a network ----

  async function showVoices(place, action) {
    let found;
    try { found = await ask(topic, "voices", { agent: place, action }); } catch (error) { toast(error.message, "bad"); return; }
    if (!page.isShown()) return;
    voiced = { agent: place, action: found.action };
    const agent = state.agents[place];
    put(parts.voices,
      h("div.spread", h("h2", `Which tuples speak for ${found.name}`), h("button.quiet.small", { type: "button", onclick: () => { voiced = null; parts.voices.hidden = true; } }, "Close")),
      h("div.buttons", agent.rows.slice(0, 12).map(row => h("button.small", { type: "button", "aria-pressed": String(row.action === found.action), onclick: () => showVoices(place, row.action) }, row.name))),
      found.final ? h("p", `${found.name} ends the game or the round: its value ${signed(found.value)} is known, and no tuple is asked.`)
        : found.voices.length ? [h("p.soft", `Value ${signed(found.value)}. The ${found.voices.length} loudest of ${found.tables} tables and what each adds to the sum ${signed(found.sum)}; the others add ${signed(found.rest)}. Blue speaks for the action, orange against it.`),
          h("div.tuples", found.voices.map(voice => h("figure", voice.picture && picture(voice.picture), h("figcaption", h("strong", signed(voice.adds)), " ", h("small", voice.name)),
            h("div.bar", { class: voice.adds < 0 ? "against" : "", style: { "--share": voice.share } }, h("i")))))]
          : h("p.soft", `No tuple has learned anything about ${found.name} yet: all its weights are 0.`));
    parts.voices.hidden = false;
    parts.voices.scrollIntoView({ block: "nearest" });
  }

  // ---- what one may do ----

  const say = (word, content = {}) => ask(topic, word, content).catch(error => toast(error.message, "bad"));
  const play = action => say("play", { action });
  const go = (ply, main = false) => state.own && say("go", main ? { main: true, ply } : { ply });

  async function takeCopy() {
    const made = await post("/desks", { desk: id });
    page.go(`/analyse/${made.id}`);
  }

  async function tryAgain() {
    const found = await say("link");
    if (!found) return;
    const { name, ...parameters } = state.game;
    page.go(setupUrl(name, parameters, found.actions, found.position));
  }

  async function copyLink() {
    const found = await say("link");
    if (!found) return;
    const { name, ...parameters } = state.game;
    copy(location.origin + setupUrl(name, parameters, found.actions, found.position).replace("/play?", "/analyse?"), "The link to this position is copied");
  }

  function typedAction() {
    const input = h("input", { type: "text", placeholder: "Type an action", "aria-label": "Type an action", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    return h("form.typed", { onsubmit: async event => {
      event.preventDefault();
      if (!input.value.trim()) return;
      try { await ask(topic, "type", { text: input.value }); input.value = ""; } catch (error) { toast(error.message, "bad"); }
    } }, input, h("button", "Play"));
  }

  function positionForm() {
    const text = h("textarea", { "aria-label": "the position as text", spellcheck: "false", rows: 9 });
    const problem = h("p.notice.bad", { hidden: true, role: "alert" });
    const details = h("details.card.position", { ontoggle: () => details.open && load() },
      h("summary", "Edit the position"),
      h("form.stack.tight", { onsubmit: begin }, text,
        h("small", "Change it and analyse the result, or click on the board to play actions."), problem,
        h("div.buttons", h("button.primary", "Analyse this"), h("button", { type: "button", onclick: () => copy(text.value, "The position is copied") }, "Copy"))));
    async function load() {
      const found = await ask(topic, "text").catch(() => null);
      if (found) text.value = found.text;
      problem.hidden = true;
    }
    async function begin(event) {
      event.preventDefault();
      try {
        const made = await post("/desks", { game: state.game, position: text.value, agents: state.agents.map(one => one.agent) });
        page.go(`/analyse/${made.id}`);
      } catch (error) {
        tell(problem, error.message);
      }
    }
    details.reset = () => { if (details.open) load(); };
    return details;
  }

  function listenToKeys() {
    const onKey = event => {
      if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, select, textarea, dialog, summary")) return;
      if (event.key.startsWith("Arrow") && event.target.closest("[data-action]")) return;
      if (event.key === "ArrowLeft" && state.at > 0) go(state.at - 1);
      else if (event.key === "ArrowRight" && state.at < state.total) go(state.at + 1);
      else if (event.key === "Home") go(0);
      else if (event.key === "End") go(state.total);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    page.onLeave(() => removeEventListener("keydown", onKey));
  }
}

const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const percent = share => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
const signed = value => `${value > 0 ? "+" : ""}${Math.abs(value) < 10 ? value.toFixed(3) : plain(value, 4)}`;
