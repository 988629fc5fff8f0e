/** API tokens of apps in browsers, and keys of servers. */

import * as api from "../core/api.js";
import { button, confirmByName, open, showSecret, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { time } from "../core/format.js";
import { badge, empty, head, loaded, rowButton, table } from "../core/parts.js";
import { isAdmin, mayManage } from "../core/state.js";

export const title = "Tokens and keys";

const day = (item) => h("span", { class: "nowrap soft", text: time(item.created).slice(0, 10) });
const originsOf = (text) => text.split(/[\s,]+/).filter(Boolean);

export async function show(page) {
  const tokens = loaded(
    page,
    () => api.get(api.inEnvironment("tokens"), { signal: page.signal }),
    (answer) => tokenTable(answer.tokens, tokens.reload),
    3,
  );
  const keys = loaded(
    page,
    () => api.get(api.inEnvironment("keys"), { signal: page.signal }),
    (answer) => keyTable(answer.keys, keys.reload),
    3,
  );
  page.root.append(
    head({ title: "Tokens and keys", lead: "Credentials of apps and servers. Revoking one takes effect at once." }),
    h("div", { class: "stack" },
      h("section", { class: "card", "aria-label": "API tokens" },
        h("div", { class: "card-head" }, h(
          "div",
          {},
          h("h2", { text: "API tokens" }),
          h("p", {
            class: "hint",
            text: "For apps. A token identifies the app, not a person, and does not have to be secret.",
          }),
        ),
          mayManage() ? button(
            "New token",
            { on: { click: () => createToken(tokens.reload) } },
            "add",
          ) : null), tokens.element),
      h("section", { class: "card", "aria-label": "Server-to-server keys" },
        h("div", { class: "card-head" }, h(
          "div",
          {},
          h("h2", { text: "Server-to-server keys" }),
          h("p", {
            class: "hint",
            text: "For your own servers, which sign their requests to the public database.",
          }),
        ),
          isAdmin() ? button(
            "New key",
            { on: { click: () => createKey(keys.reload) } },
            "add",
          ) : null), keys.element)));
  await Promise.all([tokens.reload(), keys.reload()]);
}

function tokenTable(tokens, reload) {
  if (tokens.length === 0) return empty({
    iconName: "tokens",
    title: "No tokens",
    text: "An app needs a token to use this environment.",
  });
  return table({
    label: "API tokens",
    columns: [
      { name: "Name", class: "main" },
      { name: "Begins with" },
      { name: "Origins" },
      { name: "Created" },
      { name: "Actions", isHidden: true, class: "actions" },
    ],
    rows: tokens.map((token) => {
      const origins = token.allowedOrigins ?? [];
      return [
        h(
          "span",
          {},
          token.name || "unnamed",
          token.signInCallback ? h("small", { text: `sign-in returns to ${token.signInCallback}` }) : null,
        ),
        h("code", { class: "soft", text: token.id.slice(0, 12) }),
        origins.length ? h(
          "span",
          { class: "badges" },
          origins.map((origin) => badge(origin)),
        ) : h("span", { class: "soft", text: "any" }),
        day(token),
        mayManage() ? [
          button("Origins", {
            class: "small quiet",
            "aria-label": `Origins of ${token.name || token.id}`,
            on: { click: () => changeOrigins(token, reload) },
          }),
          rowButton(`Revoke ${token.name || token.id}`, "remove", () => revoke("tokens", token, reload)),
        ] : null,
      ];
    }),
  });
}

function keyTable(keys, reload) {
  if (keys.length === 0) return empty({
    iconName: "tokens",
    title: "No keys",
    text: "Your server needs a key to use the public database.",
  });
  return table({
    label: "Keys",
    columns: [
      { name: "Name", class: "main" },
      { name: "Key" },
      { name: "Acts as" },
      { name: "Created" },
      { name: "Actions", isHidden: true, class: "actions" },
    ],
    rows: keys.map((key) => [
      key.name || "unnamed",
      h("code", { class: "soft", text: key.id.slice(0, 16) }),
      h("code", { class: "soft", text: key.userRecordName ?? "" }),
      day(key),
      isAdmin() ? rowButton(`Revoke ${key.name || key.id}`, "remove", () => revoke("keys", key, reload)) : null]),
  });
}

async function revoke(kind, item, reload) {
  const isDone = await confirmByName({
    title: `Revoke this ${kind === "tokens" ? "token" : "key"}?`,
    text: "Requests with it are refused from now on, and its open connections are closed.",
    name: item.name || item.id.slice(0, 12),
    action: "Revoke",
    perform: () => api.remove(api.inEnvironment(kind, item.id)),
  });
  if (!isDone) return;
  toast(kind === "tokens" ? "The token was revoked." : "The key was revoked.");
  await reload();
}

const originField = (value = "") => new Field({
  label: "Origins",
  name: "origins",
  about: /origin/i,
  isCode: true,
  isOptional: true,
  rows: 3,
  value,
  hint: "One per line, such as https://app.example. Leave it empty to let any website use the token.",
});

function createToken(reload) {
  const name = new Field({
    label: "Name",
    name: "name",
    required: true,
    autocomplete: "off",
    hint: "The app that uses the token.",
  });
  const origins = originField();
  const form = new Form({
    fields: [name, origins],
    content: [name.element, origins.element],
    actions: [button("Create token", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const answer = await api.post(api.inEnvironment("tokens"), {
        name: values.name.trim(),
        origins: originsOf(values.origins),
      });
      dialog.close();
      await reload();
      await showSecret({
        title: "The token was created",
        text: "It is shown only once. The server keeps only a hash of it.",
        secrets: [{ label: "API token", value: answer.token }],
      });
    },
  });
  const dialog = open({ title: "New API token", content: form.element });
  name.input.focus();
}

function changeOrigins(token, reload) {
  const origins = originField((token.allowedOrigins ?? []).join("\n"));
  const form = new Form({
    fields: [origins], content: origins.element, actions: [button("Save", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      await api.put(api.inEnvironment("tokens", token.id), { origins: originsOf(values.origins) });
      dialog.close();
      await reload();
    },
  });
  const dialog = open({ title: `Origins of ${token.name || token.id.slice(0, 12)}`, content: form.element });
  origins.input.focus();
}

function createKey(reload) {
  const name = new Field({ label: "Name", name: "name", required: true, autocomplete: "off" });
  const publicKey = new Field({
    label: "Public key",
    name: "publicKey",
    about: /key/i,
    isCode: true,
    isOptional: true,
    rows: 4,
    placeholder: "-----BEGIN PUBLIC KEY-----",
    hint: "P-256, in PEM. Leave it empty to let the server create a key pair and show you the private key once.",
  });
  const form = new Form({
    fields: [name, publicKey],
    content: [name.element, publicKey.element],
    actions: [button("Create key", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const body = { name: values.name.trim() };
      if (values.publicKey.trim()) body.publicKey = values.publicKey.trim();
      const answer = await api.post(api.inEnvironment("keys"), body);
      dialog.close();
      await reload();
      const secrets = [{ label: "Key identifier", value: answer.id }];
      if (answer.privateKey) secrets.push({ label: "Private key", value: answer.privateKey });
      await showSecret({
        title: "The key was created",
        text: answer.privateKey ? "The private key is shown only once. The server does not keep it."
          : "Signed requests contain this identifier.",
        secrets,
      });
    },
  });
  const dialog = open({ title: "New server-to-server key", content: form.element });
  name.input.focus();
}
