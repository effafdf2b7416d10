"""Limits: the largest number of each check, and the numbers of the last release."""

import re
import tomllib

from house_checks import LIMITED, TOTALS
from house_tree import HouseError

LIMITS = "tests/house/limits.toml"
TABLES = {"limits": LIMITED, "last_release": LIMITED | TOTALS}


def read_limits(root):
    """@return the tables `limits` and `last_release`, and the text `release`"""
    try:
        with open(root / LIMITS, "rb") as file:
            found = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise HouseError(f"{LIMITS}: {error}") from error
    for table, checks in TABLES.items():
        check_table(table, found.get(table, {}), checks)
    if not isinstance(found.get("release"), str):
        raise HouseError(f"{LIMITS}: the line 'release = \"VERSION, revision ...\"' is missing")
    if missing := [check for check in LIMITED if check not in found.get("limits", {})]:
        raise HouseError(f"{LIMITS}: [limits] lacks '{missing[0]}'; add its number of now")
    return found


def check_table(table, numbers, checks):
    for check, number in numbers.items():
        if check not in checks:
            raise HouseError(f"{LIMITS}: [{table}] has the unknown check '{check}'; allowed: "
                             f"{', '.join(checks)}")
        if type(number) is not int or number < 0:
            raise HouseError(f"{LIMITS}: [{table}] {check} is {number!r}; write 0 or more")


def tighten(root, numbers):
    """Writes smaller numbers as limits, and leaves all else of the file.
    @return the checks whose limit is lower now"""
    limits = read_limits(root)["limits"]
    lower = {check: number for check, number in numbers.items() if number < limits[check]}
    head, mark, rest = (root / LIMITS).read_text(encoding="utf-8").partition("[limits]\n")
    own, following, others = rest.partition("\n[")
    for check, number in lower.items():
        own = re.sub(rf"^{check} *= *\d+", f"{check} = {number}", own, flags=re.MULTILINE)
    (root / LIMITS).write_text(head + mark + own + following + others, encoding="utf-8")
    return [*lower]
