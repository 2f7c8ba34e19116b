// Words that want to be more than words, and words that are too many.
import assert from 'node:assert/strict';
import { ask, raw } from './server.mjs';
import { check, fits, open, stage } from './harness.mjs';

const NAME = '<b>hostile</b>';
const WORDS = ['<img src=x onerror=alert(1)>', '</script><script>alert(2)</script>', '[x](javascript:alert(3)) javascript:alert(3)', 'abc\u202Edcba\u202C \u0007 end', '{{constructor.constructor("alert(4)")()}} ${alert(5)}', 'http://evil.example/<img> https://evil.example/x"onmouseover="alert(6)'];
/** The longest entry there may be, in one line without a space. */
const LONGEST = 1024 * 1024;

export async function hostile() {
  const { demo } = stage;
  const memory = `${demo.url}/v1/vaults/demo/memories/${encodeURIComponent(NAME)}`;
  const at = `/ui/demo/${encodeURIComponent(NAME)}`;

  await check('hostile words stay words', async () => {
    for (const content of WORDS) await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', speaker: '<i>Eve</i>', content, tags: ['<u>tag</u>'] } });
    const nul = await raw(`${memory}/entries`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ role: 'user', content: 'a\u0000b' }) });
    assert.equal(nul.status, 400, 'NUL is refused, so that no page ever gets it');
    const conversation = (await ask(`${memory}/conversations`)).data[0].id;
    const { page, finish } = await open();
    for (const address of ['/ui/demo', at, `${at}/c/${conversation}`, `${at}/ask?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E`, `${at}/facts`, `${at}/document`, '/ui/%3Cscript%3Ealert(7)%3C%2Fscript%3E/x']) {
      await page.goto(demo.url + address);
      await page.waitForSelector('h1, .failure');
      await page.waitForLoadState('networkidle');
      const made = await page.evaluate(() => document.querySelectorAll('main img, main script, main i, main b:not([class]), main u, a[href^="javascript:"]').length);
      assert.equal(made, 0, address);
    }
    await page.goto(demo.url + at);
    await page.waitForSelector('.entry');
    const text = await page.locator('.rows').innerText();
    assert.ok(text.includes('<img src=x onerror=alert(1)>') && text.includes('U+202E') && text.includes('U+0007'));
    const links = await page.$$eval('.entry .said a', (all) => all.map((one) => [one.href, one.rel]));
    assert.deepEqual(links, [['http://evil.example/', 'noreferrer noopener'], ['https://evil.example/x', 'noreferrer noopener']]);
    await finish();
    await ask(memory, { method: 'DELETE' });
  });

  await check('a long tag stays in its window', async () => {
    const tag = 'w'.repeat(190);
    await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content: 'My dog is called Rex.', conversation_time: '2025-02-01T10:00:00Z', tags: [tag, 'short'] } });
    const facts = async () => (await ask(`${memory}/facts?limit=10`)).data;
    for (let turn = 0; turn < 200 && !(await facts()).length; turn += 1) await new Promise((resume) => setTimeout(resume, 100));
    const [fact] = await facts();
    await ask(`${memory}/facts/${fact.id}`, { method: 'PUT', body: { statement: 'We painted the kitchen.', tags: [tag] } });
    for (const width of [1280, 390]) {
      const { page, finish } = await open({ viewport: { width, height: 900 } });
      for (const address of [at, `${at}/facts`, `${at}?tag=${tag}`, `${at}/facts?tag=${tag}`]) {
        await page.goto(demo.url + address);
        await page.waitForSelector('.tag');
        const wide = await page.$$eval('.tag, .chip, main button', (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1).map((one) => one.className));
        assert.deepEqual(wide, [], `${address.slice(0, 60)} at ${width}`);
        assert.equal(await page.locator('.tag').first().textContent(), `#${tag}`);
        await fits(page, `${address} at ${width}`);
      }
      await finish();
    }
    await ask(memory, { method: 'DELETE' });
  });

  await check('a line of a megabyte is folded, and can be read to its end', async () => {
    const content = `${'a'.repeat(LONGEST - 3)}end`;
    await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content } });
    await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content: 'And a short one.' } });
    const conversation = (await ask(`${memory}/conversations`)).data[0].id;
    for (const width of [1280, 390]) {
      const { page, finish } = await open({ viewport: { width, height: 900 } });
      for (const address of ['/ui/demo', at, `${at}/c/${conversation}`, `${at}/ask?q=short`, `${at}/document`]) {
        await page.goto(demo.url + address);
        await page.waitForSelector('h1');
        await page.waitForLoadState('networkidle');
        const size = await page.evaluate(() => [document.querySelector('main').textContent.length, document.documentElement.scrollHeight]);
        assert.ok(size[0] < 20_000, `${address}: ${size[0]} characters are in the document`);
        await fits(page, `${address} at ${width}`);
      }
      await page.goto(demo.url + at);
      await page.waitForSelector('.entry');
      const folded = await page.locator('.entry').first().evaluate((row) => row.clientHeight);
      assert.ok(folded < 600, `the row is ${folded} px tall`);
      // Opened piece by piece: each click shows more, and the page goes on answering in between.
      const shown = () => page.locator('.entry').first().evaluate((row) => [row.querySelector('.said').textContent.length, row.clientHeight]);
      const more = page.locator('.entry').first().locator('button.more');
      let before = await shown();
      while (await more.count()) {
        await more.first().click();
        await page.keyboard.press('j');
        const now = await shown();
        assert.ok(now[0] > before[0] || now[1] > before[1], `a click shows more than ${before}: ${now}`);
        before = now;
      }
      assert.equal(before[0], LONGEST);
      await fits(page, `opened at ${width}`);
      assert.ok(await page.getByText('And a short one.').count(), 'what follows is still there');
      await finish();
    }
    await ask(memory, { method: 'DELETE' });
  });
}
