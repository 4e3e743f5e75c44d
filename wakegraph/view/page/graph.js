// The snapshots at hand and the links between them.

export const keyOf = (ref) => `${ref.project}::${ref.id}`;

const CAUSAL = new Set(["CAUSED_BY", "DEPENDS_ON"]);

export class Graph {
  constructor() {
    this.nodes = new Map();
    this.links = [];
  }

  /** Add nodes; those known already are brought up to date. Returns how many were new. */
  add(nodes) {
    const before = this.nodes.size;
    for (const given of nodes) {
      const node = this.nodes.get(keyOf(given)) ?? { causes: [], followers: [] };
      Object.assign(node, given, { key: keyOf(given), time: Date.parse(given.created_at) });
      this.nodes.set(node.key, node);
    }
    this.#connect();
    return this.nodes.size - before;
  }

  /** All nodes, oldest first; of those of one moment, causes before their effects. */
  ordered() {
    const sorted = [...this.nodes.values()].sort((a, b) => a.time - b.time || (a.key < b.key ? -1 : 1));
    const placed = new Set();
    const order = [];
    const place = (node) => {
      if (placed.has(node)) return;
      placed.add(node);
      for (const cause of node.causes) if (cause.time === node.time) place(cause);
      order.push(node);
    };
    sorted.forEach(place);
    return order;
  }

  #connect() {
    this.links = [];
    for (const node of this.nodes.values()) {
      node.causes = [];
      node.followers = [];
      node.missingCauses = 0;
      node.superseded = false;
      node.linked = false;
    }
    for (const node of this.nodes.values()) {
      const caused = new Set(node.links.filter((link) => link.type === "CAUSED_BY").map(keyOf));
      for (const link of node.links) {
        const target = this.nodes.get(keyOf(link));
        const detected = link.origin === "detected";
        if (link.type === "DEPENDS_ON" && caused.has(keyOf(link))) continue; // one line is enough; the panel tells both
        if (!target) {
          if (CAUSAL.has(link.type) && !detected) node.missingCauses += 1;
          continue;
        }
        this.links.push({ source: node, target, type: link.type, origin: link.origin, primary: link.primary, detected });
        if (detected) continue;
        node.linked = target.linked = true;
        if (link.type === "SUPERSEDES") target.superseded = true;
        else {
          if (link.primary) node.causes.unshift(target);
          else node.causes.push(target);
          target.followers.push(node);
        }
      }
    }
    for (const node of this.nodes.values()) node.missingEffects = Math.max(0, node.effects - node.followers.length);
  }
}
