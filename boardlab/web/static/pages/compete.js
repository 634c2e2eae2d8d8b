// Compete: tournaments and matches, the hall of fame, folders of results.

import { showFame, showResults } from "../compete/fame.js";
import { showTournament } from "../compete/tournament.js";
import { showTournaments } from "../compete/tournaments.js";
import { h, put } from "../dom.js";

const PARTS = [["", "Tournaments", showTournaments], ["fame", "Hall of fame", showFame], ["results", "Results", showResults]];

export async function show(page) {
  const [first = "", ...rest] = page.rest;
  if (/^\d+$/.test(first)) { await showTournament(page, Number(first)); return; }
  const part = PARTS.find(([name]) => name === first) || PARTS[0];
  const body = h("div.stack");
  put(page.root,
    h("h1", "Compete"),
    h("nav.segments", { "aria-label": "Parts of this page" }, PARTS.map(([name, title]) =>
      h("a.button", { href: name ? `/compete/${name}` : "/compete", "aria-current": name === part[0] ? "page" : undefined }, title))),
    body);
  await part[2](page, body, rest);
}
