/** Records: of a database, a zone and a type, by conditions and in an order. */

import * as api from "../core/api.js";
import * as cloud from "../core/cloud.js";
import { button, confirmByName, open, progress, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { number, plural } from "../core/format.js";
import { icon } from "../core/icons.js";
import { empty, failure, head, waiting } from "../core/parts.js";
import { addressOf } from "../core/router.js";
import { mayWrite, state } from "../core/state.js";
import { columnsFor, countText } from "./columns.js";
import { openRecord } from "./editor.js";
import { Grid } from "./grid.js";
import { Pages } from "./pages.js";
import { Question } from "./question.js";

export const title = "Records";

/** Between two looks for what is new, in milliseconds. */
const LIVE = 2000;

export async function show(page) {
  const view = new RecordsView(page);
  page.root.append(view.element);
  await view.begin();
}

class RecordsView {
  constructor(page) {
    this.page = page;
    this.signal = page.signal;
    this.question = new Question({ page, ask: () => this.run(), restart: () => this.begin() });
    this.selected = new Map();
    this.card = h("div", { class: "grid-card" }, waiting(10));
    this.create = button(
      "New record",
      { class: "primary", disabled: true, on: { click: () => this.openEditor() } },
      "add",
    );
    this.exportLink = h(
      "a",
      { class: "button", hidden: true, download: true },
      icon("download"),
      h("span", { text: "Export" }),
    );
    this.live = button(
      "Live",
      {
        "aria-pressed": "false",
        title: "Shows what is new as it comes",
        on: { click: () => this.setLive(!this.isLive) },
      },
      "play",
    );
    this.element = h("div", { class: "records" },
      head({
        title: "Records",
        actions: [this.live, this.exportLink, mayWrite() ? this.create : null].filter(Boolean),
      }),
      this.question.bar,
      this.question.filterPlace,
      this.card);
    page.cleanUp(() => { this.grid?.leave(); clearTimeout(this.timer); });
  }

  get place() { return this.question.place; }
  get type() { return this.question.type; }
  get typeName() { return this.question.typeName; }

  async begin() {
    try {
      await this.question.load();
      this.run();
    } catch (error) {
      if (error.name !== "AbortError") replace(this.card, failure(error, () => this.begin()));
    }
  }

  /** Shows what the query finds, from its beginning. */
  run() {
    this.question.note();
    this.grid?.leave();
    this.selected.clear();
    this.create.disabled = !this.type || !this.question.zone;
    if (!this.type) return this.showNoType();
    if (!this.question.zone) return replace(
      this.card,
      empty({ iconName: "zones", title: "No zone", text: "Nobody shares anything with this person yet." }),
    );
    let query;
    try {
      query = this.question.query();
    } catch (error) {
      return toast(error.message, { isProblem: true });
    }
    this.exportLink.href = api.address(api.inEnvironment("export"), this.question.exported(query));
    this.exportLink.hidden = false;
    this.pages = new Pages((marker, signal) => cloud.query(this.place, query, { marker, signal }), this.signal);
    this.grid = new Grid({
      label: `Records of type ${this.typeName}`,
      columns: columnsFor(this.type),
      pages: this.pages,
      sort: this.question.sort,
      maySelect: mayWrite(),
      selected: this.selected,
      open: (record) => this.openEditor(record.recordName),
      changeSort: (name) => this.question.changeSort(name),
      selectionChanged: () => this.drawFoot(),
    });
    this.cover = h("div", { class: "grid-cover" });
    this.foot = h("div", { class: "grid-foot" });
    replace(this.card, this.grid.element, this.cover, this.foot);
    this.isEmptyShown = null;
    this.pages.listen(() => this.drawCover());
    this.drawCover();
  }

  /** What lies over the grid while it has no rows. */
  drawCover() {
    const { known, isComplete, error } = this.pages;
    const shown = error ? `error ${error.message}` : known > 0 ? "rows" : isComplete ? "empty" : "waiting";
    this.drawFoot();
    if (shown === this.isEmptyShown) return;
    this.isEmptyShown = shown;
    this.cover.hidden = shown === "rows";
    if (shown === "rows") replace(this.cover);
    else if (error) replace(
      this.cover,
      h(
        "div",
        { class: "stack", role: "presentation" },
        h("div"),
        failure(error, () => this.run()),
        this.adviceFor(error),
      ),
    );
    else if (shown === "empty") replace(this.cover, this.nothing());
    else if (shown === "waiting") replace(this.cover, waiting(8));
  }

  adviceFor(error) {
    if (!/marked (queryable|sortable)/i.test(error.message)) return null;
    return h(
      "p",
      { class: "soft" },
      "Queries need an index. ",
      h("a", {
        href: addressOf(state.container, "development", "schema", { type: this.typeName }),
        text: "Set it in the schema",
      }),
      ", then run this again.",
    );
  }

  nothing() {
    if (!this.question.filters.isEmpty) return empty({
      iconName: "filter",
      title: "Nothing fits",
      text: "No record satisfies all the filters.",
    });
    return empty({
      iconName: "records",
      title: `No ${this.typeName} yet`,
      text: "Records show up here as apps save them. With “Live” you can watch them come.",
      actions: [button("Watch live", { on: { click: () => this.setLive(true) } }, "play")],
    });
  }

  showNoType() {
    this.exportLink.hidden = true;
    replace(this.card, empty({
      iconName: "schema", title: "No record types yet",
      text: state.environment === "development"
        ? "Design one, or let an app save its first record: development learns from it."
          : "Production has what was deployed to it. Nothing was, so far.",
      actions: [h(
        "a",
        {
          class: "button primary",
          href: addressOf(state.container, state.environment, "schema"),
          text: "To the schema",
        },
      )],
    }));
  }

  drawFoot() {
    const selected = this.selected.size;
    const key = `${countText(this.pages)} ${selected} ${this.isLive}`;
    if (key === this.footKey && this.foot.hasChildNodes()) return;
    this.footKey = key;
    replace(this.foot, h("span", {
      role: "status",
      text: `${countText(this.pages)} ${this.pages.known === 1 && this.pages.isComplete ? "record" : "records"}`,
    }),
      this.isLive ? h(
        "span",
        { class: "live-state" },
        h("span", { class: "dot good" }),
        "live",
      ) : null, h("span", { class: "spacer" }),
      selected ? [
        h("span", { text: `${number(selected)} selected` }),
        button("Delete", { class: "small danger-quiet", on: { click: () => this.removeSelected() } }, "remove"),
      ] : h("span", { class: "desk-only", text: "Enter opens a record, Space selects it" }));
  }

  async openEditor(recordName) {
    const isReadOnly = !mayWrite() || this.type.name.startsWith("cloudkit.");
    const { place, type, signal } = this;
    if (!await openRecord({ place, type, recordName, isReadOnly, signal })) return;
    await this.look();
    this.grid.redraw();
  }

  async removeSelected() {
    const records = [...this.selected.values()];
    const words = records.length === 1 ? records[0].recordName : `delete ${records.length}`;
    let failures = [];
    const isDone = await confirmByName({
      title: `Delete ${plural(records.length, "record")}?`,
      text: "There is no way back.",
      name: words,
      action: "Delete",
      perform: async () => {
        const bar = progress("Deleting");
        const dialog = records.length > cloud.PAGE ? open({ title: "Deleting records", content: bar.element }) : null;
        failures = await cloud.removeAll(
          this.place,
          records,
          (done) => bar.set(done / records.length, `${number(done)} of ${number(records.length)}`),
        );
        dialog?.close();
      },
    });
    if (!isDone) return;
    if (failures.length) toast(
      `${plural(failures.length, "record")} could not be deleted: ${failures[0].reason}`,
      { isProblem: true },
    );
    else toast(`${plural(records.length, "record")} deleted.`);
    this.run();
  }

  // What is new.

  setLive(isLive) {
    this.isLive = isLive;
    this.live.setAttribute("aria-pressed", String(isLive));
    clearTimeout(this.timer);
    if (this.pages) this.drawFoot();
    if (isLive) this.watch();
  }

  async watch() {
    if (!this.isLive || this.signal.aborted) return;
    // Who has scrolled reads; nothing is moved away from them.
    const isReading = this.grid
      && (this.grid.top >= 40 || this.pages.working || document.querySelector("dialog[open]"));
    if (!document.hidden && !isReading) await this.look();
    if (this.isLive && !this.signal.aborted) this.timer = setTimeout(() => this.watch(), LIVE);
  }

  /** Development's schema grows with what apps save: takes up fields that the grid has no columns for. */
  async learn() {
    const known = new Set(this.type.fields.map(({ name }) => name));
    const first = [...Array(Math.min(this.pages.known, 20)).keys()].map((index) => this.pages.at(index)?.fields ?? {});
    const isNew = first.some((fields) => Object.keys(fields).some((name) => !known.has(name)));
    if (!isNew || this.type.name.startsWith("cloudkit.")) return false;
    if (!await this.question.learn()) return false;
    this.run();
    return true;
  }

  async look() {
    if (!this.type) return this.begin();
    try {
      const wasEmpty = this.pages.known === 0 && !this.pages.isComplete;
      const fresh = await this.pages.refresh();
      this.pages.error = null;
      if (await this.learn()) return;
      if (fresh.size && !wasEmpty) this.grid.markFresh(fresh);
    } catch (error) {
      if (error.name !== "AbortError") this.pages.error = error;
    }
    if (!this.signal.aborted) this.drawCover();
  }
}
