// Play: choose a game and who plays, or sit at a table.

import { showGames } from "../play/games.js";
import { showSetup } from "../play/setup.js";
import { showTable } from "../play/table.js";

export async function show(page) {
  if (page.rest.length) await showTable(page, page.rest[0]);
  else if (page.query.get("game")) await showSetup(page, page.query.get("game"));
  else await showGames(page);
}
