// The hall of fame, and the tables and figures of experiments and sweeps.

import { get } from "../api.js";
import { copy, h, plain, put } from "../dom.js";
import { act, has, playAgainst } from "../train/parts.js";

export async function showFame(page, root) {
  const { lists } = await get("/fame");
  put(root, h("p.lead", "The strongest agents of each game, by all games of its rated tournaments together."),
    lists.length ? lists.map(one => hall(page, one)) : h("p.empty.card", "Nobody yet. Agents enter through a tournament that is played to its end."));
}

function hall(page, list) {
  const number = value => (value === null ? "" : value.toFixed(list.digits));
  return h("section.card", h("h2", list.heading), h("p.soft", list.title), h("div.scroll", h("table",
    h("thead", h("tr", h("th", ""), h("th", "agent"), h("th.number", "rating"), h("th.number.roomy", "95%"), h("th.number.roomy", "games"), h("th", ""))),
    h("tbody", list.lines.map((line, rank) => h("tr",
      h("td.soft", rank + 1),
      h("td.who", line.label, line.label !== line.agent && h("small.mono", ` ${line.agent}`),
        line.again.filter(Boolean).map(command => h("details", h("summary", "train it again"), h("code", command), " ",
          act("Copy", { class: "small" }, () => copy(command))))),
      h("td.number", number(line.rating)),
      h("td.number.roomy", line.low === null ? "" : `${number(line.low)} to ${number(line.high)}`),
      h("td.number.roomy", h("a", { href: `/compete/${line.tournaments.at(-1)}` }, plain(line.games))),
      h("td.number", h("div.buttons", act("Copy", { class: "small", title: "copy the agent's expression" }, () => copy(line.agent)),
        has(page, "play") && !page.site.read_only && act("Play", { class: "small" }, () => playAgainst(page, list.table, line.agent, line.label.slice(0, 40)))))))))));
}

export async function showResults(page, root, rest) {
  if (rest.length) { await showResult(root, rest.join("/")); return; }
  const found = await get("/results");
  put(root, h("p.lead", "Tables and figures of experiments and sweeps."),
    found.length ? h("div.grid", found.map(one => h("a.card.tile", { href: `/compete/results/${path(one.path)}` },
      h("div.spread", h("h3", one.path.split("/").at(-1)), h("span.tag", one.kind)),
      one.picture && h("img.figure", { src: `/api/results/${path(one.path)}/${one.picture}`, alt: "", loading: "lazy" }),
      h("small", new Date(1000 * one.changed).toLocaleDateString()))))
      : h("p.empty.card", "None yet: boardlab reproduce and boardlab sweep make them, in results/ and in the folder of runs."));
}

const path = name => name.split("/").map(encodeURIComponent).join("/");

async function showResult(root, name) {
  const [{ table }, all] = await Promise.all([get(`/results/${path(name)}/table`), get("/results")]);
  const picture = all.find(one => one.path === name)?.picture;
  put(root, h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/compete/results" }, "← All results")),
    picture && h("section.card", h("img.figure", { src: `/api/results/${path(name)}/${picture}`, alt: `figure of ${name}` })),
    h("section.card", markdown(table)));
}

/** Headings, tables, code and paragraphs of Markdown as elements; everything else stays text. */
export function markdown(text) {
  const parts = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    if (/^#{1,6} /.test(line)) { parts.push(h("h2", inline(line.replace(/^#+ /, "")))); i++; }
    else if (line.startsWith("|")) {
      const rows = [];
      for (; i < lines.length && lines[i].startsWith("|"); i++) rows.push(lines[i].replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll("\\|", "|")));
      const [head, , ...body] = rows;
      parts.push(h("div.scroll", h("table", h("thead", h("tr", head.map(cell => h("th", inline(cell))))), h("tbody", body.map(row => h("tr", row.map(cell => h("td", inline(cell)))))))));
    } else if (line.startsWith("    ")) {
      const code = [];
      for (; i < lines.length && (lines[i].startsWith("    ") || !lines[i].trim()); i++) code.push(lines[i].slice(4));
      parts.push(h("pre.scroll", code.join("\n").trimEnd()));
    } else if (!line.trim()) i++;
    else {
      const words = [];
      for (; i < lines.length && lines[i].trim() && !lines[i].startsWith("|") && !lines[i].startsWith("#"); i++) words.push(lines[i].trim());
      parts.push(h("p", inline(words.join(" "))));
    }
  }
  return h("div.stack.tight", parts);
}

const inline = text => text.split(/(`[^`]+`)/).map(part => (/^`[^`]+`$/.test(part) ? h("code", part.slice(1, -1)) : part.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("**", "")));
