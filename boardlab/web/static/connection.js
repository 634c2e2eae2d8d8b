// The WebSocket: watches topics, and connects again after every loss. See boardlab/web/hub.py.

let socket = null;
let wait = 250;
let lastId = 0;
let lostAt = 0;
let isWaiting = false;  // to connect again
const watched = new Map();   // topic -> { shows: Set, number, state }
const asked = new Map();     // id -> { resolve, reject }
const watching = new Map();  // id of a request to watch -> topic
const listeners = new Set();

function open() {
  isWaiting = false;
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.onopen = () => {
    wait = 250;
    tellLost(false);
    for (const topic of watched.keys()) begin(topic);
  };
  socket.onmessage = event => hear(JSON.parse(event.data));
  socket.onclose = event => {
    socket = null;
    tellLost(true);
    for (const { reject } of asked.values()) reject(new Error("the connection was lost; try again"));
    asked.clear();
    watching.clear();
    if (event.code === 4401) { location.assign("/login"); return; }
    isWaiting = true;
    setTimeout(open, wait * (0.8 + 0.4 * Math.random()));
    wait = Math.min(wait * 1.7, 5000);
  };
}

// A loss of less than a second is not worth a word.
function tellLost(isLost) {
  if (isLost && lostAt) return;
  clearTimeout(lostAt);
  const tell = () => { for (const listener of listeners) listener(isLost); };
  lostAt = isLost ? setTimeout(tell, 800) : 0;
  if (!isLost) tell();
}

/** Call `listener(isLost)` whenever the connection is lost or comes back. */
export function onLost(listener) {
  listeners.add(listener);
}

function say(message) {
  const id = ++lastId;
  socket.send(JSON.stringify({ id, ...message }));
  return id;
}

function hear(message) {
  if (message.topic !== undefined) {
    const entry = watched.get(message.topic);
    if (!entry) return;
    entry.number = message.number;
    entry.state = message.state;
    for (const show of entry.shows) show(message.state, message.number);
  } else if (asked.has(message.re)) {
    const { resolve, reject } = asked.get(message.re);
    asked.delete(message.re);
    if (message.error) reject(Object.assign(new Error(message.error), message));
    else resolve(message.ok);
  } else if (watching.has(message.re)) {
    const entry = watched.get(watching.get(message.re));
    watching.delete(message.re);
    if (message.error && entry) for (const show of entry.shows) show({ error: message.error, missing: message.missing }, 0);
  }
}

const begin = topic => watching.set(say({ topic, do: "watch" }), topic);

/** Watch a topic: `show(state, number)` is called with every new state. Returns a function that stops it. */
export function watch(topic, show) {
  if (!socket && !isWaiting) open();
  let entry = watched.get(topic);
  if (!entry) {
    watched.set(topic, (entry = { shows: new Set(), number: 0, state: null }));
    if (socket?.readyState === WebSocket.OPEN) begin(topic);
  } else if (entry.state) queueMicrotask(() => entry.shows.has(show) && show(entry.state, entry.number));
  entry.shows.add(show);
  return () => {
    entry.shows.delete(show);
    if (entry.shows.size) return;
    watched.delete(topic);
    if (socket?.readyState === WebSocket.OPEN) say({ topic, do: "leave" });
  };
}

/** Ask for something of a topic, as in ask("table:x7", "play", { action: 3 }). Resolves with the answer.
 *  `at: true` refuses if the page's picture is an old one. */
export function ask(topic, word, content = {}) {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) {
      reject(new Error("there is no connection; it comes back by itself"));
      return;
    }
    const more = content.at === true ? { ...content, at: watched.get(topic)?.number } : content;
    asked.set(say({ topic, do: word, ...more }), { resolve, reject });
  });
}
