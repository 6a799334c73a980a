"""Browsers without a screen, for suites that look at a page:

    with browsers.Browser('chromium') as browser:
        browser.open(path, width=400, scheme='dark')
        browser.evaluate('document.title')
        browser.click('#composition button'); browser.press('Shift+ArrowLeft')
        assert browser.said() == ([], [])

Absent: the machine cannot run one; its text is the reason."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import wslib

# By the name of the command: what the driver calls it.
KINDS = {'chromium': 'chrome', 'firefox-esr': 'firefox'}
DRIVER = wslib.TESTS / 'html'


class Absent(Exception):
    """No browser, no npm, or no network."""


def driver_packages() -> Path:
    """Where the driver's packages are installed; once for each lock file."""
    lock = (DRIVER / 'package-lock.json').read_bytes()
    build = Path(os.environ['WS_BUILD']).parent
    place = build / 'npm' / f'driver-{hashlib.sha256(lock).hexdigest()[:16]}'
    if not (place / 'done').exists():
        if shutil.which('npm') is None:
            raise Absent('no npm')
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name in ('package.json', 'package-lock.json', '.npmrc'):
            shutil.copy(DRIVER / name, place)
        done = subprocess.run(
            ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund',
             '--cache', str(build / 'cache' / 'npm')], cwd=place,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Absent('npm could not get puppeteer-core: '
                         + ' '.join(done.stdout.split())[-200:])
        (place / 'done').touch()
    return place


class Browser:
    """One that is running, with a page."""

    def __init__(self, name: str):
        path = shutil.which(name)
        if path is None:
            raise Absent(f'no {name}')
        self.process = subprocess.Popen(
            ['node', str(DRIVER / 'driver.js'), KINDS[name], path],
            cwd=driver_packages(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=20)

    def ask(self, *command: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline()
                            or '{"error": "the browser has ended"}')
        if 'error' in answer:
            raise RuntimeError(answer['error'])
        return answer['value']

    def open(self, path: Path, width: int = 1000, height: int = 900,
             scheme: str = 'light') -> int:
        """A page, of its own theme if scheme is empty; how many milliseconds
        it took to load."""
        return self.ask('open', path.as_uri(), width, height, scheme)

    def said(self) -> tuple[list[str], list[str]]:
        """Errors and warnings of the page, and what else it asked for."""
        found = self.ask('said')
        return found['errors'], found['requests']

    def evaluate(self, expression: str) -> Any:
        return self.ask('evaluate', expression)

    def texts(self, selector: str) -> list[str]:
        """Of all elements, in their order."""
        return self.evaluate(
            f'[...document.querySelectorAll({json.dumps(selector)})]'
            '.map(one => one.textContent)')

    def resize(self, width: int, height: int = 900) -> None:
        self.ask('resize', width, height)

    def click(self, selector: str, count: int = 1) -> None:
        self.ask('click', selector, count)

    def focus(self, selector: str) -> None:
        self.ask('focus', selector)

    def press(self, *keys: str) -> None:
        """Keys, or chords: Shift+ArrowLeft."""
        self.ask('press', *keys)

    def drag(self, *ends: float) -> None:
        """From x, y to x, y in the window."""
        self.ask('drag', *ends)

    def move(self, x: float, y: float) -> None:
        self.ask('move', x, y)

    def wheel(self, delta: float) -> None:
        self.ask('wheel', delta)

    def screenshot(self, path: Path, whole: bool = False) -> None:
        self.ask('screenshot', str(path), whole)
