/** The developer's linked cloud account, whose private and shared databases they see in the console. */

import * as api from "../core/api.js";
import { button, confirmByName, open, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Form } from "../core/form.js";
import { time } from "../core/format.js";
import { loaded } from "../core/parts.js";
import { emailField, passwordField } from "../core/person-fields.js";
import { state } from "../core/state.js";

/** The card that shows the linked account, and changes it. */
export function ownAccount(page) {
  const place = loaded(
    page,
    () => api.get("account", { signal: page.signal }),
    ({ account }) => content(account, place.reload),
    2,
  );
  place.reload();
  return h("section", { class: "card", "aria-label": "Your own data" },
    h(
      "div",
      { class: "card-head" },
      h(
        "div",
        {},
        h("h2", { text: "Your own data" }),
        h("p", { class: "hint", text: "Only you see this data. The link applies to all containers." }),
      ),
    ),
    h("div", { class: "card-body" }, place.element));
}

function content(account, reload) {
  if (!account) {
    return h("div", { class: "stack" },
      h("p", { text: "The private and shared databases of the console are not those of your apps. "
        + "Link your cloud account to see your own app data here." }),
      h("div", { class: "row" }, button("Link account", { on: { click: () => link(reload) } }, "test-accounts")));
  }
  return h("div", { class: "stack" },
    h("p", {}, "Your private and shared databases are those of ", h("strong", { text: account.email }),
      h("small", { text: `, linked ${time(account.since).slice(0, 16)}.` })),
    h("div", { class: "row" }, button("Unlink", {
      class: "danger-quiet",
      "aria-label": `Unlink ${account.email}`,
      on: { click: () => unlink(account, reload) },
    }, "close")));
}

function link(reload) {
  const email = emailField({ value: state.session.developer.email, about: null });
  const password = passwordField({ about: /./, hint: "The password you use in apps, not your console password." });
  const form = new Form({
    fields: [email, password],
    content: [
      h("p", { text: "Sign in to your cloud account once. The password is not stored. The account is unlinked "
        + "when you change its password or sign out everywhere." }),
      email.element,
      password.element,
    ],
    actions: [button("Link account", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      await api.post("account", values, { isEntrance: true });
      dialog.close();
      toast("Your account was linked.");
      await reload();
    },
  });
  const dialog = open({ title: "Link your cloud account", content: form.element });
  (email.value ? password : email).input.focus();
}

async function unlink(account, reload) {
  const isDone = await confirmByName({
    title: "Unlink your account?",
    text: "Your data in apps does not change. Link the account again to see it here again.",
    name: account.email,
    action: "Unlink",
    perform: () => api.remove("account"),
  });
  if (!isDone) return;
  toast("Your account is no longer linked.");
  await reload();
}
