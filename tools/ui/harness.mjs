// What every check of the web interface uses: a browser, the served demo, a page with everything watched that must never happen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { fromFolder } from './files.mjs';
import { ask, directory, model } from './server.mjs';

export const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const binary = process.argv[2];
const only = process.env.ONLY?.split(',');
/** A page that takes longer is broken, however busy the machine is. */
const PATIENCE = 60_000;

/** The value behind an option of the command line. */
export function option(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at > 0 ? process.argv[at + 1] : otherwise;
}

export const browser = await chromium.launch({ executablePath: process.env.EVERWHEN_TEST_CHROMIUM ?? '/usr/bin/chromium', args: ['--disable-dev-shm-usage', '--no-sandbox'] });
/** Where the data is; a folder that was named stays, with the large memory in it. */
export const kept = option('--data', null);
export const home = kept ? { path: kept, remove: () => {} } : directory();
export const answering = await model('Here is what I know about Lisbon.');
/** The served demo; a check may stop it and start another. */
export const stage = { demo: null, figures: [] };
export const results = [];

/** One page with everything watched that must never happen. */
export async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'Europe/Lisbon', ...options });
  await fromFolder(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const trouble = [];
  page.on('dialog', (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('request', (request) => { if (!request.url().startsWith(stage.demo.url) && !/^(data|blob):/.test(request.url())) trouble.push(`foreign request: ${request.url()}`); });
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
  });
  const finish = async () => {
    // The page is left only by us, so nothing is lost by asking at the end.
    const violations = await page.evaluate(() => globalThis.violations ?? []).catch(() => []);
    await context.close();
    assert.deepEqual([...trouble, ...violations], [], 'something happened that must not');
  };
  return { page, context, trouble, finish };
}

/** Goes to an address within the page, as a link would. */
export async function move(page, address) {
  await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, address);
}

export async function check(name, work) {
  if (only && !only.some((part) => name.includes(part))) return;
  const begun = Date.now();
  try {
    await work();
    results.push(true);
    console.log(`ok   ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    results.push(false);
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

export const VIEWS = {
  memories: '/ui/demo', timeline: '/ui/demo/ana', ask: '/ui/demo/ana/ask?q=Where+did+I+live+in+March%3F', facts: '/ui/demo/ana/facts', document: '/ui/demo/ana/document', live: '/ui/-/live', settings: '/ui/-/settings',
};
export const READY = {
  // The list of vaults goes on to the only one by itself; in between there is no view.
  home: '.memory .strip, .vaults .chip ~ .chip', memories: '.memory .strip', timeline: '.entry', ask: '.found-row', facts: '.matter', document: '.chapters, .paper', live: '.exchange', settings: '.connect', conversation: '.message',
};

export async function visit(page, name) {
  await page.goto(stage.demo.url + VIEWS[name]);
  await page.waitForSelector(READY[name]);
}

/** What axe has to say about the page as it is, and whether it fits its window. */
export async function examine(page, where) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.ok(found.passes.length > 10, `${where}: axe looked at ${found.passes.length} rules`);
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join(' | ')}`);
  assert.deepEqual(told, [], where);
  await fits(page, where);
}

/** Nothing lies outside the window to the right, and no scrollbar stands beside the tabs. */
export async function fits(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} px wider than its window`);
  const scrolls = await page.evaluate(() => {
    const tabs = document.querySelector('.tabs');
    return tabs && getComputedStyle(tabs).overflowY !== 'hidden' && tabs.scrollHeight > tabs.clientHeight;
  });
  assert.ok(!scrolls, `${where} has a scrollbar beside its tabs`);
}

/** Prints what was measured, each beside its limit. */
export function table(figures) {
  if (!figures.length) return;
  const rows = figures.map(({ name, limit, value, unit, digits = 1 }) => [name, `${limit} ${unit}`, `${value.toFixed(digits)} ${unit}`, value > limit ? 'OVER' : 'ok']);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...[['budget', 'limit', 'measured', ''], ...rows].map((row) => row[column].length)));
  const line = (row) => row.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join('  ');
  console.log(['', line(['budget', 'limit', 'measured', '']), ...rows.map(line), ''].join('\n'));
}

/** A user chats through the proxy. */
export async function chat(words) {
  await ask(`${stage.demo.url}/m/ana/v1/chat/completions`, { method: 'POST', headers: { 'x-everwhen-vault': 'demo', 'x-everwhen-trace': '1' }, body: { model: 'small-model', messages: [{ role: 'user', content: words }] } });
}
