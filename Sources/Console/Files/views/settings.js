/** The settings of a container. */

import * as api from "../core/api.js";
import { button, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { bytes } from "../core/format.js";
import { head, loaded, table } from "../core/parts.js";
import { isAdmin, state } from "../core/state.js";
import { ownAccount } from "./own-account.js";

export const title = "Settings";

const INPUTS = [
  {
    key: "appURL",
    about: /app's address/,
    label: "Address of your app",
    hint: "The page that a share link opens in a browser. {url} is replaced by the share link.",
    placeholder: "https://app.example/open?share={url}",
  },
  {
    key: "appCommand",
    about: /app's command/,
    label: "Command of your app",
    hint: "The command that opens a share link in your app. {url} is replaced by the share link.",
    placeholder: "notes join {url}",
  },
];
const QUOTAS = {
  publicRecordBytes: "Records of the public database",
  publicAssetBytes: "Assets of the public database",
  userRecordBytes: "Records of a user",
  userAssetBytes: "Assets of a user",
};

export async function show(page) {
  const place = loaded(
    page,
    () => api.get(api.inContainer("settings"), { signal: page.signal }),
    (settings) => content(settings),
  );
  page.root.append(
    head({ title: "Settings", lead: `Settings of ${state.container}, for both environments.` }),
    h("div", { class: "stack" }, place.element, ownAccount(page)),
  );
  await place.reload();
}

function content(settings) {
  const locked = new Set(settings.readOnly ?? []);
  const fields = INPUTS.filter(({ key }) => key in settings).map(({ key, about, label, hint, placeholder }) =>
    new Field({
      name: key,
      label,
      hint,
      placeholder,
      isCode: true,
      isOptional: true,
      value: settings[key] ?? "",
      autocomplete: "off",
      about,
      readonly: !isAdmin() || locked.has(key),
    }));
  const form = new Form({
    fields,
    content: fields.map(({ element }) => element),
    actions: isAdmin() ? [button("Save", { class: "primary", type: "submit" })] : [],
    submit: async ({ values }) => {
      const trimmed = Object.entries(values).map(([key, value]) => [key, value.trim()]);
      const changed = Object.fromEntries(trimmed.filter(([key, value]) => value !== (settings[key] ?? "")));
      if (Object.keys(changed).length) await api.put(api.inContainer("settings"), changed);
      Object.assign(settings, changed);
      toast("Saved.");
    },
  });
  const quotas = Object.entries(settings.quotas ?? {});
  return h("div", { class: "stack" },
    fields.length ? h(
      "section",
      { class: "card", "aria-label": "Sharing" },
      h("div", { class: "card-head" }, h("h2", { text: "Share links" })),
      h("div", { class: "card-body" }, form.element),
    ) : null,
    quotas.length ? h("section", { class: "card", "aria-label": "Quotas" },
      h(
        "div",
        { class: "card-head" },
        h("div", {}, h("h2", { text: "Quotas" }), h("p", { class: "hint", text: "The server's operator sets them." })),
      ),
      table({
        label: "Quotas",
        columns: [{ name: "Data", class: "main" }, { name: "Limit", class: "number" }],
        rows: quotas.map(([key, value]) => [
          QUOTAS[key] ?? key,
          value === null || value === 0 ? h("span", { class: "soft", text: "no limit" }) : bytes(value),
        ]),
      })) : null);
}
