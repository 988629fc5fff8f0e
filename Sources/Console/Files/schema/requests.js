/** The requests of a record type, ready to be pasted into a terminal or a program. */

import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { codeBlock, empty, loaded, segments } from "../core/parts.js";
import { addressOf, go, note } from "../core/router.js";
import { fetchSchema, isOwnType } from "../core/schema.js";
import { state } from "../core/state.js";
import { EXPLANATIONS, sampleOf } from "./sample-request.js";
import { swift } from "./sample-swift.js";
import { curl, javaScript } from "./sample-wire.js";

const LANGUAGES = [
  { value: "curl", label: "curl", write: curl },
  { value: "swift", label: "Swift", write: swift },
  { value: "javascript", label: "JavaScript", write: javaScript },
];
const DATABASES = [{ value: "public", label: "Public" }, { value: "private", label: "Private" }];

const chosen = (options, value) => options.find((option) => option.value === value) ?? options[0];

export async function show(page) {
  const place = loaded(page, () => fetchSchema({ signal: page.signal }), ({ types }) => {
    const designed = types.filter(({ name }) => !isOwnType(name));
    const [, wanted] = page.route.rest;
    const type = designed.find(({ name }) => name === wanted) ?? (wanted ? null : designed[0]);
    if (!type) return nothing(wanted);
    return new Requests(type, designed, page).element;
  }, 10);
  page.root.append(place.element);
  await place.reload();
}

function nothing(wanted) {
  const types = h("a", {
    class: "button", href: addressOf(state.container, state.environment, "schema"), text: "Record types",
  });
  return h("div", { class: "card" }, empty({
    iconName: "schema",
    title: wanted ? `There is no record type “${wanted}”` : "No record types yet",
    text: "This page shows sample requests for each record type of the environment.",
    actions: [types],
  }));
}

class Requests {
  constructor(type, types, page) {
    this.type = type;
    this.language = chosen(LANGUAGES, page.query.get("language")).value;
    this.database = chosen(DATABASES, page.query.get("database")).value;
    const choice = new Field({
      label: "Record type", name: "type", value: type.name,
      options: types.map(({ name }) => ({ value: name, label: name })),
    });
    choice.input.addEventListener("change", () => go(addressOf(
      state.container, state.environment, "schema", this.query, "requests", choice.value,
    )));
    const pick = (name) => (value) => { this[name] = value; note(this.query); this.draw(); };
    const labelled = (label, control) =>
      h("div", { class: "field" }, h("div", { class: "label", text: label }), control);
    this.blocks = h("div", { class: "stack" });
    this.element = h("div", { class: "stack" },
      h("div", { class: "bar" }, choice.element,
        labelled("Database", segments("Database", DATABASES, this.database, pick("database"))),
        labelled("Language", segments("Language", LANGUAGES, this.language, pick("language")))),
      this.blocks);
    this.draw();
  }

  /** What the address says beside the type: only what is not the default. */
  get query() {
    return {
      language: this.language === "curl" ? "" : this.language,
      database: this.database === "public" ? "" : this.database,
    };
  }

  draw() {
    const language = chosen(LANGUAGES, this.language);
    const sample = sampleOf(this.type, {
      address: window.location.origin, container: state.container, environment: state.environment,
      database: this.database,
    });
    const texts = language.write(sample);
    const leftOut = notes(sample, this.language).join(" ");
    replace(this.blocks,
      codeBlock({ title: "Before you begin", hint: this.hint, language: language.label, text: texts.setUp }),
      leftOut ? h("p", { class: "hint", text: leftOut }) : null,
      Object.entries(EXPLANATIONS).map(([name, [title, hint]]) => (texts[name]
        ? codeBlock({ title, hint, language: language.label, text: texts[name] }) : this.noQuery(title))));
  }

  get hint() {
    const tokens = "“Tokens and keys” makes API tokens. “stratus session create” prints a web auth token. ";
    return tokens + (this.database === "public"
      ? "Without a web auth token, requests are anonymous and have the permissions of “_world”."
      : "A private database needs a web auth token.");
  }

  noQuery(title) {
    return h("section", { class: "card", "aria-label": title },
      h("div", { class: "card-head" }, h("h2", { text: title })),
      h("div", { class: "card-body" }, h("p", {
        text: "Make a field queryable first, or “___recordID” to query all records of this type.",
      })));
  }
}

/** What the requests leave out, and why. */
function notes({ fields, hasAssets, database }, language) {
  const texts = [];
  if (hasAssets) texts.push("Asset fields are left out. Upload their files first, with “assets/upload”.");
  const isLeftOut = language !== "swift" || database === "public";
  if (fields.some(({ isEncrypted }) => isEncrypted) && isLeftOut) texts.push(language === "swift"
    ? "Encrypted fields are left out. Only private and shared databases hold encrypted values."
    : "Encrypted fields are left out. The SDK encrypts them on the device.");
  return texts;
}
