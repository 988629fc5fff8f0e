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

/** A text as one line, cut to a length that a cell can show. */
export const line = (text, length = 120) => {
  const flat = String(text).replace(/\s+/g, " ");
  return flat.length > length ? `${flat.slice(0, length)}…` : flat;
};
