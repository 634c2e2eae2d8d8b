// The shell: header, colour scheme, and the router that loads a page's module.

import { get } from "./api.js";
import { onLost } from "./connection.js";
import { h, put, toast } from "./dom.js";

const main = document.getElementById("main");
const header = document.querySelector("header.top");
let leave = [];
let site = null;
let shown = 0;

/** Go to another page of the arena. */
export function go(url, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", url);
  if (!replace) scrollTo(0, 0);
  show();
}

async function show() {
  const mine = ++shown;
  for (const end of leave) end();
  leave = [];
  const url = new URL(location.href);
  const [name = "home", ...rest] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const known = site.pages.find(page => page.name === name);
  for (const link of header.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.dataset.page === name);
  document.title = known ? (name === "home" ? "BoardLab" : `${known.title} · BoardLab`) : "BoardLab";
  const root = h("div.page", { class: `page-${name}` });
  try {
    if (!known) throw new Error(`There is no page "${name}" on this server.`);
    const [module] = await Promise.all([import(`./pages/${name}.js`), known.has_style && loadStyle(name)]);
    if (mine !== shown) return;
    put(main, root);
    await module.show({
      root, rest, site, go,
      query: url.searchParams,
      title: text => { if (mine === shown) document.title = `${text} · BoardLab`; },
      onLeave: end => (mine === shown ? leave.push(end) : end()),
      isShown: () => mine === shown,
    });
  } catch (error) {
    if (mine === shown) put(main, h("div.page", h("div.notice.bad", h("h1", "That did not work"), h("p", error.message))));
    if (!(error instanceof TypeError)) return;
    console.error(error);
  }
}

/** Load the styles of a page, once. */
function loadStyle(name) {
  const id = `style-${name}`;
  if (document.getElementById(id)) return null;
  return new Promise(done => {
    document.head.append(h("link", { id, rel: "stylesheet", href: `/static/pages/${name}.css`, onload: done, onerror: done }));
  });
}

function makeHeader() {
  const nav = h("nav", { "aria-label": "Pages" },
    site.pages.filter(page => page.in_header && page.name !== "home").map(page =>
      h("a", { href: `/${page.name}`, dataset: { page: page.name } }, page.title)));
  const lost = h("span.offline", { role: "status", hidden: true }, "no connection");
  onLost(isLost => { lost.hidden = !isLost; });
  put(header,
    h("a.brand", { href: "/", dataset: { page: "home" } }, h("img", { src: "/static/icon.svg", alt: "", width: 26, height: 26 }), h("span", "BoardLab")),
    nav,
    h("div.corner", site.read_only && h("span.tag", "look only"), lost,
      site.has_password && h("button.quiet.small", { type: "button", onclick: leaveServer }, "Log out"), themeButton()));
}

async function leaveServer() {
  await fetch("/logout", { method: "POST" });
  location.assign("/login");
}

const THEMES = { auto: "◐", light: "☀", dark: "☾" };

function themeButton() {
  const button = h("button.icon", {
    type: "button",
    onclick: () => {
      const names = Object.keys(THEMES);
      const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
      document.documentElement.dataset.theme = next;
      localStorage.setItem("boardlab-theme", next);
      paint();
    },
  });
  const paint = () => {
    const theme = document.documentElement.dataset.theme;
    button.textContent = THEMES[theme] || THEMES.auto;
    button.title = `Colours: ${theme === "auto" ? "as the system" : theme}`;
    button.setAttribute("aria-label", button.title);
  };
  paint();
  return button;
}

document.addEventListener("click", event => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("/api/")) return;
  event.preventDefault();
  if (link.href !== location.href) go(link.getAttribute("href"));
  main.focus({ preventScroll: true });
});
addEventListener("popstate", show);
addEventListener("unhandledrejection", event => {
  toast(event.reason?.message || "something went wrong", "bad");
  event.preventDefault();
});

try {
  const first = location.pathname.split("/")[1] || "home";
  if (/^[a-z]+$/.test(first)) import(`./pages/${first}.js`).catch(() => {});  // meanwhile; `show` reports errors
  site = await get("/site");
  makeHeader();
  await show();
} catch (error) {
  put(main, h("div.page", h("div.notice.bad", h("p", error.message))));
}
