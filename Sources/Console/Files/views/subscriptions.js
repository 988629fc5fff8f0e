/** The subscriptions of the developer, or of the test account they act as. */

import * as cloud from "../core/cloud.js";
import { confirmByName, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { badge, empty, head, loaded, rowButton, segments, table } from "../core/parts.js";
import { mayWrite, state } from "../core/state.js";

export const title = "Subscriptions";

export async function show(page) {
  let database = "public";
  const place = loaded(
    page,
    () => cloud.subscriptions(database, { signal: page.signal }),
    (items) => content(database, items, place.reload),
  );
  const choice = segments("Database", cloud.databases(), database, (next) => { database = next; place.reload(); });
  page.root.append(
    head({
      title: "Subscriptions",
      lead: state.actingAs ? `The subscriptions of ${state.actingAs.email ?? "the test account"}.`
        : "Your own subscriptions. Act as a test account to see the subscriptions that an app created for it.",
    }),
    h("div", { class: "stack" }, h("div", { class: "row" }, choice), place.element));
  await place.reload();
}

function content(database, items, reload) {
  if (items.length === 0) {
    return h(
      "div",
      { class: "card" },
      empty({
        iconName: "subscriptions",
        title: "No subscriptions",
        text: "Apps subscribe to be notified of changes. There are no subscriptions in this database.",
      }),
    );
  }
  return table({
    label: "Subscriptions",
    columns: [
      { name: "Subscription", class: "main" },
      { name: "Kind" },
      { name: "Watches" },
      { name: "Fires on" },
      { name: "Message" },
      { name: "Actions", isHidden: true, class: "actions" },
    ],
    rows: items.map((item) => [
      h("code", { text: item.subscriptionID }), badge(item.subscriptionType, "tint"), watches(item),
      h(
        "span",
        { class: "badges" },
        (item.firesOn ?? []).map((event) => badge(event)),
        item.firesOnce ? badge("once", "warn") : null,
      ),
      item.notificationInfo?.alertBody ?? item.notificationInfo?.alertLocalizationKey ?? h(
        "span",
        { class: "soft", text: "silent" },
      ),
      mayWrite() ? rowButton(`Delete ${item.subscriptionID}`, "remove", async () => {
        const isDone = await confirmByName({
          title: "Delete this subscription?",
          text: "Devices are no longer notified of the changes it watches.",
          name: item.subscriptionID,
          action: "Delete",
          perform: () => cloud.modifySubscription(database, "delete", { subscriptionID: item.subscriptionID }),
        });
        if (!isDone) return;
        toast("The subscription was deleted.");
        await reload();
      }) : null,
    ]),
  });
}

function watches(item) {
  if (item.query) {
    const filters = [item.query.filterBy ?? []].flat();
    return h(
      "span",
      {},
      item.query.recordType,
      filters.length ? h("small", {
        text: ` ${filters.length === 1 ? "with a filter" : `with ${filters.length} filters`}`,
      }) : null,
    );
  }
  return item.zoneID?.zoneName ?? "the whole database";
}
