/** What the cloud is doing, over time. */

import * as api from "../core/api.js";
import { h } from "../core/dom.js";
import { bytes, number } from "../core/format.js";
import { charts } from "../core/load.js";
import { empty, head, loaded, segments, table } from "../core/parts.js";
import { note } from "../core/router.js";
import { Chart } from "./chart.js";

export const title = "Telemetry";

const RANGES = [
  { value: 60, label: "1 hour" },
  { value: 1440, label: "1 day" },
  { value: 10_080, label: "7 days" },
  { value: 43_200, label: "30 days" },
];
/** Between two looks, in milliseconds. */
const PAUSE = 30_000;

export async function show(page) {
  let minutes = RANGES.map(({ value }) => value).find((value) => String(value) === page.query.get("minutes")) ?? 60;
  let timer;
  let drawn = [];
  const place = loaded(page, async () => {
    const [Library, answer] = await Promise.all([
      charts(),
      api.get(api.inEnvironment("telemetry"), { query: { minutes }, signal: page.signal }),
    ]);
    return { Library, answer };
  }, ({ Library, answer }) => {
    for (const chart of drawn) chart.destroy();
    const view = content(Library, answer, minutes);
    drawn = view.charts;
    lookAgain();
    return view.element;
  }, 10);
  function lookAgain() {
    clearTimeout(timer);
    timer = setTimeout(() => (document.hidden ? lookAgain() : place.reload()), PAUSE);
  }
  page.cleanUp(() => { clearTimeout(timer); for (const chart of drawn) chart.destroy(); });
  const period = segments("Period", RANGES, minutes, (next) => {
    minutes = next;
    note({ minutes: next === 60 ? "" : String(next) });
    place.reload();
  });
  const lead = "Requests, how long they take, what fails, and what is stored.";
  page.root.append(head({ title, lead, actions: [period] }), place.element);
  await place.reload();
}

const sum = (values) => (values ?? []).reduce((total, value) => total + (value ?? 0), 0);
const last = (values) => (values ?? []).findLast((value) => value !== null && value !== undefined);
const highest = (values) => (values ?? []).reduce((most, value) => Math.max(most, value ?? 0), 0);

function content(Library, { from, step, series, quota }, minutes) {
  const requests = sum(series.requests);
  const failures = Object.values(series.errors ?? {}).reduce((total, values) => total + sum(values), 0);
  const times = (series.requests ?? []).map((_, index) => from + index * step * 1000);
  const made = [];
  const chart = (parts) => {
    const one = new Chart(Library, { times, minutes, ...parts });
    made.push(one);
    return one.element;
  };
  const errors = Object.entries(series.errors ?? {}).filter(([, values]) => sum(values) > 0)
    .sort((one, other) => sum(other[1]) - sum(one[1])).slice(0, 6);
  const element = h("div", { class: "stack" },
    h("div", { class: "figures" },
      figure(
        "Requests",
        number(requests),
        requests >= minutes * 6 ? `${(requests / (minutes * 60)).toFixed(1)} a second` : "in this period",
      ),
      figure(
        "Failed",
        requests ? `${((failures / requests) * 100).toFixed(failures ? 2 : 0)} %` : "–",
        `${number(failures)} requests`,
      ),
      figure(
        "99th percentile",
        requests ? `${highest(series.latency99).toFixed(1)} ms` : "–",
        `in the worst ${stepText(step)}`,
      ),
      figure("Records", counted(last(series.records), number), "in all databases"),
      figure(
        "Record data",
        counted(last(series.recordBytes), bytes),
        limits(quota?.publicRecordBytes, quota?.userRecordBytes),
      ),
      figure(
        "Assets",
        counted(last(series.assetBytes), bytes),
        limits(quota?.publicAssetBytes, quota?.userAssetBytes),
      )),
    h("div", { class: "columns wide-columns" },
      chart({
        title: "Requests",
        unit: "",
        hint: `every ${stepText(step)}`,
        isFilled: true,
        lines: [{ label: "Requests", values: series.requests }],
      }),
      chart({
        title: "Latency",
        unit: "ms",
        hint: "milliseconds",
        lines: [{ label: "Median", values: series.latency50 }, { label: "99th percentile", values: series.latency99 }],
      }),
      errors.length ? chart({
        title: "Errors by operation",
        unit: "",
        isStacked: true,
        hint: `every ${stepText(step)}`,
        lines: errors.map(([label, values]) => ({ label, values })),
      })
        : h(
          "section",
          { class: "card", "aria-label": "Errors" },
          h("div", { class: "card-head" }, h("h2", { text: "Errors by operation" })),
          empty({ iconName: "check", title: "No errors", text: "No request failed in this period." }),
        ),
      chart({
        title: "Storage",
        unit: "bytes",
        hint: "of all databases",
        lines: [{ label: "Records", values: series.recordBytes }, { label: "Assets", values: series.assetBytes }],
      }),
      chart({
        title: "Public database",
        unit: "bytes",
        hint: "beside quotas",
        lines: besideQuotas(series, "public"),
      }),
      chart({
        title: "Fullest private database",
        unit: "bytes",
        hint: "beside quotas",
        lines: besideQuotas(series, "user"),
      })),
    byOperation(series.errors ?? {}));
  return { element, charts: made };
}

/** What databases hold, and the quotas that held then. One that there never was has no line. */
function besideQuotas(series, whose) {
  return [
    { label: "Records", values: series[`${whose}RecordBytes`] },
    { label: "Assets", values: series[`${whose}AssetBytes`] },
    { label: "Quota of records", values: series[`${whose}RecordQuota`], limits: "Records" },
    { label: "Quota of assets", values: series[`${whose}AssetQuota`], limits: "Assets" },
  ].filter(({ limits, values }) => !limits || last(values) !== undefined);
}

function byOperation(errors) {
  const rows = Object.entries(errors).map(([operation, values]) => [operation, sum(values)])
    .filter(([, count]) => count > 0).sort((one, other) => other[1] - one[1]);
  if (rows.length === 0) return null;
  return h("section", { class: "card", "aria-label": "What failed" }, h(
    "div",
    { class: "card-head" },
    h("h2", { text: "What failed" }),
  ),
    table({
      label: "Errors by operation",
      columns: [{ name: "Operation", class: "main" }, { name: "Errors", class: "number" }],
      rows: rows.map(([operation, count]) => [h("code", { text: operation }), number(count)]),
    }));
}

const figure = (label, value, words) => h(
  "div",
  { class: "card figure" },
  h("div", { class: "label", text: label }),
  h("div", { class: "value", text: value }),
  h("small", { text: words }),
);

/** What databases hold is looked at every minute or so; before the first time it is not known. */
const counted = (value, text) => (value === undefined ? "–" : text(value));

/** What databases may hold: the public one, and that of each person. */
function limits(ofPublic, ofPerson) {
  const limits = [];
  if (ofPublic) limits.push(`${bytes(ofPublic)} public`);
  if (ofPerson) limits.push(`${bytes(ofPerson)} a person`);
  return limits.length ? `at most ${limits.join(", ")}` : "without a limit";
}

/** `minute`, `10 minutes`, `hour` … */
function stepText(seconds) {
  const [unit, length] = seconds % 3600 === 0 ? ["hour", 3600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1];
  return seconds === length ? unit : `${seconds / length} ${unit}s`;
}

