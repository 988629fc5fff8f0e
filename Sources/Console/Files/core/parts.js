/** The parts that views are made of. */

import { h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, copyable } from "./dialog.js";

/** The head of a view: its title, an explanation, and its actions. */
export function head({ title, lead, actions = [] }) {
  return h("header", { class: "view-head" },
    h(
      "div",
      { class: "view-words" },
      h("h1", { tabindex: "-1", text: title }),
      lead ? h("p", { class: "lead", text: lead }) : null,
    ),
    actions.length ? h("div", { class: "view-actions" }, actions) : null);
}

/** Explains why there is nothing to show, and what to do about it. */
export function empty({ iconName, title, text, actions = [] }) {
  return h("div", { class: "empty" }, h("div", { class: "empty-icon" }, icon(iconName)), h("h2", { text: title }),
    h("p", {}, text), actions.length ? h("div", { class: "empty-actions" }, actions) : null);
}

/** A placeholder for content that is being loaded. */
export function waiting(lines = 6) {
  return h("div", { class: "waiting", "aria-busy": "true" }, h("span", { class: "visually-hidden", text: "Loading" }),
    Array.from({ length: lines }, () => h("div", { class: "waiting-line" })));
}

/** An error, with a button to try again. */
export function failure(error, retry) {
  return h("div", {
    class: "notice problem",
    role: "alert",
  }, icon("warning"), h("div", {}, h("p", { text: error.message }),
    retry ? button("Try again", { on: { click: retry } }, "refresh") : null));
}

export function notice(text, { kind = "info", iconName = "warning", action } = {}) {
  return h("div", { class: `notice ${kind}` }, icon(iconName), h("div", {}, h("p", {}, text), action ?? null));
}

/**
 * Shows the result of `load`, and a placeholder until then.
 * @returns {{element: HTMLElement, reload: function(): Promise}}
 */
export function loaded(page, load, show, lines) {
  const element = h("div", { class: "loaded" });
  let isFirst = true;
  const reload = async () => {
    if (isFirst) replace(element, waiting(lines));
    isFirst = false;
    try {
      const result = await load();
      if (!page.signal.aborted) replace(element, show(result));
    } catch (error) {
      if (error.name === "AbortError" || page.signal.aborted) return;
      replace(element, failure(error, () => { isFirst = true; reload(); }));
    }
  };
  return { element, reload };
}

/**
 * A table of few rows. On a phone each row becomes a block; the roles keep it a table for assistive technology.
 * @param {{label: string, columns: {name: string, class?: string}[], rows: Node[][]}} parts
 */
export function table({ label, columns, rows }) {
  return h("div", { class: "table-frame", tabindex: "0", role: "group", "aria-label": label },
    h("table", { class: "table", role: "table" },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => h("th", {
        scope: "col",
        role: "columnheader",
        class: column.class,
      },
        column.isHidden ? h("span", { class: "visually-hidden", text: column.name }) : column.name)))),
      h("tbody", { role: "rowgroup" }, rows.map((cells) => h("tr", { role: "row" }, cells.map((cell, index) =>
        h(
          "td",
          {
            role: "cell",
            class: columns[index].class,
            data: { name: columns[index].isHidden ? "" : columns[index].name },
          },
          cell,
        )))))));
}

export const badge = (text, kind = "") => h("span", { class: `badge ${kind}`.trim(), text });

export const code = (text) => h("code", { text });

/** Text to be pasted elsewhere, with a button that copies it. */
export function codeBlock({ title, hint, language, text }) {
  const words = h("code", { text });
  const copy = copyable(text, words, { class: "small", "aria-label": `Copy: ${title}` });
  return h("section", { class: "card", "aria-label": title },
    h("div", { class: "card-head" },
      h("div", { class: "grow words" }, h("h2", { text: title }), hint ? h("p", { class: "hint", text: hint }) : null),
      copy),
    h("pre", { class: "sample", tabindex: "0", role: "group", "aria-label": `${title}, ${language}` }, words));
}

/** A button that removes a row. */
export const rowButton = (label, iconName, act, kind = "quiet") =>
  h(
    "button",
    { type: "button", class: `button square ${kind}`, "aria-label": label, title: label, on: { click: act } },
    icon(iconName),
  );

/** Links that change what a view shows, as tabs. */
export function tabs(label, items) {
  const nav = h("nav", { class: "tabs", "aria-label": label }, items.map(({ name, address, isCurrent }) =>
    h("a", { href: address, "aria-current": isCurrent ? "page" : null, text: name })));
  // If the tabs do not fit, the current one is scrolled into view.
  requestAnimationFrame(() => nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }));
  return nav;
}

/** A choice of one of a few options, as buttons beside each other. */
export function segments(label, options, value, choose) {
  const group = h("div", { class: "segments", role: "group", "aria-label": label });
  const buttons = options.map((option) => h("button", {
    type: "button", "aria-pressed": String(option.value === value), text: option.label,
    on: { click: () => {
      for (const other of buttons) other.setAttribute(
        "aria-pressed",
        String(other === buttons[options.indexOf(option)]),
      );
      choose(option.value);
    } },
  }));
  group.append(...buttons);
  return group;
}
