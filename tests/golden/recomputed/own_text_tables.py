"""Measured tables that are read from acceptance.csv: shares of the target's own text that a drafter has."""

import collections

from intervals import ratio
from raw_tables import SWEEPS, paper_mean, read_table, row


def first_drafts(root):
    """Rows of the first drafted token of every place."""
    return [each for each in read_table(root / "own_text/acceptance.csv") if each["depth"] == "1"]


def share(rows, column, **keys):
    """Total of a column over the places that were reached."""
    pairs = collections.defaultdict(lambda: (0.0, 0.0))
    for each in rows:
        if all(each[key] == str(value) for key, value in keys.items()):
            a, b = pairs[each["prompt_id"]]
            pairs[each["prompt_id"]] = a + float(each[column]), b + float(each["reached"])
    return ratio(pairs).within(0, 1)


def leviathan_table_3(root=SWEEPS):
    rows = first_drafts(root)
    for task, category, pairs in (
        ("wmt_en_de", "translation", (("unigram", "unigram"), ("bigram", "bigram"), ("T5-small", "small_transformer"))),
        ("cnn_dm", "summarisation", (("unigram", "unigram"), ("bigram", "bigram"), ("T5-small", "small_transformer"))),
        ("dialogue", "chat", (("LaMDA 100M", "small_transformer"),)),
    ):
        for theirs, drafter in pairs:
            for temperature in (0, 1):
                ours = share(rows, "accepted", category=category, drafter=drafter, temperature=temperature)
                reference = paper_mean("leviathan_table3", "acceptance_rate", task=task, draft_model=theirs,
                                       temperature=temperature)
                setting = f"task={category};drafter={drafter};temperature={temperature};theirs={theirs}"
                yield row(setting, "acceptance_rate", ours, reference)


def in_top(rows, rank, temperature):
    return share(rows, f"in_top_{rank}", drafter="small_transformer", temperature=temperature)


def specinfer_table_1(root=SWEEPS):
    rows = first_drafts(root)
    for decoding, temperature in (("greedy", 0), ("stochastic", 1)):
        for rank in range(1, 6):
            theirs = paper_mean("specinfer_table1", "success_rate_percent", decoding=decoding, top_k=rank) / 100
            yield row(f"decoding={decoding};top_k={rank}", "success_rate", in_top(rows, rank, temperature), theirs)


def ntt_ranks(root=SWEEPS):
    rows = first_drafts(root)
    for rank in range(1, 11):
        theirs = None
        if rank <= 2:
            theirs = paper_mean("ntt_assisted_generation", "value", quantity=f"rank_top{rank}_hit_percent") / 100
        yield row(f"rank={rank}", "share_up_to_rank", in_top(rows, rank, 0), theirs)
