/** The feed of changes of a zone. */

import * as cloud from "../core/cloud.js";
import { button } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { line, plural, time } from "../core/format.js";
import { badge, empty, failure, head, loaded, table, waiting } from "../core/parts.js";
import { addressOf, note } from "../core/router.js";
import { state } from "../core/state.js";
import { summary } from "../records/columns.js";

export const title = "Changes";

export async function show(page) {
  let database = page.query.get("database") === "shared" ? "shared" : "private";
  let wanted = page.query.get("zone") ?? "";
  const choice = new Field({
    label: "Database",
    name: "database",
    options: cloud.databases().slice(1),
    value: database,
  });
  const order = new Field({
    label: "Order",
    name: "order",
    options: [{ value: "latest", label: "Latest first" }, { value: "first", label: "Oldest first" }],
    value: "latest",
  });
  const place = loaded(page, async () => (await cloud.zones(
    database,
    { signal: page.signal },
  )).filter(({ zoneID }) => zoneID.zoneName !== cloud.DEFAULT_ZONE), (zones) => {
    if (zones.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "changes",
        title: "No custom zones",
        text: "Only custom zones have a change feed. This database has no custom zones.",
      }),
    );
    const zone = new Field({
      label: "Zone",
      name: "zone",
      options: zones.map(({ zoneID }, index) => ({ value: String(index), label: zoneID.zoneName })),
    });
    const found = zones.findIndex(({ zoneID }) => zoneID.zoneName === wanted);
    zone.value = String(Math.max(0, found));
    const feed = h("div");
    const run = () => {
      const { zoneID } = zones[Number(zone.value)];
      wanted = zoneID.zoneName;
      note({ database: database === "shared" ? "shared" : "", zone: wanted });
      new Feed(feed, page, database, zoneID, order.value === "latest").more();
    };
    zone.input.addEventListener("change", run);
    order.input.onchange = run;
    run();
    return h(
      "div",
      {},
      h(
        "div",
        { class: "bar" },
        choice.element,
        zone.element,
        order.element,
        h("div", { class: "bar-end" }, button("Refresh", { on: { click: run } }, "refresh")),
      ),
      feed,
    );
  });
  choice.input.addEventListener("change", () => {
    database = choice.value;
    place.reload();
  });
  page.root.append(
    head({
      title: "Changes",
      lead: "The change feed of a zone, as a device receives it when it syncs for the first time. "
        + "A record that changed several times is listed once, with its current values.",
    }),
    place.element,
  );
  await place.reload();
}

class Feed {
  constructor(root, page, database, zoneID, isReverse) {
    Object.assign(this, { root, page, database, zoneID, isReverse, items: [] });
    replace(root, waiting(8));
  }

  async more() {
    try {
      const answer = await cloud.zoneChanges(this.database, this.zoneID, {
        syncToken: this.token,
        reverse: this.isReverse || undefined,
        signal: this.page.signal,
      });
      this.token = answer.syncToken;
      this.items.push(...answer.records);
      this.draw(answer.moreComing);
    } catch (error) {
      if (error.name !== "AbortError") replace(this.root, failure(error, () => this.more()));
    }
  }

  draw(isMore) {
    if (this.items.length === 0) {
      replace(
        this.root,
        h(
          "div",
          { class: "card" },
          empty({
            iconName: "changes",
            title: "No changes yet",
            text: "Changes and deletions in this zone are listed here.",
          }),
        ),
      );
      return;
    }
    const query = {
      database: this.database,
      zone: this.zoneID.zoneName,
      owner: this.database === "shared" ? this.zoneID.ownerRecordName : "",
    };
    replace(this.root, h("div", { class: "stack" }, table({
      label: "Changes",
      columns: [
        { name: "Record", class: "main" },
        { name: "Type" },
        { name: "Change" },
        { name: "When" },
        { name: "Fields" },
      ],
      rows: this.items.map((record) => {
        const type = record.recordType ?? record.deletedRecordType ?? "";
        const isNew = record.created?.timestamp === record.modified?.timestamp;
        return [
          record.deleted ? h("code", { text: record.recordName }) : h(
            "a",
            { href: addressOf(state.container, state.environment, "records", { ...query, type }) },
            h("code", { text: record.recordName }),
          ),
          type,
          record.deleted ? badge("deleted", "bad") : badge(isNew ? "created" : "changed", isNew ? "good" : "tint"),
          h("span", { class: "nowrap soft", text: record.modified ? time(record.modified.timestamp) : "" }),
          h("span", {
            class: "soft",
            text: line(
              Object.entries(record.fields ?? {})
                .map(([name, field]) => `${name}: ${summary(field.value, field.type)}`).join(" · "),
              90,
            ),
          }),
        ];
      }),
    }), h("div", { class: "row" }, h("span",
    { class: "hint", text: plural(this.items.length, "change") }), isMore ? button("More",
    { on: { click: () => this.more() } },
    "down") : null)));
  }
}
