// Programs that connect to the server, tested from the page; and the stream of what passes through the proxy when nothing does.
import assert from 'node:assert/strict';
import { chat, check, examine, open, stage } from './harness.mjs';

/** Longer than a page waits for a heartbeat. */
const SILENT_MS = 60_000;

export async function connecting() {
  await check('each line for connecting has a test that asks the server', async () => {
    const { demo } = stage;
    const { page, context, finish } = await open({ bypassCSP: true });
    await page.goto(`${demo.url}/ui/-/settings`);
    await page.waitForSelector('.connect');
    const asked = [];
    page.on('request', (request) => { if (!request.url().includes('/ui/')) asked.push(`${request.method()} ${new URL(request.url()).pathname}`); });
    const buttons = page.locator('.connect .test');
    assert.equal(await buttons.count(), await page.locator('.connect dt').count());
    assert.equal(await buttons.count(), 7);
    for (let index = 0; index < 7; index += 1) await buttons.nth(index).click();
    await page.waitForFunction(() => [...document.querySelectorAll('.connect-told')].every((one) => one.textContent && !one.textContent.endsWith('…')));
    const told = await page.locator('.connect-told').allTextContents();
    for (const one of told.slice(0, 4)) assert.match(one, /^Works: \d\d? tools$/);
    for (const one of told.slice(4)) assert.match(one, /^Works: 1 model$/);
    assert.equal(asked.filter((one) => one === 'POST /mcp').length, 8, `${asked}`);
    assert.ok(asked.includes('GET /v1/models') && asked.includes('GET /api/tags'), `${asked}`);
    await examine(page, 'tested connections');
    // What the server refuses is shown in its words.
    await context.route('**/api/tags', (route) => route.fulfill({ status: 502, contentType: 'application/json', body: JSON.stringify({ error: 'no upstream answers' }) }));
    await buttons.nth(6).click();
    await page.locator('.connect-told.bad', { hasText: 'no upstream answers' }).waitFor();
    await examine(page, 'a failed test');
    await finish();
  });
}

/** The first bytes of a stream on which nothing happens. */
async function firstBytes(url) {
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  const { value } = await response.body.getReader().read();
  abort.abort();
  return new TextDecoder().decode(value);
}

export async function watching() {
  const { demo } = stage;
  const tail = (page) => page.waitForResponse((response) => response.url().includes('/proxy/tail'));

  await check('a silent tail says that it is there', async () => {
    assert.match(await firstBytes(`${demo.url}/proxy/tail`), /^: [^\n]+\n\n$/);
  });

  await check('a server that falls silent is noticed by who watches, and watched again', async () => {
    const { page, context } = await open();
    await page.clock.install();
    await Promise.all([tail(page), page.goto(`${demo.url}/ui/-/live`)]);
    await page.waitForSelector('.live-controls');
    assert.equal(await page.locator('.banner.lost').count(), 0);
    demo.freeze();
    try {
      await page.clock.fastForward(SILENT_MS);
      await page.waitForSelector('.banner.lost');
    } finally { demo.thaw(); }
    await Promise.all([tail(page), page.waitForSelector('.banner.lost', { state: 'detached' })]);
    await chat('Is anybody there again?');
    await page.getByText('Is anybody there again?').first().waitFor();
    await context.close();
  });

  await check('a paused view shows nothing new until it goes on, whenever it was paused', async () => {
    const { page, finish } = await open();
    await page.addInitScript(() => {
      // Frames that can be held back, so that it is paused just before one.
      const [ask, cancel] = [requestAnimationFrame.bind(globalThis), cancelAnimationFrame.bind(globalThis)];
      const held = new Map();
      globalThis.hold = false;
      globalThis.requestAnimationFrame = (work) => {
        const handle = ask((time) => { if (globalThis.hold) held.set(handle, work); else work(time); });
        return handle;
      };
      globalThis.cancelAnimationFrame = (handle) => { held.delete(handle); cancel(handle); };
      globalThis.goOn = () => { globalThis.hold = false; for (const work of held.values()) ask(work); held.clear(); };
      globalThis.isHeld = () => held.size > 0;
    });
    // The list of traces comes late, as from a busy server.
    let answer;
    const answered = new Promise((resolve) => { answer = resolve; });
    await page.route('**/proxy/traces*', async (route) => { await answered; await route.continue(); });
    await Promise.all([tail(page), page.goto(`${demo.url}/ui/-/live`)]);
    await chat('Before the pause.');
    await page.getByText('Before the pause.').first().waitFor();
    await page.evaluate(() => { globalThis.hold = true; });
    await page.waitForFunction(() => globalThis.isHeld(), null, { polling: 20 });
    await page.evaluate(() => document.querySelector('.live-controls button').click());
    await page.waitForFunction(() => document.querySelector('.live-controls [aria-pressed=true]'), null, { polling: 20 });
    // Effects of the click come with a frame or a while later.
    await page.waitForTimeout(300);
    await page.evaluate(() => globalThis.goOn());
    await chat('During the pause.');
    await Promise.all([page.waitForResponse((response) => response.url().includes('/proxy/traces')), answer()]);
    await page.waitForTimeout(500);
    assert.equal(await page.getByText('During the pause.').count(), 0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('During the pause.').first().waitFor();
    await finish();
  });

  await check('heartbeats keep a silent connection from being taken for a dead one', async () => {
    const { page, finish } = await open();
    await page.addInitScript(() => {
      globalThis.comments = 0;
      const { read } = ReadableStreamDefaultReader.prototype;
      ReadableStreamDefaultReader.prototype.read = async function () {
        const piece = await read.call(this);
        if (piece.value && new TextDecoder().decode(piece.value).startsWith(': ')) globalThis.comments += 1;
        return piece;
      };
    });
    await Promise.all([tail(page), page.goto(`${demo.url}/ui/-/live`)]);
    await page.waitForFunction(() => globalThis.comments > 0);
    assert.equal(await page.locator('.banner.lost').count(), 0);
    await finish();
  });
}
