"""The table of scripts/house, and the lines below it."""

from house_checks import LIMITED, TOTALS

ROW = "{:<20} {:>8} {:>8} {:>8}"


def rows(results, limits):
    """@return the lines of the table; a check without a number has no stairs yet"""
    last = limits.get("last_release", {})
    lines = [ROW.format("check", "now", "limit", "release")]
    for check in (*LIMITED, *TOTALS):
        result = results[check]
        number = "-" if result is None else result.number
        row = ROW.format(check, number, limits["limits"].get(check, "-"), last.get(check, "-"))
        lines.append(row + ("  no stairs yet" if result is None else ""))
    return [*lines, f"release: {limits['release']}"]


def breaches(results, limits):
    """@return a line for each limit that is exceeded, and for each place behind it"""
    lines = []
    for check, limit in limits["limits"].items():
        result = results[check]
        if result is not None and result.number > limit:
            lines.append(f"{check}: {result.number} is above the limit of {limit}")
            lines += [f"  {place}" for place in result.places]
    return lines


def notes(results, limits):
    """@return a line for each limit that is larger than its number"""
    return [f"{check}: {results[check].number} is below the limit of {limit}; "
            "scripts/house --tighten lowers it"
            for check, limit in limits["limits"].items()
            if results[check] is not None and results[check].number < limit]
