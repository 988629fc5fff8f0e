/** Saves the rows of a file, batch after batch. Each batch is either confirmed by the server or named in the result. */

import { modify, PAGE, refusalOf } from "../../core/cloud.js";
import { rowsOf } from "./scan.js";

/** Characters of the rows that are sent together. */
const BATCH = 1_500_000;
/** Lines that were not saved and are kept for the list of errors. */
const KEPT = 10_000;
/** Times that a batch is sent while the server asks to try again later. */
const ATTEMPTS = 6;
/** Seconds between two attempts, unless the server says how many; and at most. */
const PAUSE = [2, 30];

export class ImportRun {
  /**
   * @param {{plan: Plan, place: object, recordType: string, replaces: boolean, signal: AbortSignal,
   *   tell: function(ImportRun)}} parts `tell` is called after each batch; the signal cancels before the next one
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.saved = 0;
    this.refusedCount = 0;
    /** The first of the rows that were not saved: `{line, reason}`. */
    this.refused = [];
    /** The last line of which it is certain what became of it. */
    this.line = 0;
    this.bytes = 0;
    this.isCancelled = false;
    /** Why it ended early, and the lines of the batch of which it is not known whether it was saved. */
    this.failure = null;
  }

  async start() {
    let batch = newBatch();
    let isHeader = this.plan.format === "csv";
    const options = { tell: (bytes) => { this.bytes = bytes; } };
    try {
      for await (const rows of rowsOf(this.plan.file, this.plan.format, options)) {
        for (const row of rows) {
          if (isHeader) {
            isHeader = false;
            continue;
          }
          this.add(row, batch);
          if (batch.operations.length < PAGE && batch.size < BATCH) continue;
          if (!await this.send(batch)) return;
          batch = newBatch();
        }
      }
      await this.send(batch);
    } catch (error) {
      // What was read and not sent is not saved.
      this.failure = { reason: error.message, from: (batch.lines[0] ?? this.line + 1), isKnown: true };
    }
  }

  add(row, batch) {
    try {
      const record = this.plan.recordOf(row, this.recordType);
      const operationType = record.recordName && this.replaces ? "forceReplace" : "create";
      batch.operations.push({ operationType, record });
      batch.lines.push(row.line);
      batch.size += JSON.stringify(record).length;
    } catch (error) {
      this.refuse(row.line, error.message);
    }
    batch.last = row.line;
  }

  refuse(line, reason) {
    this.refusedCount += 1;
    if (this.refused.length < KEPT) this.refused.push({ line, reason });
  }

  /** Sends a batch; false if the import ends with it. */
  async send({ operations, lines, last }) {
    if (this.signal.aborted) {
      this.isCancelled = true;
      return false;
    }
    if (operations.length) {
      let records;
      try {
        records = await this.modify(operations);
      } catch (error) {
        if (error.name === "AbortError") {
          this.isCancelled = true;
          return false;
        }
        // A request that was refused as a whole has changed nothing; of one without an answer nothing is known.
        const isKnown = error.status >= 400 && error.status < 500;
        this.failure = { reason: error.message, from: lines[0], to: last, isKnown };
        return false;
      }
      records.forEach((record, index) => {
        if (record.serverErrorCode) this.refuse(lines[index], refusalOf(record));
        else this.saved += 1;
      });
    }
    this.line = last ?? this.line;
    this.tell(this);
    return true;
  }

  async modify(operations) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { records } = await modify(this.place, operations);
        if (records?.length !== operations.length) throw new Error("The server's response is incomplete.");
        return records;
      } catch (error) {
        const isBusy = error.status === 429 || error.status === 503;
        if (!isBusy || attempt === ATTEMPTS) throw error;
        await pause(Math.min(error.retryAfter ?? PAUSE[0], PAUSE[1]), this.signal);
      }
    }
  }
}

const newBatch = () => ({ operations: [], lines: [], size: 0, last: undefined });

function pause(seconds, signal) {
  signal.throwIfAborted();
  return new Promise((done, fail) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(signal.reason);
    }, { once: true });
  });
}
