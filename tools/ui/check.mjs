// The web interface in a real Chromium, against a real server.
// Usage: node check.mjs BINARY [--entries N] [--budgets] [--data FOLDER] [--stories FOLDER]
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { ask, numbers, raw, run, start } from './server.mjs';
import { READY, VIEWS, answering, binary, browser, chat, check, examine, fits, home, move, open, option, results, stage, table, visit } from './harness.mjs';
import { acting, keys } from './check-acting.mjs';
import { connecting, watching } from './check-connection.mjs';
import { charts } from './check-chart.mjs';
import { hostile } from './check-hostile.mjs';
import { languages } from './check-language.mjs';
import { large } from './check-large.mjs';
import { stories } from './check-stories.mjs';
import { backups, transfer } from './check-transfer.mjs';
import { costs } from './check-usage.mjs';

const MANY = Number(option('--entries', 5000));
const KILOBYTES = 60;

const again = existsSync(`${home.path}/demo`) ? ['serve', '--listen', '127.0.0.1:0', '--vault', 'demo', '--log', 'warn'] : ['demo'];
stage.demo = await start(binary, [...again, '--data', `${home.path}/demo`, '--upstream', answering.url]);
const { demo } = stage;
const api = `${demo.url}/v1/vaults/demo/memories/ana`;
const everything = (await ask(`${api}/entries?limit=1000`)).data;
const conversations = (await ask(`${api}/conversations?limit=1000&archived=all`)).data;
VIEWS.conversation = `/ui/demo/ana/c/${conversations.find((one) => one.message_count > 3).id}`;

try {
  await stories(option('--stories', null));

  await check('the story is seen through the page: days, pauses and words', async () => {
    const { page, finish } = await open();
    await visit(page, 'timeline');
    // The rows that fill the window come first, the others of the page in the frames behind it.
    await page.waitForFunction((many) => document.querySelectorAll('.entry').length === many, Math.min(100, everything.length));
    assert.ok(await page.evaluate(() => { const list = document.querySelector('.timeline'); return list.scrollTop > 0 && list.scrollHeight - list.scrollTop - list.clientHeight < 2; }), 'the list stands at its end');
    const shown = await page.$$eval('.rows h2.day time, .rows .silence span, .rows .said', (all) => all.map((one) => one.tagName === 'TIME' ? `day ${one.dateTime}` : one.classList.contains('said') ? one.textContent : `silence`));
    const day = (time) => new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Lisbon' }).format(new Date(time));
    const expected = [];
    let last = null;
    for (const entry of everything.slice(-100)) {
      const today = day(entry.conversation_time);
      if (today !== last) {
        if (last && (Date.parse(today) - Date.parse(last)) / 86_400_000 > 1) expected.push('silence');
        expected.push(`day ${today}`);
      }
      expected.push(entry.content);
      last = today;
    }
    assert.deepEqual(shown, expected);
    assert.ok(shown.includes('silence'));
    await finish();
  });

  await check('random moments on both clocks show what the API answers', async () => {
    const { page, finish } = await open();
    await visit(page, 'timeline');
    const chance = numbers(7);
    const [from, to] = [Date.parse('2025-01-01T00:00:00Z'), Date.parse('2026-01-02T00:00:00Z')];
    const moment = () => new Date(Math.floor((from + chance() * (to - from)) / 1000) * 1000).toISOString();
    for (let turn = 0; turn < 50; turn += 1) {
      const [said, known] = [moment(), moment()];
      await move(page, `/ui/demo/ana?said=${said}&known=${known}`);
      const expected = (await ask(`${api}/entries?order=desc&limit=100&before=${said}&as_of=${known}`)).data.reverse().map((entry) => entry.id);
      const show = (ids) => {
        const list = document.querySelector('.timeline');
        if (!ids.length) return Boolean(document.querySelector('.empty'));
        return list && JSON.stringify([...list.querySelectorAll('[data-entry]')].map((row) => row.dataset.entry)) === JSON.stringify(ids);
      };
      await page.waitForFunction(show, expected).catch(async (error) => {
        const ids = await page.$$eval('[data-entry]', (rows) => rows.map((row) => row.dataset.entry));
        throw new Error(`said ${said}, known ${known}: ${ids.length} rows instead of ${expected.length}; ${error.message}`);
      });
      assert.equal(await page.locator('.banner.past').count(), 1);
    }
    for (let turn = 0; turn < 8; turn += 1) {
      const known = moment();
      await move(page, `/ui/demo/ana/facts?known=${known}`);
      const facts = (await ask(`${api}/facts?limit=1000&as_of=${known}`)).data;
      const expected = facts.filter((fact) => !fact.matter).map((fact) => fact.statement).sort();
      await page.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll('.statement .plain')].map((one) => one.textContent).sort()) === JSON.stringify(wanted), expected);
    }
    await finish();
  });

  await check('nothing can be changed in the past, and the page says so', async () => {
    const { page, finish } = await open();
    for (const address of ['/ui/demo/ana?known=2025-06-30', '/ui/demo/ana/facts?known=2025-06-30', '/ui/demo/ana/document?known=2025-06-30', `${VIEWS.conversation}?known=2025-12-30`]) {
      await page.goto(demo.url + address);
      await page.waitForSelector('.banner.past');
      await page.waitForSelector('.entry, .matter, .paper, .message');
      assert.match(await page.locator('.banner').innerText(), /cannot be changed/);
      const buttons = await page.$$eval('main button', (all) => all.map((one) => one.textContent.trim()));
      assert.ok(!buttons.some((label) => /^(Add|Correct|Forget|Pin|Pinned|Write|Rebuild|End)$/.test(label)), `${address}: ${buttons}`);
    }
    await page.keyboard.press('n');
    await page.waitForSelector('.banner.past', { state: 'detached' });
    await finish();
  });

  await check('a moment that cannot be read shows an error and no other moment, and nothing can be changed', async () => {
    const { page, finish } = await open();
    for (const view of ['/ui/demo/ana', '/ui/demo/ana/facts', '/ui/demo/ana/document', '/ui/demo/ana/ask', VIEWS.conversation]) {
      for (const moment of ['known=garbage', 'known=2025-13-01', 'known=2025-06-08T25:00', 'said=garbage', 'said=2025-02-31', 'said=2025-03-30T01:30&known=2025-12-01']) {
        await page.goto(`${demo.url}${view}?${moment}`);
        await page.locator('main .failure').waitFor();
        assert.match(await page.locator('main .failure').innerText(), /(cannot be read as|There is no|clocks go forward)/, `${view} ${moment}`);
        assert.deepEqual(await page.$$eval('main button', (all) => all.map((one) => one.textContent.trim())), ['Back to now n'], `${view} ${moment}`);
        const marked = await page.$$eval('.clock [aria-invalid=true]', (all) => all.map((one) => one.closest('.clock').classList[1]));
        if (view !== VIEWS.conversation) assert.deepEqual(marked, [moment.slice(0, moment.indexOf('='))], `${view} ${moment}`);
      }
      await examine(page, `${view} at no moment`);
    }
    await page.goto(`${demo.url}/ui/demo/ana?known=garbage`);
    await page.locator('main .failure').waitFor();
    const [valid, wrong] = await page.$$eval('.clock .typed input', (all) => all.map((one) => getComputedStyle(one).borderColor));
    assert.notEqual(wrong, valid, 'the field that is wrong is seen to be');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.waitForSelector('.entry');
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    // Typed, it stays what was typed, and the address stays as it was.
    for (const [typed, why] of [['2025-02-31', /2025-02-28/], ['2025-03-30 01:30', /clocks go forward/]]) {
      await page.locator('.clock.said .typed input').fill(typed);
      await page.keyboard.press('Enter');
      await page.locator('.typed [role=alert]', { hasText: why }).waitFor();
      assert.equal(new URL(page.url()).search, '');
    }
    await finish();
  });

  await check('axe finds nothing in any view, in both themes, wide and narrow, now and in the past', async () => {
    await chat('Tell me about Lisbon.');
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1280, 390]) {
        const { page, finish } = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        if (colorScheme === 'light' && width === 1280) await watchLive();
        const past = (address) => `${address}${address.includes('?') ? '&' : '?'}known=2025-12-30&said=2025-12-01`;
        const addresses = [...Object.entries(VIEWS), ['home', '/ui/'], ...['timeline', 'ask', 'facts', 'document', 'conversation'].map((name) => [name, past(VIEWS[name])])];
        assert.equal(addresses.length, 14);
        for (const [name, address] of addresses) {
          await page.goto(demo.url + address);
          await page.waitForSelector(READY[name]);
          await examine(page, `${address} ${colorScheme} ${width}`);
        }
        await page.goto(`${demo.url}/ui/demo/ana/facts`);
        await page.locator('.matter-value button').first().click();
        await page.waitForSelector('.chart .version');
        await examine(page, `the chart ${colorScheme} ${width}`);
        await finish();
      }
    }
  });

  await charts();
  await hostile();

  await check('every response below /ui has the policy, and foreign names and pages are refused', async () => {
    const { page, finish } = await open();
    const policies = new Map();
    page.on('response', (response) => { if (new URL(response.url()).pathname.startsWith('/ui')) policies.set(response.url(), response.headers()['content-security-policy'] ?? ''); });
    for (const name of Object.keys(VIEWS)) await visit(page, name);
    assert.ok(policies.size > 20, `${policies.size} responses`);
    for (const [url, policy] of policies) assert.ok(policy.includes("default-src 'none'") && policy.includes("trusted-types 'none'"), `${url}: ${policy}`);
    await finish();
    const status = async (options, path = '/ui/') => (await raw(demo.url + path, options)).status;
    const { host } = new URL(demo.url);
    assert.equal(await status({}), 200);
    assert.equal(await status({ headers: { host: 'evil.example' } }), 403);
    assert.equal(await status({ headers: { host, origin: 'http://evil.example' } }), 403);
    assert.equal(await status({ headers: { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' } }), 403);
    assert.equal(await status({ headers: { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } }), 200, 'a link may lead here');
    assert.equal(await status({ method: 'POST', headers: { host, origin: 'http://evil.example', 'content-type': 'application/json' }, body: '{}' }, '/v1/vaults/demo/memories/ana/entries'), 403);
    const key = new URL((await run(binary, ['ui', '--print', '--data', `${home.path}/demo`])).trim()).hash.slice(5);
    assert.equal(await status({ headers: { host: 'memory.example', authorization: `Bearer ${key}` } }), 200);
    assert.equal((await raw(`${demo.url}/`, { headers: { accept: 'text/html' } })).headers.location, '/ui/');
    assert.equal((await raw(`${demo.url}/`)).text, 'Ollama is running');
  });

  await check('the keyboard reaches everything', async () => {
    const { page, finish } = await open();
    await visit(page, 'memories');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.entry');
    await page.keyboard.press('k');
    const entry = await page.evaluate(() => document.activeElement.dataset.entry);
    assert.ok(entry, 'k goes to the last entry');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.message[id="${entry}"]`);
    const first = page.url();
    await page.keyboard.press('[');
    await page.waitForFunction((before) => location.href !== before, first);
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.waitForSelector('.matter');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog .chart');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement.type === 'search');
    await page.keyboard.type('Rex');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.found-row');
    await page.locator('h1').focus();
    await page.keyboard.press(',');
    await page.waitForSelector('.banner');
    assert.match(page.url(), /said=/);
    await page.keyboard.press('n');
    await page.waitForSelector('.banner', { state: 'detached' });
    await page.keyboard.press('?');
    await page.waitForSelector('dialog .keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForSelector('.settings');
    await finish();
  });

  await check('keys step by calendar days and months', async () => {
    const { page, finish } = await open();
    // Clocks change on 30 March and 26 October in Lisbon, too.
    for (const [from, typed, to] of [['2025-03-31', ',,', '2025-03-29'], ['2025-10-27', ',,', '2025-10-25'], ['2025-03-29', '..', '2025-03-31'], ['2025-06-08', '<', '2025-05-08'], ['2025-03-31', '<', '2025-02-28'], ['2025-06', '>', '2025-07'], ['garbage', ',', 'garbage']]) {
      await page.goto(`${demo.url}/ui/demo/ana?said=${from}`);
      await page.waitForSelector('.entry, .failure');
      for (const key of typed) await page.keyboard.press(key);
      assert.equal(new URL(page.url()).searchParams.get('said'), to, `${from} ${typed}`);
    }
    await finish();
  });

  await check('sliding a clock moves the list and the address', async () => {
    const { page, finish } = await open();
    await visit(page, 'timeline');
    const slider = page.locator('.clock.said input[type=range]');
    await page.waitForFunction(() => !document.querySelector('.clock.said input[type=range]').disabled);
    await slider.focus();
    for (let turn = 0; turn < 5; turn += 1) await page.keyboard.press('PageDown');
    await page.waitForFunction(() => new URLSearchParams(location.search).has('said'));
    assert.match(await slider.getAttribute('aria-valuetext'), /\d{4}/);
    // While it is dragged only what fills the window is fetched; once it rests, all that was said before can be scrolled to.
    await page.waitForTimeout(500);
    const said = await page.locator('.timeline').getAttribute('data-before');
    const before = (await ask(`${api}/entries?limit=1000&before=${said}`)).data.map((entry) => entry.id);
    assert.ok(before.length > 30, `${before.length} entries before ${said}`);
    await page.waitForFunction((wanted) => {
      document.querySelector('.timeline').scrollTop = 0;
      return JSON.stringify([...document.querySelectorAll('[data-entry]')].map((row) => row.dataset.entry)) === wanted;
    }, JSON.stringify(before));
    await page.locator('.clock.known .typed input').fill('2025-05');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.banner.past');
    assert.match(page.url(), /known=2025-05/);
    await page.locator('.clock.known .typed input').fill('someday');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.typed [role=alert]');
    // Words are read by the server, and the address has the day they mean today.
    for (const words of ['last March', 'yesterday', 'letzten Sommer']) {
      const { until } = await ask(`${demo.url}/v1/vaults/demo/period?text=${encodeURIComponent(words)}`);
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Lisbon' }).format(Date.parse(until) - 1);
      await page.locator('.clock.known .typed input').fill(words);
      await page.keyboard.press('Enter');
      await page.waitForFunction((wanted) => new URLSearchParams(location.search).get('known') === wanted, day);
      assert.equal(await page.locator('.typed [role=alert]').count(), 0, words);
    }
    await page.locator('.clock.known .typed input').fill('today');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !new URLSearchParams(location.search).has('known'));
    await finish();
  });

  await check('a question says which words, meaning and dates spoke', async () => {
    const { page, finish } = await open();
    await visit(page, 'ask');
    assert.equal(await page.locator('mark.when').first().innerText(), 'in March');
    await page.locator('.why summary').first().click();
    const answer = await ask(`${api}/recall`, { method: 'POST', body: { query: 'Where did I live in March?', limit: 10, explain: true } });
    const signals = await page.$$eval('.why[open] tr', (rows) => rows.length);
    assert.ok(signals > 0 && answer.items.length > 0);
    const shown = await page.$$eval('.found', (all) => [...all.find((one) => one.querySelector('h2').textContent === 'Said').querySelectorAll('.said')].map((one) => one.textContent));
    assert.deepEqual(shown, answer.items.map((item) => item.entry.content));
    assert.equal(await page.locator('.briefing pre').textContent(), answer.briefing);
    await finish();
  });

  await check('add, correct and forget, with what will go shown first', async () => {
    const { page, finish } = await open();
    await page.goto(`${demo.url}/ui/demo`);
    await page.getByRole('button', { name: 'New memory' }).click();
    await page.getByLabel('Name').fill('scratch');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/scratch$/);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('What was said').fill('The door code is 4711.');
    await page.getByLabel('When').fill('2024-02-29 10:00');
    await page.getByRole('button', { name: 'Remember' }).click();
    await page.waitForSelector('.entry');
    await page.locator('.entry').hover();
    await page.getByRole('button', { name: 'Correct' }).click();
    await page.getByLabel('What it should say').fill('The door code is 4712.');
    await page.getByLabel('Why').fill('misread');
    await page.locator('dialog').getByRole('button', { name: 'Correct' }).click();
    await page.getByText('The door code is 4712.').waitFor();
    const scratch = `${demo.url}/v1/vaults/demo/memories/scratch`;
    const all = (await ask(`${scratch}/entries?include=all`)).data;
    assert.deepEqual(all.map((entry) => entry.content), ['The door code is 4711.', 'The door code is 4712.']);
    assert.equal(all[1].conversation_time, '2024-02-29T10:00:00Z');
    await page.locator('.entry').hover();
    await page.locator('.entry').getByRole('button', { name: 'Forget' }).click();
    const last = page.locator('dialog').getByRole('button', { name: 'Forget permanently' });
    await page.locator('.preview').waitFor();
    assert.ok(await last.isDisabled(), 'the number has to be typed first');
    await page.getByLabel('Type 1 to confirm').fill('1');
    await last.click();
    await page.waitForSelector('.empty');
    assert.equal((await ask(`${scratch}/entries?include=all`)).data.length, 0);
    await page.goto(`${demo.url}/ui/demo/scratch/document`);
    await page.getByRole('button', { name: 'Write', exact: true }).click();
    await page.getByLabel('Document').fill('# Scratch\nNothing here.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing here.').first().waitFor();
    await finish();
    await ask(scratch, { method: 'DELETE' });
  });

  await acting();
  await transfer();

  await check('what passes through the proxy is seen as it passes', async () => {
    const { page, finish } = await open();
    await Promise.all([page.waitForResponse((response) => response.url().includes('/proxy/tail')), page.goto(`${demo.url}/ui/-/live`)]);
    await chat('Where do I live, by the way?');
    await page.getByText('Where do I live, by the way?').first().waitFor();
    await page.getByText(/Answered with/).first().waitFor();
    // What came back is there as well, for a page that watched; what is kept for later has no replies.
    const came = page.locator('.exchange', { hasText: 'Where do I live, by the way?' }).first().locator('.answer .said');
    assert.equal(await came.textContent(), 'Here is what I know about Lisbon.');
    assert.ok((await ask(`${demo.url}/proxy/traces`)).data.every((one) => one.event === 'asked' && !('content' in one)), 'no trace has a reply');
    // What the model saw is what the model got: the words behind their date, and what was added behind them.
    const [sent] = answering.asked.filter((one) => JSON.stringify(one).includes('Where do I live, by the way?')).at(-1).messages.slice(-1);
    const exchange = page.locator('.exchange', { hasText: 'Where do I live, by the way?' }).first();
    assert.equal(await exchange.locator('.sides').first().locator('ins').count(), 0, 'nothing was added to what the app sent');
    const saw = await exchange.locator('.sides').last().locator('.sent p:last-child, .injected pre').allTextContents();
    assert.equal(saw.join('').replace(/\s+/g, ''), content(sent).replace(/\s+/g, ''));
    const added = await exchange.locator('.sides').last().locator('ins').allTextContents();
    assert.match(added[0], /^\(\w+day, \d{4}-\d{2}-\d{2} /);
    assert.ok(added.length >= 2 && content(sent).includes(added[1].trim()), `${added.length} additions`);
    await finish();
  });

  await connecting();
  await watching();

  await check('a key in the fragment opens what only the operator may see, and leaves the address', async () => {
    const { page, finish } = await open();
    const address = (await run(binary, ['ui', '--print', '--data', `${home.path}/demo`])).trim();
    await page.goto(`${demo.url}/ui/-/settings`);
    await page.waitForSelector('.settings');
    await page.locator('.settings').getByText('Only the operator').first().waitFor();
    await page.goto(address);
    await page.waitForFunction(() => location.hash === '');
    await page.waitForSelector('.memory');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByText('No problems found.').waitFor();
    await page.getByRole('button', { name: 'Add a key' }).waitFor();
    assert.ok(!(await page.locator('.settings').innerText()).includes('Only the operator'));
    await finish();
  });

  await languages();

  await check('a conversation prints without what is only for the screen', async () => {
    const { page, finish } = await open();
    await visit(page, 'conversation');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.top').isVisible(), false);
    assert.equal(await page.locator('.message').first().isVisible(), true);
    assert.equal(await page.locator('.message .acts').first().isVisible(), false);
    await finish();
  });

  await large(MANY, process.argv.includes('--budgets'));

  for (const locale of ['en-GB', 'de-DE']) {
    await check(`the first view takes at most ${KILOBYTES} KB (${locale})`, async () => {
      const { page, context, finish } = await open({ locale });
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      const urls = new Map();
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      let [code, files] = [0, 0];
      session.on('Network.requestWillBeSent', (event) => urls.set(event.requestId, event.request.url));
      session.on('Network.loadingFinished', (event) => { if (urls.get(event.requestId)?.includes('/ui/')) { code += event.encodedDataLength; files += 1; } });
      await page.goto(`${demo.url}/ui/demo/ana`);
      await page.waitForSelector('.entry');
      await page.waitForLoadState('networkidle');
      stage.figures.push({ name: `first view, ${locale}: ${files} files with their headers`, limit: KILOBYTES, value: code / 1024, unit: 'KB' });
      console.log(`     ${(code / 1024).toFixed(1)} KB in ${files} files`);
      // What is asked for early is not asked for again, and no text of another language comes with it.
      const times = (path) => asked.filter((one) => one === path).length;
      assert.deepEqual([times('/v1/vaults/demo'), times('/v1/vaults/demo/memories/ana/entries')], [1, 1], asked.join('\n'));
      assert.equal(asked.filter((one) => one.includes('/texts/')).length, 1);
      // Few files, since each costs a browser more than its bytes do.
      assert.ok(files > 5 && files < 10 && code > 10_000, `${files} files`);
      assert.ok(code <= KILOBYTES * 1024, `${code} bytes`);
      await finish();
    });
  }

  await check('without JavaScript the page says what to do', async () => {
    const { page, finish } = await open({ javaScriptEnabled: false });
    await page.goto(`${demo.url}/ui/`);
    assert.match(await page.locator('main.plain').innerText(), /everwhen timeline[\s\S]*\/docs/, 'it can be seen');
    assert.equal(await page.getByRole('link', { name: '/docs' }).isVisible(), true);
    assert.equal(await page.locator('#app').innerText(), '');
    await finish();
  });

  await check('the server is killed and comes back, and the page goes on', async () => {
    const { port } = new URL(demo.url);
    const { page, context } = await open();
    await visit(page, 'timeline');
    const all = (rows) => document.querySelectorAll('.entry').length === rows;
    const before = Math.min(100, (await ask(`${api}/entries?limit=1000`)).data.length);
    await page.waitForFunction(all, before);
    const live = await context.newPage();
    await Promise.all([live.waitForResponse((response) => response.url().includes('/proxy/tail')), live.goto(`${demo.url}/ui/-/live`)]);
    await stage.demo.stop('SIGKILL');
    // A page that only watches is updated without a request.
    await live.waitForSelector('.banner.lost');
    await page.getByRole('link', { name: 'Facts' }).click();
    await page.waitForSelector('.banner.lost');
    Object.assign(process.env, { EVERWHEN_BACKUP_EVERY: '24h', EVERWHEN_BACKUP_KEEP: '3' });
    stage.demo = await start(binary, ['serve', '--data', `${home.path}/demo`, '--listen', `127.0.0.1:${port}`, '--log', 'warn']);
    await page.waitForSelector('.banner.lost', { state: 'detached' });
    await live.waitForSelector('.banner.lost', { state: 'detached' });
    await page.waitForSelector('.matter');
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.waitForFunction(all, before);
    await context.close();
  });

  await backups();
  await costs();
  await keys();
} finally {
  await browser.close();
  await stage.demo.stop();
  await answering.stop();
  home.remove();
}

table(stage.figures);
const failed = results.filter((passed) => !passed).length;
console.log(failed ? `${failed} of ${results.length} checks failed` : `all ${results.length} checks of the web interface passed`);
process.exitCode = failed || !results.length ? 1 : 0;

/** The text of a message, however it is packed. */
function content(message) {
  return typeof message.content === 'string' ? message.content : message.content.map((part) => part.text).join('');
}

/** So that the view of the proxy has something to show. */
async function watchLive() {
  const traces = await ask(`${demo.url}/proxy/traces?limit=5`);
  assert.ok(traces.data.length > 0, 'a request that asked for a trace is listed');
}
