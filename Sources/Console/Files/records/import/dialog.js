/** The import of a file into the zone that is shown: the file is chosen and read, its columns are shown with the types
 * that fit them, and only then are records saved. */

import { button, open, progress } from "../../core/dialog.js";
import { h, replace } from "../../core/dom.js";
import { Field } from "../../core/form.js";
import { bytes, number, plural } from "../../core/format.js";
import { failure } from "../../core/parts.js";
import { isName, isOwnType } from "../../core/schema.js";
import { state } from "../../core/state.js";
import { keepUnsaved } from "../../core/unsaved.js";
import { Plan } from "./plan.js";
import { PlanView } from "./plan-view.js";
import { resultOf } from "./result.js";
import { ImportRun } from "./run.js";
import { formatOf } from "./scan.js";

/** Bytes of a file. */
const FILE = 256 * 1_048_576;
const NEW = "";

/**
 * Lets the developer import a file.
 * @param {{question: object, signal: AbortSignal}} parts
 * @returns {Promise<{recordType: string}?>} what records were saved of; null if none were
 */
export async function importFile({ question, signal }) {
  const dialog = new ImportDialog(question, signal);
  await dialog.dialog.closed;
  dialog.cancelled.abort();
  return dialog.result;
}

class ImportDialog {
  constructor(question, signal) {
    Object.assign(this, { question, signal, result: null, isRunning: false });
    this.cancelled = new AbortController();
    signal.addEventListener("abort", () => this.cancelled.abort(), { signal: this.cancelled.signal });
    keepUnsaved(() => this.isRunning, "this import", this.cancelled.signal, {
      title: "Stop and leave?", text: "Rows that were not saved yet will not be imported.",
    });
    this.body = h("div", { class: "stack" });
    this.foot = h("div", { class: "row record-foot" });
    this.dialog = open({
      title: "Import", kind: "wide", content: this.body, actions: [this.foot], mayClose: () => !this.isRunning,
    });
    this.showChoice();
  }

  show(content, actions) {
    replace(this.body, content);
    replace(this.foot, h("span", { class: "spacer" }), actions);
  }

  /** The first step: a file, and the type of its records. */
  showChoice() {
    const types = this.question.schema.types.filter(({ name }) => !isOwnType(name));
    const isNewAllowed = state.environment === "development";
    this.typeChoice = new Field({
      label: "Record type", name: "importType", value: types.some(({ name }) => name === this.question.typeName)
        ? this.question.typeName : types[0]?.name ?? NEW,
      options: [
        ...types.map(({ name }) => ({ value: name, label: name })),
        ...(isNewAllowed ? [{ value: NEW, label: "New record type …" }] : []),
      ],
    });
    this.newName = new Field({
      label: "Name of the new type", name: "importTypeName", isCode: true, autocomplete: "off",
    });
    const input = h("input", {
      type: "file", class: "input", name: "importFile", accept: ".csv,.jsonl,.ndjson,.json,text/csv",
      "aria-label": "File", on: { change: () => { if (input.files.length) this.take(input.files[0]); } },
    });
    const drop = h("div", { class: "drop" }, input, h("p", {
      class: "hint",
      text: "CSV with column names in the first line, or JSON lines. You can also drop a file here.",
    }));
    for (const [event, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
      drop.addEventListener(event, (dragged) => {
        dragged.preventDefault();
        drop.classList.toggle("over", isOver);
        if (event === "drop" && dragged.dataTransfer.files.length) this.take(dragged.dataTransfer.files[0]);
      });
    }
    const showName = () => { this.newName.element.hidden = this.typeChoice.value !== NEW; };
    this.typeChoice.input.addEventListener("change", showName);
    showName();
    this.problem = h("div");
    this.show([
      h("p", { text: `Records are saved in the ${this.question.database} database of ${state.environment}. `
        + "You can check the import before anything is saved." }),
      h("div", { class: "columns" }, this.typeChoice.element, this.newName.element), drop, this.problem,
    ], [button("Cancel", { on: { click: () => this.dialog.close() } })]);
    input.focus();
  }

  get recordType() { return this.typeChoice.value || this.newName.value.trim(); }

  /** Reads the file, which changes nothing. */
  async take(file) {
    replace(this.problem);
    if (!isName(this.recordType)) {
      this.newName.say("Start with a letter. Use only letters, digits and underscores.");
      this.newName.input.focus();
      return;
    }
    const { recordType } = this;
    const reading = new AbortController();
    const bar = progress(`Reading ${file.name}`);
    bar.set(0);
    const cancel = button("Cancel", { on: { click: () => reading.abort() } });
    this.show(bar.element, [cancel]);
    cancel.focus();
    try {
      if (file.size > FILE) {
        throw new Error(`The file is larger than ${bytes(FILE)}. Import it with “stratus import”.`);
      }
      const plan = await Plan.of(file, await formatOf(file), {
        signal: AbortSignal.any([reading.signal, this.cancelled.signal]),
        tell: (read) => bar.set(read / Math.max(file.size, 1)),
      });
      this.showPlan(plan, recordType);
    } catch (error) {
      if (this.cancelled.signal.aborted) return;
      this.showChoice();
      if (error.name !== "AbortError") replace(this.problem, failure(error));
    }
  }

  /** The second step: what will be saved. */
  showPlan(plan, recordType) {
    const type = this.question.schema.types.find(({ name }) => name === recordType);
    const view = new PlanView({ plan, recordType, type });
    const back = button("Back", { on: { click: () => this.showChoice() } });
    const start = button("Import", { class: "primary", name: "startImport" }, "upload");
    const follow = () => {
      start.disabled = !view.isReady;
      start.querySelector("span").textContent = `Import ${plural(plan.rows, "row")}`;
    };
    view.changed = follow;
    start.addEventListener("click", () => this.run(plan, recordType, view.replaces));
    this.show(view.element, [back, start]);
    follow();
    (start.disabled ? back : start).focus();
  }

  /** The third step: saving, which can be cancelled between two requests. */
  async run(plan, recordType, replaces) {
    const stopping = new AbortController();
    const bar = progress("Saving records");
    bar.set(0);
    const cancel = button("Cancel", { on: { click: () => {
      stopping.abort();
      cancel.disabled = true;
    } } });
    this.show(bar.element, [cancel]);
    cancel.focus();
    this.isRunning = true;
    const run = new ImportRun({
      plan, recordType, replaces, place: this.question.place,
      signal: AbortSignal.any([stopping.signal, this.cancelled.signal]),
      tell: ({ saved, refusedCount, line, bytes: read }) => bar.set(
        read / Math.max(plan.file.size, 1),
        `${plural(saved, "record")} saved up to line ${number(line)}`
          + (refusedCount ? `, ${number(refusedCount)} not saved` : ""),
      ),
    });
    await run.start();
    this.isRunning = false;
    if (run.saved) this.result = { recordType };
    const close = button("Close", { class: "primary", on: { click: () => this.dialog.close() } });
    this.show(resultOf(run), [close]);
    close.focus();
  }
}
