// At a table: the board, the players, what was played, and what one may do.

import { remembered } from "../api.js";
import { board } from "../board.js";
import { ask, watch } from "../connection.js";
import { copy, h, picture, plain, put, scrollWithin, toast } from "../dom.js";
import { runsOf, seatChoice } from "./seats.js";
import { setupUrl } from "./setup.js";

export async function showTable(page, id) {
  const topic = `table:${id}`;
  const hasAnalysis = page.site.pages.some(one => one.name === "analyse");
  let state = null;
  let looked = null;      // { ply, picture } while one looks back
  let hinted = null;      // { ply, picture, text } while a hint is shown
  let covered = -1;       // the seat whose cards are covered until its person says so
  let isBusy = false;

  const view = board(play, { label: "the board; arrow keys move, Enter plays" });
  const parts = {
    title: h("h1"),
    status: h("p.status", { role: "status", "aria-live": "polite" }),
    banner: h("div.banner"),
    stage: h("div.stage", view.element),
    actions: h("div.buttons.actions", { role: "toolbar", "aria-label": "The game" }),
    seats: h("section.card.seats", { "aria-label": "Players" }),
    log: h("ol.log", { tabindex: "0", "aria-label": "Actions played" }),
    tools: h("div.buttons"),
    typed: typedAction(),
  };
  const whole = h("div.split.table", { hidden: true },
    h("div.stack.tight", parts.banner, parts.stage, parts.actions),
    h("div.stack.side",
      h("div.head", h("nav.crumbs", { "aria-label": "Back" }, h("a", { href: "/play" }, "← All games")), parts.title, parts.status),
      parts.seats,
      h("section.card", h("div.spread", h("h2", "Actions"), browser()), parts.log, parts.typed),
      parts.tools));
  put(page.root, whole);

  page.onLeave(watch(topic, (next, number) => { if (next.error) broken(next); else update(next); }));
  listenToKeys();

  function update(next) {
    const before = state;
    state = next;
    if (before && before.ply !== state.ply) hinted = null;
    if (before && (before.total !== state.total || before.ply !== state.ply) && looked) lookAt(null);
    if (state.next && before && before.next !== state.next) { page.go(`/play/${state.next}`, { replace: true }); return; }
    if (state.hidden && state.own.length > 1 && state.turn && (!before || before.player !== state.player)) covered = state.player;
    page.title(state.title);
    whole.hidden = false;
    draw();
  }

  function broken(next) {
    put(page.root, h("div.notice.bad", h("p", next.error), h("p", h("a", { href: "/play" }, "Play another game"))));
  }

  // ---- what is shown ----

  function draw() {
    const { can } = state;
    parts.title.textContent = state.title;
    parts.status.textContent = state.thinking !== null && state.thinking !== undefined
      ? `${state.seats[state.thinking].player} is thinking …` : sentence();
    parts.stage.classList.toggle("covered", covered === state.player && state.turn);
    const shown = looked || hinted;
    if (covered === state.player && state.turn) view.show(coverPicture(), { live: false });
    else if (shown?.picture || state.picture) view.show(shown?.picture || state.picture, { live: state.turn && !looked });
    else put(view.element, h("p.empty", "This game has hidden cards. Those who do not play see it when it is over."));
    drawBanner();
    put(parts.actions,
      can.control && button("Undo", "undo", can.undo, "u"),
      can.control && button("Redo", "redo", can.redo, "r"),
      state.own.length > 0 && !state.over && h("button", { type: "button", onclick: hint, disabled: !can.hint || isBusy, title: "Ask an agent (h)" }, isBusy ? "Thinking …" : "Hint"),
      can.control && state.watching && !state.over && pace(),
      can.resign && h("button.quiet", { type: "button", onclick: resign }, state.seats.length > 1 ? "Resign" : "Give up"),
      can.control && h("button", { type: "button", onclick: () => newGame(false), title: "New game (n)" }, "New game"));
    put(parts.seats, h("h2", state.seats.length > 1 ? "Players" : "Player"), state.seats.map(seatRow), visitors());
    drawLog();
    parts.typed.hidden = !state.turn;
    put(parts.tools,
      can.swap && h("button.quiet", { type: "button", onclick: swap }, "Swap seats"),
      h("a.button.quiet", { href: `/analyse/${id}`, hidden: !hasAnalysis || (state.hidden && !state.over) }, "Analyse"),
      h("button.quiet", { type: "button", onclick: () => copy(location.origin + `/play/${id}`, "The link to this game is copied") }, "Copy link"),
      can.share && h("button.quiet", { type: "button", onclick: sharePosition }, "Link to this position"),
      h("button.quiet", { type: "button", onclick: showHelp }, "Keys"));
  }

  function sentence() {
    if (state.waits) return "The round is over.";
    if (state.turn) return state.own.length > 1 ? `${state.status}` : `Your turn. ${capital(state.status)}.`;
    return `${capital(state.status)}.`;
  }

  function drawBanner() {
    const { can } = state;
    const box = (kind, text, ...more) => h("div.notice", { class: kind }, h("p", text), more.length > 0 && h("div.buttons", more));
    const small = (text, onclick, kind = "") => h("button", { type: "button", onclick, class: kind }, text);
    const rows = [];
    if (looked) rows.push(box("", `You look at the position after ${looked.ply} of ${state.total} actions.`, small("Back to the game", () => lookAt(null), "primary")));
    else if (hinted) rows.push(box("", [h("code", hinted.agent), ` would play ${hinted.name}.`], small("Play it", () => play(hinted.action), "primary"), small("Hide", () => { hinted = null; draw(); })));
    if (state.problem) rows.push(box("bad", state.problem, can.control && small("Try again", () => say("retry")), can.control && small("Another agent", () => chooseSeat(Math.max(0, state.player)))));
    if (state.offer) rows.push(state.offer.yours
      ? box("", "You asked to take an action back; the other player decides.")
      : state.offer.answer && box("warn", "The other player asks to take an action back.", small("Allow", () => say("answer", { yes: true }), "primary"), small("Decline", () => say("answer", { yes: false }))));
    if (state.waits) rows.push(box("", state.scores ? `The round is over. Scores so far: ${state.scores.map(score => plain(score)).join(", ")}.` : "The round is over.", can.control && small("Next round", () => say("continue"), "primary")));
    const open = state.seats.find(seat => seat.kind === "open");
    if (open && state.own.length) rows.push(box("", "Send the link of this page to a friend, who then takes the free seat.", small("Copy link", () => copy(location.origin + `/play/${id}`, "The link is copied; send it to your friend"), "primary"), small("Let an agent play", () => chooseSeat(open.number))));
    if (open && !state.own.length && open.sit) rows.push(box("", `The seat of ${open.player} is free.`, small("Sit down and play", () => sit(open.number), "primary")));
    if (state.over && !looked) rows.push(box("over", `${capital(state.status)}.${scores()}`,
      can.control && small("Play again", () => newGame(false), "primary"),
      can.share && state.total > 0 && hasAnalysis && h("a.button", { href: `/analyse/${id}`, title: "See what an agent thinks, and where the game was lost" }, "Review it"),
      can.control && state.seats.length > 1 && small("Play again with swapped seats", () => newGame(true))));
    if (covered === state.player && state.turn) rows.push(box("warn", `${state.seats[state.player].player}: are you alone at the screen?`, small("Show my cards", () => { covered = -1; draw(); }, "primary")));
    put(parts.banner, rows);
  }

  function scores() {
    if (!state.scores) return "";
    const isPlain = state.scores.length === 2 && state.scores.every(score => Math.abs(score) <= 1);
    return isPlain || state.scores.length === 1 ? "" : ` Scores: ${state.seats.map(seat => `${seat.player} ${plain(state.scores[seat.number])}`).join(", ")}.`;
  }

  function coverPicture() {
    return picture("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 320 200'><rect x='60' y='30' width='200' height='140' rx='14' class='cover'/></svg>");
  }

  function seatRow(seat) {
    const isMover = state.player === seat.number && !state.over;
    const about = seat.kind === "agent" ? seat.agent : "";
    return h("div.seat", { class: isMover ? "mover" : "" },
      h("span.dot", { class: state.thinking === seat.number ? "busy" : "" }),
      h("div.who", h("strong", state.seats.length > 1 ? seat.player : capital(seat.label)),
        h("span", state.seats.length > 1 ? ` ${seat.label}` : ""), about && about !== seat.label && h("small.mono", about)),
      h("div.buttons",
        (state.can.control || seat.sit) && (seat.yours || seat.kind !== "person") && h("button.quiet.small", { type: "button", onclick: () => chooseSeat(seat.number) }, "Change")));
  }

  function visitors() {
    const others = state.visitors - 1;
    return others > 0 && h("small.soft", `${others} other${others > 1 ? "s" : ""} look${others > 1 ? "" : "s"} at this game`);
  }

  function drawLog() {
    const at = looked ? looked.ply : state.ply;
    const first = state.logged_from;
    put(parts.log,
      first > 0 && h("li.earlier", h("span", `… ${first} earlier`)),
      state.log.map(([number, player, name]) => h("li", { class: [number >= state.ply ? "undone" : "", number + 1 === at ? "now" : "", player < 0 ? "chance" : ""].join(" ") },
        h("button", { type: "button", tabindex: "-1", onclick: () => lookAt(number + 1) },
          h("small", `${number + 1}`), player >= 0 && state.seats.length > 1 ? h("span.by", state.seats[player].player) : player < 0 ? h("span.by", "chance") : null, h("b", name)))),
      !state.log.length && h("li.none", "Nothing has been played yet."));
    scrollWithin(parts.log, parts.log.querySelector(".now"));
  }

  // ---- what one may do ----

  const say = (word, content = {}) => ask(topic, word, content).catch(error => toast(error.message, "bad"));

  async function play(action) {
    if (looked) { lookAt(null); return; }
    hinted = null;
    await ask(topic, "play", { action, ply: state.ply }).catch(error => toast(error.message, "bad"));
  }

  function button(text, word, isPossible, key) {
    return h("button", { type: "button", disabled: !isPossible, title: `${text} (${key})`, onclick: () => say(word) }, text);
  }

  async function hint() {
    if (isBusy) return;
    isBusy = true;
    draw();
    try {
      hinted = await ask(topic, "hint");
    } catch (error) {
      toast(error.message, "bad");
    }
    isBusy = false;
    if (page.isShown()) draw();
  }

  function resign() {
    if (confirm(state.seats.length > 1 ? "Resign this game?" : "Give this game up?")) say("resign");
  }

  const swap = () => say("swap");
  const sit = seat => say("sit", { seat });

  async function newGame(swapped) {
    if (!state.over && state.ply > 4 && !confirm("Leave this game and begin anew? It stays in your list.")) return;
    const made = await say("new", { swap: swapped });
    if (made) page.go(`/play/${made.id}`, { replace: false });
  }

  function pace() {
    const slider = h("input", {
      type: "range", min: 0, max: 20, value: String(toSlider(state.delay)), "aria-label": "seconds between actions",
      onchange: () => say("pace", { delay: fromSlider(Number(slider.value)) }),
    });
    return h("div.pace",
      h("button.primary", { type: "button", onclick: () => say("pace", { paused: !state.paused }), title: "Pause or go on (space)" }, state.paused ? "Go on" : "Pause"),
      h("button", { type: "button", onclick: () => say("pace", { step: true }), title: "One action (s)" }, "Step"),
      h("label", h("small", "fast"), slider, h("small", "slow")));
  }

  async function chooseSeat(number) {
    const [levels, runs] = await Promise.all([remembered(`/games/${state.game.name}/levels`), runsOf(state.game.name)]);
    const seat = state.seats[number];
    const choice = seatChoice(levels, runs, seat.yours ? "you" : seat.kind === "open" ? "open" : seat.agent);
    const dialog = h("dialog", { "aria-label": `Who plays ${seat.player}?`, onclose: () => dialog.remove() },
      h("form.stack", { method: "dialog", onsubmit: async event => {
        if (event.submitter?.value !== "yes") return;
        event.preventDefault();
        const who = choice.read();
        try {
          await (who === "you" ? (seat.yours ? null : ask(topic, "sit", { seat: number })) : ask(topic, "seat", { seat: number, who }));
          dialog.close();
        } catch (error) { toast(error.message, "bad"); }
      } },
      h("h2", `Who plays ${seat.player}?`), choice.element(seat.player),
      h("div.buttons", h("button.primary", { value: "yes" }, "Done"), h("button", { value: "no", formnovalidate: true }, "Cancel"))));
    document.body.append(dialog);
    dialog.showModal();
  }

  function sharePosition() {
    const { name, ...parameters } = state.game;
    ask(topic, "actions", { ply: looked ? looked.ply : state.ply })
      .then(found => copy(location.origin + setupUrl(name, parameters, found.actions, found.position), "The link to this position is copied"))
      .catch(error => toast(error.message, "bad"));
  }

  function typedAction() {
    const input = h("input", { type: "text", placeholder: "Type an action", "aria-label": "Type an action", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    return h("form.typed", { onsubmit: async event => {
      event.preventDefault();
      if (!input.value.trim()) return;
      try { await ask(topic, "type", { text: input.value }); input.value = ""; } catch (error) { toast(error.message, "bad"); }
    } }, input, h("button", "Play"));
  }

  // ---- looking back ----

  function browser() {
    const step = by => () => { const at = looked ? looked.ply : state.ply; lookAt(Math.max(0, Math.min(state.total, at + by))); };
    return h("div.buttons.tight", [["«", "First position", -1e9], ["‹", "Back (←)", -1], ["›", "Forward (→)", 1], ["»", "Last position", 1e9]].map(([sign, name, by]) =>
      h("button.icon", { type: "button", "aria-label": name, title: name, onclick: step(by) }, sign)));
  }

  async function lookAt(ply) {
    const url = new URL(location.href);
    if (ply === null || (ply === state.ply && ply === state.total)) {
      looked = null;
      url.searchParams.delete("at");
    } else {
      try {
        looked = await ask(topic, "look", { ply });
      } catch (error) { toast(error.message, "bad"); return; }
      url.searchParams.set("at", ply);
    }
    if (!page.isShown()) return;
    history.replaceState(null, "", url);
    draw();
  }

  if (page.query.has("at")) {
    const wanted = Number(page.query.get("at"));
    const wait = setInterval(() => { if (state) { clearInterval(wait); lookAt(wanted); } }, 50);
    page.onLeave(() => clearInterval(wait));
  }

  // ---- keys ----

  function listenToKeys() {
    const keys = {
      u: () => state.can.undo && say("undo"), r: () => state.can.redo && say("redo"), h: () => state.can.hint && hint(),
      n: () => state.can.control && newGame(false), s: () => state.watching && say("pace", { step: true }),
      " ": () => state.watching && state.can.control && say("pace", { paused: !state.paused }),
      "?": showHelp, Escape: () => { looked && lookAt(null); if (hinted) { hinted = null; draw(); } },
    };
    const onKey = event => {
      if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target.closest("input, select, textarea, dialog, summary")) return;
      const isOnBoard = Boolean(target.closest("[data-action]"));
      if (event.key === " " && target.closest("button, a, [data-action]")) return;
      if ((event.key === "ArrowLeft" || event.key === "ArrowRight") && !isOnBoard) {
        const at = looked ? looked.ply : state.ply;
        lookAt(Math.max(0, Math.min(state.total, at + (event.key === "ArrowLeft" ? -1 : 1))));
      } else if (keys[event.key]) keys[event.key]();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    page.onLeave(() => removeEventListener("keydown", onKey));
  }

  function showHelp() {
    const rows = [["Tab, arrow keys, Enter", "choose a place on the board and play"], ["u, r", "undo, redo"], ["h", "hint"], ["n", "new game"],
      ["← →", "look back and forward, when the board has not the keys"], ["space, s", "pause and step, when agents play each other"], ["Esc", "back to the game"]];
    const dialog = h("dialog", { "aria-label": "Keys", onclose: () => dialog.remove() },
      h("form.stack", { method: "dialog" }, h("h2", "Keys"), h("table", rows.map(([key, does]) => h("tr", h("td", h("code", key)), h("td", does)))),
        state.notation && h("p.soft", capital(state.notation) + "."), h("div.buttons", h("button.primary", "Close"))));
    document.body.append(dialog);
    dialog.showModal();
  }
}

const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const SECONDS = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const fromSlider = place => SECONDS[place];
const toSlider = seconds => SECONDS.reduce((best, value, place) => (Math.abs(value - seconds) < Math.abs(SECONDS[best] - seconds) ? place : best), 0);
