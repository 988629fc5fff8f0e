/** The members of a container's team, and open invitations. */

import * as api from "../core/api.js";
import { button, confirmByName, open, showSecret, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { time } from "../core/format.js";
import { badge, empty, head, loaded, rowButton, table } from "../core/parts.js";
import { state } from "../core/state.js";

export const title = "Team";

const ROLES = [
  { value: "admin", label: "Admin – also manages the team, deployments and keys" },
  { value: "developer", label: "Developer – changes development's schema, data and tokens" },
  { value: "viewer", label: "Viewer – reads only" },
];

export async function show(page) {
  const place = loaded(
    page,
    () => api.get(api.inContainer("team"), { signal: page.signal }),
    (team) => content(team, place.reload),
  );
  page.root.append(
    head({
      title: "Team",
      lead: `The developers of ${state.container}.`,
      actions: [button("Invite", { class: "primary", on: { click: () => invite(place.reload) } }, "add")],
    }),
    place.element,
  );
  await place.reload();
}

function content({ members, invitations }, reload) {
  return h("div", { class: "stack" },
    h("section", { class: "card", "aria-label": "Members" }, h(
      "div",
      { class: "card-head" },
      h("h2", { text: "Members" }),
    ), table({
      label: "Members",
      columns: [
        { name: "Name", class: "main" },
        { name: "Role" },
        { name: "Actions", isHidden: true, class: "actions" },
      ],
      rows: members.map((member) => {
        const isSelf = member.id === state.session.developer.id;
        return [
          h(
            "span",
            {},
            member.name || member.email,
            h("small", { text: `${member.name ? member.email : ""}${isSelf ? " (you)" : ""}` }),
          ),
          member.owner ? badge("owner of the server", "tint") : roleChoice(member, reload, isSelf),
          isSelf || member.owner ? null : rowButton(
            `Remove ${member.email}`,
            "remove",
            () => remove(member, {
              title: "Remove this member?",
              text: "They lose access to this container. Their developer account is kept.",
              action: "Remove", done: "The member was removed.",
            }, reload),
          ),
        ];
      }),
    })),
    h("section", { class: "card", "aria-label": "Invitations" }, h(
      "div",
      { class: "card-head" },
      h("h2", { text: "Pending invitations" }),
    ),
      invitations.length ? table({
        label: "Invitations",
        columns: [
          { name: "E-mail address", class: "main" },
          { name: "Role" },
          { name: "Expires" },
          { name: "Actions", isHidden: true, class: "actions" },
        ],
        rows: invitations.map((invitation) => [
          invitation.email,
          badge(invitation.role),
          h("span", { class: "nowrap soft", text: invitation.expires ? time(invitation.expires).slice(0, 16) : "" }),
          rowButton(
            `Revoke the invitation of ${invitation.email}`,
            "remove",
            () => remove(invitation, {
              title: "Revoke this invitation?", text: "Its link stops working.",
              action: "Revoke", done: "The invitation was revoked.",
            }, reload),
          )]),
      }) : empty({ iconName: "team",
      title: "No pending invitations",
      text: "People you invite receive a link and are listed here until they accept." })));
}

function roleChoice(member, reload, isSelf) {
  const choice = h(
    "select",
    { class: "input slim", "aria-label": `Role of ${member.email}`, disabled: isSelf },
    ROLES.map(({ value, label }) => h("option", { value, text: label.split(" – ")[0] })),
  );
  choice.value = member.role;
  choice.addEventListener("change", async () => {
    try {
      await api.put(api.inContainer("team", member.id), { role: choice.value });
      toast(`${member.name || member.email} is now ${choice.value}.`);
    } catch (error) {
      toast(error.message, { isProblem: true });
      await reload();
    }
  });
  return choice;
}

async function remove(item, { title: question, text, action, done }, reload) {
  const isDone = await confirmByName({
    title: question,
    text,
    name: item.email,
    action,
    perform: () => api.remove(api.inContainer("team", item.id)),
  });
  if (!isDone) return;
  toast(done);
  await reload();
}

function invite(reload) {
  const email = new Field({
    label: "E-mail address",
    name: "email",
    about: /e-mail/i,
    inputmode: "email",
    autocapitalize: "none",
    autocomplete: "off",
    required: true,
  });
  const role = new Field({ label: "Role", name: "role", options: ROLES, value: "developer" });
  const form = new Form({
    fields: [email, role],
    content: [email.element, role.element],
    actions: [button("Invite", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const answer = await api.post(api.inContainer("team"), { email: values.email.trim(), role: values.role });
      dialog.close();
      await reload();
      await showSecret({
        title: `Invitation for ${values.email.trim()}`,
        text: answer.mailed ? "The link was sent by e-mail. You can also send it yourself. It is shown only once."
          : "Send them this link. It is shown only once.",
        secrets: [{ label: "Link", value: answer.url ?? answer.code }],
      });
    },
  });
  const dialog = open({ title: "Invite to the team", content: form.element });
  email.input.focus();
}
