// One run: its live curve, beside those of other runs, and what can be done with it.

import { post } from "../api.js";
import { chart } from "../chart.js";
import { watch } from "../connection.js";
import { copy, h, plain, put, renew } from "../dom.js";
import { act, bar, gameQuery, has, playAgainst, runUrl, stateTag } from "./parts.js";
import { progress } from "./trainings.js";

export async function showRun(page, name) {
  page.title(name);
  const states = new Map();  // name -> state of the run
  const leaving = new Map(); // name -> stops watching
  let others = [];
  const chosen = new Set((page.query.get("with") || "").split(",").filter(Boolean));
  const head = h("div.stack.tight");
  const buttons = h("div.buttons");
  const curves = h("div.stack");
  const facts = h("section.card", { hidden: true });
  const beside = h("section.card");
  const charts = new Map(); // exam -> { box, chart }
  let drawnButtons = "";

  put(page.root,
    h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/train" }, "← All runs")),
    h("div.stack", head, buttons, h("div.split", curves, h("div.stack", beside, facts))));
  page.onLeave(() => { for (const end of leaving.values()) end(); });
  page.onLeave(watch("trainings:all", state => { others = state.runs || []; draw(); }));
  begin(name);
  for (const other of chosen) begin(other);

  function begin(one) {
    if (!leaving.has(one)) leaving.set(one, watch(`run:${one}`, state => { states.set(one, state); draw(); }));
  }

  function draw() {
    const run = states.get(name);
    if (!run || run.waits) return;
    if (run.error && !run.state) {
      put(head, h("h1", name), h("p.notice.bad", run.error));
      put(buttons); put(curves); put(beside);
      return;
    }
    renew(head,
      h("div.row", h("h1.bare", name), stateTag(run.state)),
      h("p.soft.bare", `${run.title}, ${run.learner}: ${progress(run)}`, run.state === "running" && run.speed ? `, ${plain(run.speed)} episodes a second` : ""),
      run.share < 1 && bar(run.share, "progress"),
      run.error && h("p.notice.bad", { role: "alert" }, run.error),
      run.log && h("details", h("summary", "What its process printed"), h("pre.scroll", run.log)));
    drawButtons(run);
    drawCurves(run);
    drawFacts(run);
  }

  function drawButtons(run) {
    const compete = run.agent && has(page, "compete") && `/compete?${competeQuery(run)}`;
    const mark = JSON.stringify([run.state, run.may, run.can_resume, Boolean(run.agent), run.work, compete]);
    if (mark === drawnButtons) return; // the focus stays where it is
    drawnButtons = mark;
    const body = { run: name };
    const label = name.slice(0, 40);
    put(buttons,
      run.agent && has(page, "play") && !page.site.read_only && act("Play against it", { class: "primary" }, () => playAgainst(page, run.game, run.agent, label)),
      run.may && run.state === "running" && act("Pause", { title: "save, end the process, and keep what was learned" }, () => post("/trainings/pause", body)),
      run.can_resume && run.state !== "finished" && act("Resume", {}, () => post("/trainings/resume", body)),
      run.may && run.state === "running" && act("Stop", { class: "bad", title: "end the training with what was learned" }, () => post("/trainings/stop", body)),
      run.can_resume && run.state === "finished" && longer(run),
      compete && h("a.button", { href: compete }, "Compare in a match"),
      run.may && run.work && run.state !== "running" && run.state !== "saving" && act("Remove", { class: "quiet" }, remove));
  }

  function competeQuery(run) {
    const words = gameQuery(run.game);
    words.append("agent", run.agent);
    words.append("name", name);
    const rival = others.find(other => other.name !== name && other.agent && chosen.has(other.name))
      || others.find(other => other.name !== name && other.agent && sameGame(other, run));
    if (rival) { words.append("agent", rival.agent); words.append("name", rival.name); }
    return words;
  }

  function longer(run) {
    return act("Train longer", {}, async () => {
      const answer = window.prompt("Train until how many episodes in all?", String(2 * run.episodes));
      if (answer === null) return;
      await post("/trainings/resume", { run: name, episodes: Number(answer.replaceAll(/[,\s]/g, "")) });
    });
  }

  async function remove() {
    if (!window.confirm(`Remove ${name} with all it has learned?`)) return;
    await post("/trainings/remove", { run: name });
    page.go("/train");
  }

  function drawCurves(run) {
    const shown = [name, ...chosen].map(one => states.get(one)).filter(one => one?.exams);
    if (!run.exams.length) {
      charts.clear();
      put(curves, h("section.card", h("h2", "Strength"), h("p.empty",
        run.state === "running" ? "The first exam is on its way." : "This run has taken no exam.")));
      return;
    }
    if (charts.size === 0) put(curves);
    for (const exam of run.exams) {
      if (!charts.has(exam.name)) {
        const drawn = chart({ height: 320, label: `${exam.title} of ${name}` });
        curves.append(h("section.card", h("h2", `${exam.title[0].toUpperCase()}${exam.title.slice(1)}`), exam.about && h("p.soft", `${exam.about[0].toUpperCase()}${exam.about.slice(1)}.`), drawn.element));
        charts.set(exam.name, drawn);
      }
      const lines = shown.map(one => ({
        name: one.name,
        points: (one.exams.find(other => other.name === exam.name)?.points || []).map(([x, y, low, high]) => ({ x, y, low, high })),
      }));
      charts.get(exam.name).show({ lines, xLow: 0, xLabel: "episodes", yLabel: exam.unit, empty: "No exam yet." });
    }
  }

  function sameGame(one, run) {
    return JSON.stringify(Object.entries(one.game).sort()) === JSON.stringify(Object.entries(run.game).sort());
  }

  function drawBeside() {
    const run = states.get(name);
    if (!run?.game) return;
    const alike = others.filter(other => other.name !== name && sameGame(other, run));
    const key = alike.map(other => other.name).join("\n");
    if (beside.dataset.key === key) return;
    beside.dataset.key = key;
    put(beside, h("h2", "Beside it"),
      alike.length ? h("div.checks", alike.map(other => h("label", h("input", {
        type: "checkbox", checked: chosen.has(other.name),
        onchange: event => { toggle(other.name, event.target.checked); },
      }), h("span", other.name, h("small", ` ${other.learner}`)))))
        : h("p.soft", "Other runs of this game can be laid over its curve."));
  }

  function toggle(other, isOn) {
    if (isOn) { chosen.add(other); begin(other); } else { chosen.delete(other); leaving.get(other)?.(); leaving.delete(other); }
    const words = chosen.size ? `?with=${encodeURIComponent([...chosen].join(","))}` : "";
    history.replaceState(null, "", `${runUrl(name)}${words}`);
    draw();
  }

  function drawFacts(run) {
    drawBeside();
    facts.hidden = !run.agent;
    if (facts.dataset.agent === run.agent) return;
    facts.dataset.agent = run.agent;
    put(facts, h("h2", "Its agent"), h("p", h("code", run.agent)),
      h("div.buttons", act("Copy", { class: "small" }, () => copy(run.agent)), act("Copy the command that goes on", { class: "small" }, () => copy(run.command))),
      h("details", h("summary", "Settings"), h("div.scroll", h("table", Object.entries(run.settings).map(([key, value]) =>
        h("tr", h("th", key), h("td", String(value))))))));
  }
}
