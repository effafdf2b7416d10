"""The order in which compare.py measures modes."""


def in_turn(pairs, modes):
    """[[(contestant, mode)]] in the order of the modes. Ends the program if a mode is nobody's."""
    known = {mode for _, mode in pairs}
    if unknown := [mode for mode in modes if mode not in known]:
        raise SystemExit(f"--in-turn {','.join(unknown)}; allowed: {', '.join(sorted(known))}")
    return [[pair for pair in pairs if pair[1] == mode] for mode in modes]
