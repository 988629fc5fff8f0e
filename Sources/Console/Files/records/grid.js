/** A grid that shows any number of rows with the elements of those in sight. */

import { h, identifier } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { GridEditing } from "./grid-editing.js";

const ROW = 40;
const HEAD = 37;
/** Rows that are drawn beyond each edge. */
const BESIDE = 6;
/** The height in pixels beyond which the scroll bar is scaled, because browsers limit the height of elements. */
const HIGHEST = 8_000_000;

export class Grid {
  /**
   * @param {{label: string, columns: object[], pages: Pages, open: function(object, string?),
   *   edit: function(object, object): object?, follow: function(string), changeSort: function(string),
   *   sort: {name: string, ascending: boolean}?, maySelect: boolean, selected: Map, selectAll: function(boolean),
   *   selectionChanged: function()}} parts `edit` gives the editor of a record's column, or null if there is none
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.identifier = identifier("grid");
    this.pool = [];
    this.shown = new Map();
    this.current = -1;
    /** The column of the current cell; -1 for the whole row. */
    this.column = -1;
    this.offset = 0;
    this.lastTop = 0;
    this.fresh = new Set();
    this.width = this.columns.reduce((sum, column) => sum + column.width, this.maySelect ? 44 : 0);
    this.rows = h("div", { class: "grid-rows", role: "rowgroup" });
    this.rows.style.width = `max(100%, ${this.width}px)`;
    this.element = h("div", {
      class: "grid",
      role: "grid",
      tabindex: "0",
      "aria-label": this.label,
      "aria-multiselectable": this.maySelect ? "true" : null,
      "aria-colcount": String(this.columns.length + (this.maySelect ? 1 : 0)),
      on: { scroll: () => this.scrolled(), keydown: (event) => this.key(event) },
    }, this.head(), this.rows);
    this.editing = new GridEditing(this);
    this.pages.listen(() => this.grown());
    this.observer = new ResizeObserver(() => {
      this.draw();
      this.editing.place();
    });
    this.observer.observe(this.element);
    this.grown();
  }

  /** The editor that is open over a cell, if there is one. */
  get editor() { return this.editing.editor; }

  leave() {
    this.observer.disconnect();
    // What is being saved still says how that ends.
    if (!this.editor?.isBusy) this.editor?.close();
  }

  head() {
    const cells = this.columns.map((column) => {
      const cell = h("div", {
        class: `grid-cell ${column.kind ?? ""}`,
        role: "columnheader",
        "aria-sort": this.sortOf(column),
      },
        column.isSortable
          ? h("button", {
            type: "button",
            on: { click: () => this.changeSort(column.name) },
            tabindex: "-1",
          }, column.label,
            this.sort?.name === column.name ? icon(this.sort.ascending ? "up" : "down") : null)
          : h("span", { text: column.label }));
      cell.style.width = `${column.width}px`;
      return cell;
    });
    this.all = this.maySelect ? h("input", {
      type: "checkbox", "aria-label": "Select all", title: "Select all", tabindex: "-1",
      on: { change: () => this.selectAll(this.all.checked) },
    }) : null;
    const first = this.all ? [h("div", { class: "grid-cell check", role: "columnheader" }, this.all)] : [];
    return h(
      "div",
      { class: "grid-head", role: "rowgroup" },
      h("div", { role: "row", class: "row-of-head" , "aria-rowindex": "1" }, [...first, ...cells]),
    );
  }

  sortOf(column) {
    if (!column.isSortable || this.sort?.name !== column.name) return null;
    return this.sort.ascending ? "ascending" : "descending";
  }

  // Scrolling.

  get count() { return this.pages.known; }
  get height() { return this.element.clientHeight - HEAD; }
  /** The height of all rows, before it is scaled. */
  get whole() { return (this.count + (this.pages.isComplete ? 0 : 1)) * ROW; }
  get real() { return Math.min(this.whole, HIGHEST); }
  get isScaled() { return this.whole > HIGHEST; }
  /** The offset of the upper edge among all rows. */
  get top() { return Math.max(0, Math.min(this.lastTop + this.offset, this.whole - this.height)); }

  grown() {
    const top = this.top;
    const height = `${this.real}px`;
    if (this.rows.style.height !== height) this.rows.style.height = height;
    this.element.setAttribute("aria-rowcount", String(this.pages.isComplete ? this.count + 1 : -1));
    if (this.isScaled) this.settle(top);
    this.redraw();
  }

  scrolled() {
    const top = this.element.scrollTop;
    const step = top - this.lastTop;
    this.lastTop = top;
    if (!this.isScaled) this.offset = 0;
    else if (Math.abs(step) > 4 * this.height || top <= 0) {
      // The scroll bar was dragged, so its position is scaled.
      this.offset = (top / (this.real - this.height)) * (this.whole - this.height) - top;
    }
    this.draw();
    this.editing.place();
    if (this.isScaled) {
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.settle(this.top), 140);
    }
  }

  /** Moves the scroll bar to its scaled position without moving the rows. */
  settle(top) {
    const place = Math.round((top / Math.max(1, this.whole - this.height)) * (this.real - this.height));
    if (Math.abs(place - this.element.scrollTop) < 1) return;
    this.element.scrollTop = place;
    this.lastTop = this.element.scrollTop;
    this.offset = top - this.lastTop;
    this.draw();
  }

  /** Scrolls a row into view. */
  reveal(index) {
    const [from, to] = [index * ROW, (index + 1) * ROW];
    let top = this.top;
    if (from < top) top = from;
    else if (to > top + this.height) top = to - this.height;
    else return;
    if (this.isScaled) {
      this.offset = top - this.lastTop;
      this.settle(top);
    } else {
      this.element.scrollTop = top;
    }
  }

  // Drawing.

  /** Redraws the rows, because their records have changed. */
  redraw() {
    for (const row of this.shown.values()) row.record = null;
    this.draw();
  }

  draw() {
    if (this.element.clientHeight === 0) return;
    const first = Math.max(0, Math.floor(this.top / ROW) - BESIDE);
    const end = this.pages.isComplete ? this.count : this.count + 1;
    const last = Math.min(end - 1, Math.ceil((this.top + this.height) / ROW) + BESIDE);
    for (const [index, row] of this.shown) {
      if (index < first || index > last) {
        this.shown.delete(index);
        row.element.removeAttribute("id");
        this.pool.push(row);
      }
    }
    for (let index = first; index <= last; index += 1) this.place(index);
    for (const row of this.pool) row.element.hidden = true;
    this.markCurrent();
    this.pages.want(first, last + 2 * BESIDE);
  }

  /** Marks the current row or cell, also for assistive technology. */
  markCurrent() {
    this.marked?.classList.remove("current-cell");
    this.marked?.removeAttribute("id");
    const row = this.shown.get(this.current);
    this.marked = row?.cells[this.column]?.cell ?? null;
    if (!row) return this.element.removeAttribute("aria-activedescendant");
    if (this.marked) {
      this.marked.id = `${row.element.id}-${this.column}`;
      this.marked.classList.add("current-cell");
    }
    return this.element.setAttribute("aria-activedescendant", (this.marked ?? row.element).id);
  }

  place(index) {
    let row = this.shown.get(index);
    if (!row) {
      row = this.pool.pop() ?? this.makeRow();
      row.record = null;
      row.element.id = `${this.identifier}-${index}`;
      row.element.setAttribute("aria-rowindex", String(index + 2));
      row.index = index;
      this.shown.set(index, row);
    }
    row.element.hidden = false;
    row.element.style.transform = `translateY(${Math.round(index * ROW - this.offset)}px)`;
    const record = index < this.count ? this.pages.at(index) : undefined;
    if (row.record === null || row.record !== record) this.fill(row, record);
    row.element.classList.toggle("current", index === this.current);
  }

  makeRow() {
    const row = { index: -1, record: null };
    row.cells = this.columns.map((column, place) => {
      const text = h("span");
      const cell = h("div", { role: "gridcell", "aria-colindex": String(place + 1 + (this.maySelect ? 1 : 0)) }, text);
      cell.style.width = `${column.width}px`;
      return { cell, text };
    });
    if (this.maySelect) {
      row.box = h("input", {
        type: "checkbox",
        tabindex: "-1",
        on: { change: () => this.select(row.index, row.box.checked) },
      });
      row.boxCell = h("div", { class: "grid-cell check", role: "gridcell", "aria-colindex": "1" }, row.box);
    }
    row.element = h("div", {
      class: "grid-row", role: "row",
      on: { click: (event) => this.pressed(row.index, event), dblclick: () => this.editCell() },
    }, row.boxCell, row.cells.map(({ cell }) => cell));
    this.rows.append(row.element);
    return row;
  }

  fill(row, record) {
    row.record = record;
    this.columns.forEach((column, place) => {
      const { cell, text } = row.cells[place];
      const shown = record ? column.text(record) : place === 0 ? "…" : "";
      text.textContent = shown ?? "–";
      cell.className = `grid-cell ${column.kind ?? ""}${shown === null ? " nothing" : ""}`;
    });
    if (this.marked) this.markCurrent();
    if (row.box) {
      row.box.hidden = !record;
      this.all.checked = this.selected.size > 0;
      this.all.indeterminate = this.selected.size > 0 && !(this.pages.isComplete && this.selected.size >= this.count);
      row.box.checked = Boolean(record && this.selected.has(record.recordName));
      row.box.setAttribute("aria-label", record ? `Select ${record.recordName}` : "Select");
      row.element.setAttribute("aria-selected", String(row.box.checked));
    }
    row.element.classList.toggle("fresh", Boolean(record && this.fresh.has(record.recordName)));
  }

  /** Highlights records that were just added or changed. */
  markFresh(names) {
    this.fresh = names;
    this.redraw();
  }

  // Input.

  pressed(index, event) {
    if (event.target.closest("input, .check")) return this.go(index);
    const row = this.shown.get(index);
    this.go(index, row.cells.findIndex(({ cell }) => cell.contains(event.target)));
    const record = this.pages.at(index);
    const column = this.columns[this.column];
    if (!record || !column) return undefined;
    const target = column.kind === "reference" ? record.fields?.[column.name]?.value?.recordName : null;
    // The record's name and the record that a reference names look like links, and act like them.
    if (column.name === "___recordID") this.open(record);
    else if (target && event.target.closest("span")) this.follow(target);
    return undefined;
  }

  go(index, column = this.column) {
    const end = this.count - 1;
    this.current = Math.max(0, Math.min(index, end));
    this.column = Math.max(-1, Math.min(column, this.columns.length - 1));
    if (end < 0) this.current = -1;
    else this.reveal(this.current);
    this.draw();
    this.revealColumn();
  }

  /** Scrolls the current cell into view. */
  revealColumn() {
    if (!this.marked) return;
    const [from, width] = [this.marked.offsetLeft, this.marked.offsetWidth];
    const seen = this.element.clientWidth;
    if (from < this.element.scrollLeft) this.element.scrollLeft = this.column === 0 ? 0 : from;
    else if (from + width > this.element.scrollLeft + seen) {
      this.element.scrollLeft = from + Math.min(width, seen) - seen;
    }
  }

  /** Opens the editor of the current cell, or the record at that field if the cell has no editor. */
  async editCell() {
    if (!await this.editing.isFree()) return;
    const record = this.pages.at(this.current);
    const column = this.columns[this.column];
    if (!record || !column) return;
    const editor = this.edit(record, column);
    if (editor) this.editing.begin(editor, { index: this.current, column, left: this.marked?.offsetLeft ?? 0 });
    else this.open(record, column.field?.name);
  }

  /** The offset in pixels of a row from the upper edge of the grid's card. */
  offsetOf(index) { return this.element.offsetTop + HEAD + index * ROW - this.top; }

  /** Whether less than some rows fit below a row. */
  isLow(index, rows) { return this.height - (index * ROW - this.top) < rows * ROW && this.height > 2 * rows * ROW; }

  select(index, isSelected = undefined) {
    const record = this.pages.at(index);
    if (!record || !this.maySelect) return;
    const wanted = isSelected ?? !this.selected.has(record.recordName);
    if (wanted) this.selected.set(record.recordName, {
      recordName: record.recordName,
      recordChangeTag: record.recordChangeTag,
    });
    else this.selected.delete(record.recordName);
    this.redraw();
    this.selectionChanged();
  }

  key(event) {
    if (event.target !== this.element || event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.height / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const sideways = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in sideways) this.go(Math.max(this.current, 0), this.column + sideways[event.key]);
    else if (event.key === "F2") this.editCell();
    else if (event.key in steps) this.go(this.current < 0 ? 0 : this.current + steps[event.key]);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.count - 1);
    else if (event.key === "Enter" && this.pages.at(this.current)) this.open(this.pages.at(this.current));
    else if (event.key === " ") this.select(this.current);
    else return;
    event.preventDefault();
  }
}

