/** Records: of a database, a zone and a type, by conditions and in an order. */

import * as api from "../core/api.js";
import * as cloud from "../core/cloud.js";
import { button, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { failure, head, waiting } from "../core/parts.js";
import { adoptQueries, depth } from "../core/router.js";
import { mayWrite } from "../core/state.js";
import { keepUnsaved } from "../core/unsaved.js";
import { CellEditor, fitsInCell } from "./cell-editor.js";
import { columnsFor, countText } from "./columns.js";
import { chooseColumns } from "./columns-dialog.js";
import { openRecord } from "./editor.js";
import { noRecords, noTypes, noZone, queryFailure, wrongAddress } from "./empty-states.js";
import { Grid } from "./grid.js";
import { Opened } from "./opened.js";
import { Pages } from "./pages.js";
import { Question } from "./question.js";
import { showSavedQueries } from "./saved-queries.js";
import { Selection } from "./selection.js";

export const title = "Records";

/** Milliseconds between two requests for what is new. */
const LIVE = 2000;

/** Types whose records only the server writes. */
const isReadOnly = (type) => !mayWrite() || type.name.startsWith("cloudkit.");

export async function show(page) {
  const view = new RecordsView(page);
  page.root.append(view.element);
  await view.begin();
}

class RecordsView {
  constructor(page) {
    this.page = page;
    this.signal = page.signal;
    this.question = new Question({
      page, ask: () => this.run(), restart: () => this.begin(),
      tools: [
        button("Columns", { on: { click: () => this.chooseColumns() } }, "columns"),
        button("Saved", { "aria-label": "Saved queries", on: { click: () => this.showSaved() } }, "bookmark"),
      ],
    });
    this.opened = new Opened({
      question: this.question, signal: page.signal, isReadOnly, changed: () => this.recordChanged(),
    });
    this.selection = new Selection({
      question: this.question, signal: page.signal, done: () => this.run(),
      changed: () => { this.grid?.redraw(); this.drawFoot(); },
    });
    adoptQueries((query) => this.opened.adopt(query), page.signal);
    keepUnsaved(() => this.grid?.editor?.isChanged, "this field", page.signal);
    this.card = h("div", { class: "grid-card" }, waiting(10));
    this.create = button(
      "New record",
      { class: "primary", disabled: true, on: { click: () => this.createRecord() } },
      "add",
    );
    this.exportLink = h(
      "a",
      { class: "button", hidden: true, download: true },
      icon("download"),
      h("span", { text: "Export" }),
    );
    this.importButton = button("Import", { disabled: true, on: { click: () => this.import() } }, "upload");
    this.live = button(
      "Live",
      {
        "aria-pressed": "false",
        title: "Show new and changed records as they are saved",
        on: { click: () => this.setLive(!this.isLive) },
      },
      "play",
    );
    this.element = h("div", { class: "records" },
      head({
        title: "Records",
        actions: [this.live, this.exportLink, ...(mayWrite() ? [this.importButton, this.create] : [])],
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
      if (!this.hasStarted && !this.question.problem) this.opened.start(this.page.query.get("record"));
      this.hasStarted = true;
    } catch (error) {
      if (error.name !== "AbortError") replace(this.card, failure(error, () => this.begin()));
    }
  }

  /** Shows what the query finds, from its beginning. */
  run() {
    const { problem } = this.question;
    this.create.disabled = !this.type || !this.question.zone || Boolean(problem);
    this.importButton.disabled = !this.question.zone || Boolean(problem);
    if (problem) return this.showInstead(wrongAddress(problem));
    if (!this.type) return this.showInstead(noTypes());
    if (!this.question.zone) return this.showInstead(noZone(this.question.database));
    let query;
    try {
      query = this.question.query();
    } catch (error) {
      return toast(error.message, { isProblem: true });
    }
    this.noteQuestion();
    this.showGrid(query);
    return undefined;
  }

  noteQuestion() {
    // After a reload, the record that was open stays in the address.
    const record = this.hasStarted || depth() === 0 ? "" : this.page.query.get("record");
    this.question.note({ record, depth: record ? depth() : 0 });
  }

  showGrid(query) {
    this.grid?.leave();
    this.selection.clear();
    this.query = query;
    this.exportLink.href = api.address(api.inEnvironment("export"), this.question.exported(query));
    this.exportLink.hidden = false;
    this.pages = new Pages((marker, signal) => cloud.query(this.place, query, { marker, signal }), this.signal);
    this.grid = new Grid({
      label: `Records of type ${this.typeName}`,
      columns: columnsFor(this.type),
      pages: this.pages,
      sort: this.question.sort,
      maySelect: true,
      selected: this.selection.records,
      selectAll: (isSelected) => this.selection.selectAll(isSelected, this.query),
      open: (record, fieldName) => this.opened.open(record.recordName, fieldName),
      follow: (recordName) => this.opened.open(recordName),
      edit: (record, column) => this.cellEditor(record, column),
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
    if (!this.pages) return;
    const { known, isComplete, error } = this.pages;
    const shown = error ? `error ${error.message}` : known > 0 ? "rows" : isComplete ? "empty" : "waiting";
    this.drawFoot();
    if (shown === this.isEmptyShown) return;
    this.isEmptyShown = shown;
    this.cover.hidden = shown === "rows";
    if (shown === "rows") replace(this.cover);
    else if (error) replace(this.cover, queryFailure(error, this.typeName, () => this.run()));
    else if (shown === "empty") replace(this.cover, noRecords(this.question, () => this.setLive(true)));
    else if (shown === "waiting") replace(this.cover, waiting(8));
  }

  /** Shows something instead of the grid. */
  showInstead(element) {
    this.leaveGrid();
    replace(this.card, element);
  }

  leaveGrid() {
    this.grid?.leave();
    this.grid = null;
    this.pages = null;
    this.selection.clear();
    this.exportLink.hidden = true;
  }

  drawFoot() {
    if (!this.pages) return;
    const selected = this.selection.size;
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
      selected ? this.selection.buttons({ mayWrite: !isReadOnly(this.type) })
        : h("span", { class: "desk-only", text: "Enter opens a record, F2 edits a cell, Space selects" }));
  }

  async createRecord() {
    const { place, type, signal } = this;
    const drawer = openRecord({
      place, type, schema: this.question.schema, isReadOnly, signal,
      follow: (recordName) => {
        drawer.dialog.close();
        this.opened.open(recordName);
      },
    });
    if (await drawer.closed) await this.recordChanged();
  }

  /** Shows what the grid has after a record was saved or deleted beside it. */
  async recordChanged() {
    await this.look();
    this.grid?.redraw();
  }

  /** The editor of a cell; null where the value is edited beside the grid. */
  cellEditor(record, { field }) {
    if (isReadOnly(this.type) || !fitsInCell(field, record)) return null;
    const { grid, pages } = this;
    return new CellEditor({
      record, field, place: this.place, signal: this.signal,
      saved: (current) => {
        pages.put(current);
        this.selection.saved(current);
        grid.redraw();
      },
      closed: (editor) => grid.editing.closed(editor),
    });
  }

  async chooseColumns() {
    if (this.type && await chooseColumns(this.type)) this.run();
  }

  showSaved() { showSavedQueries(this.question.problem ? null : this.question.notedParameters); }

  async import() {
    const { importFile } = await import("./import/dialog.js");
    const imported = await importFile({ question: this.question, signal: this.signal });
    if (!imported || this.signal.aborted) return;
    if (imported.recordType !== this.typeName) this.question.choose(imported.recordType);
    await this.begin();
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
    // Rows do not move while somebody has scrolled down or edits one.
    const isReading = this.grid
      && (this.grid.top >= 40 || this.grid.editor || this.pages.working || document.querySelector("dialog[open]"));
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
    if (!this.pages) return this.begin();
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
