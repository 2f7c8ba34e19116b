// Pictures of every view, from the fictional year. Usage: node screenshots.mjs BINARY FOLDER
import { mkdirSync, statSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { ask, directory, model, run, start } from './server.mjs';
import { chatgpt, drop, fromFolder } from './files.mjs';

const [binary, folder] = process.argv.slice(2);
/** A picture that is larger does not belong into a repository. */
const MOST_BYTES = 150_000;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 800 };

const home = directory();
const answering = await model('You live in Lisbon, since April 2025.');
const demo = await start(binary, ['demo', '--data', `${home.path}/demo`, '--upstream', answering.url]);
const api = `${demo.url}/v1/vaults/demo/memories/ana`;
const browser = await chromium.launch({ executablePath: process.env.EVERWHEN_TEST_CHROMIUM ?? '/usr/bin/chromium', args: ['--disable-dev-shm-usage', '--no-sandbox', '--font-render-hinting=none'] });
mkdirSync(folder, { recursive: true });

async function shoot(name, address, ready, { dark = false, viewport = WIDE, act, key, locale = 'en-GB' } = {}) {
  const context = await browser.newContext({ viewport, locale, timezoneId: 'Europe/Lisbon', colorScheme: dark ? 'dark' : 'light' });
  await fromFolder(context);
  const page = await context.newPage();
  if (key) await page.addInitScript((one) => sessionStorage.setItem('everwhen.key', one), key);
  await page.goto(demo.url + address);
  await page.waitForSelector(ready);
  await act?.(page);
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(300);
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path} ${(size / 1024).toFixed(0)} KB`);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes; ${MOST_BYTES} is the most`);
  await context.close();
}

try {
  const facts = (await ask(`${api}/facts?all=true&limit=1000`)).data;
  const reading = facts.find((fact) => fact.matter?.key === 'a1c' && fact.current) ?? facts.find((fact) => fact.matter);
  const conversations = (await ask(`${api}/conversations?limit=1000&archived=all`)).data;
  const talk = (time) => conversations.find((one) => one.started_at.startsWith(time)).id;
  await shoot('memories', '/ui/demo', '.memory .strip');
  await shoot('timeline', '/ui/demo/ana', '.entry');
  await shoot('timeline-dark', '/ui/demo/ana?said=2025-09-10', '.entry', { dark: true });
  await shoot('timeline-narrow', '/ui/demo/ana?said=2025-04-26', '.entry', { viewport: NARROW });
  await shoot('conversation', `/ui/demo/ana/c/${talk('2025-01-06')}`, '.message');
  await shoot('conversation-corrected', `/ui/demo/ana/c/${talk('2025-04-13')}`, '.message');
  await shoot('ask', `/ui/demo/ana/ask?q=${encodeURIComponent('What did we say about moving in March 2025?')}`, '.found-row', { act: (page) => page.locator('.why summary').first().click() });
  await shoot('facts', '/ui/demo/ana/facts', '.matter');
  await shoot('facts-past', '/ui/demo/ana/facts?known=2025-06-30', '.matter', { dark: true });
  await shoot('fact', `/ui/demo/ana/facts?fact=${reading.id}`, '.chart .version');
  await shoot('document', '/ui/demo/ana/document', '.paper', { viewport: { width: 1280, height: 600 } });
  const key = new URL((await run(binary, ['ui', '--print', '--data', `${home.path}/demo`])).trim()).hash.slice(5);
  await shoot('settings', '/ui/-/settings', '.connect', { key, viewport: { width: 1100, height: 1120 }, act: async (page) => {
    await page.locator('.connect .test').first().click();
    await page.waitForSelector('.connect-told.good:not(:empty)');
    await page.evaluate(() => scrollTo(0, 0));
  } });
  await shoot('import', '/ui/demo', '.memory .strip', { act: async (page) => {
    await drop(page, 'conversations.json', JSON.stringify(chatgpt(128)));
    await page.getByRole('button', { name: 'See what would come in' }).click();
    await page.waitForSelector('.import-report');
    await page.evaluate(() => scrollBy(0, -70));
  } });
  await shoot('ask-narrow', `/ui/demo/ana/ask?q=${encodeURIComponent('Where did I live in March?')}`, '.found-row', { viewport: NARROW, dark: true });
  await shoot('timeline-german', '/ui/demo/ana?known=2025-08-01', '.entry', { locale: 'de-DE' });
  for (const words of ['Where do I live now?', 'And since when?']) {
    await ask(`${demo.url}/m/ana/v1/chat/completions`, { method: 'POST', headers: { 'x-everwhen-trace': '1' }, body: { model: 'small-model', messages: [{ role: 'user', content: words }] } });
  }
  await shoot('live', '/ui/-/live', '.exchange');
} finally {
  await browser.close();
  await demo.stop();
  await answering.stop();
  home.remove();
}
