/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drives a browser for browsers.py: reads a command per line as JSON, [name,
   argument...], and answers with a line, {"value": ...} or {"error": "..."}.

      node driver.js chrome|firefox <executable>

   It must be run where puppeteer-core is installed. */

"use strict";

const readline = require("readline");

const [, , browserName, executable] = process.argv;
let browser, page, said;

async function start() {
   const puppeteer = require(require.resolve("puppeteer-core",
                                             {paths: [process.cwd()]}));
   browser = await puppeteer.launch({
      browser: browserName, executablePath: executable, headless: true,
      protocol: "webDriverBiDi",
      args: browserName === "chrome"
         ? ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
         : [],
      extraPrefsFirefox: {"ui.prefersReducedMotion": 1}});
}

const commands = {
   /* A page, from a file. Its complaints and its requests are kept. */
   open: async (url, width, height, scheme) => {
      if (page)
         await page.close();
      page = await browser.newPage();
      said = {errors: [], requests: []};
      page.on("console", message => {
         if (["error", "warn", "warning"].includes(message.type()))
            said.errors.push(message.text());
      });
      page.on("pageerror", error => said.errors.push(String(error)));
      page.on("dialog", async dialog => {
         said.errors.push("dialog: " + dialog.message());
         await dialog.dismiss();
      });
      page.on("request", request => {
         if (request.url() !== url && !request.url().startsWith("data:"))
            said.requests.push(request.url());
      });
      await page.setViewport({width, height});
      const began = Date.now();
      await page.goto(url, {waitUntil: "load", timeout: 60000});
      await page.waitForFunction(() => window.ws && ws.isDrawn);
      const time = Date.now() - began;
      await page.evaluate(theme => {
         if (theme)
            document.documentElement.dataset.theme = theme;
         if (window.ws && ws.redraw)
            ws.redraw();
      }, scheme);
      return time;
   },
   said: async () => said,
   evaluate: expression => page.evaluate(expression),
   resize: (width, height) => page.setViewport({width, height}),
   click: (selector, count) => page.click(selector, {count: count || 1}),
   focus: selector => page.focus(selector),
   press: async (...keys) => {
      const modifiers = ["Shift", "Control"];
      for (const chord of keys) {
         const held = chord.split("+").filter(key => modifiers.includes(key));
         for (const key of held)
            await page.keyboard.down(key);
         await page.keyboard.press(
            held.length ? chord.slice(held.join("+").length + 1) : chord);
         for (const key of held)
            await page.keyboard.up(key);
      }
   },
   drag: async (fromX, fromY, toX, toY) => {
      await page.mouse.move(fromX, fromY);
      await page.mouse.down();
      await page.mouse.move((fromX + toX) / 2, toY, {steps: 4});
      await page.mouse.move(toX, toY, {steps: 4});
      await page.mouse.up();
   },
   move: (x, y) => page.mouse.move(x, y),
   wheel: (deltaY) => page.mouse.wheel({deltaY}),
   screenshot: async (path, whole) => {
      await page.screenshot({path, fullPage: Boolean(whole)});
   },
   version: () => browser.version()};

async function main() {
   await start();
   for await (const line of readline.createInterface({input: process.stdin})) {
      const [name, ...words] = JSON.parse(line);
      let answer;
      try {
         const value = await commands[name](...words);
         answer = {value: value === undefined ? null : value};
      } catch (error) {
         answer = {error: String(error)};
      }
      process.stdout.write(JSON.stringify(answer) + "\n");
   }
   await browser.close();
}

main().catch(error => {
   process.stdout.write(JSON.stringify({error: String(error)}) + "\n");
   process.exit(1);
});
