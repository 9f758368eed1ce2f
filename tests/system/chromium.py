"""A page in a real browser: headless Chromium, spoken to by its own protocol."""

import base64
import json
import shutil
import subprocess
import time
from pathlib import Path

COMMAND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
]
SECONDS = 120  # for the browser to start, and for any answer


class Browser:
    """Open until closed; `with` closes it."""

    def __init__(self, folder: Path) -> None:
        import websocket  # noqa: PLC0415 - of the development extra

        self.process = subprocess.Popen(
            [COMMAND, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port, path = self._address(folder / "DevToolsActivePort")
            self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=SECONDS)
        except BaseException:
            self.process.kill()
            raise
        self.number, self.events, self.session = 0, [], None

    def _address(self, file: Path) -> list[str]:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            lines = file.read_text().split() if file.exists() else []
            if len(lines) == 2:
                return lines
            time.sleep(0.1)
        raise TimeoutError("Chromium does not say where it listens")

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)

    def call(self, method, **parameters):
        """The result of a command; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, page: Path, width: int, height: int, *, dark: bool = False) -> None:
        """Load a file in a new tab of this size."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self.socket.recv()))

    def evaluate(self, expression: str):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    @property
    def complaints(self):
        """Errors and warnings of the console, exceptions, and requests beyond the page itself."""
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(about["exceptionDetails"])
            elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                found.append(about["entry"])
            elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
                found.append(about)
            elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "data:")):
                found.append(about["request"]["url"])
        return found

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Keep a picture of the page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        """The page as printed on A4."""
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)["data"]
        return base64.b64decode(data)
