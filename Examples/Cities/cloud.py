"""A client of CloudKit Web Services in the standard library: one public database."""
import json
import urllib.parse
import urllib.request


class Database:
    """The public database of a container, read with an API token."""

    def __init__(self, base_url, container, token, environment="development"):
        query = urllib.parse.urlencode({"ckAPIToken": token})
        self.path = f"/database/1/{container}/{environment}/public/records/%s?{query}"
        self.base_url = base_url

    def post(self, operation, body):
        request = urllib.request.Request(
            self.base_url + self.path % operation,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def query(self, record_type, *filters, sort=(), limit=None):
        """All records, page by page, or the first `limit`; each as (record name, plain fields)."""
        body = {"query": {"recordType": record_type, "filterBy": list(filters), "sortBy": list(sort)}}
        found = []
        while True:
            if limit:
                body["resultsLimit"] = min(200, limit - len(found))
            page = self.post("query", body)
            for record in page["records"]:
                fields = {name: field["value"] for name, field in record["fields"].items()}
                found.append((record["recordName"], fields))
            body["continuationMarker"] = page.get("continuationMarker")
            if not body["continuationMarker"] or limit and len(found) >= limit:
                return found


def where(field, comparator, value):
    """A condition on a field."""
    return {"fieldName": field, "comparator": comparator, "fieldValue": {"value": value}}


def near(field, latitude, longitude, metres):
    """Within a radius of a place."""
    place = {"value": {"latitude": latitude, "longitude": longitude}, "type": "LOCATION"}
    return {"fieldName": field, "comparator": "NEAR", "fieldValue": place, "distance": metres}


def by(field, ascending=True):
    """A sort key."""
    return {"fieldName": field, "ascending": ascending}


def by_distance(field, latitude, longitude):
    """Nearest first."""
    return {"fieldName": field, "relativeLocation": {"latitude": latitude, "longitude": longitude}}
