/** The webhooks of an environment. */

import * as api from "../core/api.js";
import { button, confirmByName, open, showSecret, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { checkbox, Field, Form } from "../core/form.js";
import { ago, number, time } from "../core/format.js";
import { badge, empty, head, loaded, rowButton, table } from "../core/parts.js";
import { fetchSchema, isOwnType } from "../core/schema.js";
import { mayManage } from "../core/state.js";

export const title = "Webhooks";

const EVENTS = [["create", "Created"], ["update", "Changed"], ["delete", "Deleted"]];

export async function show(page) {
  const make = () => button(
    "New webhook",
    { class: "primary", on: { click: () => edit(null, place.reload, page) } },
    "add",
  );
  const place = loaded(page, () => api.get(api.inEnvironment("webhooks"), { signal: page.signal }), ({ webhooks }) => {
    if (webhooks.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "webhooks",
        title: "No webhooks",
        text: "A webhook notifies your server when records are created, changed or deleted. Requests are signed, "
          + "sent in order, and retried until your server accepts them.",
        actions: mayManage() ? [make()] : [],
      }),
    );
    return table({
      label: "Webhooks",
      columns: [
        { name: "Address", class: "main" },
        { name: "Events" },
        { name: "State" },
        { name: "Waiting", class: "number" },
        { name: "Actions", isHidden: true, class: "actions" },
      ],
      rows: webhooks.map((hook) => [
        h("span", {}, h("code", { text: hook.url })),
        h(
          "span",
          { class: "badges" },
          hook.types.map((type) => badge(type, "tint")),
          hook.events.map((event) => badge(event)),
        ),
        h("span", { class: "badges" }, stateOf(hook), hook.lost ? badge(`${number(hook.lost)} lost`, "bad") : null),
        number(hook.pending ?? 0),
        [button("Deliveries", {
          class: "small quiet",
          "aria-label": `Deliveries to ${hook.url}`,
          on: { click: () => deliveries(hook, page) },
        }),
          mayManage() ? [
            rowButton(`Change ${hook.url}`, "settings", () => edit(hook, place.reload, page)),
            rowButton(`Delete ${hook.url}`, "remove", () => remove(hook, place.reload)),
          ] : null],
      ]),
    });
  });
  page.root.append(
    head({
      title: "Webhooks",
      lead: "HTTP requests to your own servers when records change.",
      actions: mayManage() ? [make()] : [],
    }),
    place.element,
  );
  await place.reload();
}

function stateOf(hook) {
  if (hook.enabled === false) return badge("off", "warn");
  if (!hook.lastTime) return badge("nothing sent yet");
  const when = h("span", { class: "hint", text: ago(hook.lastTime) });
  return h("span", { class: "row nowrap" }, answerBadge(hook.lastStatus), when);
}

/** The status that a server answered with, if it answered. */
function answerBadge(status) {
  if (!status) return badge("no response", "bad");
  return badge(String(status), status >= 200 && status < 300 ? "good" : "bad");
}

async function edit(hook, reload, page) {
  const url = new Field({
    label: "Address",
    name: "url",
    about: /url|address|https/i,
    isCode: true,
    type: "url",
    required: true,
    value: hook?.url ?? "",
    placeholder: "https://",
    autocomplete: "off",
  });
  const events = EVENTS.map(([event, label]) => ({
    event,
    ...checkbox(label, { isChecked: hook ? hook.events.includes(event) : true })
  }));
  let names = hook?.types ?? [];
  try {
    const schema = await fetchSchema({ signal: page.signal });
    names = [...new Set([...schema.types.map(({ name }) => name).filter((name) => !isOwnType(name)), ...names])];
  } catch (error) {
    return toast(error.message, { isProblem: true });
  }
  const types = names.map((name) => ({
    name,
    ...checkbox(name, { isChecked: hook ? hook.types.includes(name) : true })
  }));
  const enabled = checkbox("Enabled", {
    isChecked: hook?.enabled !== false,
    hint: "Changes made while it is disabled are not sent. Events already in the queue are sent when it is enabled "
      + "again.",
  });
  const form = new Form({
    fields: [url],
    content: [url.element, h(
      "fieldset",
      { class: "stack-small" },
      h("legend", { class: "label", text: "Events" }),
      events.map(({ element }) => element),
    ),
      h(
        "fieldset",
        { class: "stack-small" },
        h("legend", { class: "label", text: "Record types" }),
        types.map(({ element }) => element),
      ),
      hook ? enabled.element : null],
    actions: [button(hook ? "Save" : "Create webhook", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const chosen = events.filter(({ input }) => input.checked).map(({ event }) => event);
      if (chosen.length === 0) throw new Error("Choose at least one event.");
      if (types.length === 0) throw new Error("There are no record types yet.");
      if (!types.some(({ input }) => input.checked)) throw new Error("Choose at least one record type.");
      const body = {
        url: values.url.trim(),
        events: chosen,
        types: types.filter(({ input }) => input.checked).map(({ name }) => name),
      };
      if (hook) {
        await api.put(api.inEnvironment("webhooks", hook.id), { ...body, enabled: enabled.input.checked });
        dialog.close();
        await reload();
      } else {
        const answer = await api.post(api.inEnvironment("webhooks"), body);
        dialog.close();
        await reload();
        await showSecret({
          title: "The webhook was created",
          text: "Requests are signed with this secret (HMAC-SHA-256). It is shown only once.",
          secrets: [{ label: "Secret", value: answer.secret }],
        });
      }
    },
  });
  const dialog = open({ title: hook ? "Change webhook" : "New webhook", content: form.element });
  url.input.focus();
}

async function remove(hook, reload) {
  const isDone = await confirmByName({
    title: "Delete this webhook?",
    text: "Events still in its queue are not sent.",
    name: hook.url,
    action: "Delete",
    perform: () => api.remove(api.inEnvironment("webhooks", hook.id)),
  });
  if (!isDone) return;
  toast("The webhook was deleted.");
  await reload();
}

function deliveries(hook, page) {
  const place = loaded(page, () => api.get(
    api.inEnvironment("webhooks", hook.id, "deliveries"),
    { signal: page.signal },
  ), (answer) => {
    if (answer.deliveries.length === 0) return empty({
      iconName: "webhooks",
      title: "Nothing sent yet",
      text: "Deliveries are listed here with your server's responses.",
    });
    return table({
      label: "Deliveries",
      columns: [
        { name: "When" },
        { name: "Events", class: "number" },
        { name: "Response" },
        { name: "Attempt", class: "number" },
        { name: "Duration", class: "number" },
      ],
      rows: answer.deliveries.map((delivery) => [
        h("span", { class: "nowrap", text: time(delivery.time) }),
        number(delivery.events ?? 1),
        h("span", {}, answerBadge(delivery.status), delivery.error ? h("small", { text: delivery.error }) : null),
        number(delivery.attempt ?? 1),
        delivery.durationMs === undefined ? "" : `${number(Math.round(delivery.durationMs))} ms`]),
    });
  }, 6);
  open({ title: `Deliveries to ${hook.url}`, kind: "wide", content: place.element });
  place.reload();
}
