"""What the questions mean, written as plain scans over the same data in Python."""
import math
import re
import unicodedata

# Letters and digits, joined by what stands inside of words: apostrophes, points, colons.
WORD = re.compile(r"\w+(?:['.:·]\w+)*")


def fold(text):
    """Without compatibility forms, diacritics and capitals."""
    text = unicodedata.normalize("NFKD", text.replace("’", "'"))
    kept = [c for c in text if not (10 <= unicodedata.combining(c) <= 36 or 200 <= unicodedata.combining(c) <= 240)]
    return unicodedata.normalize("NFC", "".join(kept).casefold())


def words(names):
    """The words of a list of names."""
    return {word for name in names for word in WORD.findall(fold(name))}


def contains(names, text):
    """Whether a stretch of Chinese or Japanese stands in one of the names."""
    return any(fold(text) in fold(name) for name in names)


def distance(a, b):
    """Metres between two (latitude, longitude) on the WGS 84 ellipsoid: Lambert's formula, good to some ten metres."""
    major, minor = 6_378_137.0, 6_356_752.314245
    flattening = 1 - minor / major
    lat1, lat2 = (math.atan((1 - flattening) * math.tan(math.radians(place[0]))) for place in (a, b))
    half_lat = math.sin((lat2 - lat1) / 2)
    half_lon = math.sin(math.radians(b[1] - a[1]) / 2)
    h = half_lat**2 + math.cos(lat1) * math.cos(lat2) * half_lon**2
    angle = 2 * math.asin(min(1, math.sqrt(h)))
    if angle == 0:
        return 0.0
    p, q = (lat1 + lat2) / 2, (lat2 - lat1) / 2
    x = (angle - math.sin(angle)) * (math.sin(p) * math.cos(q) / math.cos(angle / 2)) ** 2
    y = (angle + math.sin(angle)) * (math.cos(p) * math.sin(q) / math.sin(angle / 2)) ** 2
    return major * (angle - flattening / 2 * (x + y))
