// Home: what this is, and one button that starts a good game.

import { post, remembered } from "../api.js";
import { board } from "../board.js";
import { h, put, toast } from "../dom.js";
import { showMine } from "../play/games.js";

const FAVOURITES = ["connectfour", "othello", "hex", "gobang", "yavalath", "ewn", "2048", "poker"];

const chosenBefore = () => localStorage.getItem("boardlab-game") || FAVOURITES[0];
const preview = name => post("/preview", { game: { name } });

export async function show(page) {
  const first = preview(chosenBefore()).catch(() => null);  // while the list of games is on its way
  const games = await remembered("/games");
  const favourites = FAVOURITES.map(name => games.find(game => game.name === name)).filter(Boolean);
  let game = favourites.find(one => one.name === chosenBefore()) || favourites[0] || games[0];
  let level = Number(localStorage.getItem("boardlab-level") ?? 1);
  let levels = [];
  const picture = board(() => start(), { label: "the first position; any place starts the game" });
  const chooser = h("div.segments.wrap", { role: "group", "aria-label": "Game" });
  const strength = h("div.segments", { role: "group", "aria-label": "Strength of the opponent" });
  const strengthBox = h("div.stack.tight", h("h2", "Opponent"), strength);
  const go = h("button.primary.big", { type: "button", onclick: () => start() }, "Play");
  go.disabled = page.site.read_only;
  const mine = h("section");
  const has = name => page.site.pages.some(one => one.name === name);

  put(page.root,
    h("section.hero",
      h("div.stack",
        h("div", h("h1", "Board games against agents that taught themselves"),
          h("p.lead", "Pick a game and a strength, and play. See what the agent thinks, train a better one, and beat the old one with it.")),
        h("div.stack.tight", h("h2", "Game"), chooser, h("small", h("a", { href: "/play" }, `All ${games.length} games and variants`))),
        strengthBox,
        h("div.buttons", go)),
      h("div.stage", picture.element)),
    mine,
    h("section.grid.steps", [
      ["play", "Play", "Every game, against agents, friends by a link, or as a spectator."],
      ["analyse", "Analyse", "What an agent thinks of every action, and where a game was lost."],
      ["train", "Train", "Let an agent teach itself, and watch its strength grow."],
      ["compete", "Compete", "Tournaments with ratings, records and a hall of fame."],
    ].filter(([name]) => has(name)).map(([name, title, text]) => h("a.card.tile", { href: `/${name}` }, h("h3", title), h("p.soft", text)))));

  await choose(game, first);
  showMine(page, mine, 4).catch(() => {});

  async function choose(one, ready = null) {
    game = one;
    localStorage.setItem("boardlab-game", one.name);
    put(chooser, favourites.map(other => h("button", { type: "button", "aria-pressed": String(other === one), onclick: () => choose(other) }, other.title)));
    let got = await ready;
    if (got?.table.name !== one.name) got = await preview(one.name);
    if (!page.isShown() || game !== one) return;
    levels = got.levels;
    strengthBox.hidden = got.players.length < 2;
    drawLevels();
    picture.show(got.picture, { live: true });
  }

  function drawLevels() {
    put(strength, levels.map((one, number) => h("button", {
      type: "button", "aria-pressed": String(number === level), title: one.agent,
      onclick: () => { level = number; localStorage.setItem("boardlab-level", number); drawLevels(); },
    }, one.name)));
  }

  async function start() {
    if (go.disabled) return;
    go.disabled = true;
    try {
      const opponent = levels[level] || levels[1];
      const players = Math.max(1, game.players[0]);
      const seats = Array.from({ length: players }, (_, seat) => (seat === 0 ? "you" : { agent: opponent.agent, name: opponent.name }));
      const made = await post("/tables", { game: { name: game.name }, seats });
      page.go(`/play/${made.id}`);
    } catch (error) {
      toast(error.message, "bad");
      go.disabled = false;
    }
  }
}
