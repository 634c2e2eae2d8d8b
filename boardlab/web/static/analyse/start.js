// What to analyse: a game that was played, a file, a position, or an empty board.

import { get, post, remembered } from "../api.js";
import { h, put, tell } from "../dom.js";
import { ago, count } from "../play/games.js";

export async function showStart(page) {
  const [games, tables, desks] = await Promise.all([remembered("/games"), get("/tables"), get("/desks")]);
  const select = h("select", { id: "start-game" }, games.map(game => h("option", { value: game.name }, game.title)));
  select.value = "connectfour";
  const text = h("textarea", { id: "start-text", spellcheck: "false", placeholder: "Empty: the beginning" });
  const problem = h("p.notice.bad", { role: "alert", hidden: true });
  const isReady = !page.site.read_only;

  put(page.root,
    h("h1", "Analyse"),
    h("p.lead", "See what agents think of every action while they think, and where a game was lost."),
    h("div.split.start",
      h("div.stack",
        h("section.card", h("h2", "Games you have played"), tables.length
          ? h("ul.plain", tables.slice(0, 12).map(table => row(`/analyse/${table.id}`, table.title, [table.seats.join(" – "), count(table.actions, "action"), ago(table.changed)])))
          : h("p.soft", "None yet. ", h("a", { href: "/play" }, "Play one"), ".")),
        desks.length > 0 && h("section.card", h("h2", "Your analyses"),
          h("ul.plain", desks.map(desk => row(`/analyse/${desk.id}`, desk.title, [desk.players.join(" – "), count(desk.actions, "action"), ago(desk.changed)]))))),
      h("div.stack",
        h("form.card.stack", { onsubmit: begin },
          h("h2", "A position"),
          h("div.field", h("label", { for: "start-game" }, "Game"), select),
          h("div.field", h("label", { for: "start-text" }, "Position, as text"), text,
            h("small", "As BoardLab writes it: ", h("code", "print(state)"), ". On the next page you can play actions and copy the text.")),
          problem,
          h("div.buttons", h("button.primary", { disabled: !isReady }, "Analyse"))),
        page.site.pages.some(one => one.name === "library") && h("section.card", h("h2", "A file of games"),
          h("p.soft", "PGN, GGF, transcripts, columns or twists: open it in the library."), h("a.button", { href: "/library" }, "Open the library")))));

  async function begin(event) {
    event.preventDefault();
    try {
      const made = await post("/desks", { game: { name: select.value }, position: text.value.trim() ? text.value.replace(/\s+$/, "") : undefined });
      page.go(`/analyse/${made.id}`);
    } catch (error) {
      tell(problem, error.message);
    }
  }
}

const row = (href, title, facts) => h("li", h("a", { href }, title), h("small", facts.filter(Boolean).join(", ")));
