/** Security roles of the public database, and their members. */

import * as api from "../core/api.js";
import { button, confirmByName, open, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { plural } from "../core/format.js";
import { empty, head, loaded, rowButton, table } from "../core/parts.js";
import { mayManage, state } from "../core/state.js";

export const title = "Roles";

const SYSTEM = ["_world", "_icloud", "_creator"];

export async function show(page) {
  const make = () => button("New role", { class: "primary", on: { click: () => create(place.reload) } }, "add");
  const mayMake = mayManage() && state.environment === "development";
  const place = loaded(page, () => api.get(api.inEnvironment("roles"), { signal: page.signal }), ({ roles }) => {
    const custom = roles.filter(({ name }) => !SYSTEM.includes(name));
    if (custom.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "roles",
        title: "No custom roles",
        text: "A role gives its members further permissions in the public database. "
          + "Editors, for example, may change everybody's records.",
        actions: mayMake ? [make()] : [],
      }),
    );
    return h("div", { class: "stack" }, custom.map((role) => card(role, page, place.reload)));
  });
  page.root.append(
    head({
      title: "Roles",
      lead: "_world is everybody, _icloud is everybody who is signed in, and _creator is the creator of a record. "
        + "Choose the members of your own roles here, and their permissions in the schema.",
      actions: mayMake ? [make()] : [],
    }),
    place.element);
  await place.reload();
}

function card(role, page, reload) {
  const add = button("Add member", { class: "small", on: { click: () => addMember(role, members.reload) } }, "add");
  const remove = button("Delete role", { class: "small danger-quiet", on: { click: async () => {
    const isDone = await confirmByName({
      title: "Delete this role?",
      text: "Its members lose the role. A role that has permissions in the schema cannot be deleted.",
      name: role.name,
      action: "Delete role",
      perform: () => api.remove(api.inEnvironment("roles", role.name)),
    });
    if (!isDone) return;
    toast("The role was deleted.");
    await reload();
  } } }, "remove");
  const members = loaded(page, () => api.get(
    api.inEnvironment("roles", role.name, "members"),
    { signal: page.signal },
  ), (answer) => {
    if (answer.members.length === 0) return h("p", { class: "card-body hint", text: "Nobody has this role yet." });
    return table({
      label: `Members of ${role.name}`,
      columns: [
        { name: plural(answer.members.length, "member"), class: "main" },
        { name: "Actions", isHidden: true, class: "actions" },
      ],
      rows: answer.members.map((member) => [
        h(
          "span",
          {},
          h("code", { text: member.userRecordName }),
          member.name || member.email ? h("small", { text: member.name ?? member.email }) : null,
        ),
        mayManage() ? rowButton(`Remove ${member.userRecordName}`, "close", async () => {
          const isGone = await confirmByName({
            title: "Remove this member?",
            text: `They lose the permissions of ${role.name} at once.`,
            name: member.name ?? member.email ?? member.userRecordName,
            action: "Remove",
            perform: () => api.remove(api.inEnvironment("roles", role.name, "members", member.userRecordName)),
          });
          if (isGone) await members.reload();
        }) : null,
      ]),
    });
  }, 2);
  members.reload();
  return h("section", { class: "card", "aria-label": role.name },
    h(
      "div",
      { class: "card-head" },
      h("h2", { text: role.name }),
      mayManage() ? h("div", { class: "row" }, state.environment === "development" ? remove : null, add) : null,
    ),
    members.element);
}

function create(reload) {
  const name = new Field({
    label: "Name",
    name: "name",
    isCode: true,
    required: true,
    autocomplete: "off",
    hint: "It is deployed with the schema. Each environment has its own members.",
  });
  const form = new Form({
    fields: [name], content: name.element, actions: [button("Create role", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      await api.post(api.inEnvironment("roles"), { name: values.name.trim() });
      dialog.close();
      await reload();
    },
  });
  const dialog = open({ title: "New role", content: form.element });
  name.input.focus();
}

function addMember(role, reload) {
  const user = new Field({
    label: "Person",
    name: "user",
    isCode: true,
    required: true,
    autocomplete: "off",
    about: /./,
    hint: "The user record name, or the e-mail address of a test account or of a user whom others "
      + "can find.",
  });
  const form = new Form({
    fields: [user], content: user.element, actions: [button("Add", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      await api.post(api.inEnvironment("roles", role.name, "members"), { user: values.user.trim() });
      dialog.close();
      await reload();
    },
  });
  const dialog = open({ title: `New member of ${role.name}`, content: form.element });
  user.input.focus();
}
