/** Requests, latency, errors and storage over time. */

import * as api from "../core/api.js";
import { h } from "../core/dom.js";
import { bytes, number } from "../core/format.js";
import { charts } from "../core/load.js";
import { empty, head, loaded, segments } from "../core/parts.js";
import { note } from "../core/router.js";
import { Chart } from "./chart.js";
import { operationChoice, operationTable } from "./operations.js";

export const title = "Telemetry";

const RANGES = [
  { value: 60, label: "1 hour" },
  { value: 1440, label: "1 day" },
  { value: 10_080, label: "7 days" },
  { value: 43_200, label: "30 days" },
];
/** Time until the page loads the statistics again, in milliseconds. */
const PAUSE = 30_000;

export async function show(page) {
  let minutes = RANGES.map(({ value }) => value).find((value) => String(value) === page.query.get("minutes")) ?? 60;
  let operation = page.query.get("operation") ?? "";
  let timer;
  let drawn = [];
  const place = loaded(page, async () => {
    const [Library, answer] = await Promise.all([
      charts(),
      api.get(api.inEnvironment("telemetry"), { query: { minutes, operation }, signal: page.signal }),
    ]);
    return { Library, answer };
  }, ({ Library, answer }) => {
    for (const chart of drawn) chart.destroy();
    const view = content(Library, answer, { minutes, operation, choose: chooseOperation });
    drawn = view.charts;
    schedule();
    return view.element;
  }, 10);
  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(() => (document.hidden ? schedule() : refresh()), PAUSE);
  }
  /** Loads the statistics again. The choice of an operation is drawn again, too, and keeps the focus. */
  async function refresh() {
    const isChoosing = document.activeElement?.name === "operation";
    await place.reload();
    if (isChoosing) place.element.querySelector("[name=operation]")?.focus();
  }
  const noteAll = () => note({ minutes: minutes === 60 ? "" : String(minutes), operation });
  function chooseOperation(next) {
    operation = next;
    noteAll();
    refresh();
  }
  page.cleanUp(() => { clearTimeout(timer); for (const chart of drawn) chart.destroy(); });
  const period = segments("Period", RANGES, minutes, (next) => {
    minutes = next;
    noteAll();
    place.reload();
  });
  const lead = "Requests from apps: how many, how fast, which ones fail, and how much data is stored.";
  page.root.append(head({ title, lead, actions: [period] }), place.element);
  await place.reload();
}

const sum = (values) => (values ?? []).reduce((total, value) => total + (value ?? 0), 0);
const last = (values) => (values ?? []).findLast((value) => value !== null && value !== undefined);
const highest = (values) => (values ?? []).reduce((most, value) => Math.max(most, value ?? 0), 0);

function content(Library, answer, { minutes, operation, choose }) {
  const { from, step, series, quota, operations = [], toolOperations = [] } = answer;
  const requests = sum(series.requests);
  const commands = sum(series.toolRequests);
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
        last(series.latency99) === undefined ? "–" : `${highest(series.latency99).toFixed(1)} ms`,
        operation ? `of ${operation}` : `in the slowest ${stepText(step)}`,
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
        hint: `per ${stepText(step)}`,
        isFilled: true,
        lines: [
          { label: "Apps", values: series.requests },
          ...(commands ? [{ label: "Tool", values: series.toolRequests }] : []),
        ],
      }),
      chart({
        title: "Latency",
        unit: "ms",
        control: operationChoice(operations, operation, choose),
        lines: [
          { label: "Median", values: series.latency50 }, { label: "95th percentile", values: series.latency95 },
          { label: "99th percentile", values: series.latency99 },
        ],
      }),
      errors.length ? chart({
        title: "Errors by operation",
        unit: "",
        isStacked: true,
        hint: `per ${stepText(step)}`,
        lines: errors.map(([label, values]) => ({ label, values })),
      })
        : h(
          "section",
          { class: "card", "aria-label": "Errors" },
          h("div", { class: "card-head" }, h("h2", { text: "Errors by operation" })),
          empty({ iconName: "check", title: "No errors", text: "No request of an app failed in this period." }),
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
        hint: "compared with its quotas",
        lines: besideQuotas(series, "public"),
      }),
      chart({
        title: "Fullest private database",
        unit: "bytes",
        hint: "compared with its quotas",
        lines: besideQuotas(series, "user"),
      })),
    operationTable({
      title: "App operations", rows: operations,
      hint: "Requests to the web services in this period, with the median, 95th and 99th percentile of their latency. "
        + "The console's own requests are not counted.",
    }),
    operationTable({
      title: "Tool commands", rows: toolOperations,
      hint: "Commands of “stratus” that ran through the server. They are not in the other numbers on this page, except "
        + "for storage and the line “Tool” of the first chart.",
    }));
  return { element, charts: made };
}

/** What databases hold, and their quotas at the time. A quota that was never set has no line. */
function besideQuotas(series, whose) {
  return [
    { label: "Records", values: series[`${whose}RecordBytes`] },
    { label: "Assets", values: series[`${whose}AssetBytes`] },
    { label: "Quota of records", values: series[`${whose}RecordQuota`], limits: "Records" },
    { label: "Quota of assets", values: series[`${whose}AssetQuota`], limits: "Assets" },
  ].filter(({ limits, values }) => !limits || last(values) !== undefined);
}

const figure = (label, value, words) => h(
  "div",
  { class: "card figure" },
  h("div", { class: "label", text: label }),
  h("div", { class: "value", text: value }),
  h("small", { text: words }),
);

/** Storage is measured about once a minute. Before the first time it is unknown. */
const counted = (value, text) => (value === undefined ? "–" : text(value));

/** The quotas of the public database and of each user. */
function limits(ofPublic, ofPerson) {
  const limits = [];
  if (ofPublic) limits.push(`${bytes(ofPublic)} public`);
  if (ofPerson) limits.push(`${bytes(ofPerson)} per user`);
  return limits.length ? `at most ${limits.join(", ")}` : "no quota";
}

/** `minute`, `10 minutes`, `hour` … */
function stepText(seconds) {
  const [unit, length] = seconds % 3600 === 0 ? ["hour", 3600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1];
  return seconds === length ? unit : `${seconds / length} ${unit}s`;
}

