"""Traces as lackey prints them, made up."""

from __future__ import annotations

import random

from oracle import Config


def any_trace(choice: random.Random) -> tuple[str, Config, list[int]]:
    """With a configuration and marks."""
    lines = []
    for _ in range(choice.randrange(20, 120)):
        lines.append(f'I  {choice.randrange(60):08x},{choice.randrange(1, 9)}')
        for _ in range(choice.choice((0, 1, 1, 2))):
            lines.append(f' {choice.choice("LSM")} {choice.randrange(250):08x}'
                         f',{choice.choice((1, 2, 4, 8, 32))}')
    tau, *more = choice.sample(range(1, 50), 4)
    return ('\n'.join([*lines, '']),
            Config(choice.randrange(1, 9), tau, 16, more_taus=tuple(more)),
            sorted(choice.choices(range(1, 20), k=choice.randrange(4))))
