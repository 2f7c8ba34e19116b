// The second language: every view is looked at for texts of the first.
import assert from 'node:assert/strict';
import { READY, VIEWS, check, open, stage } from './harness.mjs';

export async function languages() {
  await check('in German no view shows an English text', async () => {
    const { page, finish } = await open({ locale: 'de-DE' });
    let looked = 0;
    for (const [name, address] of Object.entries(VIEWS)) {
      await page.goto(stage.demo.url + address);
      await page.waitForSelector(READY[name]);
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      const { english, seen } = await page.evaluate(async () => {
        const at = (path) => new URL(path, document.querySelector('script[type=module]').src);
        const [en, de] = [(await import(at('texts/en.js'))).default, (await import(at('texts/de.js'))).default];
        // A text may read the same in both; then it says nothing.
        const germans = new Set(Object.values(de));
        const foreign = new Set(Object.keys(en).filter((key) => !en[key].includes('{') && !germans.has(en[key])).map((key) => en[key]));
        const shown = [...document.querySelectorAll('body *')].filter((one) => !one.closest('.said, .message .words, pre, code'))
          .flatMap((one) => [one.childElementCount ? null : one.textContent.trim(), one.getAttribute('aria-label'), one.getAttribute('title'), one.getAttribute('placeholder')]).filter(Boolean);
        return { english: shown.filter((text) => foreign.has(text)), seen: shown.length };
      });
      assert.deepEqual(english, [], address);
      looked += seen;
    }
    assert.ok(looked > 500, `${looked} texts`);
    await page.goto(`${stage.demo.url}${VIEWS.timeline}`);
    await page.waitForSelector('.entry');
    assert.match(await page.locator('.tabs').innerText(), /Zeitleiste[\s\S]*Fragen[\s\S]*Fakten/);
    assert.match(await page.locator('.rows').innerText(), /Tage Stille/);
    await finish();
  });
}
