/** The dialog that shares an item with people, and in which participants leave. */

import * as api from "./api.js";
import { Field, Form } from "../core/form.js";
import { button, confirm, copyable, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { named, visible } from "../core/format.js";
import { rowButton } from "../core/parts.js";

const PERMISSIONS = [{ value: "READ_ONLY", label: "Can view" }, { value: "READ_WRITE", label: "Can view and change" }];
const ACCESS = [
  { value: "NONE", label: "Only invited people" }, { value: "READ_ONLY", label: "Anyone with the link can view" },
  { value: "READ_WRITE", label: "Anyone with the link can view and change" },
];

const select = (label, options, value, change) => h("select", {
  class: "input slim", "aria-label": label, on: { change: (event) => change(event.target.value) },
}, options.map((option) => h("option", {
  value: option.value, text: option.label, selected: option.value === value,
})));

export async function share([item], done) {
  const body = h("div", { class: "drive-share" });
  const files = api.filesOf(item);
  const dialog = open({ title: `Share ${named(item.name)}`, content: body });
  const show = (state) => replace(body, state.link && !state.isManager
    ? participation(state, leave) : management(item, state, act, end));
  const act = async (name, values) => {
    try {
      show(await api.post(`share/${name}`, { item: item.id, ...values }, files));
    } catch (error) {
      if (name === "invite") throw error;
      toast(error.message, { isProblem: true });
      show(await api.get(`items/${item.id}/share`, {}, undefined, files));
    }
  };
  const finish = async (name, question, text) => {
    if (!await confirm(question)) return;
    await api.post(`share/${name}`, { item: item.id }, files);
    dialog.close();
    toast(text);
  };
  const leave = () => finish("leave", {
    title: "Leave this share?", text: `${named(item.name)} disappears from your list.`, action: "Leave",
  }, "You left the share.");
  const end = () => finish("end", {
    title: "Stop sharing?", text: `Nobody but you can open ${named(item.name)} any more.`, action: "Stop sharing",
  }, "Sharing has stopped.");
  show(await api.get(`items/${item.id}/share`, {}, undefined, files));
  await dialog.closed;
  await done();
}

function participation({ owner, permission, link }, leave) {
  const may = permission === "READ_WRITE" ? "view and change it" : "view it";
  return [
    h("p", { text: `${named(owner)} shares this with you. You can ${may}.` }),
    h("div", { class: "form-actions" }, h("a", { href: link, text: "Page of the share" }),
      button("Leave", { id: "leave-share", on: { click: leave } })),
  ];
}

function management(item, state, act, end) {
  const { link, access = "NONE", participants = [] } = state;
  const people = participants.length ? h("ul", { class: "drive-people", "aria-label": "People" },
    participants.map((person) => personRow(person, act))) : null;
  const shown = h("code", { class: "secret-value", id: "share-link", tabindex: "0", text: link ?? "" });
  return [
    people, access === "NONE" ? invitation(state, act)
      : h("p", { class: "hint", text: "Anyone with the link can join, so nobody needs an invitation." }),
    h("div", { class: "label", text: "Who can join with the link" }),
    select("Who can join with the link", ACCESS, access, (permission) => act("access", { permission })),
    link ? h("div", { class: "secret-row" }, shown, copyable(link, shown, { label: "Copy link" })) : null,
    link ? h("div", { class: "form-actions" },
      h("a", { href: link, text: "One-time links and requests" }),
      state.isOwner ? button("Stop sharing", { id: "end-share", on: { click: end } }) : null) : null,
  ];
}

function personRow(person, act) {
  const name = person.isYou ? "You" : named(person.name);
  const details = [
    person.address && person.address !== person.name ? visible(person.address) : null,
    person.role === "OWNER" ? "owner" : null, person.hasJoined ? null : "invited",
  ].filter(Boolean).join(", ");
  return h("li", { class: "drive-version" },
    h("span", { class: "grow" }, name, details ? h("span", { class: "hint", text: ` ${details}` }) : null),
    person.mayChange ? h("span", { class: "drive-person-tools" },
      person.role !== "PUBLIC_USER"
        ? select(`Permission of ${named(person.name)}`, PERMISSIONS, person.permission,
          (permission) => act("permission", { participant: person.id, permission })) : null,
      rowButton(`Remove ${named(person.name)}`, "remove", () => act("remove", { participant: person.id }))) : null);
}

function invitation({ sendsMail }, act) {
  const email = new Field({
    label: "E-mail address", name: "email", type: "email", autocomplete: "off", required: true,
    hint: sendsMail
      ? "The invitation is sent by e-mail."
      : "Send the link yourself. It works only for people you invited.",
  });
  const permission = new Field({ label: "Permission", name: "permission", options: PERMISSIONS, value: "READ_WRITE" });
  const form = new Form({
    fields: [email, permission], content: [email.element, permission.element], label: "Invite somebody",
    actions: [button("Invite", { class: "primary", type: "submit", id: "invite" })],
    submit: () => act("invite", { email: email.value.trim(), permission: permission.value, mail: sendsMail }),
  });
  return form.element;
}
