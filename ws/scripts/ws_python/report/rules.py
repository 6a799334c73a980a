# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules that make components of call stacks, in the format of the tool freya;
here, a rule may have several functions.

    # A comment.  A rule has a name, functions or a namespace, and a path:
    tree    (sqlite3BtreeNext) (moveToChild)
    tree    (btree*)            # * at the end: any characters
    parser  {ns::parser}
    files   src/os/unix.c
    -       (memcpy)            # - discards it, and its callees
    # Nodes of the tree, by their indentation, and the rules of each:
    [all]+                      # + is for stacks that no rule matches
       [storage]
          {tree}
          {files}
       (parser)                 # the same as [parser] with {parser}
"""

import os
import sys
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import Failure, brief_name, printable, shorten
from ws_python.report.compositions import Origin
from ws_python.report.stacks import Step

DISCARD = "-"
NO_RULE = "(no rule)"       # what none matches
MOST_RULES_SZB = 1 << 22        # of a file
# Compilers add this to the name of a function that they split or copy.
CLONES = {"part", "constprop", "isra", "cold", "lto_priv", "llvm"}


@dataclass
class Rule:
    """A line that says which functions it matches."""
    name: str
    function: str               # "" for any; the same for the others
    namespace: str
    path: List[str]             # directories and a file

    def matches(self, names: Sequence[str], path: Sequence[str]) -> bool:
        """Match a function by its names and the directories of its file."""
        wanted, size = self.function, len(self.path)
        if wanted.endswith("*") and not wanted.endswith("operator*"):
            if not names[0].startswith(wanted[:-1]):
                return False
        elif wanted and wanted not in names:
            return False
        if self.namespace and not names[0].startswith(f"{self.namespace}::"):
            return False
        return not size or any(path[k:k + size] == self.path
                               for k in range(len(path) - size + 1))


@dataclass
class Component:
    """A node of the tree of rules."""
    number: int
    name: str
    depth: int
    parent: Optional["Component"]


@dataclass
class Rules:
    """The rules of a file, in its order."""
    name: str
    rules: List[Rule] = field(default_factory=list)
    components: List[Component] = field(default_factory=list)
    homes: Dict[str, Component] = field(default_factory=dict)   # of rules
    default: Optional[Component] = None     # if no rule matches
    known: Dict[Tuple[str, str], Tuple[bool, Optional[Component]]] = field(
        default_factory=dict)

    def judge(self, function: str, path: str
              ) -> Tuple[bool, Optional[Component]]:
        """Return if a rule discards the function, and else its component."""
        if (function, path) not in self.known:
            names, words = names_to_match(function), path.split("/")
            matching = [rule.name for rule in self.rules
                        if rule.matches(names, words)]
            home = next((self.homes[name] for name in matching
                         if name != DISCARD), self.default)
            self.known[function, path] = DISCARD in matching, home
        return self.known[function, path]

    def own_name(self, component: Component) -> str:
        """Name the pages that belong to no component below this one."""
        if any(other.parent is component for other in self.components):
            return f"{component.name} itself"
        return component.name

    @property
    def chains(self) -> List[List[int]]:
        """The numbers of each component, and of those above it."""
        chains: List[List[int]] = []
        for component in self.components:
            parent = component.parent
            chains.append([component.number, *(
                chains[parent.number] if parent else [])])
        return chains

    def place(self, steps: Sequence[Step], part: Origin) -> Optional[Component]:
        """Find the component of a stack, or of a mapping without stack.  Code
        without a name that no rule matches has that of its caller.
        """
        frames = [step.frame for step in steps if step.frame is not None]
        judged = [self.judge(frame.function, frame.file or frame.object)
                  for frame in frames] or [self.judge("", part.mapping)]
        gone = [k for k, (discarded, _) in enumerate(judged) if discarded]
        # The last one remains, whatever it is.
        k = min(gone[-1] + 1 if gone else 0, len(judged) - 1)
        while frames[k + 1:] and not frames[k].function and (
                judged[k][1] is self.default):
            k += 1
        return judged[k][1]


def names_to_match(function: str) -> List[str]:
    """Return the name with and without compilers' additions and parameters."""
    words = function.partition(" [clone ")[0].split(".")
    end = len(words)
    for place in range(end - 1, 0, -1):
        if words[place] in CLONES:
            end = place
        elif not words[place].isdigit():
            break
    whole = ".".join(words[:end])
    return [function, whole, brief_name(whole, sys.maxsize)]


class Reader:
    """Reads the lines of a file; Failure: one makes no sense."""

    def __init__(self, name: str):
        self.rules = Rules(name)
        self.number = 0
        # The nodes above, by their indentations.
        self.above: List[Tuple[int, Component]] = []
        self.lines: Dict[str, int] = {}     # where rules are first

    def wrong(self, what: str, number: int = 0) -> Failure:
        return Failure(f"{self.rules.name}:{number or self.number}: "
                       + shorten(printable(what), 200))

    def read(self, lines: Sequence[str]) -> Rules:
        for self.number, line in enumerate(lines, 1):
            text = line.strip(" \r")
            if not text or text.startswith("#"):
                continue
            if "\t" in text:
                raise self.wrong("has a tab; only blanks separate")
            if text[0] in "[{(":
                self.node(text, len(line) - len(line.lstrip(" ")))
            else:
                self.rule(text)
        for name, number in self.lines.items():
            if name != DISCARD and name not in self.rules.homes:
                raise self.wrong(f"rule {name} is attached to no node", number)
        if not self.rules.components:
            raise self.wrong("there is no [node]", max(self.number, 1))
        return self.rules

    def rule(self, text: str) -> None:
        name, _, rest = text.partition(" ")
        rest = rest.strip(" ")
        functions, namespace = [], ""
        while rest.startswith("("):
            function, rest = self.bracketed(rest)
            functions.append(function)
            rest = rest.strip(" ")
        if rest.startswith("{") and not functions:
            namespace, rest = self.bracketed(rest)
        path = [word for word in rest.strip(" ").split("/") if word]
        if not (functions or namespace or path):
            raise self.wrong(f"rule {name} has neither a function nor a path")
        self.lines.setdefault(name, self.number)
        self.rules.rules += [Rule(name, function, namespace, path)
                             for function in functions or [""]]

    def bracketed(self, text: str) -> Tuple[str, str]:
        """Split a text into the content of its first brackets and the rest."""
        pair = {"(": ")", "{": "}", "[": "]"}
        depth = 0
        for place, letter in enumerate(text):
            depth += (letter == text[0]) - (letter == pair[text[0]])
            if depth == 0:
                inner = text[1:place].strip(" ")
                if not inner:
                    raise self.wrong("there is nothing in the brackets")
                return inner, text[place + 1:]
        raise self.wrong(f"there is no {pair[text[0]]}")

    def node(self, text: str, indent: int) -> None:
        name, rest = self.bracketed(text)
        mark = rest.strip(" ")
        if mark not in ("", "+") or mark and text[0] == "{":
            raise self.wrong(f"there is {mark} behind the brackets")
        if text[0] != "{":
            self.add(name, indent)
        if text[0] != "[":
            self.attach(name)
        if mark:
            if self.rules.default is not None:
                raise self.wrong("there is another node with +")
            self.rules.default = self.rules.components[-1]

    def add(self, name: str, indent: int) -> None:
        """Add a node below the last one that is indented less."""
        before = self.above[-1][0] if self.above else indent
        while self.above and self.above[-1][0] >= indent:
            before, _ = self.above.pop()
        if before > indent:
            raise self.wrong("no node above is indented like this")
        self.rules.components.append(Component(
            len(self.rules.components), name, len(self.above),
            self.above[-1][1] if self.above else None))
        self.above.append((indent, self.rules.components[-1]))

    def attach(self, name: str) -> None:
        if name not in self.lines or name == DISCARD:
            raise self.wrong(f"there is no rule {name} above")
        if name in self.rules.homes:
            raise self.wrong(f"rule {name} is attached twice")
        if not self.rules.components:
            raise self.wrong(f"there is no node for rule {name}")
        self.rules.homes[name] = self.rules.components[-1]


def load_rules(path: str) -> Rules:
    """Load rules from a file, or from one that comes with ws_print."""
    name = printable(path)
    if os.path.basename(path) == path:
        ours = os.path.join(os.path.dirname(__file__), os.pardir, "rules")
        path = next(filter(os.path.exists, (
            path, os.path.join(ours, path))), path)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(MOST_RULES_SZB + 1)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from None
    if len(lines) > MOST_RULES_SZB:
        raise Failure(f"{name}: is too long for a file of rules")
    return Reader(name).read(lines.split("\n"))
