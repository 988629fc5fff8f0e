"""Webhooks in the console: made, told, changed, switched off and deleted, with a server that they tell.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import base64
import hashlib
import hmac
import http.server
import json
import queue
import threading
import unittest

from browser import EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Folder ("___recordID" REFERENCE QUERYABLE, name STRING);
    RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING);
"""
# Seconds until a message that does not come is missed.
PATIENCE = 60


class Receiver(http.server.ThreadingHTTPServer):
    """A server that webhooks tell: takes every message, and keeps them in order."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ReceiverRequest)
        self.messages = queue.Queue()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/changes"

    def next(self):
        return self.messages.get(timeout=PATIENCE)


class ReceiverRequest(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.messages.put((dict(self.headers.items()), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def signature(secret, headers, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class ConsoleWebhooksTest(ConsoleBrowserTest):
    options = ["--webhook-private-endpoints"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.receiver = Receiver()
        thread = threading.Thread(target=cls.receiver.serve_forever)
        thread.start()
        cls.addClassCleanup(thread.join)
        cls.addClassCleanup(cls.receiver.server_close)
        cls.addClassCleanup(cls.receiver.shutdown)

    def save_record(self, kind, name):
        [record] = self.call(EMAIL, "public/records/modify", {"operations": [
            {"operationType": "forceReplace", "record": {"recordType": kind, "recordName": name}}]})["records"]
        self.assertNotIn("serverErrorCode", record)

    def told(self):
        """The events of the next message: what happened to which record."""
        headers, body = self.receiver.next()
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["webhook-signature"], signature(self.secret, headers, body))
        return [(event["event"], event["recordName"]) for event in json.loads(body)["data"]["events"]]

    def tick(self, label):
        self.until(By.XPATH, f"//dialog//label[contains(., '{label}')]").click()

    def see_state(self, words):
        """Looks again until the list says so: what the server was answered is noted after it has answered."""
        def says(_):
            self.view("webhooks")
            return words in self.text()
        self.wait(says)

    def test_from_the_first_message_to_the_last(self):
        self.enter()
        self.make()
        self.see_deliveries()
        self.change()
        self.switch_off_and_on()
        self.delete()

    def make(self):
        self.view("webhooks")
        self.push("New webhook", ".view-head ")
        self.fill("url", "ftp://example.org")
        self.push("Create webhook")
        self.until(By.CSS_SELECTOR, "dialog [name=url][aria-invalid]")
        self.assert_good_everywhere("webhook-refused")
        self.fill("url", self.receiver.url)
        self.tick("Folder")
        self.push("Create webhook")
        self.see("It is shown only once", "dialog")
        self.secret = self.until(By.CSS_SELECTOR, "dialog .secret-value").text
        self.assertTrue(self.secret.startswith("whsec_"))
        self.assert_good_everywhere("webhook-secret")
        self.push("Done")
        self.no_dialog()
        self.see(self.receiver.url)
        self.see("nothing sent yet")
        self.view("webhooks")
        self.assertNotIn(self.secret, self.browser.page_source)

    def see_deliveries(self):
        # Of folders it tells nothing.
        self.save_record("Folder", "folder")
        self.save_record("Note", "first")
        self.assertEqual(self.told(), [("create", "first")])
        self.see_state("204")
        self.assert_good_everywhere("webhooks")
        self.push(f"Deliveries to {self.receiver.url}")
        self.wait(lambda browser: len(browser.find_elements(By.CSS_SELECTOR, "dialog tbody tr")) == 1)
        self.assertIn("204", self.until(By.CSS_SELECTOR, "dialog tbody tr").text)
        self.assert_good_everywhere("webhook-deliveries")
        self.push("Close")
        self.no_dialog()

    def change(self):
        self.push(f"Change {self.receiver.url}")
        self.tick("Changed")
        self.tick("Folder")
        self.assert_good_everywhere("webhook-changed")
        self.push("Save")
        self.no_dialog()
        self.see("Folder")
        self.save_record("Note", "first")
        self.save_record("Folder", "another")
        self.assertEqual(self.told(), [("create", "another")])

    def switch_off_and_on(self):
        self.switch("off")
        self.save_record("Note", "unheard")
        self.switch("on")
        self.save_record("Note", "heard")
        self.assertEqual(self.told(), [("create", "heard")])

    def switch(self, state):
        self.push(f"Change {self.receiver.url}")
        self.tick("Enabled")
        self.push("Save")
        self.no_dialog()
        self.wait(lambda browser: bool(browser.find_elements(By.XPATH, "//td//span[text()='off']")) == (state == "off"))

    def delete(self):
        self.push(f"Delete {self.receiver.url}")
        self.fill("confirm", "http://example.org/")
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "dialog .danger").is_enabled())
        self.confirm(self.receiver.url, "Delete")
        self.see("No webhooks")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
