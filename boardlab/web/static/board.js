// A board that the server drew: places carry data-action. Mouse, touch and keyboard play; no rules in here.

import { h, picture, put } from "./dom.js";

/** Make a board. `play(action)` is called with what was clicked. Call `.show(svg, { live })` with each picture. */
export function board(play, { label = "board" } = {}) {
  const frame = h("div.board", { role: "group", "aria-label": label });
  let isLive = false;
  let isPressed = false;    // a picture that came between press and release would take the click away
  let late = null;          // the picture that came meanwhile
  let kept = null;          // where the focus was: it comes back when the other player has acted
  let wasDragged = false;   // the click that follows a drag is none

  frame.addEventListener("click", event => {
    if (!wasDragged) choose(event.target.closest?.("[data-action]"));
  });
  frame.addEventListener("keydown", event => {
    const place = event.target.closest?.("[data-action]");
    if (!place) return;
    if (event.key === "Enter" || event.key === " ") choose(place);
    else if (event.key.startsWith("Arrow")) step(place, event.key);
    else return;
    event.preventDefault();
  });
  makeDraggable(frame, () => isLive, place => {
    wasDragged = true;
    setTimeout(() => { wasDragged = false; });
    choose(place);
  });

  function choose(place) {
    if (place && isLive) play(Number(place.dataset.action), place);
  }

  frame.addEventListener("pointerdown", () => {
    isPressed = true;
    const release = () => setTimeout(() => {
      isPressed = false;
      if (late) show(...late);
    });
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, release, { once: true });
  });

  function show(svg, { live = true } = {}) {
    late = isPressed ? [svg, { live }] : null;
    if (late) return;
    const focused = document.activeElement;
    if (frame.contains(focused)) kept = { action: focused.dataset.action, isVisible: focused.matches(":focus-visible") };
    else if (focused !== document.body) kept = null;
    isLive = live;
    put(frame, typeof svg === "string" ? picture(svg) : svg);
    frame.classList.toggle("live", live);
    const places = [...frame.querySelectorAll("[data-action]")];
    places.forEach((place, index) => {
      place.setAttribute("role", "button");
      // One stop of the Tab key; arrow keys go from place to place.
      place.setAttribute("tabindex", live && index === 0 ? "0" : "-1");
      if (!live) place.setAttribute("aria-disabled", "true");
    });
    if (!live || !kept) return;
    const again = places.find(place => place.dataset.action === kept.action) || places[0];
    if (again) focus(again, kept.isVisible);
    kept = null;
  }

  function focus(place, focusVisible = true) {
    for (const other of frame.querySelectorAll("[data-action][tabindex='0']")) other.setAttribute("tabindex", "-1");
    place.setAttribute("tabindex", "0");
    place.focus({ preventScroll: true, focusVisible });
  }

  function step(from, key) {
    const start = middle(from);
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null;
    let least = Infinity;
    for (const place of frame.querySelectorAll("[data-action]")) {
      const at = middle(place);
      const along = (at.x - start.x) * dx + (at.y - start.y) * dy;
      const across = Math.abs((at.x - start.x) * dy) + Math.abs((at.y - start.y) * dx);
      const far = along + 2.5 * across;
      if (along > 1 && far < least) { best = place; least = far; }
    }
    if (best) focus(best);
  }

  return { element: frame, show };
}

function middle(place) {
  const box = place.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

// Dragging: from anywhere on the board to the place where the piece goes. A place whose picture is an arrow is
// hit at its end, so that "drag the piece there" works without knowing the game.
function makeDraggable(frame, isLive, choose) {
  let start = null;
  frame.addEventListener("pointerdown", event => {
    start = isLive() && event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
  });
  frame.addEventListener("pointerup", event => {
    if (!start) return;
    const moved = Math.hypot(event.clientX - start.x, event.clientY - start.y);
    const from = start;
    start = null;
    if (moved < 24) return;  // a click
    const above = document.elementsFromPoint(event.clientX, event.clientY).filter(e => e.dataset?.action && frame.contains(e));
    const target = best(above, from, event);
    if (target) { choose(target); event.preventDefault(); }
  });
}

function best(places, from, to) {
  if (places.length < 2) return places[0];
  const direction = Math.atan2(to.clientY - from.y, to.clientX - from.x);
  const turned = place => {
    const at = middle(place);
    const angle = Math.atan2(to.clientY - at.y, to.clientX - at.x);
    return Math.abs(Math.sin((angle - direction) / 2));
  };
  return places.sort((one, other) => turned(one) - turned(other))[0];
}
