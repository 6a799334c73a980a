"""A browser without a screen, for suites that look at a page:

    with browser.Browser() as browser:
        browser.open(path, width=400, scheme='dark')
        browser.evaluate('document.title')
        browser.click('#composition button'); browser.press('Shift+ArrowLeft')
        assert browser.said() == ([], [])

It is Chromium, which is asked through a WebSocket in the protocol of DevTools.
Absent: the machine cannot run it; its text is the reason."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
from pathlib import Path
from threading import Thread
from typing import Any, Sequence

TIMEOUT_S = 60
MOST_S = 1              # of a processor, for all tasks that draw a page

OPTIONS = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
           '--no-first-run', '--force-color-profile=srgb',
           '--remote-debugging-port=0']

# Windows' numbers of keys with names.
KEYS = {'Enter': 13, 'Shift': 16, 'ArrowLeft': 37, 'ArrowRight': 39,
        'ArrowUp': 38, 'ArrowDown': 40}
DRAWN = '''
new Promise((done, failed) => {
   const late = Date.now() + 50000, look = () =>
      window.ws && ws.isDrawn ? done() :
      Date.now() > late ? failed("it is not drawn") : setTimeout(look, 20);
   look();
})'''
SCROLLED = '''
(async () => {
   for (const one of document.querySelectorAll("main > section")) {
      one.scrollIntoView();
      await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
   }
   scrollTo(0, 0);
})()'''


class Absent(Exception):
    """No browser."""


class Socket:
    """The client's end of a WebSocket whose messages are JSON."""

    def __init__(self, url: str) -> None:
        host, port, path = re.fullmatch(r'ws://([^:/]+):(\d+)(.*)',
                                        url).groups()
        self.socket = socket.create_connection((host, int(port)), TIMEOUT_S)
        self.file = self.socket.makefile('rb')
        self.socket.sendall(
            f'GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n'
            'Upgrade: websocket\r\nConnection: Upgrade\r\n'
            'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
            'Sec-WebSocket-Version: 13\r\n\r\n'.encode())
        while self.file.readline().strip():
            pass

    def write(self, message: object) -> None:
        data = json.dumps(message).encode()
        size = (struct.pack('>B', 128 + len(data)) if len(data) < 126 else
                struct.pack('>BH', 128 + 126, len(data)))
        # There must be a mask: 0 leaves the data as it is.
        self.socket.sendall(b'\x81' + size + bytes(4) + data)

    def read(self) -> dict[str, Any]:
        data = b''
        while True:
            head, size = self.file.read(2)
            if size >= 126:
                size = int.from_bytes(
                    self.file.read(2 if size == 126 else 8), 'big')
            some = self.file.read(size)
            if head & 15 in (0, 1):     # no ping
                data += some
                if head & 128:
                    return json.loads(data)


class Browser:
    """One that is running, with a page."""

    def __init__(self) -> None:
        path = shutil.which('chromium')
        if path is None:
            raise Absent('no chromium')
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [path, *OPTIONS, f'--user-data-dir={self.profile.name}'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, 'TMPDIR': self.profile.name})
        said = ''
        for line in self.process.stderr:
            said += line
            if found := re.search(r'listening on (ws://\S+)', line):
                break
        else:
            raise Absent(f'chromium does not start: {said[-300:]}')
        # Nobody reads what it says later, and the pipe is not to be full.
        Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = Socket(found[1])
        self.number = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page: dict[str, str] = {}
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.page = self.ask('Target.attachToTarget', targetId=target,
                             flatten=True)
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(f'{domain}.enable')
        self.ask('Performance.enable', timeDomain='threadTicks')

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()    # killed, it would leave its children
        self.process.wait(TIMEOUT_S)
        self.profile.cleanup()

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a command; what the browser says before is heard."""
        self.number += 1
        self.socket.write({'id': self.number, 'method': method,
                           'params': params, **self.page})
        while (answer := self.socket.read()).get('id') != self.number:
            self.hear(answer.get('method', ''), answer.get('params', {}))
        if 'error' in answer:
            raise RuntimeError(f'{method}: {answer}')
        return answer['result']

    def open(self, path: Path, width: int = 1000,
             scheme: str = 'light') -> None:
        """A page, of its own theme if scheme is empty."""
        self.url = path.as_uri()
        self.resize(width)
        self.ask('Page.navigate', url=self.url)
        self.evaluate(DRAWN)
        theme = f'document.documentElement.dataset.theme = "{scheme}", '
        self.evaluate(theme * bool(scheme) + 'ws.redraw()')
        self.evaluate(SCROLLED)
        for one in self.ask('Performance.getMetrics')['metrics']:
            if one['name'] == 'TaskDuration' and one['value'] > MOST_S:
                self.errors.append(f'{path.name}: {one["value"]} s')

    def said(self) -> tuple[list[str], list[str]]:
        """Errors and warnings of all pages since the last time, and what else
        they asked for."""
        self.evaluate('0')
        found = self.errors, self.requests
        self.errors, self.requests = [], []
        return found

    def evaluate(self, expression: str) -> Any:
        """What it, or its promise, comes to."""
        found = self.ask(
            'Runtime.evaluate', awaitPromise=True, returnByValue=True,
            expression=f'(async () => JSON.stringify(await ({expression})))()')
        if 'exceptionDetails' in found:
            raise RuntimeError(str(found['exceptionDetails']))
        text = found['result'].get('value')
        return None if text is None else json.loads(text)

    def texts(self, selector: str) -> list[str]:
        """Of all elements, in their order."""
        return self.evaluate(
            f'[...document.querySelectorAll({json.dumps(selector)})]'
            '.map(one => one.textContent)')

    def hear(self, event: str, params: dict[str, Any]) -> None:
        if event == 'Runtime.exceptionThrown':
            self.errors.append(str(params['exceptionDetails']))
        elif event == 'Runtime.consoleAPICalled':
            if params['type'] in ('error', 'warning', 'assert'):
                self.errors.append(str(params['args']))
        elif event == 'Log.entryAdded':
            if params['entry']['level'] == 'error':    # no hints
                self.errors.append(params['entry']['text'])
        elif event == 'Network.requestWillBeSent':
            url = params['request']['url']
            if url != self.url and not url.startswith('data:'):
                self.requests.append(url)

    def resize(self, width: int) -> None:
        self.ask('Emulation.setDeviceMetricsOverride', width=width,
                 height=900, deviceScaleFactor=1, mobile=False)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def move(self, x: float, y: float, is_held: bool = False) -> None:
        self.mouse('mouseMoved', x, y, buttons=int(is_held))

    def button(self, is_down: bool, x: float, y: float, count: int) -> None:
        self.mouse('mousePressed' if is_down else 'mouseReleased', x, y,
                   button='left', buttons=int(is_down), clickCount=count)

    def key(self, is_down: bool, key: str, held: Sequence[str]) -> None:
        text = '\r' if key == 'Enter' else key if len(key) == 1 else ''
        self.ask('Input.dispatchKeyEvent', key=key, text=text * is_down,
                 type='keyDown' if is_down else 'keyUp',
                 windowsVirtualKeyCode=KEYS.get(key) or ord(key),
                 modifiers=8 * ('Shift' in held))

    def click(self, selector: str, count: int = 1) -> None:
        x, y = self.evaluate(f'''(() => {{
            const one = document.querySelector({json.dumps(selector)});
            let r = one.getBoundingClientRect();
            if (r.top < 0 || r.bottom > innerHeight) {{
               one.scrollIntoView({{block: "center", behavior: "instant"}});
               r = one.getBoundingClientRect();
            }}
            return [r.x + r.width / 2, r.y + r.height / 2]; }})()''')
        self.move(x, y)
        for number in range(1, count + 1):
            self.button(True, x, y, number)
            self.button(False, x, y, number)

    def focus(self, selector: str) -> None:
        self.evaluate(
            f'document.querySelector({json.dumps(selector)}).focus()')

    def press(self, *chords: str) -> None:
        """Keys, or chords: Shift+ArrowLeft."""
        for chord in chords:
            *held, key = chord.split('+') if len(chord) > 1 else [chord]
            for one in (*held, key):
                self.key(True, one, held)
            for one in (key, *reversed(held)):
                self.key(False, one, held)

    def drag(self, from_x: float, from_y: float, x: float, y: float) -> None:
        """In the window."""
        self.move(from_x, from_y)
        self.button(True, from_x, from_y, 1)
        for step in range(1, 9):
            self.move(from_x + (x - from_x) * step / 8, y, True)
        self.button(False, x, y, 1)
