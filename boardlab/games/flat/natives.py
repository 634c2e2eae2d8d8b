"""The functions for the engine, as text around the rules' own; `abi` has their arguments.

The functions named rules_NAME are the rules' own; NAME_into writes its answers into arrays.
"""


def _native(name: str, arguments: str, answer: str, *before: str) -> str:
    lines = [f"@_native({name!r})", f"def native_{name}({arguments}):", "    try:"]
    lines += [f"        {line}" for line in (*before, f"return {answer}")]
    return "\n".join([*lines, "    except Exception:", "        return FAILED"])


def _long(name: str, arguments: str, body: str) -> str:
    """Return a function with loops, which `try` of numba does not guard: it calls another one."""
    native = _native(name, arguments, f"inside_{name}({arguments})")
    return f"@compiled\ndef inside_{name}({arguments}):\n{body}\n{native}"


AT = "carray(s, 1)[0]"
PLAYER = "np.intp(player)"

NATIVES = {
    "initial_state": _native("initial_state", "s, rng", "0", f"rules_initial_state({AT}, carray(rng, 1))"),
    "training_start": _native("training_start", "s, rng", "0", f"rules_training_start({AT}, carray(rng, 1))"),
    "player": _native("player", "s", f"rules_player({AT})"),
    "round_over": _native("round_over", "s", f"1 if rules_round_over({AT}) else 0"),
    "stage": _native("stage", "s", f"rules_stage({AT})"),
    "legal": _native("legal", "s, actions", f"legal_into(carray(actions, ACTIONS), {AT})"),
    "apply": _native(
        "apply", "s, action", "rules_player(at)", f"at = {AT}", "rules_apply(at, np.intp(action))"
    ),
    "scores": _native("scores", "s, scores", f"scores_into(out, {AT})", "out = carray(scores, PLAYERS)"),
    "moves_left": _native("moves_left", "s, left", "0", f"carray(left, 1)[0] = rules_moves_left({AT})"),
    "solve": _long(
        "solve",
        "s, scores",
        f"""\
    found = rules_solve({AT})
    if found is None:
        return 0
    return FAILED if fill(carray(scores, PLAYERS), found) else 1""",
    ),
    "chance": _native(
        "chance", "s, outcomes, p", f"chance_into(carray(outcomes, OUTCOMES), carray(p, OUTCOMES), {AT})"
    ),
    "sample_chance": _native("sample_chance", "s, rng", f"rules_sample_chance({AT}, carray(rng, 1))"),
    "reward": _native(
        "reward",
        "s, reward, scores",
        f"reward_into(out, np.intp(reward), {AT})",
        "out = carray(scores, PLAYERS)",
    ),
    "features": _native(
        "features",
        "s, player, features",
        f"features_into(out, {AT}, {PLAYER})",
        "out = carray(features, FEATURES)",
    ),
    "conceal": _native("conceal", "s, player", "0", f"rules_conceal({AT}, {PLAYER})"),
    "symmetry": _native("symmetry", "s, g", "0", f"rules_symmetry(np.intp(g), {AT})"),
    "determinize": _native(
        "determinize", "s, player, rng", "0", f"rules_determinize({AT}, {PLAYER}, carray(rng, 1))"
    ),
    "observe": _native(
        "observe", "s, player, key", f"observe_into(carray(key, OBSERVATION), {AT}, {PLAYER})"
    ),
    "board_vector": _native(
        "board_vector",
        "s, player, cells",
        f"board_vector_into(out, {AT}, {PLAYER})",
        "out = carray(cells, CELLS)",
    ),
    "completions": _native(
        "completions",
        "s, player, capacity, states, p",
        f"completions_into(carray(states, capacity), carray(p, capacity), {AT}, {PLAYER})",
    ),
    "feature_indices": _native(
        "feature_indices",
        "s, player, indices",
        f"feature_indices_into(out, {AT}, {PLAYER})",
        "out = carray(indices, TABLES)",
    ),
    "planes": _long(
        "planes",
        "s, player, planes",
        f"""\
    found = rules_planes({AT}, {PLAYER})
    if found.shape != PLANES:
        return FAILED
    out = carray(planes, PLANES)
    for i in range(PLANES[0]):
        for j in range(PLANES[1]):
            for k in range(PLANES[2]):
                out[i, j, k] = found[i, j, k]
    return 0""",
    ),
    "symmetry_action": _native(
        "symmetry_action", "s, g, action", f"rules_symmetry_action(np.intp(g), {AT}, np.intp(action))"
    ),
    "symmetry_cells": _native(
        "symmetry_cells", "g, source", "symmetry_cells_into(out, np.intp(g))", "out = carray(source, CELLS)"
    ),
    "apply_changes": _native(
        "apply_changes",
        "s, action, player, changes, next",
        "n",
        f"at = {AT}",
        f"n = apply_changes_into(carray(changes, CELLS), at, np.intp(action), {PLAYER})",
        "carray(next, 1)[0] = rules_player(at)",
    ),
    "playout": _long(
        "playout",
        "s, rng, most, cut, actions, p, who",
        """\
    at, random, kept_who = carray(s, 1)[0], carray(rng, 1), carray(who, 2)
    legal = carray(actions, ACTIONS)
    outcomes, chances = carray(actions, OUTCOMES), carray(p, OUTCOMES)  # listing
    mover, last, count = np.intp(kept_who[0]), np.intp(kept_who[1]), 0
    while count < most and mover != TERMINAL:
        if cut and rules_round_over(at):  # rounds
            break  # rounds
        if mover == CHANCE:  # drawing
            rules_apply(at, np.intp(rules_sample_chance(at, random)))  # drawing
            mover = np.intp(rules_player(at))  # drawing
            continue  # drawing
        if mover == CHANCE:  # listing
            n = chance_into(outcomes, chances, at)  # listing
            if n < 1 or n > OUTCOMES:  # listing
                return FAILED  # listing
            u, i = unit(random), 0  # listing
            while i < n - 1:  # listing
                u -= chances[i]  # listing
                if u < 0:  # listing
                    break  # listing
                i += 1  # listing
            rules_apply(at, np.intp(outcomes[i]))  # listing
            mover = np.intp(rules_player(at))  # listing
            continue  # listing
        n = legal_into(legal, at)
        if n < 1 or n > ACTIONS:
            return FAILED
        rules_apply(at, np.intp(legal[below(random, n)]))
        last = mover
        count += 1
        mover = np.intp(rules_player(at))
    kept_who[0] = mover
    kept_who[1] = last
    return count""",
    ),
}
"""The text of each function. In `playout`, lines marked with a comment are for games with that part only."""
