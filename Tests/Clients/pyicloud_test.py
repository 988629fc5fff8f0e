"""pyicloud's CloudKit client, which others wrote for Apple's service, against the real server.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import unittest
import uuid

from pyicloud.common.cloudkit import client as cloudkit
from pyicloud.common.cloudkit import models

from cloud import Cloud


class PyiCloudTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud("--max-operations", "100")
        cls.addClassCleanup(cls.cloud.close)
        cls.web_auth_token, cls.user = cls.cloud.session("ada@example.org")
        cls.private = cls.client(cls.cloud, "private", cls.web_auth_token)
        cls.public = cls.client(cls.cloud, "public", cls.web_auth_token)
        cls.zone = "Notes"
        cls.private.raw_post("/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": cls.zone}}}]})

    @classmethod
    def client(cls, cloud, scope, web_auth_token, **options):
        session = cloud.http()
        cls.addClassCleanup(session.close)
        # As the services of pyicloud call it: a session, and parameters that go with every request.
        parameters = {
            "ckAPIToken": cloud.token, "ckWebAuthToken": web_auth_token, "remapEnums": True,
            "getCurrentSyncToken": True,
        }
        return cloudkit.CloudKitContainerClient(
            cloud.base(scope), session, parameters, bool_param_style="lower", **options)

    # What the tests say.

    def zone_id(self, name=None):
        return models.CKZoneIDReq(zoneName=name or self.zone)

    def name(self):
        return str(uuid.uuid4()).upper()

    def operation(self, kind, name, fields=None, tag=None, record_type="Note"):
        return models.CKModifyOperation(
            operationType=kind, record=models.CKWriteRecord(
                recordName=name, recordType=record_type, fields=fields or {}, recordChangeTag=tag))

    def save(self, fields, name=None, record_type="Note"):
        operation = self.operation("create", name or self.name(), fields, record_type=record_type)
        return self.private.modify(operations=[operation], zone_id=self.zone_id()).records[0]

    # Records.

    def test_a_record_of_every_type_comes_back(self):
        values = {
            "text": {"type": "STRING", "value": "Grüße 🌍"}, "number": {"type": "INT64", "value": -(2**62)},
            "real": {"type": "DOUBLE", "value": 2.5}, "bytes": {"type": "BYTES", "value": "AAEC/w=="},
            "when": {"type": "TIMESTAMP", "value": 1_700_000_000_123},
            "texts": {"type": "STRING_LIST", "value": ["a", ""]},
            "numbers": {"type": "INT64_LIST", "value": [1, -1]}, "reals": {"type": "DOUBLE_LIST", "value": [0.5]},
            "link": {"type": "REFERENCE", "value": {"recordName": "other", "action": "NONE"}},
        }
        record = self.save(values, record_type="Everything")
        self.assertIsInstance(record, models.CKRecord)
        self.assertTrue(record.recordChangeTag)
        self.assertEqual(record.created.userRecordName, self.user)
        self.assertEqual(record.zoneID.zoneName, self.zone)
        found = self.private.lookup([record.recordName], zone_id=self.zone_id())
        self.assertTrue(found.syncToken)
        fields = found.records[0].fields
        for name in ["text", "number", "real", "texts", "numbers", "reals"]:
            self.assertEqual(fields.get_value(name), values[name]["value"], name)
        self.assertEqual(fields.get_value("bytes"), b"\x00\x01\x02\xff")
        self.assertEqual(int(fields.get_value("when").timestamp() * 1000), 1_700_000_000_123)
        self.assertEqual(fields.get_value("link").recordName, "other")
        self.assertEqual(
            {name: fields.get_field(name).type for name in values}, {name: v["type"] for name, v in values.items()})

    def test_saves_follow_the_change_tag(self):
        record = self.save({"text": {"type": "STRING", "value": "one"}})
        operation = self.operation(
            "update", record.recordName, {"text": {"type": "STRING", "value": "two"}}, record.recordChangeTag)
        updated = self.private.modify(operations=[operation], zone_id=self.zone_id()).records[0]
        self.assertEqual(updated.fields.text.value, "two")
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            self.private.modify(operations=[operation], zone_id=self.zone_id())
        self.assertIn("CONFLICT", str(refused.exception))
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            self.private.modify(operations=[self.operation("create", record.recordName)], zone_id=self.zone_id())
        self.assertIn("EXISTS", str(refused.exception))
        gone = self.private.modify(
            operations=[self.operation("forceDelete", record.recordName)], zone_id=self.zone_id()).records[0]
        self.assertIsInstance(gone, models.CKTombstoneRecord)
        missing = self.private.lookup([record.recordName], zone_id=self.zone_id()).records[0]
        self.assertIsInstance(missing, models.CKErrorItem)
        self.assertEqual(missing.serverErrorCode, "NOT_FOUND")

    def test_an_atomic_batch_is_all_or_nothing(self):
        record = self.save({})
        names = [self.name(), record.recordName]
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            self.private.modify(
                operations=[self.operation("create", name) for name in names], zone_id=self.zone_id(), atomic=True)
        codes = [item["serverErrorCode"] for item in refused.exception.payload["records"]]
        self.assertEqual(codes, ["ATOMIC_ERROR", "EXISTS"])
        found = self.private.lookup(names[:1], zone_id=self.zone_id()).records[0]
        self.assertEqual(found.serverErrorCode, "NOT_FOUND")

    def test_desired_keys(self):
        record = self.save({"a": {"type": "INT64", "value": 1}, "b": {"type": "INT64", "value": 2}})
        found = self.private.lookup([record.recordName], zone_id=self.zone_id(), desired_keys=["b"]).records[0]
        self.assertEqual(set(found.fields), {"b"})

    # Queries.

    def test_queries_filter_sort_and_go_on(self):
        record_type = "Numbered"
        operations = [
            self.operation("create", self.name(), {
                "number": {"type": "INT64", "value": number}, "text": {"type": "STRING", "value": f"text {number}"},
            }, record_type=record_type) for number in range(50)]
        self.private.modify(operations=operations, zone_id=self.zone_id())

        def numbers(filters, **options):
            query = models.CKQueryObject(
                recordType=record_type, filterBy=filters,
                sortBy=[models.CKQuerySortBy(fieldName="number", ascending=False)])
            found, marker = [], None
            while True:
                page = self.private.query(
                    query=query, zone_id=self.zone_id(), results_limit=7, continuation=marker, **options)
                found += [record.fields.number.value for record in page.records]
                marker = page.continuationMarker
                if not marker:
                    return found

        def filter_by(comparator, field, kind, value):
            return [models.CKQueryFilterBy(
                comparator=comparator, fieldName=field, fieldValue={"type": kind, "value": value})]

        self.assertEqual(numbers(None), list(reversed(range(50))))
        self.assertEqual(numbers(filter_by("GREATER_THAN", "number", "INT64", 44)), [49, 48, 47, 46, 45])
        self.assertEqual(numbers(filter_by("LESS_THAN_OR_EQUALS", "number", "INT64", 1)), [1, 0])
        self.assertEqual(numbers(filter_by("EQUALS", "text", "STRING", "text 7")), [7])
        self.assertEqual(numbers(filter_by("BEGINS_WITH", "text", "STRING", "text 4")), [*range(49, 39, -1), 4])
        self.assertEqual(numbers(filter_by("IN", "text", "STRING_LIST", ["text 1", "text 3", "no"])), [3, 1])
        query = models.CKQueryObject(recordType=record_type)
        wide = self.private.query(query=query, zone_wide=True, results_limit=100)
        self.assertEqual(len(wide.records), 50)
        self.assertTrue(self.private.query_sync_token(query=query, zone_id=self.zone_id()))

    # Zones, users, errors.

    def test_zones_are_listed(self):
        zones = {zone.zoneID.zoneName: zone for zone in self.private.zones_list().zones}
        self.assertIn("_defaultZone", zones)
        self.assertEqual(zones[self.zone].zoneID.ownerRecordName, self.user)
        self.assertTrue(zones[self.zone].syncToken)

    def test_people(self):
        caller = self.public.raw_post("/users/caller", {})
        self.assertEqual(models.CKUserIdentity.model_validate(caller).userRecordName, self.user)
        answer = self.public.raw_post("/users/discover", {"lookupInfos": [{"emailAddress": "ada@example.org"}]})
        self.assertEqual(answer, {"users": []})

    def test_refusals_are_told_apart(self):
        nobody = self.client(self.cloud, "private", "nonsense")
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            nobody.zones_list()
        self.assertEqual(str(refused.exception), "HTTP 421")
        self.assertEqual(refused.exception.payload["serverErrorCode"], "AUTHENTICATION_REQUIRED")
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            self.private.lookup(["r"] * 101, zone_id=self.zone_id())
        self.assertEqual(refused.exception.payload["serverErrorCode"], "BAD_REQUEST")
        with self.assertRaises(cloudkit.CloudKitApiError) as refused:
            self.private.query(
                query=models.CKQueryObject(recordType="Note"), zone_id=self.zone_id("Nowhere"))
        self.assertEqual(refused.exception.payload["serverErrorCode"], "ZONE_NOT_FOUND")
        wrong = self.cloud.http()
        self.addCleanup(wrong.close)
        stranger = cloudkit.CloudKitContainerClient(self.cloud.base("public"), wrong, {"ckAPIToken": "0" * 64})
        with self.assertRaises(cloudkit.CloudKitAuthError):
            stranger.zones_list()

    def test_who_asks_too_often_is_told_when_to_come_back(self):
        cloud = Cloud("--user-rate", "1")
        self.addCleanup(cloud.close)
        web_auth_token, _ = cloud.session("grace@example.org")
        private = self.client(cloud, "private", web_auth_token)
        with self.assertRaises(cloudkit.CloudKitRateLimited) as limited:
            for _ in range(50):
                private.zones_list()
        self.assertGreaterEqual(limited.exception.retry_after, 1)

    # Feeds and assets.

    def test_changes_are_followed(self):
        zone = models.CKZoneID(zoneName=self.zone)
        saved = {self.save({"n": {"type": "INT64", "value": n}}).recordName for n in range(5)}
        pages = list(self.private.iter_changes(
            zone_req=models.CKZoneChangesZoneReq(zoneID=zone), results_limit=2))
        seen = {record.recordName for page in pages for record in page.records}
        self.assertLessEqual(saved, seen)
        gone = sorted(saved)[0]
        self.private.modify(operations=[self.operation("forceDelete", gone)], zone_id=self.zone_id())
        later = self.private.changes(
            zone_req=models.CKZoneChangesZoneReq(zoneID=zone, syncToken=pages[-1].syncToken)).zones[0]
        self.assertEqual([(type(record), record.recordName) for record in later.records],
                         [(models.CKTombstoneRecord, gone)])
        database = self.private.database_changes()
        self.assertIn(self.zone, {zone.zoneID.zoneName for zone in database.zones})
        self.assertEqual(self.private.database_changes(sync_token=database.syncToken).zones, [])
        with self.assertRaises(cloudkit.CloudKitApiError):
            self.private.changes(zone_req=models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="Nowhere")))

    def test_assets_go_up_and_come_down(self):
        data, name = bytes(range(256)) * 1_000, self.name()
        token = self.private.upload_asset(
            record_type="Photo", field_name="image", record_name=name, data=data, zone_id=self.zone_id())
        record = self.save(
            {"image": {"type": "ASSETID", "value": token.model_dump(mode="json", exclude_none=True)}}, name=name,
            record_type="Photo")
        asset = self.private.lookup([record.recordName], zone_id=self.zone_id()).records[0].fields.image.value
        self.assertEqual(asset.size, len(data))
        url = asset.downloadURL.replace("${f}", "image")
        self.assertEqual(self.private.download_asset_bytes(url), data)
        self.assertEqual(b"".join(self.private.download_asset_stream(url, chunk_size=1_000)), data)


if __name__ == "__main__":
    unittest.main()
