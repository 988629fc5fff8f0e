/** The zones of a person's databases. */

import * as cloud from "../core/cloud.js";
import { button, confirmByName, open, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { badge, empty, head, loaded, rowButton, segments, table } from "../core/parts.js";
import { addressOf, note } from "../core/router.js";
import { mayWrite, state } from "../core/state.js";

export const title = "Zones";

export async function show(page) {
  let database = page.query.get("database") === "shared" ? "shared" : "private";
  const make = button(
    "New zone",
    { class: "primary", hidden: database === "shared", on: { click: () => create(place.reload) } },
    "add",
  );
  const place = loaded(
    page,
    () => cloud.zones(database, { signal: page.signal }),
    (zones) => content(database, zones, place.reload),
  );
  const choice = segments("Database", cloud.databases().slice(1), database, (next) => {
    database = next;
    make.hidden = database === "shared" || !mayWrite();
    note({ database: database === "shared" ? "shared" : "" });
    place.reload();
  });
  page.root.append(
    head({
      title: "Zones",
      lead: "A zone is a part of a private database. It has a change feed, saves atomically, and can be shared. "
        + "The public database has only its default zone.",
      actions: mayWrite() ? [make] : [],
    }),
    h("div", { class: "stack" }, h("div", { class: "row" }, choice), place.element));
  await place.reload();
}

function content(database, zones, reload) {
  if (zones.length === 0) {
    return h(
      "div",
      { class: "card" },
      empty({
        iconName: "zones",
        title: "No zones",
        text: database === "shared" ? "Nobody has shared a zone or a record with this account yet."
          : "The default zone is created with the first record.",
      }),
    );
  }
  return table({
    label: "Zones",
    columns: [
      { name: "Zone", class: "main" },
      { name: "Owner" },
      { name: "Kind" },
      { name: "Actions", isHidden: true, class: "actions" },
    ],
    rows: zones.map(({ zoneID }) => {
      const isDefault = zoneID.zoneName === cloud.DEFAULT_ZONE;
      const query = { database, zone: zoneID.zoneName, owner: database === "shared" ? zoneID.ownerRecordName : "" };
      return [
        h("a", {
          href: addressOf(state.container, state.environment, "records", query),
          text: isDefault ? "Default zone" : zoneID.zoneName,
        }),
        h("code", { class: "soft", text: zoneID.ownerRecordName ?? "" }),
        badge(isDefault ? "default" : "custom", isDefault ? "" : "tint"),
        isDefault ? null : [
          h("a", {
            class: "button small quiet",
            href: addressOf(state.container, state.environment, "changes", query),
            text: "Changes",
            "aria-label": `Changes of ${zoneID.zoneName}`,
          }),
          mayWrite() ? rowButton(
            database === "shared" ? `Leave ${zoneID.zoneName}` : `Delete ${zoneID.zoneName}`,
            "remove",
            () => remove(database, zoneID, reload),
          ) : null],
      ];
    }),
  });
}

function create(reload) {
  const name = new Field({ label: "Name", name: "name", isCode: true, required: true, autocomplete: "off" });
  const form = new Form({
    fields: [name], content: name.element, actions: [button("Create zone", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      await cloud.modifyZone("private", "create", { zoneName: values.name.trim() });
      dialog.close();
      toast(`Created ${values.name.trim()}.`);
      await reload();
    },
  });
  const dialog = open({ title: "New zone", content: form.element });
  name.input.focus();
}

async function remove(database, zoneID, reload) {
  const isShared = database === "shared";
  const isDone = await confirmByName({
    title: isShared ? "Leave this zone?" : "Delete this zone?",
    action: isShared ? "Leave" : "Delete",
    name: zoneID.zoneName,
    text: isShared ? "This account loses access to everything that is shared in it."
      : "All its records, shares and subscriptions are deleted too. This cannot be undone.",
    busy: isShared ? "Leaving the zone" : "Deleting the zone and its records",
    perform: () => cloud.modifyZone(database, "delete", zoneID),
  });
  if (!isDone) return;
  toast(isShared ? "You left the zone." : "The zone was deleted.");
  await reload();
}
