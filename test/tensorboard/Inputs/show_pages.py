# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# show_pages.py TENSORBOARD LOGS SHOTS PAGE: serves a folder of event files and opens
# a page of TensorBoard in a browser without a window. Prints the texts that are on
# it, and of the graph the colours of its nodes; keeps a screenshot in SHOTS.
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# Components have trees of their own, which an ordinary search does not enter.
WALK = """
const all = [];
(function walk(node) {
  if (['STYLE', 'SCRIPT', 'TEMPLATE', 'NOSCRIPT'].includes(node.tagName)) return;
  all.push(node);
  if (node.shadowRoot) [...node.shadowRoot.childNodes].forEach(walk);
  [...node.childNodes].forEach(walk);
})(document.body);
"""
TEXTS = WALK + """
return all.filter(n => n.nodeType === 3).map(n => n.textContent.trim())
  .filter(t => t).join(' ').replace(/\\s+/g, ' ');"""
CLICK = WALK + """
const found = all.find(n => n.tagName === arguments[0] &&
                            n.textContent.trim() === arguments[1]);
if (found) found.click();
return Boolean(found);"""
# Nodes of one device are filled by a gradient of their own, of one colour.
COLOURS = WALK + """
const colour = fill => {
  const id = (fill.match(/#([^"]*)/) || [])[1];
  const gradient = id && all.find(n => n.id === id);
  return gradient ? [...gradient.querySelectorAll('stop')]
    .map(stop => getComputedStyle(stop).stopColor).join(' ') : fill;
};
return Object.fromEntries(all.filter(n => n.matches && n.matches('g.node'))
  .map(n => [n.dataset.name, n.querySelector('.nodecolortarget')])
  .filter(pair => pair[1])
  .map(pair => [pair[0], colour(getComputedStyle(pair[1]).fill)]));"""
READY = WALK + """
const found = all.find(n => n.tagName === 'PAPER-RADIO-BUTTON' &&
                            n.textContent.trim() === arguments[0]);
return Boolean(found && !found.disabled);"""
IMAGES = WALK + """
return all.filter(n => n.tagName === 'IMG' && n.naturalWidth > 0)
  .map(n => n.naturalWidth + 'x' + n.naturalHeight).join(' ');"""

WANTED = {
    "scalars": "tag: loss", "histograms": "tag: activations",
    "distributions": "tag: activations", "images": "picture/image/0",
    "graphs": "Color by", "hparams": "Trial ID", "text": "tag: note",
    "pr_curves": "curve/pr_curves", "audio": "sound/audio",
}
MAX_SECONDS = 60


def wait(what, ready):
    until = time.monotonic() + MAX_SECONDS
    while time.monotonic() < until:
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"{what} was not there after {MAX_SECONDS} s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(profile):
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                 "--enable-unsafe-swiftshader", "--window-size=1500,950",
                 f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"),
                            options=options)


def press(browser, kind, text):
    if not browser.execute_script(CLICK, kind, text):
        sys.exit(f"there is no {kind} '{text}'")


def show_graph(browser):
    def colours():
        return browser.execute_script(COLOURS)

    wait("the graph", lambda: "MatMul" in colours())
    before = colours()
    print("coloured by structure: picture is MatMul:",
          before["picture"] == before["MatMul"])
    press(browser, "PAPER-RADIO-BUTTON", "Device")
    wait("the colours", lambda: colours()["picture"] != colours()["MatMul"])
    after = colours()
    print("coloured by device: activations is MatMul:",
          after["activations"] == after["MatMul"], "w is MatMul:",
          after["w"] == after["MatMul"], "RandomUniform is picture:",
          after["RandomUniform"] == after["picture"])


def show_times(browser, shots):
    """Of the step that was profiled."""
    browser.save_screenshot(os.path.join(shots, "graphs-device.png"))
    press(browser, "PAPER-ITEM", "step 5")
    for button, unit in (("Compute time", "\u00b5s"), ("Memory", " B")):
        wait(f"'{button}'", lambda b=button: browser.execute_script(READY, b))
        press(browser, "PAPER-RADIO-BUTTON", button)
        wait(f"the legend in {unit}", lambda u=unit: re.search(
            rf"Legend 0 ?{u}", browser.execute_script(TEXTS)))
        legend = re.search(r"Legend (.*?) colors", browser.execute_script(TEXTS))
        print(button + ":", legend[1])


def show(browser, url, page, shots):
    browser.get(f"{url}/#{page}")
    wait(f"'{WANTED[page]}'",
         lambda: WANTED[page] in browser.execute_script(TEXTS))
    if page == "graphs":
        show_graph(browser)
        show_times(browser, shots)
    if page == "images":
        wait("each image",
             lambda: browser.execute_script(IMAGES).count("x") == 3)
        print("images:", browser.execute_script(IMAGES))
    time.sleep(1)  # what moves has arrived
    print(f"{page}:", browser.execute_script(TEXTS))


def main():
    tensorboard, logs, shots, page = sys.argv[1:5]
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as profile, \
            subprocess.Popen([tensorboard, "--logdir", logs, "--host", "127.0.0.1",
                              "--port", str(port)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) as server:
        try:
            wait("a run", lambda: b"first" in urllib.request.urlopen(
                url + "/data/runs", timeout=5).read())
            browser = start(profile)
            try:
                show(browser, url, page, shots)
            finally:
                browser.save_screenshot(os.path.join(shots, page + ".png"))
                browser.quit()
        finally:
            server.terminate()


main()
