// Who takes a seat: you, a friend, a level, a run, or any agent.

import { get } from "../api.js";
import { h } from "../dom.js";

const listId = "known-agents";

/** The agents of the server's runs for a game: [{ name, agent }]. */
export async function runsOf(game) {
  try {
    const found = (await get("/players")).filter(one => one.game.name === game);
    document.getElementById(listId)?.remove();
    document.body.append(h("datalist", { id: listId }, found.map(one => h("option", { value: one.agent }, one.name))));
    return found;
  } catch {
    return [];
  }
}

/** Make a row that chooses who plays. `first` is chosen at the beginning. */
export function seatChoice(levels, runs, first, { people = true } = {}) {
  const select = h("select", { onchange: update },
    people && h("option", { value: "you" }, "You"),
    people && h("option", { value: "open" }, "A friend, by a link"),
    h("optgroup", { label: "Levels" }, levels.map(level => h("option", { value: level.agent }, level.name))),
    runs.length > 0 && h("optgroup", { label: "Runs" }, runs.map(run => h("option", { value: run.agent }, run.name))),
    h("optgroup", { label: "More" }, h("option", { value: "random" }, "Random actions"), h("option", { value: "other" }, "Any agent …")));
  const other = h("input", { type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", list: listId,
    placeholder: "mcts(rollout, iterations=500)", "aria-label": "agent, as an expression" });
  const help = h("small", "An agent is an expression; a run plays as greedy(ntuple(\"RUN\")) or mcts(ntuple(\"RUN\"), iterations=500).");
  const more = h("div.stack.tight", other, help);
  select.value = [...select.options].some(option => option.value === first) ? first : "other";
  if (select.value === "other") other.value = first;
  function update(event) {
    more.hidden = select.value !== "other";
    if (!more.hidden && event) other.focus();
  }
  update();
  return {
    element: name => h("div.seat-choice", h("label", h("strong", name), select), more),
    read: () => {
      if (select.value === "other") return { agent: other.value };
      if (select.value === "you" || select.value === "open") return select.value;
      return { agent: select.value, name: select.selectedOptions[0].textContent };
    },
  };
}
