"""The page of requests of a record type: what it shows works when it is pasted.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import os
import subprocess
import unittest

from browser import CONTAINER, EMAIL
from console import ADDRESS, DEVICES, ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        title STRING QUERYABLE SORTABLE,
        "pages" INT64 QUERYABLE SORTABLE,
        rating DOUBLE,
        written TIMESTAMP,
        place LOCATION,
        folder REFERENCE,
        seal BYTES,
        tags LIST<STRING>,
        stops LIST<LOCATION>,
        secret ENCRYPTED STRING,
        cover ASSET,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
    );
    RECORD TYPE Plain (
        text STRING,
        GRANT READ, CREATE, WRITE TO "_world"
    );
"""


class ConsoleRequestsTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.app = cls.make_token()

    def setUp(self):
        super().setUp()
        self.enter()
        self.environment = {
            "PATH": os.environ["PATH"], "STRATUS_API_TOKEN": self.app,
            "STRATUS_WEB_AUTH_TOKEN": self.session("development", EMAIL),
        }

    def samples(self):
        """The texts of the page by their titles."""
        script = """
            return [...document.querySelectorAll("section.card[aria-label]")]
              .filter((card) => card.querySelector("pre.sample"))
              .map((card) => [card.ariaLabel, card.querySelector("pre.sample").textContent])"""
        return dict(self.browser.execute_script(script))

    def paste(self, text):
        """What a shell answers, as JSON."""
        done = subprocess.run(["bash", "-euc", text], env=self.environment, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_life_of_a_record(self, run):
        """Runs the requests one after another; `run` gives the records of each answer."""
        [created] = run("Create a record")
        self.assertEqual(created["recordName"], "note-example")
        self.assertEqual(created["fields"]["title"]["value"], "Example title")
        self.assertEqual(created["fields"]["tags"]["value"], ["Example tags", "Another tags"])
        self.assertEqual(
            set(created["fields"]),
            {"title", "pages", "rating", "written", "place", "folder", "seal", "tags", "stops"})
        [fetched] = run("Fetch a record")
        self.assertEqual(fetched["recordChangeTag"], created["recordChangeTag"])
        self.assertEqual([record["recordName"] for record in run("Query records")], ["note-example"])
        [updated] = run("Update a record")
        self.assertEqual(updated["fields"]["title"]["value"], "Another title")
        self.assertNotEqual(updated["recordChangeTag"], created["recordChangeTag"])
        self.assertEqual(run("Query records"), [])
        [deleted] = run("Delete a record")
        self.assertTrue(deleted["deleted"])

    def test_the_curl_requests_work(self):
        for database in ["public", "private"]:
            self.view(f"schema/requests/Note?database={database}")
            samples = self.samples()
            self.assert_life_of_a_record(lambda title: self.paste(samples[title])["records"])
            for words in samples.values():
                self.assertNotIn(self.app, words)
        self.see("Asset fields are left out")
        self.see("The SDK encrypts them on the device")

    def test_the_change_tag_guards_the_update(self):
        self.view("schema/requests/Note?database=private")
        samples = self.samples()
        self.paste(samples["Create a record"])
        stale = samples["Update a record"].split("\n")
        first = next(index for index, line in enumerate(stale) if line.startswith("curl"))
        answer = self.paste("\n".join(["TAG=another", *stale[first:]]))
        self.assertEqual(answer["records"][0]["serverErrorCode"], "CONFLICT")
        self.paste(samples["Delete a record"])

    def test_the_requests_of_a_type_without_fields_that_can_be_queried(self):
        self.view("schema/requests/Plain")
        self.see("Make a field queryable first")
        samples = self.samples()
        # Everybody may write records of this type: nobody is signed in.
        self.environment["STRATUS_WEB_AUTH_TOKEN"] = ""
        self.assertEqual(self.paste(samples["Create a record"])["records"][0]["recordName"], "plain-example")
        self.assertTrue(self.paste(samples["Delete a record"])["records"][0]["deleted"])
        self.assert_good_everywhere("requests-plain")

    def test_the_requests_of_javascript_work(self):
        self.view("schema/requests/Note?language=javascript&database=private")
        samples = self.samples()
        begin = samples["Before you begin"]
        for name, token in [("ckAPIToken", self.app), ("ckWebAuthToken", self.environment["STRATUS_WEB_AUTH_TOKEN"])]:
            self.assertIn(f'{name}: "…"', begin)
            begin = begin.replace(f'{name}: "…"', f"{name}: {json.dumps(token)}")

        def run(title):
            program = f"""
                const done = arguments[0], answers = [], console = {{ log: (records) => answers.push(records) }};
                (async () => {{ {begin}\n{samples[title]} }})()
                  .then(() => done(answers[0]), (error) => done(`${{error}}`));"""
            answer = self.browser.execute_async_script(program)
            self.assertIsInstance(answer, list, answer)
            return answer
        self.assert_life_of_a_record(run)

    def test_the_swift_requests_name_what_the_schema_has(self):
        self.view("schema/requests/Note?language=swift&database=private")
        samples = self.samples()
        self.assertIn(f"export STRATUS_URL='{self.cloud}' STRATUS_CONTAINER='{CONTAINER}'", samples["Before you begin"])
        self.assertIn("export STRATUS_ENVIRONMENT='development'", samples["Before you begin"])
        create = samples["Create a record"]
        for line in [
            "import CloudKit", f'let database = CKContainer(identifier: "{CONTAINER}").privateCloudDatabase',
            'let record = CKRecord(recordType: "Note", recordID: recordID)', 'record["title"] = "Example title"',
            'record["pages"] = 1', 'record["rating"] = 1.5', 'record["written"] = Date(timeIntervalSince1970: 1767225600)',
            'record["place"] = CLLocation(latitude: 52.52, longitude: 13.405)',
            'record["seal"] = Data("Hello".utf8)', 'record["tags"] = ["Example tags", "Another tags"]',
            'record.encryptedValues["secret"] = "Example secret"', "let saved = try await database.save(record)",
        ]:
            self.assertIn(line, create.split("\n"))
        self.assertNotIn("cover", create)
        self.assertIn('NSPredicate(format: "%K == %@", "title", "Example title")', samples["Query records"])
        self.assertIn("try await database.record(for: recordID)", samples["Update a record"])
        self.assertIn("try await database.deleteRecord(withID: recordID)", samples["Delete a record"])
        self.push("Public")
        self.assertNotIn("encryptedValues", self.samples()["Create a record"])

    def test_the_page_is_reached_and_used_by_keyboard(self):
        self.browser.execute_cdp_cmd(
            "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.view("schema?type=Note")
        self.button("Requests", "#content .card ").send_keys(Keys.ENTER)
        self.see("Before you begin")
        self.assertEqual(self.browser.current_url, f"{self.cloud}{ADDRESS}/development/schema/requests/Note")
        self.button("Swift").send_keys(Keys.ENTER)
        self.assertIn("language=swift", self.browser.current_url)
        self.button("Copy: Create a record").send_keys(Keys.ENTER)
        self.see("Copied.", "#toasts")
        copied = self.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(copied, self.samples()["Create a record"])
        # The language stays when another type is chosen.
        self.choose("type", "Plain")
        self.wait(lambda browser: browser.current_url.endswith("/schema/requests/Plain?language=swift"))
        self.see("plain-example")
        self.assert_clean_console()

    def test_a_type_that_is_not_in_an_environment(self):
        self.view("schema/requests/Note", "production")
        self.see("There is no record type “Note”")
        self.assert_good_everywhere("requests-nothing")

    def test_it_looks_good_everywhere(self):
        for language in ["curl", "swift", "javascript"]:
            self.view(f"schema/requests/Note?language={language}")
            self.see("Before you begin")
            self.assert_good_everywhere(f"requests-{language}", devices=DEVICES)


if __name__ == "__main__":
    unittest.main()
