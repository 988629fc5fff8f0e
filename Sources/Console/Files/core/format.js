/** Formats values for people. */

const NUMBER = new Intl.NumberFormat("en");
const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"];

export const number = (value) => NUMBER.format(value);

/** Bytes in the largest unit that leaves a whole figure, in steps of 1,024. */
export function bytes(count) {
  let value = Number(count);
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${unit === 0 && value === 1 ? "byte" : UNITS[unit]}`;
}

const pad = (value, digits = 2) => String(value).padStart(digits, "0");

/** A time in this browser's zone, such as `2026-11-22 10:04:05`; with milliseconds if they are asked for. */
export function time(milliseconds, { withMilliseconds = false } = {}) {
  const date = new Date(Number(milliseconds));
  if (Number.isNaN(date.getTime())) return String(milliseconds);
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return `${day} ${clock}${withMilliseconds ? `.${pad(date.getMilliseconds(), 3)}` : ""}`;
}

/** The time of day, to the second. */
export const clock = (milliseconds) => time(milliseconds).slice(11);

/** How long ago, in the largest unit. */
export function ago(milliseconds, now = Date.now()) {
  const seconds = Math.round((now - Number(milliseconds)) / 1000);
  if (seconds < 5) return "just now";
  const steps = [[60, "second", 1], [3600, "minute", 60], [86_400, "hour", 3600], [30 * 86_400, "day", 86_400]];
  for (const [limit, unit, length] of steps) {
    if (seconds < limit) return plural(Math.floor(seconds / length), unit) + " ago";
  }
  return time(milliseconds).slice(0, 10);
}

export const plural = (count, noun, nouns = `${noun}s`) => `${number(count)} ${count === 1 ? noun : nouns}`;

// Control and format characters, separators of lines, and letters that show nothing. Joiners stay, which emoji and
// several languages need.
const HIDDEN =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name that somebody chose. Characters that nobody sees, or that turn the text around, appear as their codes. */
export const visible = (name) => String(name).replace(HIDDEN,
  (character) => `‹U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);

/** Such a name as a part of a sentence. Isolates keep its direction from reordering the rest. */
export const named = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2066${visible(name)}\u2069` : visible(name));

/** A text as one line, cut to a length that a cell can show. */
export const line = (text, length = 120) => {
  const flat = String(text).replace(/\s+/g, " ");
  return flat.length > length ? `${flat.slice(0, length)}…` : flat;
};
