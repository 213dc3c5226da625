"""Drives Chromium by the WebDriver protocol, over plain HTTP.

  with Browser() as browser:
      browser.open("page.html")
      browser.run("return document.title")
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " ", "Left": "\ue012", "Up": "\ue013",
        "Right": "\ue014", "Down": "\ue015", "Home": "\ue011", "End": "\ue010"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# A script of the page has no element of this browser yet: the time until it is ready counts.
SECONDS = 60


class Browser:
    def __init__(self, width=1280, height=800, dark=False, arguments=()):
        # The profile of the browser is the test's own, and goes with it.
        self.home = tempfile.mkdtemp(prefix="weir-browser-")
        environment = dict(os.environ, HOME=self.home, XDG_CONFIG_HOME=self.home, XDG_CACHE_HOME=self.home)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], env=environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.session = ""
        try:
            for line in self.driver.stdout:
                port = re.search(r"successfully on port (\d+)", line)
                if port:
                    break
            else:
                raise RuntimeError("chromedriver does not start")
            self.root = f"http://127.0.0.1:{port[1]}"
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                       f"--window-size={width},{height}", f"--user-data-dir={self.home}/profile", *arguments]
            if dark:
                options.append("--blink-settings=preferredColorScheme=0")
            wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options},
                      "goog:loggingPrefs": {"browser": "ALL"}}
            answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{answer['sessionId']}"
            self.cdp("Emulation.setDeviceMetricsOverride",
                     width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            self.send("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def send(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        # The proxy of the environment has no part in it.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def call(self, path, **body):
        return self.send("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        return self.call("/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, path, view=""):
        """Opens a page and returns the milliseconds until it is ready."""
        self.call("/url", url="about:blank")
        self.call("/url", url="file://" + os.path.abspath(path) + view)
        return self.wait("return Number(document.documentElement.dataset.ready)")

    def run(self, script, *arguments):
        return self.call("/execute/sync", script=script, args=list(arguments))

    def wait(self, script, *arguments):
        """Runs a script until its value is true, and returns that value."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def find(self, selector):
        return self.call("/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector):
        self.call(f"/element/{self.find(selector)}/click")

    def type(self, *keys):
        """Presses keys one after the other, in the element that has the focus."""
        actions = []
        for key in keys:
            for value in [KEYS[key]] if key in KEYS else key:
                actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("/actions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def wheel(self, selector, delta):
        origin = {ELEMENT: self.find(selector)}
        self.call("/actions", actions=[{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": delta, "duration": 0, "origin": origin}]}])

    def drag(self, selector, dx, dy):
        origin = {ELEMENT: self.find(selector)}
        self.call("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": 0, "y": 0, "duration": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": dx, "y": dy, "duration": 50, "origin": "pointer"},
            {"type": "pointerUp", "button": 0}]}])

    def log(self):
        """The messages of the console since the last call."""
        return [entry["message"] for entry in self.call("/se/log", type="browser")]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("GET", self.session + "/screenshot")))
