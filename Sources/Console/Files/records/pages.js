/** The records of a query, of which any number may be there and few are kept.
 *
 * A query is only ever continued from markers that the server gave. Markers are kept for places all over what was
 * seen, at most `MARKS` of them: when there are more, every second one is forgotten, and whoever comes back to a place
 * between two of them reads a few pages again. Pages of records are kept for what is in sight and was lately. So memory
 * does not grow with the number of records.
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
    /** Records that are known to be there. */
    this.known = 0;
    this.isComplete = false;
    this.error = null;
    /** Where pages begin: `{index, marker}`, by index. The last one is where nothing has been read yet. */
    this.marks = [{ index: 0, marker: undefined }];
    this.blocks = new Map();
    this.wanted = null;
    this.generation = (this.generation ?? 0) + 1;
  }

  listen(listener) { this.listeners.add(listener); }

  tell() { for (const listener of this.listeners) listener(this); }

  /** The record at a place; undefined while it is not here. */
  at(index) {
    for (const [start, records] of this.blocks) {
      if (index >= start && index < start + records.length) return records[index - start];
    }
    return undefined;
  }

  /** Puts a record in the place of an earlier version of itself. */
  put(record) {
    for (const records of this.blocks.values()) {
      const place = records.findIndex(({ recordName }) => recordName === record.recordName);
      if (place >= 0) records[place] = record;
    }
    this.tell();
  }

  /** Fetches what is missing of a range. Of many calls only the latest counts. */
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

  /** The first place in the wanted range that has to be fetched. */
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
    // Towards a place without a mark of its own, page by page.
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
      // The wish may have changed meanwhile.
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
    // A page without a record, of which more comes behind: go on behind it.
    if (last.index === mark.index) last.marker = mark.marker;
    else if (last.index < mark.index) this.marks.push(mark);
    if (this.marks.length > MARKS) {
      const end = this.marks.length - 1;
      this.marks = this.marks.filter((_, place) => place === 0 || place === end || place % 2 === 0);
    }
  }

  /**
   * Asks for the first page again, and takes it in the place of what is here if it is another.
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
