/** The schema in its own language. */

import * as api from "../core/api.js";
import { button, toast } from "../core/dialog.js";
import { h, replace, settled } from "../core/dom.js";
import { codeMirror } from "../core/load.js";
import { loaded, notice } from "../core/parts.js";
import { fetchSchema } from "../core/schema.js";
import { mayWrite, state } from "../core/state.js";
import { keepUnsaved } from "../core/unsaved.js";
import { diff, mayLose } from "./diff.js";

const MODE = {
  start: [
    { regex: /(\/\/|--).*/, token: "comment" }, { regex: /\/\*/, token: "comment", next: "comment" },
    { regex: /"(?:[^"\\]|\\.)*"?/, token: "string" },
    { regex: /(?:DEFINE|SCHEMA|CREATE|ROLE|RECORD|TYPE|GRANT|TO|READ|WRITE|PREFERRED|AS)\b/i, token: "keyword" },
    { regex: /(?:ASSET|BYTES|DOUBLE|INT64|LOCATION|REFERENCE|STRING|TIMESTAMP|NUMBER|LIST)\b/i, token: "builtin" },
    { regex: /(?:ENCRYPTED|QUERYABLE|SORTABLE|SEARCHABLE)\b/i, token: "attribute" },
    { regex: /[\w.]+/, token: "variable" },
  ],
  comment: [{ regex: /.*?\*\//, token: "comment", next: "start" }, { regex: /.*/, token: "comment" }],
  meta: { lineComment: "//" },
};

export async function show(page) {
  const isEditable = state.environment === "development" && mayWrite();
  let view = null;
  const place = loaded(page, async () => {
    const [schema, CodeMirror] = await Promise.all([fetchSchema({ signal: page.signal }), codeMirror()]);
    return { text: schema.text, CodeMirror };
  }, ({ text, CodeMirror }) => {
    view = new TextView(text, CodeMirror, isEditable, page);
    return view.element;
  }, 12);
  page.root.append(place.element);
  keepUnsaved(() => view?.isChanged, "the text", page.signal);
  await place.reload();
}

class TextView {
  constructor(text, CodeMirror, isEditable, page) {
    Object.assign(this, { text, page });
    CodeMirror.defineSimpleMode?.("ckdb", MODE);
    this.frame = h("div", { class: "editor" });
    this.side = h("div", { "aria-live": "polite" });
    this.save = button("Save to development", { class: "primary", disabled: true, on: { click: () => this.store() } });
    const copy = button("Download", { on: { click: () => this.download() } }, "download");
    const hint = isEditable ? "Press Esc, then Tab to leave the editor." : "Production changes only by deployments.";
    this.element = h("div", { class: "stack" }, this.frame, this.side,
      h("div", { class: "row" }, isEditable ? this.save : null, copy, h("span", { class: "hint", text: hint })));
    this.editor = CodeMirror(this.frame, {
      value: text,
      mode: "ckdb",
      lineNumbers: true,
      indentUnit: 4,
      tabSize: 4,
      matchBrackets: true,
      styleActiveLine: isEditable,
      readOnly: !isEditable,
      viewportMargin: 50, screenReaderLabel: "Schema language",
      // Tab moves on after Esc, so that nobody is caught in the editor.
      extraKeys: { Esc: (editor) => {
        editor.setOption("extraKeys", { ...editor.getOption("extraKeys"), Tab: false, "Shift-Tab": false });
      } },
    });
    this.editor.on("blur", () => this.editor.setOption("extraKeys", this.keys));
    this.keys = this.editor.getOption("extraKeys");
    // Long texts are scrolled with the keyboard, too, where nobody may type.
    Object.entries({
      tabindex: "0",
      role: "group",
      "aria-label": "Text of the schema",
    }).forEach(([name, value]) => this.editor.getScrollerElement().setAttribute(name, value));
    this.marks = [];
    if (isEditable) this.editor.on("change", settled(() => this.check(), 400));
    requestAnimationFrame(() => this.editor.refresh());
  }

  get isChanged() { return this.editor.getValue() !== this.text; }

  /** Asks the server whether it would take the text, and what it would change. */
  async check() {
    this.asking?.abort();
    this.asking = new AbortController();
    this.clear();
    if (!this.isChanged) {
      this.save.disabled = true;
      return replace(this.side);
    }
    try {
      const answer = await api.post(
        api.inEnvironment("schema", "validate"),
        { text: this.editor.getValue() },
        { signal: this.asking.signal },
      );
      if (answer.error) return this.point(answer.error);
      this.save.disabled = answer.changes.length === 0;
      replace(
        this.side,
        answer.changes.length ? h(
          "div",
          { class: "card card-body" },
          h("h2", { text: "Changes" }),
          diff(answer.changes),
        ) : notice("The schema does not change.", { iconName: "check" }),
      );
    } catch (error) {
      if (error.name === "AbortError") return;
      this.save.disabled = true;
      if (error.body?.error?.line) this.point(error.body.error);
      else replace(this.side, notice(error.message, { kind: "problem" }));
    }
  }

  /** Shows where the text is wrong. */
  point({ line, column, message }) {
    this.save.disabled = true;
    const at = { line: line - 1, ch: Math.max(0, column - 1) };
    if (line) {
      this.wrongLine = this.editor.addLineClass(at.line, "wrap", "wrong-line");
      const word = this.editor.findWordAt(at);
      const end = word.head.ch > at.ch ? word.head : { line: at.line, ch: at.ch + 1 };
      this.marks.push(this.editor.markText(at, end, { className: "wrong-text" }));
    }
    const jump = line ? button(`Line ${line}, column ${column}`, {
      class: "small",
      on: { click: () => { this.editor.setCursor(at); this.editor.focus(); } },
    }) : null;
    replace(this.side, notice(api.sentence(message), { kind: "problem", action: jump }));
  }

  clear() {
    for (const mark of this.marks) mark.clear();
    this.marks = [];
    if (this.wrongLine) this.editor.removeLineClass(this.wrongLine, "wrap", "wrong-line");
    this.wrongLine = null;
  }

  async store() {
    this.save.classList.add("busy");
    try {
      const text = this.editor.getValue();
      const { changes, text: expecting, error } = await api.post(api.inEnvironment("schema", "validate"), { text });
      if (error) return this.point(error);
      if (!await mayLose(changes)) return;
      await api.post(api.inEnvironment("schema", "import"), { text, expecting });
      const schema = await fetchSchema({ signal: this.page.signal });
      this.text = schema.text;
      this.editor.setValue(schema.text);
      replace(this.side);
      this.save.disabled = true;
      toast("The schema was saved.");
    } catch (error) {
      if (error.name === "AbortError") return;
      this.clear();
      if (error.body?.error?.line) this.point(error.body.error);
      else replace(this.side, notice(error.message, { kind: "problem" }));
    } finally {
      this.save.classList.remove("busy");
    }
  }

  download() {
    const address = URL.createObjectURL(new Blob([this.editor.getValue()], { type: "text/plain" }));
    h("a", { href: address, download: `${state.container}-${state.environment}.ckdb` }).click();
    URL.revokeObjectURL(address);
  }
}
