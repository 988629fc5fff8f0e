/** The containers a developer works on. */

import * as api from "../core/api.js";
import { button, open, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { icon } from "../core/icons.js";
import { badge, empty, head } from "../core/parts.js";
import { addressOf, FIRST_VIEW, go } from "../core/router.js";
import { state, update } from "../core/state.js";

export const title = "Containers";

export function show(page) {
  const isOwner = Boolean(state.session.developer.owner);
  const make = () => button("New container", { class: "primary", on: { click: create } }, "add");
  page.root.append(head({
    title, lead: "Each app keeps its data in a container, in two environments: development and production.",
    actions: isOwner && state.containers.length ? [make()] : [],
  }));
  if (state.containers.length === 0) {
    page.root.append(h("div", { class: "card" }, empty({
      iconName: "container", title: "No containers yet",
      text: isOwner ? "Create a container for your app. It holds the app's schema and data."
        : "Ask the owner of this server to invite you to the team of a container.",
      actions: isOwner ? [make()] : [],
    })));
    return;
  }
  page.root.append(h("ul", { class: "columns" }, state.containers.map(({ id, role }) =>
    h("li", { class: "card" },
      h("div", { class: "card-body stack" },
        h("div", { class: "row" }, h("span", { class: "soft" }, icon("container")),
          h("h2", { text: id }), badge(state.session.developer.owner ? "owner" : role, "tint")),
        h("div", { class: "row" },
          ["development", "production"].map((environment) => h("a", {
            class: "button", href: addressOf(id, environment, FIRST_VIEW), "aria-label": `${id}, ${environment}`,
            text: environment === "development" ? "Development" : "Production",
          })),
          h("a", {
            class: "button quiet",
            href: addressOf(id, "development", "schema"),
            "aria-label": `Schema of ${id}`,
            text: "Schema",
          })))))));
}

function create() {
  const id = new Field({
    label: "Identifier",
    about: /container|identifier/i,
    name: "id",
    isCode: true,
    value: "iCloud.",
    required: true,
    autocomplete: "off",
    hint: "The name in your app's entitlements, such as iCloud.org.example.notes. It cannot be changed later.",
  });
  const form = new Form({
    fields: [id], content: id.element, actions: [button("Create container", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const made = await api.post("containers", { id: values.id.trim() });
      const { containers } = await api.get("containers");
      update({ containers });
      dialog.close();
      toast(`Created ${made.id ?? values.id}.`);
      await go(addressOf(made.id ?? values.id.trim(), "development", "schema"));
    },
  });
  const dialog = open({ title: "New container", content: form.element });
  id.input.focus();
  id.input.setSelectionRange(7, 7);
}
