// The chart of both clocks against the API: what it shows at a time of the world and a time of knowing is what the API answers for both.
import assert from 'node:assert/strict';
import { ask, numbers } from './server.mjs';
import { check, open, stage, visit } from './harness.mjs';

const POINTS = 50;
const DAY_MS = 86_400_000;

export async function charts() {
  const { demo } = stage;
  const api = `${demo.url}/v1/vaults/demo/memories/ana`;

  await check('the chart of a fact shows at random times of both clocks what the API answers', async () => {
    const { page, finish } = await open({ viewport: { width: 1280, height: 1200 } });
    const chance = numbers(11);
    const seen = new Set();
    for (const key of ['a1c', 'workplace']) {
      const fact = (await ask(`${api}/facts?limit=1000`)).data.find((one) => one.matter?.key === key);
      const history = (await ask(`${api}/facts/${fact.id}/history`)).data;
      assert.ok(history.length > 1, key);
      await page.goto(`${demo.url}/ui/demo/ana/facts?fact=${fact.id}`);
      await page.waitForSelector('dialog .chart .version');
      const [first, now] = [Math.min(...history.map((one) => Date.parse(one.known.since))), Date.now()];
      const some = () => first + chance() * (now - first);
      for (let point = 0; point < POINTS; point += 1) {
        const [about, known] = [new Date(some()).toISOString().slice(0, 10), new Date(some()).toISOString()];
        // On the day of a change both values hold, and near a line the pixel decides.
        const isNear = (time, other) => time && Math.abs(Date.parse(time) - Date.parse(other)) < 4 * DAY_MS;
        if (history.some((one) => isNear(one.holds.since, about) || isNear(one.holds.until, about) || isNear(one.known.since, known) || isNear(one.known.until, known))) continue;
        const expected = (await ask(`${api}/facts?limit=1000&about=${about}&as_of=${known}`)).data.filter((one) => one.matter?.key === key).map((one) => one.matter.value);
        const shown = await page.evaluate(at, [history, Date.parse(`${about}T12:00:00Z`), Date.parse(known)]);
        assert.deepEqual(shown ? [shown] : [], expected, `${key}: about ${about}, known ${known}`);
        for (const one of expected) seen.add(one);
      }
    }
    assert.ok(seen.size > 4, `${[...seen]}`);
    await finish();
  });

  await check('a fact that is opened in the past ends when it was thought to end then', async () => {
    const { page, finish } = await open();
    const all = (await ask(`${api}/facts?limit=1000&all=true`)).data;
    const replaced = all.find((one) => one.matter && one.known.until && Date.parse(one.known.until) - Date.parse(one.known.since) > 9 * DAY_MS);
    const before = new Date(Date.parse(replaced.known.until) - 4 * DAY_MS).toISOString().slice(0, 10);
    const periods = async (known) => {
      await page.goto(`${demo.url}/ui/demo/ana/facts?fact=${replaced.id}${known}`);
      await page.waitForSelector('dialog .pairs dd');
      return page.locator('dialog .pairs dd').allInnerTexts();
    };
    assert.match((await periods(''))[1], / – /);
    const [holds, known] = await periods(`&known=${before}`);
    assert.doesNotMatch(`${holds} ${known}`, / – /);
    await finish();
  });

  await check('the strip of one clock keeps its years while the other is moved', async () => {
    const { page, finish } = await open();
    await visit(page, 'timeline');
    const ends = () => page.locator('.clock.said .ends').innerText();
    await page.waitForSelector('.clock.said .ends');
    const now = await ends();
    await page.locator('.clock.known .typed input').fill('2025-05');
    const [response] = await Promise.all([page.waitForResponse((one) => one.url().includes('/density') && one.url().includes('as_of')), page.keyboard.press('Enter')]);
    await page.waitForSelector('.banner.past');
    const counts = (await response.json()).counts;
    const total = (await ask(`${api}/entries?limit=1000&as_of=2025-06-01T00:00:00Z`)).data.length;
    assert.equal(counts.reduce((sum, one) => sum + one, 0), total);
    assert.equal(await ends(), now);
    await page.locator('.banner[role=status]', { hasText: `${total} entries` }).waitFor();
    await finish();
  });
}

/** The value that the chart has at a time of the world and a time of knowing: found by where its guides are, and by what lies under that point. */
function at([history, world, known]) {
  const svg = document.querySelector('dialog .chart svg');
  const guides = [...svg.querySelectorAll('.guide')];
  const texts = [...svg.querySelectorAll('.tick')];
  // Two guides whose times are known give each axis: that of the earliest version, and now.
  const place = (isAcross, times) => {
    const lines = guides.filter((one) => (one.getAttribute('x1') === one.getAttribute('x2')) === isAcross).map((one) => Number(one.getAttribute(isAcross ? 'x1' : 'y1')));
    const [start, end] = isAcross ? [Math.min(...lines), Math.max(...lines)] : [Math.max(...lines), Math.min(...lines)];
    const [from, to] = [Math.min(...times), Date.now()];
    return (time) => start + ((time - from) / (to - from)) * (end - start);
  };
  if (texts.length < 4) throw new Error('the chart has too few labels');
  const x = place(true, history.map((one) => Date.parse(one.holds.since)))(world);
  const y = place(false, history.map((one) => Date.parse(one.known.since)))(known);
  const point = new DOMPoint(x, y);
  const found = [...svg.querySelectorAll('.version')].filter((one) => one.querySelector('path').isPointInFill(point));
  if (found.length > 1) throw new Error(`${found.length} versions at one point`);
  const spoken = found[0]?.getAttribute('aria-label');
  return spoken ? history.find((one) => spoken.startsWith(`${one.matter.value}:`)).matter.value : null;
}
