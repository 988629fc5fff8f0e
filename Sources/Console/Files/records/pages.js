/** Loads the records of a query page by page, and keeps only some of the pages.
 *
 * A query can only be continued from the markers that the server returned. At most `MARKS` of them are kept. When there
 * are more, every second one is dropped, and scrolling back to a place between two markers loads a few pages again. Of
 * the records, only the pages that were used last are kept. So memory does not grow with the number of records.
 */

const BLOCKS = 12;
const MARKS = 1024;

export class Pages {
  /** @param {function(string?, AbortSignal): Promise<{records: object[], continuationMarker?: string}>} fetchPage */
  constructor(fetchPage, signal) {
    this.fetchPage = fetchPage;
    this.signal = signal;
    this.listeners = new Set();
    this.begin();
  }

  begin() {
    /** The number of records that are known. */
    this.known = 0;
    this.isComplete = false;
    this.error = null;
    /** Where pages begin: `{index, marker}`, by index. The page at the last one has not been loaded yet. */
    this.marks = [{ index: 0, marker: undefined }];
    this.blocks = new Map();
    this.wanted = null;
    this.generation = (this.generation ?? 0) + 1;
  }

  listen(listener) { this.listeners.add(listener); }

  tell() { for (const listener of this.listeners) listener(this); }

  /** The record at an index; undefined while it is not loaded. */
  at(index) {
    for (const [start, records] of this.blocks) {
      if (index >= start && index < start + records.length) return records[index - start];
    }
    return undefined;
  }

  /** Replaces a record by its current version. */
  put(record) {
    for (const records of this.blocks.values()) {
      const place = records.findIndex(({ recordName }) => recordName === record.recordName);
      if (place >= 0) records[place] = record;
    }
    this.tell();
  }

  /** Loads the missing records of a range. A later call replaces the range of an earlier one. */
  want(first, last) {
    this.wanted = { first, last };
    if (!this.working) this.working = this.work().finally(() => { this.working = null; });
    return this.working;
  }

  async work() {
    while (this.wanted && !this.signal.aborted) {
      const index = this.missing();
      if (index === null) return;
      const generation = this.generation;
      try {
        await this.load(index, generation);
        this.error = null;
      } catch (error) {
        if (error.name === "AbortError") return;
        if (generation !== this.generation) continue;
        this.error = error;
        this.wanted = null;
        this.tell();
        return;
      }
      this.tell();
    }
  }

  /** The first index in the wanted range that is not loaded. */
  missing() {
    const { first, last } = this.wanted;
    const end = this.isComplete ? Math.min(last, this.known - 1) : last;
    for (let index = first; index <= end; index += 1) {
      if (index < this.known ? this.at(index) === undefined : !this.isComplete) return index;
    }
    return null;
  }

  async load(index, generation) {
    let mark = this.marks.findLast((candidate) => candidate.index <= index);
    // An index without a marker is reached page by page.
    for (;;) {
      const page = await this.fetchPage(mark.marker, this.signal);
      if (generation !== this.generation) return;
      const end = mark.index + page.records.length;
      if (page.records.length) this.keep(mark.index, page.records);
      this.known = Math.max(this.known, end);
      const next = page.continuationMarker ? { index: end, marker: page.continuationMarker } : null;
      if (next) this.remember(next);
      else { this.isComplete = true; this.known = end; }
      if (!next || index < end || index >= this.known) return;
      // Another range may be wanted by now.
      if (!this.wanted || this.wanted.last < index || this.wanted.first > index) return;
      mark = next;
    }
  }

  keep(start, records) {
    this.blocks.delete(start);
    this.blocks.set(start, records);
    while (this.blocks.size > BLOCKS) this.blocks.delete(this.blocks.keys().next().value);
  }

  remember(mark) {
    const last = this.marks[this.marks.length - 1];
    // An empty page can have a marker: continue after it.
    if (last.index === mark.index) last.marker = mark.marker;
    else if (last.index < mark.index) this.marks.push(mark);
    if (this.marks.length > MARKS) {
      const end = this.marks.length - 1;
      this.marks = this.marks.filter((_, place) => place === 0 || place === end || place % 2 === 0);
    }
  }

  /**
   * Loads the first page again, and starts over from it if it has changed.
   * @returns {Promise<Set<string>>} the names of records that are new in it or have changed
   */
  async refresh() {
    const before = new Map((this.blocks.get(0) ?? []).map((record) => [record.recordName, record.recordChangeTag]));
    const generation = this.generation;
    const page = await this.fetchPage(undefined, this.signal);
    if (generation !== this.generation || this.signal.aborted) return new Set();
    const fresh = new Set(page.records.filter((record) => before.get(record.recordName) !== record.recordChangeTag).map(
      (record) => record.recordName,
    ));
    if (fresh.size === 0 && page.records.length === before.size) return fresh;
    this.begin();
    if (page.records.length) this.keep(0, page.records);
    this.known = page.records.length;
    if (page.continuationMarker) this.remember({ index: this.known, marker: page.continuationMarker });
    else this.isComplete = true;
    this.tell();
    return fresh;
  }
}
