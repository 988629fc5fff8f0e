/** The test accounts of a container, in development only. */

import * as api from "../core/api.js";
import { button, confirmByName, open, showSecret, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { time } from "../core/format.js";
import { empty, head, loaded, rowButton, table } from "../core/parts.js";
import { addressOf, go } from "../core/router.js";
import { mayWrite, state, update } from "../core/state.js";

export const title = "Test accounts";

const accounts = (...rest) => api.path("c", state.container, "development", "test-accounts", ...rest);

export async function show(page) {
  const make = () => button("New test account", { class: "primary", on: { click: () => create(place.reload) } }, "add");
  const place = loaded(page, () => api.get(accounts(), { signal: page.signal }), (answer) => {
    if (answer.accounts.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "test-accounts",
        title: "No test accounts",
        text: "Create one to sign in to your app with, or act as it here to see its private and shared data.",
        actions: mayWrite() ? [make()] : [],
      }),
    );
    return table({
      label: "Test accounts",
      columns: [
        { name: "Account", class: "main" },
        { name: "User record name" },
        { name: "Created" },
        { name: "Actions", isHidden: true, class: "actions" },
      ],
      rows: answer.accounts.map((account) => {
        const isActing = state.actingAs?.userRecordName === account.userRecordName;
        return [
          account.email,
          h("code", { class: "soft", text: account.userRecordName }),
          account.created ? h("span", { class: "nowrap soft", text: time(account.created).slice(0, 10) }) : "",
          mayWrite() ? [
            button(isActing ? "Acting" : "Act as", {
              class: "small",
              "aria-pressed": String(isActing),
              "aria-label": `Act as ${account.email}`,
              on: { click: async () => {
                const { userRecordName, email } = account;
                update({ actingAs: isActing ? null : { userRecordName, email } });
                if (!isActing) await go(addressOf(state.container, "development", "records", { database: "private" }));
                else await place.reload();
              } },
            }),
            rowButton(`Delete ${account.email}`, "remove", () => remove(account, place.reload))] : null,
        ];
      }),
    });
  });
  page.root.append(
    head({
      title: "Test accounts",
      lead: "Accounts for testing, in development only. They have the same permissions as any other user.",
      actions: mayWrite() ? [make()] : [],
    }),
    place.element,
  );
  await place.reload();
}

function create(reload) {
  const email = new Field({
    label: "E-mail address",
    name: "email",
    about: /./,
    inputmode: "email",
    autocapitalize: "none",
    autocomplete: "off",
    isOptional: true,
    hint: "It must end in .test. Leave it empty to let the server choose one. No mail is sent to it.",
  });
  const form = new Form({
    fields: [email], content: email.element, actions: [button("Create account", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const account = await api.post(accounts(), values.email.trim() ? { email: values.email.trim() } : {});
      dialog.close();
      await reload();
      if (account.password) await showSecret({
        title: "The account was created",
        text: "Its password is shown only once. Use it to sign in to your app.",
        secrets: [{ label: "E-mail address", value: account.email }, { label: "Password", value: account.password }],
      });
    },
  });
  const dialog = open({ title: "New test account", content: form.element });
  email.input.focus();
}

async function remove(account, reload) {
  const isDone = await confirmByName({
    title: "Delete this test account?",
    text: "Its private data is deleted too.",
    name: account.email,
    action: "Delete account",
    perform: () => api.remove(accounts(account.id ?? account.userRecordName)),
  });
  if (!isDone) return;
  if (state.actingAs?.userRecordName === account.userRecordName) update({ actingAs: null });
  toast("The account was deleted.");
  await reload();
}
