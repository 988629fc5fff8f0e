/** Forms that show errors beside their inputs. */

import { h, identifier, replace } from "./dom.js";
import { icon } from "./icons.js";

/** An input with its label, a hint, and a place for what is wrong with it. Space for the error is reserved, so
 * that nothing moves. */
export class Field {
  /** `about` matches the errors of the server that are about this field. */
  constructor({
    about,
    label,
    name,
    type = "text",
    value = "",
    hint,
    options,
    isCode = false,
    isOptional = false,
    rows,
    ...attributes
  }) {
    Object.assign(this, { name, about });
    const id = identifier("field");
    const described = [hint ? `${id}-hint` : null, `${id}-error`].filter(Boolean).join(" ");
    const common = { id, name, "aria-describedby": described, class: `input${isCode ? " code" : ""}`, ...attributes };
    if (options) {
      this.input = h(
        "select",
        common,
        options.map((option) => h("option", { value: option.value, text: option.label })),
      );
      this.input.value = value;
    } else if (rows) {
      this.input = h("textarea", { ...common, rows, value, spellcheck: "false" });
    } else {
      this.input = h("input", { ...common, type, value });
      if (isCode) for (const key of [
        "autocapitalize",
        "spellcheck",
      ]) this.input.setAttribute(key, key === "spellcheck" ? "false" : "none");
    }
    this.error = h("div", { class: "field-error", id: `${id}-error`, "aria-live": "polite" });
    this.element = h("div", { class: "field" },
      h("label", { for: id }, label, isOptional ? h("span", { class: "optional", text: "optional" }) : null),
      hint ? h("div", { class: "hint", id: `${id}-hint`, text: hint }) : null,
      this.input, this.error);
    this.input.addEventListener("input", () => this.say(""));
  }

  get value() { return this.input.value; }
  set value(text) { this.input.value = text; }

  /** Shows an error; an empty text removes it. */
  say(problem) {
    if (problem) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    replace(this.error, problem ? [icon("warning"), h("span", { text: problem })] : []);
  }
}

/** A checkbox with its label. */
export function checkbox(label, { isChecked = false, hint, ...properties } = {}) {
  const input = h("input", { type: "checkbox", checked: isChecked, ...properties });
  return {
    input,
    element: h("label", { class: "check" }, input, h("span", {}, label, hint ? h("small", { text: hint }) : null)),
  };
}

/** Fields that are sent together. While they are, the form is busy and cannot be sent again. */
export class Form {
  /** @param {{fields: Field[], content: Node[], actions: Node[], submit: function(Form): Promise}} parts */
  constructor({ fields, content, actions, submit, label }) {
    this.fields = fields;
    this.problem = h("div", { class: "form-problem", role: "alert" });
    this.element = h("form", { class: "form", novalidate: true, "aria-label": label },
      content, this.problem, h("div", { class: "form-actions" }, actions));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(submit);
    });
  }

  get values() { return Object.fromEntries(this.fields.map((field) => [field.name, field.value])); }

  /** Shows an error beside its field, or for the whole form. */
  say(problem, name) {
    const field = this.fields.find((candidate) => candidate.name === name)
      ?? this.fields.find((candidate) => problem && candidate.about?.test(problem));
    if (field) {
      field.say(problem);
      field.input.focus();
    } else {
      replace(this.problem, problem ? [icon("warning"), h("span", { text: problem })] : []);
    }
  }

  async send(submit) {
    if (this.isBusy) return;
    this.say("");
    for (const field of this.fields) field.say("");
    const empty = this.fields.find((field) => field.input.required && !field.value.trim());
    if (empty) return this.say("This cannot be empty.", empty.name);
    this.setBusy(true);
    try {
      await submit(this);
    } catch (error) {
      if (error.name !== "AbortError") this.say(error.message, error.field);
    } finally {
      this.setBusy(false);
    }
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.element.setAttribute("aria-busy", String(isBusy));
    for (const button of this.element.querySelectorAll("button[type=submit]")) button.classList.toggle("busy", isBusy);
  }
}
