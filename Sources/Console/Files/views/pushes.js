/** The latest notifications, with their outcome. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { ago, time } from "../core/format.js";
import { badge, empty, head, loaded, table } from "../core/parts.js";

export const title = "Pushes";

const KINDS = { delivered: "good", queued: "warn", retry: "warn" };

export async function show(page) {
  const place = loaded(page, () => api.get(api.inEnvironment("pushes"), { signal: page.signal }), ({ pushes }) => {
    if (pushes.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "pushes",
        title: "No notifications yet",
        text: "When a subscription fires, its notification is listed here with its outcome.",
      }),
    );
    return table({
      label: "Notifications",
      columns: [
        { name: "When" },
        { name: "Subscription", class: "main" },
        { name: "Kind" },
        { name: "Channel" },
        { name: "Outcome" },
      ],
      rows: pushes.map((push) => [
        h("time", { class: "nowrap", title: time(push.time, { withMilliseconds: true }), text: ago(push.time) }),
        h(
          "span",
          {},
          h("code", { text: push.subscriptionID ?? "" }),
          h("small", { text: [push.database, push.zone, push.recordType].filter(Boolean).join(" · ") }),
        ),
        push.kind ?? "", push.channel ?? "", badge(push.outcome, KINDS[push.outcome] ?? "bad"),
      ]),
    });
  });
  page.root.append(
    head({
      title: "Pushes",
      lead: "The latest notifications, without their content.",
      actions: [button("Refresh", { on: { click: () => place.reload() } }, "refresh")],
    }),
    place.element,
  );
  await place.reload();
}
