// The page: what is shown, what a click or a key does. The fragment of the address says what is looked at:
// #project=NAME, or #id=PROJECT::ID.

import { Refused, ask, exchange, useToken } from "./api.js";
import { Drawing } from "./draw.js";
import { Graph, keyOf } from "./graph.js";
import { element, showDetail, when } from "./panel.js";

const at = (id) => document.getElementById(id);
const canvas = at("canvas");
const panel = at("panel");

const drawing = new Drawing(canvas);
let graph = new Graph();
let shown = { project: null, total: 0, truncated: false };
let detailOf = null;
let loading = 0;

// Messages

function say(text) {
  at("status").textContent = text;
}

function tell(text, bad = false) {
  const message = at("message");
  message.textContent = text;
  message.classList.toggle("bad", bad);
  message.hidden = !text;
}

async function trying(work) {
  loading += 1;
  document.body.setAttribute("aria-busy", "true");
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) refused(error);
    else if (error.name !== "AbortError") tell(error.message, true);
    return undefined;
  } finally {
    loading -= 1;
    if (!loading) document.body.removeAttribute("aria-busy");
  }
}

function refused(error) {
  useToken(null);
  at("login").hidden = false;
  tell(error.message);
  at("token").focus();
}

// What is looked at

function wanted() {
  return new URLSearchParams(location.hash.slice(1));
}

function look(state) {
  const hash = `#${new URLSearchParams(state)}`;
  if (hash === location.hash) return open();
  location.hash = hash; // the listener opens it, and the way back is kept
  return undefined;
}

async function open() {
  const state = wanted();
  const id = state.get("id");
  tell("Loading …");
  const picture = await trying(() => (id
    ? ask("around", { id, depth: state.get("depth") })
    : ask("project", { project: state.get("project") })));
  if (!picture) return;
  tell("");
  graph = new Graph();
  graph.add(picture.nodes);
  shown = picture;
  drawing.selected = drawing.hovered = null;
  drawing.cutoff = Infinity;
  closePanel();
  drawing.show(graph);
  const newest = drawing.nodes.findLast((node) => node.linked) ?? drawing.nodes.at(-1);
  const focus = picture.focus ? graph.nodes.get(keyOf(picture.focus)) : newest;
  drawing.open(focus);
  showProject(picture.project);
  resetTime();
  if (!picture.nodes.length) tell("Nothing is saved in this project yet.");
  if (picture.focus && focus) select(focus);
  requestAnimationFrame(() => {
    document.documentElement.dataset.opened = performance.now().toFixed(0);
  });
}

function showProject(name) {
  const box = at("project");
  if (![...box.options].some((option) => option.value === name)) box.append(element("option", { value: name }, name));
  box.value = name;
  document.title = `${name} · wakegraph`;
}

function showCount() {
  const count = drawing.nodes.filter((node) => drawing.visible(node)).length;
  const of = shown.truncated ? ` of ${shown.total.toLocaleString("en")}` : "";
  at("count").textContent = `${count.toLocaleString("en")}${of} snapshot${count === 1 && !of ? "" : "s"}`;
}

// Time

function resetTime() {
  const slider = at("time");
  slider.max = String(Math.max(0, drawing.nodes.length - 1));
  slider.value = slider.max;
  showTime();
}

function showTime() {
  const slider = at("time");
  const rank = Number(slider.value);
  drawing.cutoff = rank >= Number(slider.max) ? Infinity : rank;
  const node = drawing.nodes[rank];
  const text = node ? when(node.created_at) : "";
  at("moment").textContent = text;
  slider.setAttribute("aria-valuetext", text);
  showCount();
  drawing.redraw();
}

// One snapshot

async function select(node, { reveal = false } = {}) {
  drawing.selected = node;
  if (reveal) drawing.reveal(node);
  drawing.redraw();
  say(`${node.title}. ${node.causal_role}, ${node.memory_tier.toLowerCase()}, ${when(node.created_at)}. `
    + `${node.causes.length + node.missingCauses} causes, ${node.effects} effects.`);
  const detail = await trying(() => ask("snapshot", { id: node.key }));
  if (!detail || drawing.selected !== node) return;
  detailOf = detail;
  showPanel();
}

function showPanel() {
  const node = graph.nodes.get(keyOf(detailOf.snapshot));
  showDetail(panel, detailOf, {
    node,
    go,
    expand: (direction) => expand(node, direction),
    centre: () => look({ id: node.key }),
    close: closePanel,
  });
}

function closePanel() {
  panel.hidden = true;
  panel.replaceChildren();
  detailOf = null;
  drawing.selected = null;
  drawing.redraw();
}

function go(ref) {
  const node = graph.nodes.get(keyOf(ref));
  if (!node) return look({ id: keyOf(ref) });
  if (!drawing.visible(node)) resetTime();
  return select(node, { reveal: true });
}

/** Add what is one step away in a direction; what was looked at stays where it was on the screen. */
async function expand(node, direction) {
  const picture = await trying(() => ask("around", { id: node.key, direction, depth: 1, limit: 1000 }));
  if (!picture) return;
  const before = drawing.screenOf(node);
  const added = graph.add(picture.nodes);
  shown.total = Math.max(shown.total, graph.nodes.size);
  const { fitted } = drawing;
  drawing.show(graph);
  if (fitted) drawing.fit();
  if (!fitted || drawing.camera.zoom < 0.6) {
    const after = drawing.screenOf(node);
    drawing.pan(before.x - after.x, before.y - after.y);
  }
  resetTime();
  if (detailOf) showPanel();
  say(`${added} more ${direction} of ${node.title}`);
}

// Pointer

let drag = null;
const pointers = new Map();

const local = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, local(event));
  drag = { ...local(event), moved: false };
});

canvas.addEventListener("pointermove", (event) => {
  const point = local(event);
  const before = pointers.get(event.pointerId);
  if (!before) return hover(point);
  const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
  if (others.length) {
    const [, other] = others[0];
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(point.x - other.x, point.y - other.y);
    if (was > 0) drawing.zoomBy(is / was, (point.x + other.x) / 2, (point.y + other.y) / 2);
    drag.moved = true;
  } else {
    if (Math.hypot(point.x - drag.x, point.y - drag.y) > 4) drag.moved = true;
    if (drag.moved) drawing.pan(point.x - before.x, point.y - before.y);
  }
  pointers.set(event.pointerId, point);
  return undefined;
});

for (const kind of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(kind, (event) => {
    pointers.delete(event.pointerId);
    if (kind === "pointerup" && drag && !drag.moved) clicked(local(event));
    if (!pointers.size) drag = null;
  });
}

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const { x, y } = local(event);
  if (event.shiftKey) drawing.pan(-event.deltaY - event.deltaX, 0);
  else drawing.zoomBy(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 250), x, y);
}, { passive: false });

function hover({ x, y }) {
  const hit = drawing.at(x, y);
  canvas.classList.toggle("pointing", Boolean(hit));
  if (drawing.hovered === (hit?.node ?? null)) return;
  drawing.hovered = hit?.node ?? null;
  canvas.title = hit ? hit.node.title : "";
  drawing.redraw();
}

function clicked({ x, y }) {
  const hit = drawing.at(x, y);
  if (!hit) closePanel();
  else if (hit.part === "node") select(hit.node);
  else expand(hit.node, hit.part);
}

// Keys

const KEYS = [
  ["← →", "to the primary cause, to the first effect"],
  ["↑ ↓", "to the neighbour of about the same time"],
  ["Home End", "to the oldest, to the newest"],
  ["c e", "show the causes, the effects that are not here yet"],
  ["o", "only what is around the snapshot"],
  ["+ − 0", "nearer, further, everything"],
  ["Shift + arrows", "move the drawing"],
  ["/", "search"],
  ["Esc", "close"],
];

const STEPS = {
  ArrowLeft: (node) => node.causes.find((other) => drawing.visible(other)),
  ArrowRight: (node) => [...node.followers].sort((a, b) => a.rank - b.rank).find((other) => drawing.visible(other)),
  ArrowUp: (node) => neighbour(node, -1),
  ArrowDown: (node) => neighbour(node, 1),
  Home: () => drawing.nodes[0],
  End: () => drawing.nodes.filter((node) => drawing.visible(node)).at(-1),
};

const SHIFTS = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };

const COMMANDS = {
  "+": () => drawing.zoomBy(1.25),
  "=": () => drawing.zoomBy(1.25),
  "-": () => drawing.zoomBy(0.8),
  0: () => drawing.fit(),
  c: (node) => node && expand(node, "causes"),
  e: (node) => node && expand(node, "effects"),
  o: (node) => node && look({ id: node.key }),
  Enter: (node) => node && panel.querySelector("button")?.focus(),
};

/** The next snapshot up or down: in the same column, else in the nearest one. */
function neighbour(node, step) {
  const rows = drawing.nodes.filter((other) => drawing.visible(other) && Math.sign(other.row - node.row) === step
    && Math.abs(other.column - node.column) <= 3);
  const distance = (other) => Math.abs(other.row - node.row) * 2 + Math.abs(other.column - node.column) * 3;
  return rows.sort((a, b) => distance(a) - distance(b))[0];
}

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const node = drawing.selected;
  if (event.shiftKey && SHIFTS[event.key]) drawing.pan(...SHIFTS[event.key]);
  else if (STEPS[event.key]) {
    const next = node || ["Home", "End"].includes(event.key) ? STEPS[event.key](node) : STEPS.End();
    if (next) select(next, { reveal: true });
  } else if (COMMANDS[event.key]) COMMANDS[event.key](node);
  else return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (!at("hits").hidden) closeHits();
    else if (!panel.hidden) closePanel();
    canvas.focus();
    return;
  }
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey) return;
  if (event.key === "/") {
    event.preventDefault();
    at("search").focus();
  } else if (event.key === "?") at("keys").showModal();
});

// Search

let searching = null;
let timer = 0;
let hits = [];
let chosen = -1;

function closeHits() {
  at("hits").hidden = true;
  at("search").setAttribute("aria-expanded", "false");
  at("search").removeAttribute("aria-activedescendant");
}

async function search() {
  const query = at("search").value.trim();
  searching?.abort();
  if (!query) return closeHits();
  searching = new AbortController();
  const { signal } = searching;
  const project = at("project").value || null;
  const found = await trying(() => ask("search", { query, project }, signal));
  if (!found || signal.aborted) return undefined;
  hits = found.hits;
  chosen = hits.length ? 0 : -1;
  at("hits").replaceChildren(...(hits.length
    ? hits.map((hit, number) => element("li", {
      id: `hit-${number}`, role: "option", "aria-selected": String(number === chosen), onclick: () => pick(number),
    }, hit.title, element("small", {}, `${hit.id} · ${when(hit.created_at)}`)))
    : [element("li", {}, "Nothing found.")]));
  at("hits").hidden = false;
  at("search").setAttribute("aria-expanded", "true");
  return undefined;
}

function pick(number) {
  const hit = hits[number];
  if (!hit) return;
  closeHits();
  canvas.focus();
  go(hit);
}

at("search").addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 180);
});

at("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    if (at("hits").hidden) search();
    else pick(chosen);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (!hits.length) return;
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + hits.length) % hits.length;
    [...at("hits").children].forEach((item, number) => {
      item.setAttribute("aria-selected", String(number === chosen));
      if (number === chosen) item.scrollIntoView({ block: "nearest" });
    });
    at("search").setAttribute("aria-activedescendant", `hit-${chosen}`);
  }
});

document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) closeHits();
});

// Controls

const THEMES = ["auto", "light", "dark"];
const systemDark = matchMedia("(prefers-color-scheme: dark)");
let theme = THEMES.includes(localStorage.getItem("wakegraph.theme")) ? localStorage.getItem("wakegraph.theme") : "auto";

function applyTheme() {
  const dark = theme === "dark" || (theme === "auto" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  at("theme").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme];
  drawing.readColours();
}

at("theme").addEventListener("click", () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  localStorage.setItem("wakegraph.theme", theme);
  applyTheme();
});
systemDark.addEventListener("change", applyTheme);
at("zoom-in").addEventListener("click", () => drawing.zoomBy(1.25));
at("zoom-out").addEventListener("click", () => drawing.zoomBy(0.8));
at("fit").addEventListener("click", () => drawing.fit());
at("help").addEventListener("click", () => at("keys").showModal());
at("time").addEventListener("input", showTime);
at("project").addEventListener("change", (event) => look({ project: event.target.value }));
at("detected").addEventListener("change", (event) => {
  drawing.showDetected = event.target.checked;
  drawing.redraw();
});
at("login").addEventListener("submit", (event) => {
  event.preventDefault();
  useToken(at("token").value.trim());
  at("token").value = "";
  at("login").hidden = true;
  start();
});
window.addEventListener("hashchange", open);

function showLegend() {
  for (const [role, text] of [["root", "root"], ["branch", "branch"], ["link", "link"], ["leaf", "leaf"],
    ["isolated", "isolated"]]) {
    at("legend").append(element("div", {}, element("dt", { class: role }), element("dd", {}, text)));
  }
  at("legend").append(element("div", {}, element("dd", {}, "size: score · paler: colder · dashed: depends on")));
  const list = element("dl");
  for (const [keys, text] of KEYS) list.append(element("dt", {}, keys), element("dd", {}, text));
  at("keys").append(list, element("p", {}, element("button", { onclick: () => at("keys").close() }, "Close")));
}

async function start() {
  const named = wanted().get("id") || wanted().get("project");
  const opening = named ? open() : undefined; // the list of projects is not waited for
  const projects = await trying(() => ask("projects"));
  if (!projects) return;
  at("project").replaceChildren(...projects.projects.map(({ project, snapshots }) =>
    element("option", { value: project }, `${project} (${snapshots.toLocaleString("en")})`)));
  if (named) {
    await opening;
    if (shown.project) showProject(shown.project);
  } else {
    const latest = projects.projects.toSorted((a, b) => (b.last_activity ?? "").localeCompare(a.last_activity ?? ""))[0];
    const first = projects.default ?? latest?.project;
    if (!first) {
      tell("Nothing is saved yet.");
      return;
    }
    history.replaceState(null, "", `#${new URLSearchParams({ project: first })}`);
    await open();
  }
  // Whoever is typing already keeps the focus.
  if (document.activeElement === document.body) canvas.focus();
}

/** Where a snapshot is in the window, for tests. */
export function positionOf(key) {
  const node = graph.nodes.get(key);
  const box = canvas.getBoundingClientRect();
  const { x, y } = drawing.screenOf(node);
  return { x: x + box.left, y: y + box.top, zoom: drawing.camera.zoom };
}

showLegend();
applyTheme();
const state = wanted();
const code = state.get("code");
if (code) {
  state.delete("code");
  history.replaceState(null, "", `#${state}`);
  await trying(() => exchange(code));
}
if (at("login").hidden) await start();
