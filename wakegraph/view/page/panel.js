// What the page says about one snapshot. Stored text only ever becomes text nodes.

import { keyOf } from "./graph.js";

/** An element with attributes, listeners (`onclick`) and children; strings become text nodes. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const when = (text) => `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;

const number = (value) => value.toFixed(3);
const words = (text) => text.replaceAll("_", " ");

/**
 * Fill the panel.
 * @param {HTMLElement} panel
 * @param {{snapshot: object, score: object}} detail as the server gave it
 * @param {{node: object, go: Function, expand: Function, centre: Function, close: Function}} act
 */
export function showDetail(panel, { snapshot, score }, act) {
  const { node } = act;
  panel.replaceChildren(
    element("button", { class: "close", "aria-label": "Close", title: "Close (Esc)", onclick: act.close }, "✕"),
    element("h2", {}, snapshot.title),
    element("div", { class: "id" }, keyOf(snapshot)),
    element("ul", { class: "chips" },
      element("li", { class: snapshot.causal_role }, snapshot.causal_role),
      element("li", {}, snapshot.memory_tier.toLowerCase()),
      element("li", {}, words(snapshot.action_type)),
      ...(snapshot.tags ?? []).map((tag) => element("li", {}, tag))),
    element("p", { class: "note" }, [
      when(snapshot.created_at),
      snapshot.author ? `by ${snapshot.author}${snapshot.author_type ? ` (${snapshot.author_type})` : ""}` : null,
      snapshot.session ? `in ${snapshot.session}` : null,
      `via ${snapshot.source}`,
    ].filter(Boolean).join(" · ")),
    snapshot.superseded_by?.length ? links("Superseded by", snapshot.superseded_by, act) : "",
    element("div", { class: "actions" },
      element("button", { id: "show-causes", disabled: !node?.missingCauses, onclick: () => act.expand("causes") },
        `Show causes (${node?.missingCauses ?? 0})`),
      element("button", { id: "show-effects", disabled: !node?.missingEffects, onclick: () => act.expand("effects") },
        `Show effects (${node?.missingEffects ?? 0})`),
      element("button", { id: "centre", onclick: act.centre }, "Only what is around it")),
    snapshot.leads_elsewhere
      ? element("p", { class: "note" }, "It has links into projects that you may not see.") : "",
    snapshot.rationale ? section("Rationale", element("p", { class: "content" }, snapshot.rationale)) : "",
    section("Content", element("p", { class: "content" }, snapshot.content)),
    links("Caused by", snapshot.caused_by, act),
    links("Depends on", snapshot.depends_on, act),
    links("Supersedes", snapshot.supersedes, act),
    links(`Effects (${snapshot.effect_count})`, snapshot.effects, act),
    links(`Dependents (${snapshot.dependent_count})`, snapshot.dependents, act),
    snapshot.about?.length ? section("About", ...snapshot.about.map((ref) => element("div", { class: "id" }, ref))) : "",
    section("Score", ...scores(score)),
    snapshot.metadata_json ? section("Metadata", element("p", { class: "content id" }, snapshot.metadata_json)) : "",
  );
  panel.hidden = false;
  panel.scrollTop = 0;
}

function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

function links(title, refs, act) {
  if (!refs?.length) return "";
  return section(title, element("ul", { class: "links" }, ...refs.map((ref) =>
    element("li", {},
      element("button", { type: "button", onclick: () => act.go(ref) }, ref.title || ref.id),
      element("small", {}, [
        ref.id,
        ref.primary ? "primary" : null,
        ref.origin && ref.origin !== "stated" ? `${ref.origin}, not stated` : null,
        ref.rationale,
      ].filter(Boolean).join(" · "))))));
}

function scores(score) {
  const row = (cells, attributes = {}) => element("tr", attributes, ...cells);
  const cell = (text, kind) => element("td", { class: kind }, text);
  return [
    element("table", {},
      row([element("th", {}, "part"), element("th", { class: "number" }, "value"), element("th", { class: "number" }, "weight"),
        element("th", { class: "number" }, "gives")]),
      ...score.components.map((part) => element("tr", { title: part.formula },
        cell(words(part.name)), cell(number(part.value), "number"), cell(number(part.weight), "number"),
        cell(number(part.contribution), "number"))),
      row([cell("score now"), cell(""), cell(""), cell(number(score.prediction_score), "number")], { class: "sum" })),
    element("ul", { class: "chips" }, ...score.prediction_reasons.map((reason) => element("li", {}, words(reason)))),
    element("p", { class: "note" }, score.stored_score === undefined
      ? "Nothing is stored yet: the size in the drawing is that of a snapshot without a score."
      : `Stored: ${number(score.stored_score)}, profile ${score.stored_profile}${score.stale ? ", out of date" : ""}.`),
  ];
}
