"""What is measured: Valgrind's perf/ suite, and real programs with inputs of
their own."""

import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .measure import OUT, TREE, make


@dataclass
class Program:
    name: str
    suite: str  # "perf" or "real"
    command: list[str]
    directory: Path
    options: list[str] = field(default_factory=list)  # for Valgrind


def perf_programs() -> list[Program]:
    """Those of perf/, as their .vgperf files say."""
    perf = TREE / "perf"
    make("perf", "check")
    programs = []
    for vgperf in sorted(perf.glob("*.vgperf")):
        fields = dict(re.findall(r"^(prog|args|vgopts):[ \t]*(.*)$",
                                 vgperf.read_text(), re.M))
        # An option may be for one tool only: --memcheck:leak-check=yes.
        options = [o for o in fields.get("vgopts", "").split()
                   if not re.match(r"--[a-z]+:", o)]
        programs.append(Program(
            vgperf.stem, "perf",
            ["./" + fields["prog"].strip(), *fields.get("args", "").split()],
            perf, options))
    return programs


def write_text(path: Path, size: int) -> None:
    """Words of a skewed vocabulary, so that compressors find something."""
    chance = random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9)))
             for _ in range(5000)]
    weights = [1 / n for n in range(1, 5001)]
    with open(path, "w") as file:
        while file.tell() < size:
            line = " ".join(chance.choices(words, weights, k=1000))
            file.write(line + "\n")
        file.truncate(size)


def write_sql(path: Path) -> None:
    chance = random.Random(2)
    lines = ["create table t(a integer primary key, b text, c integer);",
             "begin;"]
    for n in range(15000):
        lines.append(f"insert into t values({n}, 'name {chance.random()}', "
                     f"{chance.randrange(100)});")
    lines += ["commit;", "create index i on t(b);",
              "select c, count(*), max(b) from t group by c order by 2;",
              "select count(*) from t x join t y on x.c = y.a;",
              "update t set c = c + 1 where b like '%7%';",
              "delete from t where a % 3 = 0;", "select sum(a) from t;"]
    path.write_text("\n".join(lines) + "\n")


def write_c(path: Path, n_lines: int) -> None:
    """A function of eleven lines, again and again with other numbers."""
    chance = random.Random(3)
    text = ["struct s { int a; struct s *next; char name[16]; };"]
    n = 0
    while len(text) < n_lines:
        n += 1
        k = chance.randrange(2, 50)
        text += [f"static int f{n}(struct s *p, int n)", "{",
                 f"   int sum = {k};",
                 f"   for (int i = 0; i < n + {k}; i++) {{",
                 f"      if (p->a % {k} == i && p->next)",
                 "         p = p->next;",
                 f"      switch (i % 5) {{ case 0: sum += p->name[i % 16]; "
                 f"break; case 3: sum ^= {k}; break; default: sum -= i; }}",
                 "   }",
                 f"   return sum * {k} + p->a;", "}", ""]
    calls = " + ".join(f"f{i}(p, n)" for i in range(1, n + 1))
    text.append(f"int all(struct s *p, int n) {{ return {calls}; }}")
    path.write_text("\n".join(text) + "\n")


PYTHON = """
words = {}
for i in range(60000):
    key = 'w%d' % (i * 7919 % 5003)
    words[key] = words.get(key, 0) + i
print(sorted(words.items(), key=lambda w: (-w[1], w[0]))[:3])
"""

PERL = """
my %w; for my $i (1 .. 60000) { $w{'w' . ($i * 7919 % 5003)} += $i; }
my @s = sort { $w{$b} <=> $w{$a} || $a cmp $b } keys %w;
my $t = join ' ', @s; my $n = 0; $n++ while $t =~ /(\\w)\\1/g; print $n;
"""


def real_programs() -> list[Program]:
    """Programs of the machine's packages; inputs are made here."""
    text, sql, c = OUT / "text", OUT / "script.sql", OUT / "source.c"
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], text=True,
                         stdout=subprocess.PIPE, check=True).stdout.strip()
    commands = {
        "gzip": ["gzip", "-c", str(text)],
        "xz": ["xz", "-0", "-T1", "-c", str(text)],
        "sqlite3": ["sqlite3", ":memory:", f".read {sql}"],
        # The program itself, not a script that looks for it.
        "python3": [str(Path(sys.executable).resolve()), "-S", "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "cc1": [cc1, "-quiet", "-O1", str(c), "-o", "/dev/null"],
    }
    missing = [command[0] for command in commands.values()
               if not shutil.which(command[0])]
    if missing:
        sys.exit(f"bench: please install {' '.join(missing)}")
    if not text.exists():
        write_text(text, 20_000_000)
    write_sql(sql)
    write_c(c, 5000)
    return [Program(name, "real", command, OUT)
            for name, command in commands.items()]
