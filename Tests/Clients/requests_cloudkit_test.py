"""requests-cloudkit, which others wrote to sign requests to Apple's service, against the real server.

It is of 2017 and for Python 2; python2.py lends it what it takes for granted, and its code runs as it is published.
Run as the other tests of this folder.
"""

import json
import unittest

from requests_cloudkit import CloudKitAuth, cloudkit

import python2
from cloud import Cloud

python2.borrow_strings(cloudkit)


class RequestsCloudKitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud()
        cls.addClassCleanup(cls.cloud.close)
        cls.key_id, cls.key_file = cls.cloud.key()
        cls.session = cls.cloud.http()
        cls.addClassCleanup(cls.session.close)
        cls.session.auth = CloudKitAuth(cls.key_id, cls.key_file)

    def post(self, action, body, scope="public", **options):
        # As its documentation does it: the body is a text that the client makes.
        return self.session.post(f"{self.cloud.base(scope)}/{action}", data=json.dumps(body), **options)

    def create(self, name, text="Hello"):
        return self.post("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": name, "fields": {"text": {"value": text}}}}]})

    def test_records_are_saved_found_and_deleted(self):
        saved = self.create("note")
        self.assertEqual(saved.status_code, 200, saved.text)
        record = saved.json()["records"][0]
        self.assertEqual(record["fields"]["text"]["value"], "Hello")
        found = self.post("records/lookup", {"records": [{"recordName": "note"}]}).json()["records"][0]
        self.assertEqual(found["recordChangeTag"], record["recordChangeTag"])
        self.assertEqual(found["created"]["userRecordName"], record["created"]["userRecordName"])
        query = self.post("records/query", {"query": {"recordType": "Note"}}).json()
        self.assertIn("note", [record["recordName"] for record in query["records"]])
        gone = self.post("records/modify", {"operations": [{"operationType": "delete", "record": {
            "recordName": "note", "recordChangeTag": record["recordChangeTag"]}}]}).json()["records"][0]
        self.assertTrue(gone["deleted"])

    def test_the_query_of_an_address_is_signed_with_it(self):
        answer = self.post(
            "records/lookup", {"records": [{"recordName": "r"}]}, params={"remapEnums": "true", "x": "a b/ü"})
        self.assertEqual(answer.status_code, 200, answer.text)

    def test_requests_without_a_body_are_signed_too(self):
        answer = self.session.get(f"{self.cloud.base('public')}/zones/list")
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertEqual(answer.json()["zones"][0]["zoneID"]["zoneName"], "_defaultZone")

    def test_a_key_has_the_public_database_and_a_name_of_its_own(self):
        refused = self.post("records/query", {"query": {"recordType": "Note"}}, scope="private")
        self.assertEqual(refused.status_code, 403, refused.text)
        self.assertEqual(refused.json()["serverErrorCode"], "ACCESS_DENIED")
        for operation in ["users/caller", "users/current"]:
            answer = self.session.get(f"{self.cloud.base('public')}/{operation}")
            self.assertEqual(answer.status_code, 200, answer.text)
            self.assertTrue(answer.json()["userRecordName"].startswith("_"))
        # Nobody is found who does not want to be.
        found = self.post("users/discover", {"lookupInfos": [{"emailAddress": "ada@example.org"}]})
        self.assertEqual(found.status_code, 200, found.text)
        self.assertEqual(found.json()["users"], [])

    def test_another_key_is_refused(self):
        answer = self.session.get(
            f"{self.cloud.base('public')}/zones/list", auth=CloudKitAuth("0" * 64, self.key_file))
        self.assertEqual(answer.status_code, 401)
        self.assertEqual(answer.json()["serverErrorCode"], "AUTHENTICATION_FAILED")


if __name__ == "__main__":
    unittest.main()
