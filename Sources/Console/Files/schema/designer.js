/** Record types, their fields, indexes and permissions, changed one by one and saved together. */

import * as api from "../core/api.js";
import { button, confirm, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { icon } from "../core/icons.js";
import { empty, loaded, notice } from "../core/parts.js";
import { go, addressOf } from "../core/router.js";
import { fetchSchema, isOwnType, textOf } from "../core/schema.js";
import { mayWrite, state } from "../core/state.js";
import { keepUnsaved } from "../core/unsaved.js";
import { diff, mayLose } from "./diff.js";
import { fieldTable, newField, systemTable } from "./fields.js";
import { grantTable } from "./grants.js";

const DEFAULT_GRANTS = () => ({ _world: ["READ"], _icloud: ["CREATE"], _creator: ["WRITE"] });
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,254}$/;

export async function show(page) {
  let designer = null;
  const place = loaded(page, () => fetchSchema({ signal: page.signal }), (schema) => {
    designer = new Designer(schema, page, () => place.reload());
    return designer.element;
  }, 8);
  page.root.append(place.element);
  keepUnsaved(() => designer?.isChanged, "the schema", page.signal);
  await place.reload();
}

class Designer {
  constructor(schema, page, reload) {
    Object.assign(this, { page, reload });
    this.isEditable = state.environment === "development" && mayWrite();
    this.schema = structuredClone(schema);
    this.original = textOf(schema);
    this.saved = new Set(schema.types.map(({ name }) => name));
    this.current = this.schema.types.find(({ name }) => name === page.query.get("type")) ?? this.designed[0]
      ?? this.schema.types[0];
    this.list = h("div", { class: "card type-list", role: "group", "aria-label": "Record types" });
    this.detail = h("div", { class: "stack" });
    this.bar = h("div");
    this.element = h("div", {}, h("div", { class: "designer" }, this.list, this.detail), this.bar);
    this.draw();
  }

  get designed() { return this.schema.types.filter(({ name }) => !isOwnType(name)); }
  get isChanged() { return textOf(this.schema) !== this.original; }

  draw() {
    this.drawList();
    this.drawDetail();
    this.drawBar();
  }

  drawList() {
    const own = this.schema.types.filter(({ name }) => isOwnType(name));
    const item = (type) => h("button", {
      type: "button", "aria-current": type === this.current ? "true" : null,
      on: { click: () => { this.current = type; this.draw(); } },
    }, h("span",
    { text: type.name }), h("small",
    { text: String(type.fields.filter((field) => !field.system).length) }));
    replace(this.list, this.designed.map(item), own.map(item),
      this.isEditable ? h(
        "button",
        { type: "button", class: "add", on: { click: () => this.addType() } },
        icon("add"),
        h("span", { text: "New record type" }),
      ) : null);
  }

  drawDetail() {
    const type = this.current;
    if (!type) {
      replace(this.detail, h("div", { class: "card" }, empty({
        iconName: "schema", title: "No record types yet",
        text: this.isEditable
          ? "A record type defines the fields of its records. You can also let an app save records first: "
            + "development then adds the record types and fields that it uses."
          : "Deploy development's schema to add record types here.",
        actions: this.isEditable ? [button(
          "New record type",
          { class: "primary", on: { click: () => this.addType() } },
          "add",
        )] : [],
      })));
      return;
    }
    const isEditable = this.isEditable && !isOwnType(type.name);
    const isNew = ({ name }) => !this.saved.has(name);
    const changed = () => this.drawBar();
    const redraw = () => { this.drawDetail(); this.drawList(); this.drawBar(); };
    replace(this.detail,
      h("section", { class: "card", "aria-label": `Fields of ${type.name}` },
        h("div", { class: "card-head" }, h("h2", { text: type.name }), h("div", { class: "row" },
          h("a", {
            class: "button small quiet",
            href: addressOf(state.container, state.environment, "records", { type: type.name }),
            text: "Records",
          }),
          isOwnType(type.name) || isNew(type) ? null : h("a", {
            class: "button small quiet",
            href: addressOf(state.container, state.environment, "schema", {}, "requests", type.name),
            text: "Requests",
          }),
          isEditable ? [
            button(
              "Delete type",
              { class: "small danger-quiet", on: { click: () => this.removeType(type) } },
              "remove",
            ),
            button("Add field", { class: "small", on: { click: () => newField(type, redraw) } }, "add"),
          ] : null)),
        type.fields.some((field) => !field.system) ? fieldTable(type, { isEditable, changed, redraw })
          : empty({
            iconName: "schema",
            title: "No fields yet",
            text: isEditable ? "Add the first one." : "This record type has only the system fields.",
            actions: isEditable ? [button("Add field", { on: { click: () => newField(type, redraw) } }, "add")] : [],
          })),
      h("section", { class: "card", "aria-label": `System fields of ${type.name}` },
        h(
          "div",
          { class: "card-head" },
          h(
            "div",
            {},
            h("h2", { text: "System fields" }),
            h("p", { class: "hint", text: "Every record has these fields. You can index them here." }),
          ),
        ),
        systemTable(type, { isEditable, changed })),
      h("section", { class: "card", "aria-label": `Permissions of ${type.name}` },
        h(
          "div",
          { class: "card-head" },
          h(
            "div",
            {},
            h("h2", { text: "Permissions in the public database" }),
            h("p", { class: "hint", text: "In a private database, its owner may do everything." }),
          ),
        ),
        grantTable(type, this.schema.roles, { isEditable, changed })));
  }

  drawBar() {
    if (!this.isChanged) return replace(this.bar);
    if (this.bar.hasChildNodes()) return;
    const save = button("Review and save", { class: "primary", on: { click: () => this.review() } });
    const discard = button("Discard", { on: { click: async () => {
      const isMeant = await confirm({
        title: "Discard the changes?",
        text: "The schema on the server does not change.",
        action: "Discard",
      });
      if (isMeant) this.reload();
    } } });
    replace(
      this.bar,
      h(
        "div",
        { class: "save-bar", role: "region", "aria-label": "Changes" },
        h("span", { class: "grow", text: "Unsaved changes" }),
        discard,
        save,
      ),
    );
  }

  addType() {
    const name = new Field({
      label: "Name",
      name: "name",
      isCode: true,
      required: true,
      autocomplete: "off",
      hint: "Letters, digits and underscores, such as Note.",
    });
    const form = new Form({
      fields: [name], content: name.element, actions: [button("Add", { class: "primary", type: "submit" })],
      submit: async ({ values }) => {
        const wanted = values.name.trim();
        if (!NAME.test(wanted)) throw Object.assign(
          new Error("Start with a letter. Use only letters, digits and underscores."),
          { field: "name" },
        );
        if (this.schema.types.some((type) => type.name === wanted)) throw Object.assign(
          new Error("A record type of this name already exists."),
          { field: "name" },
        );
        this.current = {
          name: wanted, grants: DEFAULT_GRANTS(),
          fields: [
            { name: "___recordID", type: "REFERENCE", system: true, queryable: true },
            { name: "___createTime", type: "TIMESTAMP", system: true, queryable: true, sortable: true },
            { name: "___modTime", type: "TIMESTAMP", system: true, queryable: true, sortable: true },
          ],
        };
        this.schema.types.push(this.current);
        dialog.close();
        this.draw();
      },
    });
    const dialog = open({ title: "New record type", content: form.element });
    name.input.focus();
  }

  /** Removes a record type. The save asks for confirmation. */
  removeType(type) {
    this.schema.types.splice(this.schema.types.indexOf(type), 1);
    this.current = this.designed[0] ?? this.schema.types[0];
    this.draw();
  }

  /** Shows what saving would change, and saves it. */
  async review() {
    const text = textOf(this.schema);
    const body = h("div", { class: "stack" });
    const save = button("Save to development", { class: "primary", disabled: true });
    const cancel = button("Cancel");
    const dialog = open({ title: "Save these changes?", content: body, actions: [cancel, save] });
    cancel.addEventListener("click", () => dialog.close());
    const fail = (error) => replace(body, notice(error.message, { kind: "problem" }));
    let shown;
    try {
      const answer = await api.post(api.inEnvironment("schema", "validate"), { text }, { signal: this.page.signal });
      if (answer.error) return fail(new Error(`${answer.error.message ?? "The schema is not valid."}`));
      shown = answer;
      replace(
        body,
        answer.changes.length ? diff(answer.changes) : h("p", { text: "The server already has this schema." }),
      );
      save.disabled = false;
      save.focus();
    } catch (error) {
      return fail(error);
    }
    save.addEventListener("click", async () => {
      if (!await mayLose(shown.changes)) return;
      save.classList.add("busy");
      try {
        await api.post(api.inEnvironment("schema", "import"), { text, expecting: shown.text });
        dialog.close();
        toast("The schema was saved.");
        this.original = text;
        const query = this.current ? { type: this.current.name } : {};
        await go(addressOf(state.container, state.environment, "schema", query), { replaces: true });
      } catch (error) {
        fail(error);
        save.disabled = true;
        save.classList.remove("busy");
      }
    });
  }
}
