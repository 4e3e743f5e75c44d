// Draws the graph on a canvas and tells what is where on it.
//
// Far away, a long history would be a thin strip: there the lanes keep a distance of their own (`vertical`), so that they
// fill the height. Everything is placed in pixels of the screen once a frame; shapes are not distorted.

import { COLUMN, ROW, layout } from "./layout.js";

const READABLE = 0.55; // below this zoom only the labels that have room are drawn
const SMALLEST = 0.0005;
const LARGEST = 2.5;
const LABEL_WIDTH = COLUMN - 28;
const OPACITY = { ACTIVE: 1, RECENT: 0.85, ARCHIVED: 0.62, EXPIRED: 0.4 };
const COLOURS = ["paper", "raised", "ink", "soft", "line", "accent", "link", "link-primary", "root", "branch", "chain", "leaf",
  "isolated"];
const ROLE = { root: "root", branch: "branch", link: "chain", leaf: "leaf", isolated: "isolated" };

export const radiusOf = (node) => 8 + 11 * (node.prediction_score ?? 0.1);

export class Drawing {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.camera = { x: 0, y: 0, zoom: 1 };
    this.nodes = [];
    this.links = [];
    this.bounds = layout([]);
    this.cutoff = Infinity; // rank of the last snapshot shown
    this.showDetected = false;
    this.selected = null;
    this.hovered = null;
    this.labels = new Map();
    this.scheduled = 0;
    this.readColours();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  /** Take over what a graph holds and lay it out. */
  show(graph) {
    this.nodes = graph.ordered();
    this.nodes.forEach((node, rank) => { node.rank = rank; });
    this.links = graph.links;
    this.bounds = layout(this.nodes);
    this.redraw();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.redraw();
  }

  redraw() {
    this.scheduled ||= requestAnimationFrame(() => {
      this.scheduled = 0;
      this.#draw();
    });
  }

  visible(node) {
    return node.rank <= this.cutoff;
  }

  // Camera

  /** Pixels of the screen per unit of height. */
  get vertical() {
    const { top, bottom } = this.bounds;
    const filling = Math.min(READABLE, (this.height - 90) / (bottom - top + ROW));
    return Math.max(this.camera.zoom, filling);
  }

  pan(dx, dy) {
    this.fitted = false;
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y -= dy / this.vertical;
    this.redraw();
  }

  /** Change the zoom by a factor; what is at (px, py) of the canvas stays there. */
  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    this.fitted = false;
    const before = this.worldOf(px, py);
    this.camera.zoom = Math.min(LARGEST, Math.max(SMALLEST, this.camera.zoom * factor));
    const after = this.worldOf(px, py);
    this.camera.x += before.x - after.x;
    this.camera.y += before.y - after.y;
    this.redraw();
  }

  /** Show everything. */
  fit() {
    const { left, right, top, bottom } = this.bounds;
    const across = Math.min((this.width - 60) / (right - left || 1), this.width / (right - left + COLUMN));
    const down = this.height / (bottom - top + ROW * 2.2);
    // Lanes may be squeezed less than time, but not more.
    const zoom = Math.max(SMALLEST, Math.min(across, Math.max(down, 0.1), 1.15));
    this.camera = { x: (left + right) / 2, y: (top + bottom) / 2 + ROW / 5, zoom };
    this.fitted = true; // and stays so when the window changes, until somebody moves
    this.redraw();
  }

  /** A first look that can be read: everything if its labels can be read then, else the neighbourhood of a snapshot. */
  open(node) {
    this.fit();
    if (this.camera.zoom >= 0.6 || !node) return;
    this.fitted = false;
    const zoom = 0.8;
    const { left, right, columns } = this.bounds;
    const half = this.width / 2 / zoom - COLUMN * 0.6;
    const x = right - left <= 2 * half ? (left + right) / 2 : Math.min(Math.max(node.x, left + half), right - half);
    const near = columns.flat().filter((other) => Math.abs(other.x - x) <= half);
    const telling = near.some((other) => other.linked) ? near.filter((other) => other.linked) : near;
    const middle = telling.map((other) => other.y).sort((a, b) => a - b)[Math.floor(telling.length / 2)];
    const reach = this.height / 2 / zoom - ROW;
    this.camera = { x, y: Math.min(Math.max(middle, node.y - reach), node.y + reach), zoom };
    this.redraw();
  }

  /** Bring a snapshot into view when it is not. */
  reveal(node) {
    const { x, y } = this.screenOf(node);
    const margin = 90;
    const hidden = x < margin || y < margin || x > this.width - margin || y > this.height - margin;
    if (this.camera.zoom >= READABLE && !hidden) return;
    this.fitted = false;
    this.camera = { x: node.x, y: node.y, zoom: this.camera.zoom < READABLE ? 0.9 : this.camera.zoom };
    this.redraw();
  }

  worldOf(px, py) {
    const { x, y, zoom } = this.camera;
    return { x: x + (px - this.width / 2) / zoom, y: y + (py - this.height / 2) / this.vertical };
  }

  screenOf({ x, y }) {
    const { camera } = this;
    return { x: (x - camera.x) * camera.zoom + this.width / 2, y: (y - camera.y) * this.vertical + this.height / 2 };
  }

  /** What is at a point of the canvas: `{node, part}` with part "node", "causes" or "effects", or null. */
  at(px, py) {
    const slack = 4;
    const near = Math.round(this.worldOf(px, py).x / COLUMN);
    const reach = Math.ceil(20 / (COLUMN * this.camera.zoom)) + 1;
    let best = null;
    for (let number = Math.max(0, near - reach); number <= near + reach; number += 1) {
      for (const node of this.bounds.columns[number] ?? []) {
        if (!this.visible(node)) continue;
        const { x, y } = this.screenOf(node);
        const distance = Math.hypot(px - x, py - y);
        if (distance <= this.#radius(node) + slack && distance < (best?.distance ?? Infinity)) {
          best = { node, part: "node", distance };
        }
        for (const badge of this.#badges(node, x, y)) {
          if (Math.hypot(px - badge.x, py - badge.y) <= badge.radius + 2) return { node, part: badge.part };
        }
      }
    }
    return best;
  }

  // Drawing

  #resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = this.canvas.clientWidth || 1;
    this.height = this.canvas.clientHeight || 1;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.ratio = ratio;
    // Setting the size clears the canvas: draw at once, not in the next frame, or it flashes.
    if (!this.colours) return;
    if (this.fitted) this.fit();
    else if (this.selected) this.reveal(this.selected);
    this.#draw();
  }

  #radius(node) {
    return Math.max(2.2, radiusOf(node) * this.camera.zoom);
  }

  #draw() {
    const { context, colours, camera, vertical } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, this.height);
    const [left, top] = [this.width / 2 - camera.x * camera.zoom, this.height / 2 - camera.y * vertical];
    for (const node of this.nodes) {
      node.px = node.x * camera.zoom + left;
      node.py = node.y * vertical + top;
    }
    this.#drawLinks();
    const [across, down] = [COLUMN * camera.zoom, ROW * vertical];
    const shown = this.nodes.filter((node) => node.rank <= this.cutoff && node.px > -across
      && node.px < this.width + across && node.py > -down && node.py < this.height + down);
    this.#drawNodes(shown);
    if (camera.zoom >= READABLE) this.#drawLabels(shown);
    else this.#drawSparseLabels(shown);
  }

  #drawLinks() {
    const { colours, cutoff, selected } = this;
    const kinds = {
      detected: { colour: colours.link, width: 0.8, dash: [2, 6], links: [] },
      depends: { colour: colours.link, width: 1, dash: [6, 5], links: [] },
      cause: { colour: colours.link, width: 1, dash: [], links: [] },
      supersedes: { colour: colours.accent, width: 1.2, dash: [2, 4], links: [] },
      primary: { colour: colours["link-primary"], width: this.camera.zoom < 0.2 ? 1 : 1.6, dash: [], links: [] },
      marked: { colour: colours.accent, width: 2.4, dash: [], links: [] },
    };
    for (const link of this.links) {
      const { source, target } = link;
      if (source.rank > cutoff || target.rank > cutoff || (link.detected && !this.showDetected)) continue;
      if (Math.max(source.px, target.px) < 0 || Math.min(source.px, target.px) > this.width) continue;
      if (Math.max(source.py, target.py) < -80 || Math.min(source.py, target.py) > this.height + 80) continue;
      const marked = selected && (source === selected || target === selected);
      if (marked && link.type !== "SUPERSEDES" && !link.detected) kinds.marked.links.push(link);
      else if (link.type === "SUPERSEDES") kinds.supersedes.links.push(link);
      else if (link.detected) kinds.detected.links.push(link);
      else if (link.type === "DEPENDS_ON") kinds.depends.links.push(link);
      else (link.primary ? kinds.primary : kinds.cause).links.push(link);
    }
    for (const kind of Object.values(kinds)) this.#stroke(kind);
  }

  #stroke({ colour, width, dash, links }) {
    if (!links.length) return;
    const { context, camera } = this;
    const column = COLUMN * camera.zoom;
    const plain = camera.zoom < 0.2;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = width;
    context.setLineDash(plain ? [] : dash);
    context.globalAlpha = plain ? 0.5 : 1;
    context.beginPath();
    for (const link of links) trace(context, link, column, plain);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    if (camera.zoom < 0.4) return;
    context.beginPath();
    for (const link of links) arrow(context, link, this.#radius(link.source));
    context.fill();
  }

  #drawNodes(nodes) {
    const { context, colours, camera } = this;
    const groups = new Map();
    for (const node of nodes) {
      const name = `${node.causal_role} ${node.memory_tier}`;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(node);
    }
    const dots = camera.zoom < 0.15;
    for (const members of groups.values()) {
      const { causal_role: role, memory_tier: tier } = members[0];
      context.beginPath();
      for (const node of members) {
        const radius = this.#radius(node);
        if (dots) context.rect(node.px - radius, node.py - radius, 2 * radius, 2 * radius);
        else {
          context.moveTo(node.px + radius, node.py);
          context.arc(node.px, node.py, radius, 0, 2 * Math.PI);
        }
      }
      context.fillStyle = colours.paper; // links do not shine through
      context.fill();
      context.globalAlpha = OPACITY[tier];
      context.fillStyle = colours[ROLE[role]];
      context.fill();
      context.globalAlpha = 1;
      if (dots) continue;
      context.strokeStyle = colours[ROLE[role]];
      context.lineWidth = 1.5;
      context.stroke();
    }
    if (!dots) for (const node of nodes) if (node.superseded) this.#ring(node, colours.soft, 1.5, 3.5, [3, 3]);
    for (const [node, colour] of [[this.hovered, colours.soft], [this.selected, colours.accent]]) {
      if (node && this.visible(node)) this.#ring(node, colour, 2.5, 4, []);
    }
    if (camera.zoom >= READABLE) for (const node of nodes) this.#drawBadges(node);
  }

  #ring(node, colour, width, gap, dash) {
    const { context } = this;
    context.beginPath();
    context.arc(node.px, node.py, this.#radius(node) + gap, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  /** Where it can be clicked to see more, of a node at (x, y). */
  #badges(node, x, y) {
    if (this.camera.zoom < READABLE) return [];
    const away = this.#radius(node) + 13;
    const badge = (part, side, count) => ({ part, x: x + side * away, y: y - 14, radius: 9, count });
    return [
      ...(node.missingCauses ? [badge("causes", -1, node.missingCauses)] : []),
      ...(node.missingEffects ? [badge("effects", 1, node.missingEffects)] : []),
    ];
  }

  #drawBadges(node) {
    const { context, colours } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = font(10);
    for (const { x, y, radius, count } of this.#badges(node, node.px, node.py)) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = colours.raised;
      context.fill();
      context.strokeStyle = colours.soft;
      context.lineWidth = 1;
      context.stroke();
      context.fillStyle = colours.ink;
      context.fillText(count > 99 ? "99+" : `+${count}`, x, y + 0.5);
    }
    if (node.leads_elsewhere) {
      context.fillStyle = colours.soft;
      context.fillText("⋯", node.px, node.py - this.#radius(node) - 9);
    }
  }

  #drawLabels(nodes) {
    const { context, colours, camera } = this;
    const scale = Math.min(1.25, Math.max(camera.zoom, 0.85));
    // Below the size of reading, text stays readable and is cut to the narrower column instead.
    const width = (LABEL_WIDTH * camera.zoom) / scale;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const node of nodes) {
      const lines = this.#linesOf(node, width, 2);
      context.font = font(12 * scale);
      const top = node.py + this.#radius(node) + 9;
      const height = 15 * scale;
      const half = (Math.max(...lines.map((line) => line.width)) * scale) / 2;
      context.globalAlpha = 0.8;
      context.fillStyle = colours.paper;
      context.fillRect(node.px - half - 3, top - 2, 2 * half + 6, lines.length * height + 2);
      context.globalAlpha = 1;
      context.fillStyle = node === this.selected ? colours.accent : node.superseded ? colours.soft : colours.ink;
      lines.forEach((line, number) => context.fillText(line.text, node.px, top + number * height));
    }
  }

  /** Labels of a size that can be read, of the snapshots that matter most, wherever there is room for them. */
  #drawSparseLabels(nodes) {
    const { context, colours, selected, hovered } = this;
    context.textAlign = "center";
    context.textBaseline = "top";
    const few = nodes.length < 400;
    const weight = (node) => (node === selected || node === hovered ? 1e6 : 0) + node.followers.length
      + (node.prediction_score ?? 0);
    const wanted = nodes
      .filter((node) => few || node === selected || node === hovered || node.followers.length > 1)
      .sort((a, b) => weight(b) - weight(a) || a.rank - b.rank)
      .slice(0, 200);
    const occupied = [];
    for (const node of wanted) {
      const [line] = this.#linesOf(node, LABEL_WIDTH, 1);
      context.font = font(12);
      const top = node.py + this.#radius(node) + 3;
      const box = [node.px - line.width / 2 - 8, top - 4, node.px + line.width / 2 + 8, top + 18];
      if (box[0] < 0 || box[2] > this.width || box[1] < 0 || box[3] > this.height) continue;
      if (occupied.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      occupied.push(box);
      context.globalAlpha = 0.85;
      context.fillStyle = colours.paper;
      context.fillRect(box[0] + 4, box[1] + 2, box[2] - box[0] - 8, box[3] - box[1] - 4);
      context.globalAlpha = 1;
      context.fillStyle = node === selected ? colours.accent : colours.ink;
      context.fillText(line.text, node.px, top);
      if (occupied.length >= 24) break;
    }
  }

  /** The lines of a label for a width in pixels of 12px text. Widths are kept in steps, so that zooming is cheap. */
  #linesOf(node, width, most) {
    const step = Math.max(60, Math.floor(width / 12) * 12);
    let label = this.labels.get(node.key);
    if (!label || label.title !== node.title || label.step !== step || label.most !== most) {
      this.context.font = font(12);
      label = { title: node.title, step, most, lines: wrap(this.context, node.title, step, most) };
      this.labels.set(node.key, label);
    }
    return label.lines;
  }
}

const font = (size) => `${size}px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;

/** The line of a link, from the cause on the left to the effect on the right. */
function trace(context, { source, target, primary }, column, plain) {
  const [x, y, toX, toY] = [target.px, target.py, source.px, source.py];
  context.moveTo(x, y);
  if (plain || (y === toY && x < toX && (primary || source.column - target.column === 1))) context.lineTo(toX, toY);
  else if (x >= toX || y === toY) {
    const lift = x >= toX ? 70 : Math.min(56, 14 + (toX - x) / 16);
    context.bezierCurveTo(x + column / 3, y - lift, toX - column / 3, toY - lift, toX, toY);
  } else {
    const bend = x + column;
    context.bezierCurveTo(x + column * 0.55, y, bend - column * 0.55, toY, bend, toY);
    if (bend < toX - 1) context.lineTo(toX, toY);
  }
}

/** A small arrow head at the effect. */
function arrow(context, { source, target, primary }, radius) {
  const [x, y, toX, toY] = [target.px, target.py, source.px, source.py];
  const arched = x >= toX || (y === toY && !primary && source.column - target.column > 1);
  const angle = arched ? 0.5 : 0;
  const [tipX, tipY] = [toX - (radius + 2) * Math.cos(angle), toY - (radius + 2) * Math.sin(angle)];
  context.moveTo(tipX, tipY);
  context.lineTo(tipX - 7 * Math.cos(angle - 0.45), tipY - 7 * Math.sin(angle - 0.45));
  context.lineTo(tipX - 7 * Math.cos(angle + 0.45), tipY - 7 * Math.sin(angle + 0.45));
  context.closePath();
}

/** A title in a width and a number of lines, what is too long cut off. */
function wrap(context, title, width, most) {
  const measure = (text) => context.measureText(text).width;
  const texts = [""];
  for (const word of title.split(/\s+/).filter(Boolean)) {
    const last = texts.length - 1;
    const longer = texts[last] ? `${texts[last]} ${word}` : word;
    if (measure(longer) <= width || !texts[last] || last === most - 1) texts[last] = longer;
    else texts.push(word);
    if (last === most - 1 && measure(texts[last]) > width) break;
  }
  return texts.map((text) => {
    const short = shorten(text, width, measure);
    return { text: short, width: measure(short) };
  });
}

function shorten(text, width, measure) {
  if (measure(text) <= width) return text;
  const characters = [...text];
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${characters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("").trimEnd()}…`;
}
