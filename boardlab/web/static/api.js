// Requests for JSON. A refusal becomes an Error with the server's sentence.

async function request(path, options) {
  let response;
  try {
    response = await fetch(`/api${path}`, { credentials: "same-origin", ...options });
  } catch {
    throw new Error("the server cannot be reached");
  }
  if (response.status === 401) location.assign("/login");
  let answer = null;
  try { answer = await response.json(); } catch { /* no JSON: an error page */ }
  if (!response.ok) throw new Error(answer?.error || `the server answered ${response.status}`);
  return answer;
}

export const get = path => request(path, {});

export const post = (path, body = {}) =>
  request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Send a file as it is. */
export const send = (path, file) =>
  request(path, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file });

const known = new Map();

/** The same as `get`, once a visit: for what does not change, such as /games. */
export function remembered(path) {
  if (!known.has(path)) known.set(path, get(path).catch(error => { known.delete(path); throw error; }));
  return known.get(path);
}
