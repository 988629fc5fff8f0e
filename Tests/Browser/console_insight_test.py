"""What the console shows of what goes on: charts of a busy day, and the log as it is written.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import math
import unittest

from browser import CONTAINER, EMAIL
from console import DEVICES, ConsoleBrowserTest
from selenium.webdriver.common.by import By

MINUTE = 60_000
# No server is a day old in a test: the page is given the answer that one would give.
ANSWER = """
    const [telemetry, genuine] = [%s, window.fetch];
    window.fetch = (address, ...rest) => String(address).includes("/telemetry")
      ? Promise.resolve(new Response(JSON.stringify(telemetry))) : genuine(address, ...rest);
"""


def busy_day():
    """A day by the minute, of which the server was away for an hour."""
    def minutes(value, away=None):
        return [away if 600 <= minute < 660 else value(minute) for minute in range(1_440)]

    def minutes_from(first, value):
        return [value(minute) if minute >= first else None for minute in range(1_440)]

    def wave(minute):
        return 1 + math.sin(minute / 229)
    return {
        "step": 60, "from": 1_767_225_600_000,
        "series": {
            "requests": minutes(lambda minute: round(900 * wave(minute)), 0),
            "errors": {
                "records/query": minutes(lambda minute: minute % 97 // 90 * 40, 0),
                "records/modify": minutes(lambda minute: minute % 211 // 200 * 60, 0),
                "changes/zone": minutes(lambda minute: 0, 0),
            },
            "latency50": minutes(lambda minute: 1.5 + wave(minute)),
            "latency95": minutes(lambda minute: 5 + 6 * wave(minute)),
            "toolRequests": minutes(lambda minute: minute % 60 * 4, 0),
            "latency99": minutes(lambda minute: 9 + 12 * wave(minute)),
            "recordBytes": [4_000_000_000 + 1_000_000 * minute for minute in range(1_440)],
            "assetBytes": [2_000_000_000 + 3_000_000 * minute for minute in range(1_440)],
            "records": [1_204_388 + minute for minute in range(1_440)],
            # Nobody looked in the first hour; in the middle of the day the operator gave more room.
            "publicRecordBytes": minutes_from(60, lambda minute: 3_000_000_000 + 900_000 * minute),
            "publicAssetBytes": minutes_from(60, lambda minute: 1_000_000_000 + 400_000 * minute),
            "publicRecordQuota": minutes_from(60, lambda minute: (5 if minute < 720 else 10) * 1_073_741_824),
            "publicAssetQuota": [None] * 1_440,
            "userRecordBytes": minutes_from(60, lambda minute: 500_000_000 + 10_000 * minute),
            "userAssetBytes": minutes_from(60, lambda minute: 1_900_000_000),
            "userRecordQuota": minutes_from(60, lambda minute: 1_073_741_824),
            "userAssetQuota": minutes_from(60, lambda minute: 5_368_709_120),
        },
        "operations": [
            {"operation": "records/query", "requests": 1_204_388, "errors": 4_200, "latency50": 1.94, "latency95": 12.3, "latency99": 33.1},
            {"operation": "records/modify", "requests": 92_001, "errors": 3_600, "latency50": 4.2, "latency95": 18.0, "latency99": 120.4},
            {"operation": "zones/list", "requests": None, "errors": 3, "latency50": None, "latency95": None, "latency99": None},
        ],
        "toolOperations": [
            {"operation": "records/export", "requests": 169_920, "errors": 0, "latency50": 8.1, "latency95": 14.8, "latency99": 30.2},
        ],
        "quota": {"publicRecordBytes": 10_737_418_240, "publicAssetBytes": None,
                  "userRecordBytes": 1_073_741_824, "userAssetBytes": 5_368_709_120},
    }


class ConsoleInsightTest(ConsoleBrowserTest):
    def setUp(self):
        super().setUp()
        self.enter()

    def test_charts_of_a_busy_day(self):
        self.browser.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": ANSWER % json.dumps(busy_day())})
        self.view("telemetry?minutes=1440")
        self.wait(lambda browser: len(browser.find_elements(By.CSS_SELECTOR, "canvas")) == 6)
        names = [canvas.get_attribute("aria-label") for canvas in self.browser.find_elements(By.CSS_SELECTOR, "canvas")]
        self.assertIn("99th percentile up to 33 ms", names[1])
        # The one that failed more often comes first; one without errors is not there.
        self.assertTrue(names[2].startswith("Errors by operation: records/query up to 40"), names[2])
        self.assertNotIn("changes/zone", names[2])
        self.see("at most 10.0 GB public, 1.0 GB per user")
        self.assertEqual(self.cells("App operations")[2], ["zones/list", "–", "3", "–", "–", "–"])
        self.assertEqual(
            self.cells("Tool commands"), [["records/export", "169,920", "0", "8.1 ms", "15 ms", "30 ms"]])
        # Work of the tool is a line of its own, and in none of the sums.
        self.assertIn("Tool up to 236", names[0])
        # Each quota is a line of its own, said to who listens, too; one that there is not has none.
        self.assertIn("Quota of records up to 10.0 GB, now 10.0 GB", names[4])
        self.assertNotIn("Quota of assets", names[4])
        self.assertIn("Assets up to 1.8 GB, now 1.8 GB; Quota of records up to 1.0 GB, now 1.0 GB; Quota of assets up to 5.0 GB", names[5])
        self.assert_good_everywhere("telemetry-busy", devices=DEVICES)
        self.until(By.CSS_SELECTOR, "section[aria-label=Latency] summary").click()
        self.until(By.CSS_SELECTOR, "section[aria-label=Latency] details table")
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "section[aria-label=Latency] tbody tr")), 96)
        self.until(By.CSS_SELECTOR, "section[aria-label='Public database'] summary").click()
        quotas = self.until(By.CSS_SELECTOR, "section[aria-label='Public database'] details table")
        self.assertEqual([head.text for head in quotas.find_elements(By.TAG_NAME, "th")], ["Time", "Records", "Assets", "Quota of records"])
        column = [row.find_elements(By.TAG_NAME, "td")[3].text for row in quotas.find_elements(By.CSS_SELECTOR, "tbody tr")]
        self.assertEqual((column[0], column[4], column[-1]), ("–", "5.0 GB", "10.0 GB"))
        self.assert_good_everywhere("telemetry-table")

    def cells(self, table):
        """The cells of a table, row by row."""
        script = """
            return [...document.querySelectorAll(`section[aria-label='${arguments[0]}'] tbody tr`)]
              .map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"""
        return self.browser.execute_script(script, table)

    def test_the_work_of_the_tool_is_counted_apart(self):
        for _ in range(2):
            self.run_tool("token", "list", "--container", CONTAINER, "--environment", "development")
        with self.assertRaises(RuntimeError):
            self.run_tool(
                "query", "--container", CONTAINER, "--environment", "development", "--database", "public", "--type", "Nothing")
        for _ in range(3):
            self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "nothing"}]})
        self.view("telemetry")
        rows = {row[0]: row for row in self.cells("Tool commands")}
        self.assertEqual(rows["tokens/list"][1:3], ["2", "0"])
        self.assertEqual(rows["records/query"][1:3], ["1", "1"])
        self.assertRegex(rows["records/query"][5], r"^\d+(\.\d)? ms$")
        apps = {row[0]: row for row in self.cells("App operations")}
        self.assertNotIn("tokens/list", apps)
        self.assertGreaterEqual(int(apps["records/lookup"][1]), 3)
        # The latency of one operation, chosen by keyboard.
        choice = self.browser.find_element(By.CSS_SELECTOR, "select[name=operation]")
        self.browser.execute_script("arguments[0].focus()", choice)
        self.press("records/l")
        self.see("of records/lookup")
        self.assertIn("operation=records%2Flookup", self.browser.current_url)
        self.wait(lambda browser: browser.switch_to.active_element.get_attribute("name") == "operation")
        self.assert_good_everywhere("telemetry-operation", devices=DEVICES)

    def test_nothing_is_known_of_a_new_environment(self):
        self.view("telemetry", "production")
        self.see("There is no data for this period yet")
        self.see("No errors")
        self.assert_good_everywhere("telemetry-nothing")

    def test_the_log_is_written_live_and_filtered(self):
        self.view("log")
        self.see("Live")
        self.see("No requests yet")
        self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "nothing"}]})
        self.see("records/lookup")
        self.assertEqual(self.status("development", "public/records/query", {}, self.app_token()), 400)
        self.assertEqual(self.status("development", "public/records/query", {}, "0" * 64), 401)
        self.see("records/query 400")
        self.assert_good_everywhere("log-live")
        self.fill("status", "4x")
        self.see("Enter a status such as 404 or 4xx.")
        self.assert_good_everywhere("log-refused")
        self.fill("status", "4xx")
        self.wait(lambda browser: "records/lookup" not in self.text())
        self.see("records/query 400")
        self.push("Clear")
        self.see("No requests yet")
        # A stopped log takes lines all the same, and shows them later.
        self.push("Pause")
        self.assertEqual(self.status("development", "public/records/query", {}, self.app_token()), 400)
        self.see("1 waiting")
        self.assertNotIn("records/query 400", self.text())
        self.push("Pause")
        self.see("records/query 400")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
