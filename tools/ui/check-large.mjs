// A large memory on the page: what is in the document stays small, and with --budgets how long things take.
import assert from 'node:assert/strict';
import { ask } from './server.mjs';
import { browser, chat, check, kept, open, option, stage } from './harness.mjs';

/** Budgets of a quiet machine; asked for with --budgets, since a busy one breaks them. */
const BUDGETS = { usable: 300, frame: 16, density: 50, heap: 80, longTask: 50 };
/** Rows that are in the document at most, however far one scrolls. */
const ROWS = 400;
/** Exchanges that the live view shows at most. */
const SHOWN_LIVE = 50;
const BATCH = 1000;
/** Exchanges that pass the proxy while the page watches. */
const FLOOD = 500;
/** The years that a large memory covers. Its last entry was said just now. */
const SPAN_MS = 3e11;

/** Fills a memory with entries at equal distances. From some 200,000 on they are one conversation that goes on, so that no work waits behind it. */
async function fill(memory, many) {
  const first = Date.now() - SPAN_MS;
  for (let from = 0; from < many; from += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, many - from) }, (_, offset) => {
      const index = from + offset;
      return { role: index % 2 ? 'assistant' : 'user', content: `Number ${index} of many, said in passing.`, conversation_time: new Date(first + index * (SPAN_MS / many)).toISOString() };
    });
    await ask(`${memory}/entries/batch`, { method: 'POST', body: { entries } });
  }
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Moves a clock in each of a number of frames. */
const drag = (page, name) => page.evaluate(async (clock) => {
  const slider = document.querySelector(`.clock.${clock} input[type=range]`);
  for (let step = 0; step < 200; step += 1) {
    slider.value = 950 - step * 3;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
}, name);

/**
 * What the page's thread does meanwhile, in milliseconds of its CPU time, so that others on the machine do not count: each task, and
 * all tasks of each frame together.
 */
async function traced(page, work) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'] });
  const result = await work();
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString());
  const drawing = events.filter((one) => one.name === 'FireAnimationFrame');
  const of = (name) => events.filter((one) => one.name === name && one.pid === drawing[0].pid && one.tid === drawing[0].tid).sort((a, b) => a.ts - b.ts);
  const tasks = of('RunTask').map((one) => ({ at: one.ts, cpu: (one.tdur ?? 0) / 1000 }));
  assert.ok(tasks.some((one) => one.cpu > 0), 'the trace has CPU times');
  const frames = of('FireAnimationFrame').map((one, index, all) => tasks.filter(({ at: time }) => time >= one.ts && time < (all[index + 1]?.ts ?? Infinity)).reduce((sum, { cpu }) => sum + cpu, 0));
  const sorted = (list) => list.sort((a, b) => a - b);
  return { result, frames: sorted(frames), tasks: sorted(tasks.map(({ cpu }) => cpu)) };
}

export async function large(many, budgets) {
  const { demo } = stage;
  const memory = `${demo.url}/v1/vaults/demo/memories/many`;
  await check(`${many} entries: few rows in the document, however far one scrolls`, async () => {
    const begun = Date.now();
    if (await size(memory) < many) await fill(memory, many);
    console.log(`     ${many} entries stored in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
    const { page, context, finish } = await open();
    await page.goto(`${demo.url}/ui/demo/many`);
    await page.waitForSelector('.entry');
    const seen = new Set();
    let most = 0;
    const wanted = Math.min(many, Number(option('--rows', budgets ? 10_000 : 2500)));
    while (seen.size < wanted) {
      for (const id of await page.$$eval('[data-entry]', (rows) => rows.map((row) => row.dataset.entry))) seen.add(id);
      most = Math.max(most, await page.locator('[data-entry]').count());
      assert.ok(most <= ROWS);
      if (seen.size >= wanted) break;
      const first = await page.locator('[data-entry]').first().getAttribute('data-entry');
      await page.evaluate(() => { document.querySelector('.timeline').scrollTop = 0; });
      await page.waitForFunction((before) => document.querySelector('[data-entry]').dataset.entry !== before, first);
    }
    const session = await context.newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const metrics = Object.fromEntries((await session.send('Performance.enable').then(() => session.send('Performance.getMetrics'))).metrics.map((one) => [one.name, one.value]));
    const heap = metrics.JSHeapUsedSize / 1e6;
    stage.figures.push({ name: `most rows in the document while ${seen.size} are scrolled`, limit: ROWS, value: most, unit: 'rows', digits: 0 }, { name: `heap after ${seen.size} rows`, limit: BUDGETS.heap, value: heap, unit: 'MB' });
    assert.ok(heap < BUDGETS.heap, `${heap} MB`);
    // However far back one drags, the end of the list is what was said last by then.
    const said = new Date(Date.now() - 0.8 * SPAN_MS).toISOString();
    await page.goto(`${demo.url}/ui/demo/many?said=${said}`);
    await page.waitForSelector('.entry');
    const last = (await ask(`${memory}/entries?order=desc&limit=1&before=${said}`)).data[0];
    assert.equal(await page.locator('[data-entry]').last().getAttribute('data-entry'), last.id);
    await finish();
  });
  if (budgets) await measured(memory, many);
  if (!kept) await ask(memory, { method: 'DELETE' }).catch(() => {});
}

/** How many entries there are from an earlier run. */
async function size(memory) {
  const found = await fetch(`${memory}/density?buckets=1`);
  return found.ok ? (await found.json()).counts[0] : 0;
}

/** Waits until the server has no work left from filling the memory, for a few minutes at most. */
async function idle() {
  const until = Date.now() + 180_000;
  for (;;) {
    const due = Number(/^everwhen_jobs_due (\d+)/m.exec(await (await fetch(`${stage.demo.url}/metrics`)).text())?.[1] ?? 0);
    // One is the regular upkeep, which is always there.
    if (due <= 1 || Date.now() > until) { if (due > 1) console.log(`     ${due} jobs are still due`); return; }
    await new Promise((resume) => setTimeout(resume, 500));
  }
}

async function measured(memory, many) {
  await check(`${many} entries within the budgets`, async () => {
    const { demo } = stage;
    await idle();
    const density = { conversation_time: [], creation_time: [] };
    for (let turn = 0; turn < 10; turn += 1) {
      for (const [by, times] of Object.entries(density)) {
        const begun = performance.now();
        await ask(`${memory}/density?buckets=400&by=${by}`);
        times.push(performance.now() - begun);
      }
    }
    for (const times of Object.values(density)) times.sort((a, b) => a - b);
    const usable = [];
    for (let turn = 0; turn < 7; turn += 1) {
      const { page, finish } = await open();
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => { if (document.querySelector('.entry')) { globalThis.usable = performance.now(); observer.disconnect(); } }).observe(document, { childList: true, subtree: true });
      });
      await page.goto(`${demo.url}/ui/demo/many`);
      await page.waitForSelector('.entry');
      usable.push(await page.evaluate(() => globalThis.usable));
      await finish();
    }
    usable.sort((a, b) => a - b);
    stage.figures.push(
      { name: `usable after navigation, ${many} entries (median of ${usable.length}, longest ${usable.at(-1).toFixed(0)})`, limit: BUDGETS.usable, value: at(usable, 0.5), unit: 'ms', digits: 0 },
      ...Object.entries(density).map(([by, times]) => ({ name: `counts for the strip by ${by} (median of ${times.length}, longest ${times.at(-1).toFixed(1)})`, limit: BUDGETS.density, value: at(times, 0.5), unit: 'ms' })),
    );
    const { page, finish } = await open();
    for (const clock of ['said', 'known']) {
      await page.goto(`${demo.url}/ui/demo/many`);
      await page.waitForFunction((name) => document.querySelector('.entry') && !document.querySelector(`.clock.${name} input[type=range]`).disabled, clock);
      const { frames, tasks } = await traced(page, () => drag(page, clock));
      assert.ok(frames.length >= 100, `${frames.length} frames`);
      const name = `CPU time of a frame while "${clock}" is dragged, 95 % of ${frames.length} (median ${at(frames, 0.5).toFixed(1)}, longest ${frames.at(-1).toFixed(1)}, longest task ${tasks.at(-1).toFixed(1)})`;
      stage.figures.push({ name, limit: BUDGETS.frame, value: at(frames, 0.95), unit: 'ms' });
    }
    await Promise.all([page.waitForResponse((response) => response.url().includes('/proxy/tail')), page.goto(`${demo.url}/ui/-/live`)]);
    await page.waitForSelector('.live-controls');
    const { result: seconds, tasks } = await traced(page, () => flood(page));
    stage.figures.push({ name: `CPU time of the longest task while ${2 * FLOOD} events of the proxy arrive in ${seconds.toFixed(1)} s`, limit: BUDGETS.longTask, value: tasks.at(-1), unit: 'ms', digits: 0 });
    await finish();
    const over = stage.figures.filter((one) => one.value > one.limit);
    assert.deepEqual(over.map((one) => one.name), [], 'over the budget');
  });
}

/**
 * A thousand events of the proxy while the page watches, two of each exchange; at its end the page has shown the last one. Answers how long it took.
 * The page is asked for few and short texts: a search of the browser driver through all of them takes longer than any task of the page.
 */
async function flood(page) {
  const begun = performance.now();
  let sent = 0;
  const one = async () => { while (sent < FLOOD) { sent += 1; await chat(`Message ${sent} of a flood.`); } };
  await Promise.all(Array.from({ length: 8 }, one));
  const seconds = (performance.now() - begun) / 1000;
  await page.waitForFunction((words) => [...document.querySelectorAll('.exchange .sides:first-child .said')].some((one) => one.textContent === words), `Message ${FLOOD} of a flood.`);
  await page.waitForFunction((most) => document.querySelectorAll('.exchange').length >= most, SHOWN_LIVE);
  return seconds;
}
