/** The rows of a file, read piece by piece: CSV as RFC 4180 has it, and JSON lines. The rules are those of
 * `stratus import`. */

/** Characters of a row. */
const ROW = 4_194_304;
const SEPARATORS = [",", ";", "\t"];

/** The format that a file's name tells, or its first character. */
export async function formatOf(file) {
  if (/\.csv$/i.test(file.name)) return "csv";
  if (/\.(jsonl|ndjson|json)$/i.test(file.name)) return "jsonl";
  return (await file.slice(0, 64).text()).trimStart().startsWith("{") ? "jsonl" : "csv";
}

/**
 * Reads a file's rows, some at a time: `{line, cells}` of CSV, `{line, value}` of JSON lines, and `{line, problem}` of
 * what is neither. Of CSV, the first row is the header.
 * @param {{signal?: AbortSignal, tell?: function(number)}} [options] `tell` is called with the bytes that were read
 */
export async function* rowsOf(file, format, { signal, tell = () => {} } = {}) {
  const scanner = format === "csv" ? new CSVScanner() : new LineScanner();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  let read = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      read += value?.length ?? 0;
      yield scanner.rows(decode(decoder, value, !done), done);
      tell(read);
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

function decode(decoder, bytes, stream) {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new Error("The file is not UTF-8 text.");
  }
}

/** What scanners share: the text that is not consumed yet, and the number of its first line. */
class Scanner {
  constructor() {
    this.rest = "";
    this.line = 1;
  }

  /** The rows that end in what has arrived. */
  rows(text, isEnd) {
    this.rest += text;
    const rows = [];
    let at = 0;
    while (at < this.rest.length) {
      const isTooLong = this.rest.length - at > ROW;
      const row = this.scan(at, isEnd) ?? (isTooLong ? this.refuse(at, "The row is too long.") : null);
      if (!row) break;
      if (!row.isEmpty) rows.push({ line: this.line, cells: row.cells, value: row.value, problem: row.problem });
      this.line += row.lines;
      at = row.end;
    }
    this.rest = this.rest.slice(at);
    return rows;
  }

  /** Gives up the line that begins at a place; the next row begins behind it. */
  refuse(at, problem) {
    const end = this.rest.indexOf("\n", at);
    return { problem, end: end < 0 ? this.rest.length : end + 1, lines: 1 };
  }
}

class LineScanner extends Scanner {
  scan(at, isEnd) {
    const found = this.rest.indexOf("\n", at);
    if (found < 0 && !isEnd) return null;
    const end = found < 0 ? this.rest.length : found;
    const text = this.rest.slice(at, end).trim();
    const row = { end: end + 1, lines: 1, isEmpty: text === "" };
    if (row.isEmpty) return row;
    try {
      row.value = JSON.parse(text, exact);
      if (typeof row.value !== "object" || row.value === null || Array.isArray(row.value)) {
        row.problem = "The line is not a JSON object.";
      }
    } catch {
      row.problem = "The line is not JSON.";
    }
    return row;
  }
}

/** Keeps whole numbers exact that a number of JavaScript would round. */
function exact(_, value, context) {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "");
  return isRounded ? BigInt(context.source) : value;
}

class CSVScanner extends Scanner {
  scan(at, isEnd) {
    this.separator ??= this.findSeparator(isEnd);
    if (!this.separator) return null;
    const cells = [];
    let lines = 1;
    let index = at;
    for (;;) {
      const cell = this.rest[index] === '"' ? this.quoted(index + 1, isEnd) : this.bare(index, isEnd);
      if (!cell) return null;
      if (cell.problem) return this.refuse(at, cell.problem);
      cells.push(cell.text);
      lines += cell.lines ?? 0;
      index = cell.end;
      if (this.rest[index] === this.separator) index += 1;
      else break;
    }
    const end = this.rest.startsWith("\r\n", index) ? index + 2 : index + 1;
    return { cells, end, lines, isEmpty: cells.length === 1 && cells[0] === "" };
  }

  /** The separator that the first line has most of: spreadsheets of some languages write semicolons. */
  findSeparator(isEnd) {
    const end = this.rest.indexOf("\n");
    if (end < 0 && !isEnd && this.rest.length <= ROW) return null;
    const line = this.rest.slice(0, end < 0 ? this.rest.length : end).replace(/"[^"]*"/g, "");
    const counts = SEPARATORS.map((separator) => line.split(separator).length);
    return SEPARATORS[counts.indexOf(Math.max(...counts))];
  }

  /** A cell without quotation marks. */
  bare(start, isEnd) {
    let end = start;
    for (; end < this.rest.length; end += 1) {
      const character = this.rest[end];
      if (character === this.separator || character === "\n") break;
      if (character === "\r" && this.rest[end + 1] === "\n") break;
      if (character === '"') return { problem: "A cell contains a quotation mark but is not quoted." };
    }
    if (end === this.rest.length && !isEnd) return null;
    return { text: this.rest.slice(start, end), end };
  }

  /** A cell in quotation marks, of which two stand for one. */
  quoted(start, isEnd) {
    let end = start;
    for (;;) {
      end = this.rest.indexOf('"', end);
      if (end < 0) return isEnd ? { problem: "A quoted cell is not closed." } : null;
      if (end + 1 === this.rest.length && !isEnd) return null;
      if (this.rest[end + 1] !== '"') break;
      end += 2;
    }
    const next = this.rest[end + 1];
    if (next === "\r" && end + 2 === this.rest.length && !isEnd) return null;
    const isClosed = next === undefined || next === this.separator || next === "\n"
      || this.rest.startsWith("\r\n", end + 1);
    if (!isClosed) return { problem: "Text follows the closing quotation mark of a cell." };
    const raw = this.rest.slice(start, end);
    return { text: raw.replaceAll('""', '"'), end: end + 1, lines: raw.split("\n").length - 1 };
  }
}
