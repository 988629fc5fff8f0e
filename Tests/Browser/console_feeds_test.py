"""What the console shows of an app that is used: zones, changes, subscriptions, notifications and people.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import CONTAINER, EMAIL
from console import ConsoleBrowserTest
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Step (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE, title STRING QUERYABLE,
        number INT64 QUERYABLE
    );
"""
TESS = "tess@app.test"


def step(kind, name, **fields):
    fields = {field: {"value": value} for field, value in fields.items()}
    return {"operationType": kind, "record": {"recordType": "Step", "recordName": name, "fields": fields}}


class ConsoleFeedsTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)

    def cells(self, table):
        """The texts of a table's rows."""
        script = """
            return [...document.querySelectorAll(`[aria-label="${arguments[0]}"] tbody tr`)]
              .map((row) => [...row.cells].map((cell) => cell.innerText.trim()));"""
        return self.browser.execute_script(script, table)

    def wait_cells(self, table, condition):
        """The rows once they are what is waited for."""
        try:
            self.wait(lambda browser: condition(self.cells(table)))
        except TimeoutException:
            self.picture("debug.png")
            self.fail(f"{table}: {self.cells(table)}")
        return self.cells(table)

    def test_an_app_that_is_used(self):
        self.enter()
        self.tess, _ = self.make_test_account(TESS)
        self.view("test-accounts")
        self.push(f"Act as {TESS}")
        self.see(f"You act as {TESS}", ".stage")
        self.zones_and_their_changes()
        self.subscriptions()
        self.notifications()
        self.people()
        self.the_test_account_goes()

    def zones_and_their_changes(self):
        self.push("Zones", ".side ")
        for name in ["Trip", "Attic"]:
            self.push("New zone")
            self.fill("name", name)
            self.push("Create zone")
            self.see(name)
        zone = {"zoneName": "Trip"}
        for operations in [
            [step("create", "walk", title="Walk", number=1), step("create", "swim", title="Swim", number=2), step("create", "run")],
            [step("forceUpdate", "walk", title="Long walk")], [step("forceDelete", "swim")],
        ]:
            self.ask_as(self.tess, "private", "records/modify", {"zoneID": zone, "operations": operations})
        self.push("Changes of Trip")
        # The latest first, each as it is now; who was never here is not told of what is gone.
        rows = self.wait_cells("Changes", lambda rows: len(rows) == 2)
        self.assertEqual([row[:3] for row in rows], [["walk", "Step", "changed"], ["run", "Step", "created"]])
        self.assertIn("title: Long walk", rows[0][4])
        self.assert_good_everywhere("changes-of-a-zone")
        self.choose("order", "Oldest first")
        self.wait_cells("Changes", lambda rows: [row[0] for row in rows] == ["run", "walk"])
        self.ask_as(self.tess, "private", "records/modify", {"zoneID": zone, "operations": [step("create", "dive")]})
        self.push("Refresh")
        rows = self.wait_cells("Changes", lambda rows: [row[0] for row in rows] == ["run", "walk", "dive"])
        self.assertEqual(rows[2][2], "created")
        # From a change to its record.
        self.until(By.XPATH, "//td//a[normalize-space()='dive']").click()
        self.wait(lambda browser: sorted(self.rows()) == ["dive", "run", "walk"])
        self.push("Zones", ".side ")
        self.see("Attic")
        self.assert_accessible()
        self.push("Delete Attic")
        self.confirm("Attic", "Delete")
        self.wait(lambda browser: "Attic" not in self.text() and "Trip" in self.text())
        self.push("Shared (test account)")
        self.see("Nobody has shared a zone or a record with this account")

    def subscriptions(self):
        self.ask_as(self.tess, "private", "subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": {
                "subscriptionID": "trip", "subscriptionType": "zone", "zoneID": {"zoneName": "Trip"},
                "notificationInfo": {"alertBody": "The trip goes on"}}}]})
        self.ask_as(self.tess, "public", "subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": {
                "subscriptionID": "long-steps", "subscriptionType": "query", "firesOn": ["create", "delete"],
                "query": {"recordType": "Step", "filterBy": [
                    {"fieldName": "number", "comparator": "GREATER_THAN", "fieldValue": {"value": 10}}]}}},
            {"operationType": "create", "subscription": {
                "subscriptionID": "short-steps", "subscriptionType": "query", "firesOn": ["create"],
                "query": {"recordType": "Step"}}}]})
        self.push("Subscriptions", ".side ")
        rows = self.wait_cells("Subscriptions", lambda rows: len(rows) == 2)
        self.assertEqual([row[0] for row in rows], ["long-steps", "short-steps"])
        self.assertIn("with a filter", rows[0][2])
        self.assertEqual(rows[0][3].split(), ["create", "delete"])
        self.assert_good_everywhere("subscriptions-of-an-account")
        self.push("Delete short-steps")
        self.confirm("short-steps", "Delete")
        self.wait_cells("Subscriptions", lambda rows: [row[0] for row in rows] == ["long-steps"])
        self.push("Private (test account)")
        rows = self.wait_cells("Subscriptions", lambda rows: [row[0] for row in rows] == ["trip"])
        self.assertEqual(rows[0][1:3] + rows[0][4:5], ["zone", "Trip", "The trip goes on"])

    def notifications(self):
        self.push("Pushes", ".side ")
        self.see("No notifications yet")
        self.call(EMAIL, "public/records/modify", {"operations": [
            step("create", "short", number=1), step("create", "long", number=11)]})
        self.ask_as(self.tess, "private", "records/modify", {
            "zoneID": {"zoneName": "Trip"}, "operations": [step("create", "climb")]})
        self.push("Refresh")
        rows = self.wait_cells("Notifications", lambda rows: len(rows) == 2)
        kinds = {row[1].split()[0]: row[2:] for row in rows}
        self.assertEqual(kinds, {"trip": ["zone", "queue", "queued"], "long-steps": ["query", "queue", "queued"]})
        self.assertIn("public · _defaultZone · Step", " ".join(row[1] for row in rows))
        self.assert_good_everywhere("pushes-sent")

    def people(self):
        self.run_tool("account", "update", "--email", EMAIL, "--given-name", "Ada", "--family-name", "Lovelace")
        target = ["--container", CONTAINER, "--environment", "development"]
        self.push("Users", ".side ")
        self.see("Nobody has chosen to be discoverable")
        self.run_tool("account", "discover", "--email", EMAIL, *target, "--allow", "on")
        self.view("users")
        [[name, user]] = self.wait_cells("People", lambda rows: len(rows) == 1)
        self.assertEqual((name, user), ("Ada Lovelace", self.credentials(EMAIL)[1]))
        figures = {figure.text.split("\n")[0].upper(): figure.text.split("\n")[1]
                   for figure in self.browser.find_elements(By.CSS_SELECTOR, ".figure")}
        # Ada, the test account, and the developer in their own name.
        self.assertGreaterEqual(int(figures["ALL"]), 2)
        self.assertGreaterEqual(int(figures["TODAY"]), 1)
        self.assertNotIn(EMAIL, self.text())
        self.assert_accessible()

    def the_test_account_goes(self):
        self.view("test-accounts")
        self.push(f"Act as {TESS}")
        self.push("Test accounts", ".side ")
        self.push(f"Delete {TESS}")
        self.confirm(TESS, "Delete account")
        self.see("No test accounts")
        # Nobody acts as who is gone.
        self.wait(lambda browser: not [banner for banner in browser.find_elements(By.CSS_SELECTOR, ".banner") if banner.is_displayed()])
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
