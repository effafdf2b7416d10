"""95 % intervals of ratios of totals over prompts, after analysis/STATISTICS.md and not after its code.

Few prompts have Student's t on the logarithm of the ratio; 15 or more have a bootstrap-t, which is drawn
here with other random numbers, so its ends come with their Monte-Carlo error.
"""

import dataclasses
import functools
import math
import random
import statistics

FEWEST_RESAMPLED = 15
RESAMPLES = 2000  # of one interval of the program
BATCHES = 16  # intervals that are drawn here, whose spread is the Monte-Carlo error


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A ratio of totals; `spread` is the standard deviation of the logarithms of both ends, 0 where they are exact."""

    value: float
    low: float | None = None
    high: float | None = None
    prompts: int | None = None
    spread: tuple[float, float] = (0.0, 0.0)

    def within(self, least, most):
        """The same with ends that are possible values."""
        if self.low is None:
            return self
        ends = {"low": min(max(self.low, least), most), "high": min(max(self.high, least), most)}
        return dataclasses.replace(self, **ends)


def student_cdf(t, degrees):
    """Integrates cos^(degrees - 1) up to atan(t / sqrt(degrees)) by Simpson's rule."""

    def integral(angle, panels=400):
        width = angle / panels
        heights = [math.cos(i * width) ** (degrees - 1) for i in range(panels + 1)]
        return width / 3 * (heights[0] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]) + heights[-1])

    return 0.5 + 0.5 * integral(math.atan(t / math.sqrt(degrees))) / integral(math.pi / 2)


@functools.cache
def student_quantile(degrees, probability=0.975):
    low, high = 0.0, 1000.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2


def log_error(moments, count):
    """Standard error of the logarithm from the sums of a, b, aa, ab and bb over prompts."""
    a, b, aa, ab, bb = moments
    return math.sqrt(max(0.0, aa / a**2 - 2 * ab / (a * b) + bb / b**2) * count / (count - 1))


@functools.cache
def draws(count):
    source = random.Random(62)
    return [source.choices(range(count), k=count) for _ in range(BATCHES * RESAMPLES)]


def deviations(columns, count):
    """Studentised deviations, resample by resample; -inf where the event is missing, none where nothing varies."""
    totals = [sum(column) for column in columns]
    for drawn in draws(count):
        moments = [sum(map(column.__getitem__, drawn)) for column in columns]
        if moments[0] <= 0:
            yield -math.inf
        elif (error := log_error(moments, count)) > 0:
            yield (math.log(moments[0] / moments[1]) - math.log(totals[0] / totals[1])) / error


def bootstrapped(columns, count, value, error):
    """Ends in the mean of the batches, and their spread between batches; None if a batch has an end at infinity."""
    found = list(deviations(columns, count))
    size = len(found) // BATCHES
    ends = []
    for batch in range(BATCHES):
        cuts = statistics.quantiles(found[batch * size : (batch + 1) * size], n=40, method="inclusive")
        ends.append((math.log(value) - cuts[-1] * error, math.log(value) - cuts[0] * error))
    lows, highs = zip(*ends)
    if not all(map(math.isfinite, lows + highs)):
        return None
    spread = statistics.stdev(lows), statistics.stdev(highs)
    return math.exp(statistics.fmean(lows)), math.exp(statistics.fmean(highs)), spread


def ratio(pairs):
    """The ratio of totals. @param pairs  {prompt: (numerator, denominator)}"""
    a, b = zip(*pairs.values())
    count, value = len(pairs), sum(a) / sum(b)
    if count < 2 or value <= 0:
        return Ratio(value, prompts=count)
    columns = [a, b, [x * x for x in a], [x * y for x, y in pairs.values()], [y * y for y in b]]
    error = log_error([sum(column) for column in columns], count)
    if count >= FEWEST_RESAMPLED and error > 0:
        if ends := bootstrapped(columns, count, value, error):
            return Ratio(value, ends[0], ends[1], count, ends[2])
    reach = student_quantile(count - 1) * error
    return Ratio(value, value * math.exp(-reach), value * math.exp(reach), count)
