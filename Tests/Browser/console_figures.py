"""The console's figures: what its first page transfers, when it can be used on a slow processor, and what the grid keeps in memory.

    .venv/bin/python Tests/Browser/console_figures.py [--records 20000] [--runs 5]

Starts a server of its own (STRATUS_BINARY; build a release for true times). The processor is slowed to a quarter by the browser.
"""

import argparse
import json
import statistics
import time

from browser import CONTAINER, EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By

SLOWDOWN = 4
ENTRIES = """
    const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    const mark = performance.getEntriesByName("console-interactive")[0];
    return { bytes: entries.reduce((sum, one) => sum + one.transferSize, 0), requests: entries.length, interactive: mark.startTime };
"""


class Figures(ConsoleBrowserTest):
    def first_page(self, path, signed_in):
        """Loaded anew, by a browser that has nothing of it."""
        self.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        if not signed_in:
            self.browser.delete_all_cookies()
        self.browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        self.open(path)
        found = self.browser.execute_script(ENTRIES)
        self.browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
        return found

    def memory(self):
        self.browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        metrics = {item["name"]: item["value"] for item in self.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        return {"heap": metrics["JSHeapUsedSize"], "nodes": metrics["Nodes"]}

    def fill_records(self, count):
        for start in range(0, count, 200):
            self.call(EMAIL, "public/records/modify", {"operations": [
                {"operationType": "forceReplace", "record": {"recordType": "Step", "recordName": f"step-{number:07}", "fields": {
                    "number": {"value": number}, "text": {"value": f"Step {number} of many, with a line of text beside it"}}}}
                for number in range(start, min(count, start + 200))]})

    def scroll(self, count):
        """Memory and records at each part of the way to the end."""
        self.browser.execute_cdp_cmd("Performance.enable", {})
        self.view("records?type=Step")
        self.wait(lambda browser: self.rows())
        steps, next_stop, started = [], 0, time.monotonic()
        # By itself: each script from outside would leave something behind in what is measured.
        self.browser.execute_script("""
            const grid = document.querySelector(".grid");
            setInterval(() => { grid.scrollTop = grid.scrollHeight; }, 15);""")
        while True:
            foot = self.browser.find_element(By.CSS_SELECTOR, ".grid-foot").text
            known = int(foot.split()[0].rstrip("+").replace(",", ""))
            if known >= next_stop:
                steps.append({"records": known, **self.memory()})
                next_stop = known + count // 5
            if known >= count:
                break
            time.sleep(0.25)
        steps.append({"records": known, **self.memory()})
        return {"steps": steps, "recordsPerSecond": known / (time.monotonic() - started)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    Figures.setUpClass()
    figures = Figures()
    try:
        figures.setUp()
        figures.fill_records(options.records)
        figures.enter()
        result = {"slowdown": SLOWDOWN}
        for name, path, signed_in in [("records", f"/console/c/{CONTAINER}/development/records?type=Step", True), ("signIn", "/console/", False)]:
            runs = [figures.first_page(path, signed_in) for _ in range(options.runs)]
            result[name] = {
                "bytes": runs[-1]["bytes"], "requests": runs[-1]["requests"],
                "interactiveMilliseconds": round(statistics.median(run["interactive"] for run in runs))}
        figures.enter()
        result["grid"] = figures.scroll(options.records)
        print(json.dumps(result, indent=2))
    finally:
        figures.doCleanups()
        Figures.doClassCleanups()


if __name__ == "__main__":
    main()
