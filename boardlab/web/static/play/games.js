// The games to choose from, and one's own.

import { get, post, remembered } from "../api.js";
import { h, put, toast } from "../dom.js";

export async function showGames(page) {
  const games = await remembered("/games");
  const mine = h("section");
  const search = h("input", { type: "search", placeholder: "Find a game", "aria-label": "Find a game", oninput: () => fill() });
  const list = h("div.grid.games");
  const fill = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = games.filter(game => `${game.name} ${game.title} ${game.summary}`.toLowerCase().includes(wanted));
    put(list, found.map(gameTile), !found.length && h("p.empty", `No game is called "${search.value}".`));
  };
  put(page.root, h("div.spread", h("h1", "Play"), h("div.find", search)), mine, list);
  fill();
  await showMine(page, mine);
}

const gameTile = game => h("a.card.tile", { href: `/play?game=${encodeURIComponent(game.name)}` },
  h("img.thumb", { src: `/api/games/${encodeURIComponent(game.name)}/picture?theme=light`, alt: "", loading: "lazy", class: "only-light" }),
  h("img.thumb", { src: `/api/games/${encodeURIComponent(game.name)}/picture?theme=dark`, alt: "", loading: "lazy", class: "only-dark" }),
  h("div", h("h3", game.title), h("p.soft", game.summary)));

/** Fill a section with the visitor's games. */
export async function showMine(page, section, most = 8) {
  const tables = await get("/tables");
  if (!page.isShown()) return;
  const all = () => put(section, tables.length > 0 && [
    h("h2", "Your games"),
    h("div.strip", tables.slice(0, most).map(table => h("div.card.tile.mine",
      h("a", { href: `/play/${table.id}` }, h("h3", table.title), h("small", table.seats.join(" – ")), h("small", `${count(table.actions, "action")}, ${ago(table.changed)}`)),
      table.own && h("button.icon", { type: "button", "aria-label": `remove this game of ${table.title}`, title: "Remove", onclick: () => remove(table) }, "×")))),
  ]);
  async function remove(table) {
    await post(`/tables/${table.id}/remove`);
    tables.splice(tables.indexOf(table), 1);
    toast("The game is removed");
    all();
  }
  all();
}

export const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

/** Write how long ago a time was, given in seconds since 1970. */
export function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  for (const [size, name] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
    const number = Math.floor(passed / size);
    if (number > 0) return `${count(number, name)} ago`;
  }
  return "just now";
}
