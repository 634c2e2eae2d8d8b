// One tournament: ranking with error bars, cross table as a heat map, every game.

import { get, post } from "../api.js";
import { watch } from "../connection.js";
import { h, plain, put, renew } from "../dom.js";
import { act, bar, duration, has, stateTag } from "../train/parts.js";

export async function showTournament(page, number) {
  const head = h("div.stack.tight");
  const buttons = h("div.buttons");
  const tables = h("div.stack");
  const games = h("section.card", { hidden: true });
  let drawn = "";
  let last = null;
  put(page.root, h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/compete" }, "← All tournaments")), h("div.stack", head, buttons, tables, games));
  page.onLeave(watch(`tournament:${number}`, state => { if (!state.waits) draw(state); }));

  function draw(state) {
    if (!state.rows) { put(head, h("h1", `Tournament ${number}`), h("p.notice.bad", state.error)); return; }
    const title = state.name || (state.agents.length === 2 ? `Match ${number}` : `Tournament ${number}`);
    page.title(title);
    renew(head, h("div.row", h("h1.bare", title), stateTag(state.state)),
      h("p.soft.bare", `${state.title}, ${state.format}, ${plain(state.played)} of ${plain(state.games)} games`),
      !state.finished && bar(state.played / Math.max(1, state.games), "progress"),
      state.error && h("p.notice.bad", { role: "alert" }, state.error));
    const mark = JSON.stringify([state.state, state.may, state.work]);
    if (mark !== drawn) {
      drawn = mark;
      const body = { work: state.work };
      put(buttons,
        state.may && state.state === "running" && act("Pause", {}, () => post("/tournaments/pause", body)),
        state.can_resume && act("Resume", {}, () => post("/tournaments/resume", body)),
        state.may && state.state === "running" && act("Stop", { class: "bad" }, () => post("/tournaments/stop", body)));
    }
    if (last && last.played === state.played && last.state === state.state) return;
    last = state;
    if (!state.played) { put(tables, h("p.empty.card", "The first games are on their way.")); return; }
    renew(tables, ranking(state), state.players > 1 && cross(state), state.notes.length > 0 && h("div", state.notes.map(note => h("p.soft.bare", h("small", note)))));
    if (games.hidden) list();
  }

  tables.addEventListener("click", event => {
    const { first, second, title } = event.target.closest(".cross button")?.dataset || {};
    if (first !== undefined) list(first, second, title);
  });

  function ranking(state) {
    const isRated = state.rows.some(one => one.rating !== null);
    const lows = state.rows.filter(one => one.rating !== null).map(one => one.rating - (one.half || 0));
    const highs = state.rows.filter(one => one.rating !== null).map(one => one.rating + (one.half || 0));
    const low = Math.min(...lows), high = Math.max(...highs), size = high - low || 1;
    const digits = state.unit === "Elo" ? 0 : 1;
    return h("section.card", h("h2", "Ranking"), h("div.scroll", h("table",
      h("thead", h("tr", h("th", ""), h("th", "agent"), isRated && h("th.number", `${state.unit} ± 95%`), isRated && h("th.wide", ""),
        state.players > 1 && h("th.number", "points ± 95%"), state.players > 1 && h("th.number.roomy", "won / drawn / lost"),
        state.players === 1 && h("th.number", "mean score ± 95%"), h("th.number.roomy", "games"), h("th.number.roomy", "time per move"))),
      h("tbody", state.rows.map((one, rank) => h("tr",
        h("td.soft", rank + 1),
        h("td.who", h("span", { title: one.agent }, one.name)),
        isRated && h("td.number", one.rating === null ? "" : `${one.rating.toFixed(digits)} ±\u00a0${(one.half || 0).toFixed(digits)}`),
        isRated && h("td.wide", one.rating !== null && h("div.span", { "aria-hidden": "true" },
          h("i", { style: { left: `${(100 * (one.rating - (one.half || 0) - low)) / size}%`, width: `${(200 * (one.half || 0)) / size}%` } }),
          h("b", { style: { left: `${(100 * (one.rating - low)) / size}%` } }))),
        state.players > 1 && h("td.number", percent(one.points), one.points_half !== null && ` ±\u00a0${percent(one.points_half)}`),
        state.players > 1 && h("td.number.roomy", `${one.wins} / ${one.draws} / ${one.losses}`),
        state.players === 1 && h("td.number", plain(one.score), one.score_half !== null && ` ±\u00a0${plain(one.score_half, 2)}`),
        h("td.number.roomy", plain(one.games)),
        h("td.number.roomy", one.seconds === null ? "" : one.seconds < 1 ? `${plain(1000 * one.seconds, 2)} ms` : duration(one.seconds))))))));
  }

  function cross(state) {
    return h("section.card", h("h2", "Each against each"), h("p.soft", "Points of the row in percent. A cell shows the games of the two."),
      h("div.scroll", h("table.cross",
        h("thead", h("tr", h("th", ""), state.rows.map((_, rank) => h("th.number", rank + 1)))),
        h("tbody", state.rows.map((one, i) => h("tr", h("th", `${i + 1}  ${one.name}`), state.cross[i].map((share, j) =>
          share === null ? h("td.none", i === j ? "·" : "") : h("td", { style: { "--share": share } },
            h("button", { type: "button", "aria-label": `${one.name} against ${state.rows[j].name}: ${percent(share)}; show the games`,
              dataset: { first: one.entrant, second: state.rows[j].entrant, title: `${one.name} against ${state.rows[j].name}` } }, (100 * share).toFixed(0))))))))));
  }

  async function list(first = null, second = null, title = "Games") {
    const chosen = first === null ? "" : `?first=${first}&second=${second}`;
    const found = await get(`/tournaments/${number}/games${chosen}`);
    if (!page.isShown()) return;
    games.hidden = found.length === 0;
    put(games, h("div.spread", h("h2", title), first !== null && h("button.small", { type: "button", onclick: () => list() }, "All games")),
      found.length === 100 && h("p.soft", "The first 100 games."),
      h("div.scroll.tall", { tabindex: 0, role: "group", "aria-label": title }, h("table", h("thead", h("tr", h("th", "seats, the first one begins"), h("th.number", "scores"), h("th.number.roomy", "actions"), h("th", ""))),
        h("tbody", found.map(one => h("tr",
          h("td", one.players.join(" – "), one.error && h("small", { class: "soft" }, ` ${one.error}`)),
          h("td.number", one.scores.map(score => plain(score)).join(" : ")),
          h("td.number.roomy", one.actions),
          h("td.number", !page.site.read_only && act("Replay", { class: "small" }, () => replay(one)))))))));
    if (first !== null) games.scrollIntoView({ block: "nearest" });
  }

  async function replay(one) {
    const made = await post(`/tournaments/${number}/replay`, { pairing: one.pairing, number: one.number });
    page.go(has(page, "analyse") ? `/analyse/${made.id}?at=0` : `/play/${made.id}`);
  }
}

const percent = share => (share === null ? "" : `${(100 * share).toFixed(1)}%`);
