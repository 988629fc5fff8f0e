"""What admins do in the console: containers, roles and what they grant, deployments and what takes them back, progress
of indexes, keys, origins, the team, settings, and the reset of development.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import re
import tempfile
import unittest
import urllib.error
import urllib.request

from browser import CONTAINER, EMAIL
from console import ADDRESS, ConsoleBrowserTest
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, count INT64,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
    );
"""
SECOND = "iCloud.org.example.second"
# No build lasts as long as a test needs to look at it: the page is given the answer that one under way would give, until
# the test says that it is over.
BUILDING = """
    const genuine = window.fetch;
    const index = (field, more) => ({ recordType: "Note", field, kinds: ["QUERYABLE"], isComplete: false, ...more });
    window.fetch = (address, ...rest) => !String(address).endsWith("/schema/indexes") || window.isBuilt
      ? genuine(address, ...rest)
      : Promise.resolve(new Response(JSON.stringify({ indexes: [
          index("title", { isComplete: true }), index("count", { indexedRecords: 312345, totalRecords: 1000000 }),
          index("size", { indexedRecords: 0 }), { ...index("name", {}), recordType: "Place" }] })));
"""

# Nor does a reset: its request waits until the test says so.
HELD = """
    const genuine = window.fetch;
    window.fetch = async (address, ...rest) => {
      if (String(address).endsWith("/schema/reset")) await new Promise((done) => { window.goOn = done; });
      return genuine(address, ...rest);
    };
"""


class ConsoleAdministrationTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.run_tool("schema", "deploy", "--yes", "--name", "1.0", "--container", CONTAINER)
        cls.call(EMAIL, "public/records/modify", {"operations": [
            {"operationType": "create", "record": {
                "recordType": "Note", "recordName": "of-ada", "fields": {"title": {"value": "Mine"}}}}]})

    def setUp(self):
        super().setUp()
        self.enter()

    def change(self, user, title):
        """The code with which a test account's change of somebody else's record ends; nothing if it is made."""
        answer = self.api("POST", f"c/{CONTAINER}/development/ck/public/records/modify", {"operations": [
            {"operationType": "forceUpdate", "record": {
                "recordType": "Note", "recordName": "of-ada", "fields": {"title": {"value": title}}}}]}, user)
        return answer["records"][0].get("serverErrorCode")

    def test_from_a_role_to_a_roll_back(self):
        self.grant_a_role()
        self.deploy()
        self.roll_back()
        self.see_indexes_being_built()
        self.reset()
        self.see_an_obstacle()

    def grant_a_role(self):
        ann, _ = self.make_test_account("ann@app.test")
        self.view("roles")
        self.push("New role", "#content ")
        self.fill("name", "_mine")
        self.push("Create role")
        self.see("does not begin with '_'", "dialog")
        self.fill("name", "editor")
        self.push("Create role")
        self.no_dialog()
        self.see("Nobody has this role yet")
        self.push("Add member")
        self.fill("user", "nobody@app.test")
        self.push("Add")
        self.wait(lambda browser: self.field("user").get_attribute("aria-invalid"))
        self.fill("user", "ann@app.test")
        self.push("Add")
        self.no_dialog()
        self.see(ann)
        self.assertEqual(self.change(ann, "Hers"), "ACCESS_DENIED")
        # What the role may do stands in the schema.
        self.view("schema?type=Note")
        self.until(By.CSS_SELECTOR, "input[aria-label='WRITE to editor']").click()
        self.until(By.CSS_SELECTOR, "input[aria-label='count: Queryable']").click()
        self.push("Review and save")
        self.see("WRITE of Note to editor", "dialog")
        self.push("Save to development")
        self.no_dialog()
        self.wait(lambda browser: self.change(ann, "Hers") is None)
        self.view("roles")
        self.see(ann)
        self.assert_good_everywhere("roles-with-members")
        self.push("Delete role")
        self.fill("confirm", "editor")
        self.push("Delete role")
        self.see("Record type 'Note' grants permissions to role 'editor'", "dialog")
        self.push("Cancel")
        self.push(f"Remove {ann}")
        self.confirm(self.until(By.CSS_SELECTOR, "dialog label").text.removeprefix("Type ").removesuffix(" to confirm"), "Remove")
        self.see("Nobody has this role yet")
        self.assertEqual(self.change(ann, "Hers again"), "ACCESS_DENIED")

    def deploy(self):
        self.view("schema/deploy")
        self.see("WRITE of Note to editor")
        # Somebody changes development while the difference is looked at: it is shown anew, and nothing is deployed.
        text = self.api("GET", f"c/{CONTAINER}/development/schema")["text"]
        self.import_schema(text + "\nRECORD TYPE Late (text STRING);\n")
        self.push("Deploy to production")
        self.push("Deploy")
        self.see("The schema has changed since the changes were shown", "#toasts")
        self.see("Record type Late")
        self.assertNotIn("Late", self.api("GET", f"c/{CONTAINER}/production/schema")["text"])
        self.import_schema(text)
        self.view("schema/deploy")
        self.see("WRITE of Note to editor")
        self.fill("name", "2.0")
        self.push("Deploy to production")
        self.push("Deploy")
        self.see("Production is up to date")
        # What development gives up stays in production, and is no reason to deploy.
        without = re.sub(r"(title\s+STRING)\s+QUERYABLE", r"\1", text)
        self.assertNotEqual(without, text)
        self.import_schema(without)
        self.view("schema/deploy")
        self.see("Production is up to date")
        self.see("Only in production")
        self.see("Index of Note.title")
        self.assert_good_everywhere("schema-deploy-kept")
        self.import_schema(text)

    def see_an_obstacle(self):
        """A field that has another type in production."""
        with tempfile.NamedTemporaryFile("w", suffix=".ckdb") as file:
            file.write("DEFINE SCHEMA RECORD TYPE Odd (a INT64);")
            file.flush()
            self.run_tool("schema", "apply", file.name, "--container", CONTAINER, "--environment", "production")
        text = self.api("GET", f"c/{CONTAINER}/development/schema")["text"]
        self.import_schema(text + "\nRECORD TYPE Odd (a STRING); RECORD TYPE Even (b STRING);\n")
        self.view("schema/deploy")
        self.see("This cannot be deployed")
        self.see("Record type Even")
        self.assertNotIn("Deploy to production", self.text())
        self.assert_good_everywhere("schema-deploy-obstacle")

    def roll_back(self):
        member = "_" + "0" * 32
        members = f"c/{CONTAINER}/production/roles/editor/members"
        self.api("POST", members, {"user": member})
        self.view("schema/history", "production")
        # The latest is the first.
        self.see("2.0")
        self.until(By.XPATH, "//li[.//h2[text()='2.0']]//button[contains(., 'Roll back')]").click()
        self.fill("confirm", "2.0")
        self.push("Roll back")
        self.see("Role 'editor' has 1 member: remove them first", "dialog")
        self.assert_good_everywhere("roll-back-refused")
        self.api("DELETE", f"{members}/{member}")
        self.push("Roll back")
        self.no_dialog()
        self.see("Rolled back")
        latest = self.until(By.CSS_SELECTOR, "#content li.card").text
        for line in ["- ROLE editor", "- count: QUERYABLE", '- GRANT WRITE TO "editor"']:
            self.assertIn(line, latest)
        self.assert_accessible()
        self.view("roles", "production")
        self.see("No custom roles")

    def see_indexes_being_built(self):
        script = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BUILDING})
        self.view("schema/indexes")
        self.see("312,345 of 1,000,000 records, 31 %")
        self.see("counting the records")
        self.see("waiting for other indexes")
        bar = self.until(By.CSS_SELECTOR, "progress[aria-label='Note.count']")
        self.assertEqual((bar.get_attribute("value"), bar.get_attribute("max")), ("312345", "1000000"))
        self.assert_good_everywhere("indexes-being-built")
        self.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        # It is looked at again by itself until all are complete.
        self.browser.execute_script("window.isBuilt = true")
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, "#content progress") and "complete" in self.text())
        self.assertNotIn("being built", self.text())

    def reset(self):
        self.view("records?type=Note")
        self.wait(lambda browser: self.rows() == ["of-ada"])
        self.view("schema/deploy")
        self.push("Reset development")
        self.fill("confirm", "everything")
        self.assertFalse(self.until(By.CSS_SELECTOR, "dialog .danger").is_enabled())
        self.browser.execute_script(HELD)
        self.fill("confirm", CONTAINER)
        self.push("Reset")
        self.see("Deleting development's data", "dialog")
        self.assert_good_everywhere("reset-under-way")
        self.browser.execute_script("window.goOn()")
        self.no_dialog()
        self.see("New record type")
        self.view("records?type=Note")
        self.see("No Note records yet")
        # It has production's schema, without the role that was taken back there.
        self.view("roles")
        self.see("No custom roles")
        self.view("schema/history")
        self.see("Reset")
        self.assert_clean_console()

    def test_containers_keys_origins_the_team_and_settings(self):
        self.make_a_container()
        self.make_and_revoke_a_key()
        self.restrict_a_token()
        self.change_the_team()
        self.change_settings()

    def make_a_container(self):
        self.open("/console/containers")
        self.push("New container")
        self.fill("id", "second")
        self.push("Create container")
        self.wait(lambda browser: self.field("id").get_attribute("aria-invalid"))
        self.fill("id", SECOND)
        self.push("Create container")
        self.see("New record type")
        self.assertIn(f"/console/c/{SECOND}/development/schema", self.browser.current_url)
        self.assertIn(SECOND, self.run_tool("container", "list"))
        self.open("/console/containers")
        self.see(SECOND)
        self.assert_accessible()

    def make_and_revoke_a_key(self):
        self.view("tokens")
        self.push("New key")
        self.fill("name", "reporter")
        self.fill("publicKey", "no key")
        self.push("Create key")
        self.wait(lambda browser: self.field("publicKey").get_attribute("aria-invalid"))
        self.fill("publicKey", " ")
        self.push("Create key")
        self.see("The private key is shown only once", "dialog")
        identifier, private = [
            element.text for element in self.browser.find_elements(By.CSS_SELECTOR, "dialog .secret-value")]
        self.assertTrue(private.startswith("-----BEGIN"), private[:20])
        self.assert_accessible()
        self.push("Done")
        self.see("reporter")
        keys = ["key", "list", "--container", CONTAINER, "--environment", "development"]
        self.assertIn(identifier, self.run_tool(*keys))
        self.push("Revoke reporter")
        self.confirm("reporter", "Revoke")
        self.see("No keys")
        self.assertNotIn(identifier, self.run_tool(*keys))

    def restrict_a_token(self):
        token = self.make_token("--name", "web")
        self.view("tokens")

        def status(origin):
            address = f"{self.cloud}/database/1/{CONTAINER}/development/public/records/query?ckAPIToken={token}"
            body = json.dumps({"query": {"recordType": "Note"}}).encode()
            request = urllib.request.Request(address, body, {"Origin": origin, "Content-Type": "text/plain"})
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                with error:
                    return error.code
        self.assertEqual(status("https://other.example"), 200)
        self.push("Origins of web")
        self.fill("origins", "app.example")
        self.push("Save")
        self.wait(lambda browser: self.field("origins").get_attribute("aria-invalid"))
        self.fill("origins", "https://app.example\nhttps://beta.example")
        self.push("Save")
        self.no_dialog()
        self.see("https://beta.example")
        self.assertEqual(status("https://app.example"), 200)
        self.assertNotEqual(status("https://other.example"), 200)
        self.push("Origins of web")
        self.assertEqual(self.field("origins").get_attribute("value"), "https://app.example\nhttps://beta.example")
        self.push("Close")
        self.no_dialog()

    def change_the_team(self):
        email = "dev@example.org"
        made = self.api("POST", f"c/{CONTAINER}/team", {"email": email, "role": "viewer"})
        body = json.dumps({"name": "Dora Developer", "password": "as long as it takes"}).encode()
        headers = {"Content-Type": "application/json", "X-Stratus-Console": "1"}
        accept = urllib.request.Request(f"{self.cloud}/console/api/invitations/{made['code']}", body, headers)
        with urllib.request.urlopen(accept) as answer:
            self.assertEqual(answer.status, 200)

        def role():
            members = self.api("GET", f"c/{CONTAINER}/team")["members"]
            return next((member["role"] for member in members if member["email"] == email), None)
        self.view("team")
        self.assertEqual(role(), "viewer")
        self.choose_labelled(f"Role of {email}", "Admin")
        self.see("Dora Developer is now admin.", "#toasts")
        self.assertEqual(role(), "admin")
        self.assert_accessible()
        self.push(f"Remove {email}")
        self.confirm(email, "Remove")
        self.wait(lambda browser: email not in self.text())
        self.assertIsNone(role())

    def change_settings(self):
        self.view("settings")
        self.fill("appURL", "javascript:alert(1)")
        self.push("Save")
        self.wait(lambda browser: self.field("appURL").get_attribute("aria-invalid"))
        self.assert_good_everywhere("settings-refused")
        self.fill("appURL", "https://app.example/open?share={url}")
        self.fill("appCommand", "notes join {url}")
        self.push("Save")
        self.see("Saved.", "#toasts")
        self.open(f"{ADDRESS}/production/settings")
        self.assertEqual(self.field("appURL").get_attribute("value"), "https://app.example/open?share={url}")
        self.assertEqual(self.field("appCommand").get_attribute("value"), "notes join {url}")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
