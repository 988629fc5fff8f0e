#!/usr/bin/env python3
"""Asks a server that holds the cities what an app would ask, and checks each answer against a plain scan.

    ask.py BASE_URL CONTAINER API_TOKEN
"""
import sys
import time

from cities import cities
from cloud import Database, by, by_distance, near, where
from scan import contains, distance, words

# Metres by which the two ways to compute a distance may differ.
TOLERANCE = 50.0

PLACES = {
    "Berlin": (52.52437, 13.41053),
    "Tokyo": (35.6895, 139.69171),
    "Quito": (-0.22985, -78.52495),
    "Suva": (-18.14161, 178.44149),
    "Longyearbyen": (78.22334, 15.64689),
    "the date line": (-16.8, 180.0),
}


class Check:
    """Counts questions and compares answers."""

    def __init__(self, base_url, container, token):
        self.database = Database(base_url, container, token)
        self.cities = {str(city["geonameid"]): city for city in cities()}
        self.asked = 0
        self.slowest = (0.0, "")

    def ask(self, title, *filters, sort=(), limit=None):
        """The names of the records found, in order."""
        start = time.perf_counter()
        found = self.database.query("City", *filters, sort=sort, limit=limit)
        seconds = time.perf_counter() - start
        self.asked += 1
        self.slowest = max(self.slowest, (seconds, title))
        print(f"{seconds * 1000:8.1f} ms  {len(found):6} records  {title}")
        names = [name for name, _ in found]
        assert len(set(names)) == len(names), f"{title}: a record came twice"
        return names

    def scan(self, condition):
        """The names of the cities for which a condition holds."""
        return {name for name, city in self.cities.items() if condition(city)}

    def same(self, title, condition, *filters, some=True):
        """Whether filters find what a scan finds."""
        found, expected = set(self.ask(title, *filters)), self.scan(condition)
        missing, extra = expected - found, found - expected
        difference = f"missing {sorted(missing)[:5]}, too many {sorted(extra)[:5]}"
        assert found == expected, f"{title}: {len(missing)} and {len(extra)}: {difference}"
        assert found or not some, f"{title}: nothing found, so nothing is shown"

    def sorted_by(self, title, key, condition, *filters, sort, limit=None):
        """Whether the answer is in order, and complete or the first part."""
        found = self.ask(title, *filters, sort=sort, limit=limit)
        keys = [key(self.cities[name]) for name in found]
        expected = sorted(key(self.cities[name]) for name in self.scan(condition))
        assert keys == expected[: limit or len(expected)], f"{title}: not in order"

    def around(self, title, centre, radius, condition, *filters):
        """Whether a search around a place finds what a scan finds, nearest first."""
        found = self.ask(title, near("location", *centre, radius), *filters, sort=[by_distance("location", *centre)])
        metres = {name: distance(centre, place(city)) for name, city in self.cities.items() if condition(city)}
        certain = {name for name, value in metres.items() if value < radius - TOLERANCE}
        possible = {name for name, value in metres.items() if value < radius + TOLERANCE}
        assert certain <= set(found) <= possible, f"{title}: {set(found) ^ certain}"
        order = [metres[name] for name in found]
        assert all(a <= b + TOLERANCE for a, b in zip(order, order[1:])), f"{title}: not by distance"


def place(city):
    return city["latitude"], city["longitude"]


def ask_by_field(check):
    for name in ["Berlin", "San José", "São Paulo", "Ōsaka", "'Ajmān", "Nowhere at all"]:
        check.same(f"name is {name}", lambda c: c["name"] == name, where("name", "EQUALS", name), some=False)
    # The field is held in a variable, and its values come from the data.
    example = check.cities["2950159"]
    for field in ["name", "countryCode", "timezone", "population", "geonameid"]:
        value = example[field]
        check.same(f"{field} is {value}", lambda c: c[field] == value, where(field, "EQUALS", value))
    for field, prefix in [("name", "San "), ("timezone", "America/Argentina/"), ("name", "Ö")]:
        check.same(
            f"{field} begins with {prefix}", lambda c: c[field].startswith(prefix), where(field, "BEGINS_WITH", prefix)
        )
    three = ["IS", "MT", "LU"]
    check.same("country is one of three", lambda c: c["countryCode"] in three, where("countryCode", "IN", three))


def ask_by_number(check):
    for bound in [10_000_000, 1_000_000, 100_000]:
        over = where("population", "GREATER_THAN", bound)
        check.same(f"population over {bound}", lambda c: c["population"] > bound, over)
    check.same(
        "population from 500000 to 600000",
        lambda c: 500_000 <= c["population"] < 600_000,
        where("population", "GREATER_THAN_OR_EQUALS", 500_000),
        where("population", "LESS_THAN", 600_000),
    )
    check.sorted_by(
        "the 300 largest, largest first",
        lambda c: -c["population"],
        lambda c: True,
        sort=[by("population", False)],
        limit=300,
    )
    check.sorted_by(
        "Austria by population",
        lambda c: c["population"],
        lambda c: c["countryCode"] == "AT",
        where("countryCode", "EQUALS", "AT"),
        sort=[by("population")],
    )


def ask_by_place(check):
    for name, centre in PLACES.items():
        check.around(f"within 100 km of {name}", centre, 100_000, lambda c: True)
    check.around(
        "within 500 km of Tokyo, over a million",
        PLACES["Tokyo"],
        500_000,
        lambda c: c["population"] > 1_000_000,
        where("population", "GREATER_THAN", 1_000_000),
    )
    check.around(
        "within 300 km of Berlin, in Poland",
        PLACES["Berlin"],
        300_000,
        lambda c: c["countryCode"] == "PL",
        where("countryCode", "EQUALS", "PL"),
    )


def ask_by_word(check):
    everything = {name: words(city["alternateNames"]) for name, city in check.cities.items()}
    for city_name, city in check.cities.items():
        city["words"] = everything[city_name]
    spellings = ["München", "munchen", "MÜNCHEN", "Köln", "São Paulo", "saint petersburg"]
    for text in spellings + ["Нью-Йорк", "القاهرة", "Αθήνα"]:
        wanted = words([text])
        check.same(
            f"alternate names with all words of {text}",
            lambda c: wanted <= c["words"],
            where("alternateNames", "CONTAINS_ALL_TOKENS", text),
        )
    for text in ["東京", "北京", "上海", "大阪"]:
        check.same(
            f"alternate names with {text}",
            lambda c: contains(c["alternateNames"], text),
            where("alternateNames", "CONTAINS_ALL_TOKENS", text),
        )
    check.same(
        "alternate names with Paris or Roma",
        lambda c: c["words"] & {"paris", "roma"},
        where("alternateNames", "CONTAINS_ANY_TOKENS", "Paris Roma"),
    )
    check.same(
        "an alternate name is exactly Lutetia Parisorum",
        lambda c: "Lutetia Parisorum" in c["alternateNames"],
        where("alternateNames", "LIST_CONTAINS", "Lutetia Parisorum"),
        some=False,
    )


def ask_combined(check):
    check.same(
        "San in Mexico, over 100000",
        lambda c: "san" in c["words"] and c["countryCode"] == "MX" and c["population"] > 100_000,
        where("alternateNames", "CONTAINS_ALL_TOKENS", "San"),
        where("countryCode", "EQUALS", "MX"),
        where("population", "GREATER_THAN", 100_000),
    )
    check.sorted_by(
        "Germany over 200000 by name",
        lambda c: c["name"].encode(),
        lambda c: c["countryCode"] == "DE" and c["population"] > 200_000,
        where("countryCode", "EQUALS", "DE"),
        where("population", "GREATER_THAN", 200_000),
        sort=[by("name")],
    )
    check.same(
        "begins with New, not in the United States",
        lambda c: c["name"].startswith("New ") and c["countryCode"] != "US",
        where("name", "BEGINS_WITH", "New "),
        where("countryCode", "NOT_EQUALS", "US"),
    )
    check.same("everything", lambda c: True)


def main(base_url, container, token):
    check = Check(base_url, container, token)
    for part in (ask_by_field, ask_by_number, ask_by_place, ask_by_word, ask_combined):
        part(check)
    seconds, title = check.slowest
    print(f"{check.asked} questions, all answered as a plain scan does; the slowest: {title}, {seconds * 1000:.0f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
