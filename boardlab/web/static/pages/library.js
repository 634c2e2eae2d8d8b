// Library: games on file, runs as archives, and what there is to play.

import { get, post, remembered, send } from "../api.js";
import { copy, h, plain, put, tell, toast } from "../dom.js";
import { ago, count } from "../play/games.js";

export async function show(page) {
  if (page.rest[0] === "games" && page.rest[1]) { await showFile(page, page.rest[1]); return; }
  const [games, parts, files] = await Promise.all([remembered("/games"), remembered("/agents"), get("/library/games")]);
  const isReady = !page.site.read_only;
  const list = h("div");
  const runs = h("div", h("p.soft", "Looking …"));

  put(page.root,
    h("h1", "Library"),
    h("p.lead", "Bring games and runs, take yours away, and look up every game and every part of an agent."),
    h("div.sections",
      h("section.card.stack", h("h2", "Games on file"),
        isReady && bring(), list,
        h("div.buttons", h("a.button", { href: "/api/library/mine.pgn", download: "" }, "Download all games I played"))),
      h("section.card.stack", h("h2", "Runs"), isReady && !page.site.play_only && bringRun(), runs)),
    h("h2.next", "Games"),
    h("div.grid", games.map(game => h("a.card.tile", { href: `/play?game=${encodeURIComponent(game.name)}` },
      h("h3", game.title), h("p.soft", game.summary), h("small", players(game.players))))),
    h("h2.next", "Searches and players"),
    h("div.stack.tight", parts.agents.map(part)),
    h("h2.next", "Evaluators"),
    h("div.stack.tight", parts.evaluators.map(part)));
  drawFiles(files);
  await drawRuns();

  function bring() {
    const select = h("select", { id: "file-game" }, h("option", { value: "" }, "as the file says"), games.map(game => h("option", { value: game.name }, game.title)));
    const text = h("textarea", { id: "file-text", "aria-label": "games as text", spellcheck: "false", rows: 4, placeholder: "f5d6c3 …" });
    const problem = h("p.notice.bad", { role: "alert", hidden: true });
    const go = async (body, name) => {
      problem.hidden = true;
      try {
        const words = new URLSearchParams({ name, ...(select.value && { game: select.value }) });
        const made = await send(`/library/games?${words}`, body);
        for (const doubt of made.doubts) toast(doubt);
        page.go(`/library/games/${made.id}`);
      } catch (error) { tell(problem, error.message); }
    };
    return h("div.stack.tight.bring",
      h("div.field", h("label", { for: "file-game" }, "Rules"), select),
      chooser("Open a file of games", ".pgn,.ggf,.txt,text/plain", file => go(file, file.name)),
      h("details", h("summary", "or paste text"), h("div.stack.tight", text,
        h("div.buttons", h("button", { type: "button", onclick: () => go(new Blob([text.value]), "pasted.txt") }, "Read it")))),
      h("small", "PGN of every game; GGF and transcripts (f5d6c3) of Othello; columns (4455) of Connect Four; twists (R U2) of cubes."),
      problem);
  }

  function drawFiles(found) {
    put(list, found.length > 0 && h("ul.plain", found.map(file => h("li",
      h("a", { href: `/library/games/${file.id}` }, file.name), h("small", `${count(file.games, "game")} of ${file.titles.slice(0, 3).join(", ")}${file.titles.length > 3 ? " …" : ""}, ${ago(file.changed)}`)))));
  }

  function bringRun() {
    const name = h("input", { id: "run-name", placeholder: "its name here", "aria-label": "name of the run", pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,59}", maxlength: 60 });
    const problem = h("p.notice.bad", { role: "alert", hidden: true });
    return h("div.stack.tight.bring",
      h("div.field", h("label", { for: "run-name" }, "Name"), name),
      chooser("Bring a run (zip)", ".zip,application/zip", async file => {
        problem.hidden = true;
        if (!name.value) name.value = file.name.replace(/\.zip$/i, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
        try {
          const run = await send(`/library/runs?${new URLSearchParams({ name: name.value })}`, file);
          toast(`${run.name} is here`);
          name.value = "";
          await drawRuns();
        } catch (error) { tell(problem, error.message); }
      }),
      h("small", "A run's folder as a zip file. It is checked before it is used; nothing in it is executed."), problem);
  }

  async function drawRuns() {
    let found;
    try { found = await get("/library/runs"); } catch (error) { put(runs, h("p.notice.bad", error.message)); return; }
    if (!page.isShown()) return;
    put(runs, found.length ? h("ul.plain.runs", found.map(run => h("li",
      h("div", h("strong", run.name), h("small", ` ${run.title}, ${run.learner}, ${count(run.episodes, "episode")}`)),
      h("div.buttons",
        h("button.small", { type: "button", onclick: () => copy(run.agent, "The agent is copied") }, "Copy agent"),
        h("a.button.small", { href: analysis(run) }, "Analyse with it"),
        h("a.button.small", { href: `/api/library/archive?${new URLSearchParams({ name: run.name })}`, download: "" }, "Download"))))) : h("p.soft", "No run yet. Train one, or bring one."));
  }
}

function analysis(run) {
  const { name, ...parameters } = run.game;
  const words = new URLSearchParams({ game: name });
  for (const [key, value] of Object.entries(parameters)) words.set(key, String(value));
  words.set("agent", run.agent);
  return `/analyse?${words}`;
}

/** A button that opens a file. */
function chooser(text, accept, bring) {
  const input = h("input", { type: "file", accept, hidden: true, onchange: async () => {
    const [file] = input.files;
    if (file) await bring(file);
    input.value = "";
  } });
  return h("div.buttons", h("button.primary", { type: "button", onclick: () => input.click() }, text), input);
}

async function showFile(page, id) {
  const file = await get(`/library/games/${id}`);
  page.title(file.name);
  const names = new Set(file.games.map(game => game.game.name));
  const kinds = ["pgn", ...(names.size === 1 && names.has("othello") ? ["ggf"] : []), ...(names.size === 1 && ["othello", "connectfour", "rubiks"].some(name => names.has(name)) ? ["txt"] : [])];
  put(page.root,
    h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/library" }, "← Library")),
    h("div.spread", h("h1", file.name), h("div.buttons",
      kinds.map(kind => h("a.button", { href: `/api/library/games/${id}/file.${kind}`, download: "" }, `Download ${kind.toUpperCase()}`)),
      file.own && h("button.quiet", { type: "button", onclick: async () => { await post(`/library/games/${id}/remove`); toast("The file is removed"); page.go("/library"); } }, "Remove"))),
    h("div.card.scroll", h("table",
      h("thead", h("tr", h("th.number", ""), h("th", "game"), h("th", "players"), h("th", "result"), h("th.number", "actions"), h("th", ""))),
      h("tbody", file.games.map((game, number) => h("tr", h("td.number", plain(number + 1)), h("td", game.title), h("td", game.players.join(" – ")), h("td", game.result), h("td.number", plain(game.actions)),
        h("td", h("button.small", { type: "button", disabled: page.site.read_only, "aria-label": `analyse game ${number + 1}`, onclick: async () => page.go(`/analyse/${(await post(`/library/games/${id}/analyse`, { number })).id}`) }, "Analyse"))))))));
}

const players = counts =>
  counts.length > 2 ? `${counts[0]} to ${counts.at(-1)} players` : counts.join(" or ") + (counts.at(-1) > 1 ? " players" : " player");

const part = one => h("details.card.part", h("summary", h("code", one.name), ` — ${one.summary}`),
  one.options.length
    ? h("div.scroll", h("table", h("thead", h("tr", ["parameter", "default", "allowed", ""].map(name => h("th", name)))),
      h("tbody", one.options.map(option => h("tr", h("td", h("code", option.name)), h("td", String(option.default)), h("td", option.allowed), h("td", option.help))))))
    : h("p.soft", "It has no parameters."));
