"""Measured tables that are read from generations of a sweep, recomputed from its rounds and times."""

import collections
import re

from intervals import Ratio, ratio
from raw_tables import SWEEPS, paper_mean, read_sweep, read_table, row


def over_prompts(group, numerator, denominator):
    pairs = collections.defaultdict(lambda: (0, 0))
    for each in group:
        a, b = pairs[each.prompt_id]
        pairs[each.prompt_id] = a + numerator(each), b + denominator(each)
    return ratio(pairs)


def speedup(group, time=lambda each: each.walltime):
    return over_prompts(group, lambda each: time(each.plain), time)


def acceptance(group):
    return over_prompts(group, lambda each: each.counts["accepted"], lambda each: each.counts["tested"]).within(0, 1)


def tokens_per_round(group):
    deepest = max(each.counts["depth"] for each in group)
    return over_prompts(group, lambda each: each.tokens, lambda each: each.counts["rounds"]).within(1, 1 + deepest)


def token_time_ms(group):
    return over_prompts(group, lambda each: each.steps * 1e-6, lambda each: each.tokens)


def chosen(sweep, **axes):
    """@throws ValueError if the sweep has nothing of these axes"""
    group = [each for each in sweep if all(getattr(each, name) == value for name, value in axes.items())]
    if not group:
        raise ValueError(f"the sweep has no generation with {axes}")
    return group


def leviathan_table_2(root=SWEEPS):
    sweep = read_sweep("best_length", root)
    for task, category in (("wmt_en_de", "translation"), ("cnn_dm", "summarisation")):
        for temperature in (0, 1):
            for drafter in ("bigram", "ngram", "small_transformer"):
                lengths = collections.defaultdict(list)
                for each in chosen(sweep, category=category, temperature=temperature, drafter=drafter):
                    lengths[each.policy].append(each)
                policy, best = max(lengths.items(), key=lambda item: speedup(item[1]).value)
                setting = f"task={category};drafter={drafter};temperature={temperature};policy={policy}"
                keys = {"task": task, "draft_model": "T5-small", "temperature": temperature}
                theirs = [paper_mean("leviathan_table2", column, **keys) if drafter == "small_transformer" else None
                          for column in ("speedup_ratio", "acceptance_rate")]
                yield row(setting, "speedup", speedup(best), theirs[0])
                yield row(setting, "acceptance_rate", acceptance(best), theirs[1])


def chen_table_1(root=SWEEPS):
    for task, sampling, name, temperature in (("xsum", "nucleus", "nucleus_summaries", 1.0),
                                              ("xsum", "greedy", "nucleus_summaries", 0.0),
                                              ("humaneval", "nucleus", "nucleus_code", 0.8)):
        sweep = read_sweep(name, root)
        plain = chosen(sweep, temperature=temperature, drafter="none")
        drafted = chosen(sweep, temperature=temperature, drafter="small_transformer")
        for method, quantity, named, ours in (
            ("autoregressive", "mean_token_time_ms", "mean_token_time_ms", token_time_ms(plain)),
            ("speculative", "mean_token_time_ms", "mean_token_time_ms", token_time_ms(drafted)),
            ("speculative", "speedup_ratio", "decoding_speedup", speedup(drafted, lambda each: each.decode)),
            ("speculative", "implied_tokens_per_round", "tokens_per_round", tokens_per_round(drafted)),
            ("speculative", "implied_acceptance_rate", "acceptance_rate", acceptance(drafted)),
        ):
            theirs = paper_mean("chen_table1", "value", task=task, sampling=sampling, method=method, quantity=quantity)
            yield row(f"task={task};sampling={sampling};method={method}", named, ours, theirs)


def of_tree(sweep, width, verifier, temperature):
    tree = f"1x1x{width}x1x1x1x1x1"
    return tokens_per_round(chosen(sweep, tree=tree, verifier=verifier, temperature=temperature))


def specinfer_table_2(root=SWEEPS):
    sweep = read_sweep("tree_widths", root)
    for decoding, temperature in (("greedy", 0), ("stochastic", 1)):
        for width in range(1, 6):
            theirs = paper_mean("specinfer_table2", "tokens_per_round", decoding=decoding, tree_width=width)
            ours = of_tree(sweep, width, "tree_multi_round", temperature)
            yield row(f"decoding={decoding};tree_width={width}", "tokens_per_round", ours, theirs)


def specinfer_table_3(root=SWEEPS):
    sweep = read_sweep("tree_widths", root)
    found = []
    for theirs, rule in (("naive_sampling", "tree_naive"), ("multi_step_speculative_sampling", "tree_multi_round")):
        mean = paper_mean("specinfer_table3", "value", sampling=theirs, quantity="tokens_per_round")
        found.append(of_tree(sweep, 5, rule, 1))
        yield row(f"rule={rule}", "tokens_per_round", found[-1], mean)
    mean = paper_mean("specinfer_table3", "value", quantity="gain_recomputed_ratio")
    yield row("multi_round / naive", "gain_ratio", Ratio(found[1].value / found[0].value), mean)


def over_temperature(verifier, root, at_zero=None):
    sweep = read_sweep("temperature", root)
    for temperature in sorted({each.temperature for each in sweep}):
        group = chosen(sweep, temperature=temperature, verifier=verifier, drafter="small_transformer")
        setting = f"temperature={temperature:g};verifier={verifier}"
        yield row(setting, "speedup", speedup(group), None if temperature else at_zero)
        yield row(setting, "acceptance_rate", acceptance(group))


def hf_temperature(root=SWEEPS):
    theirs = paper_mean("hf_assisted_generation", "value", quantity="speedup_max_ratio")
    return over_temperature("sample_and_match", root, theirs)


def ntt_temperature(root=SWEEPS):
    return over_temperature("rejection", root)


def parameters_of_targets(root):
    """{name: parameters} of the targets of a manifest."""
    manifest = (root / "model_size/manifest.toml").read_text(encoding="utf-8")
    models = manifest.split("[[provenance.models]]")[1:]
    found = {key: [re.search(rf'^{key} = "?([^"\n]*)', model, re.M)[1] for model in models]
             for key in ("name", "role", "parameters")}
    return {name: int(size) for name, role, size in zip(found["name"], found["role"], found["parameters"])
            if role == "target"}


def ntt_model_size(root=SWEEPS):
    sweep = read_sweep("model_size", root)
    sizes = sorted((size, name) for name, size in parameters_of_targets(root).items())
    steps = []
    for size, name in sizes:
        plain = chosen(sweep, model=name, drafter="none")
        steps.append(sum(each.steps for each in plain) / sum(each.tokens for each in plain))
        assisted = chosen(sweep, model=name, drafter="small_transformer")
        yield row(f"target={name};parameters_millions={size / 1e6:.0f}", "speedup", speedup(assisted))
    theirs = paper_mean("ntt_assisted_generation", "value", quantity="opt_13b_over_125m_time_ratio")
    yield row(f"{sizes[-1][1]} / {sizes[0][1]}", "plain_step_time_ratio", Ratio(steps[-1] / steps[0]), theirs)


def ntt_cross_tokenizer(root=SWEEPS):
    group = chosen(read_sweep("cross_tokenizer", root), drafter="re_encode")
    bridges = {bridge["row_id"]: bridge for bridge in read_table(root / "cross_tokenizer/bridges.csv")}
    [told] = [each for each in read_table(root / "cross_tokenizer/predictions.csv") if each["drafter"] == "re_encode"]
    setting = "target=qwen2.5-coder-0.5b;drafter=smollm2-135m;bridge=re_encode;temperature=0"

    def bridged(name):
        return lambda each: int(bridges[each.row_id][name])

    def counted(name):
        return lambda each: each.counts[name]

    for name, ours, predicted in (
        ("tokens_per_round", tokens_per_round(group), "predicted_tokens_per_round"),
        ("round_hit_rate", over_prompts(group, counted("hits"), counted("rounds")).within(0, 1), None),
        ("accepted_per_hit_round_tokens", over_prompts(group, counted("accepted"), counted("hits")), None),
        ("speedup_ratio", speedup(group), "predicted_speedup"),
    ):
        theirs = paper_mean("ntt_assisted_generation", "value", quantity=f"cross_tokenizer_{name}")
        yield row(setting, f"cross_tokenizer_{name}", ours, theirs)
        if predicted:
            yield row(setting, f"predicted_cross_tokenizer_{name}", Ratio(float(told[predicted])))
    yield row(setting, "draft_tokens_per_round", over_prompts(group, bridged("draft_tokens"), counted("rounds")))
    spelling = over_prompts(group, bridged("spelling_ns"), lambda each: each.decode)
    yield row(setting, "spelling_share_of_time", spelling.within(0, 1))
    others = sum(each.output_hash != each.plain.output_hash for each in group)
    yield row(setting, "texts_other_than_plain", Ratio(others, prompts=len({each.prompt_id for each in group})))
