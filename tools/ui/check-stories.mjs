// The stories of stories/ told to a server and read on the page: the days and pauses it shows are those the story was written with.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './server.mjs';
import { check, open, stage } from './harness.mjs';

/** Stories that are nothing but dated lines, so that what the page has to show is what is written in them. */
const STORIES = ['museum', 'local-days', 'midnight-talk', 'clock-change', 'imported-history', 'a1c-west', 'a1c-east', 'series', 'mentioned-dates', 'older-entry-between'];
const LINE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)([+-]\d{2}:\d{2})?\s+(user|assistant): (.*)$/;

/** Reads the lines of a story: the day as written, and the instant that was meant. */
function read(text) {
  const zone = /^zone (\S+)/m.exec(text)?.[1] ?? 'UTC';
  const lines = text.split('\n').map((line) => LINE.exec(line)).filter(Boolean)
    .map(([, day, clock, offset, role, content]) => ({ day, role, content, at: new Date(offset ? `${day}T${clock}${offset}` : instant(zone, day, clock)).toISOString() }));
  return { zone, lines };
}

/** The instant at which clocks of a zone show this: found by trying, not by the page's own arithmetic. */
function instant(zone, day, clock) {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const wanted = `${day} ${clock.length === 5 ? `${clock}:00` : clock}`;
  const around = Date.parse(`${wanted.replace(' ', 'T')}Z`);
  for (let quarter = -56; quarter <= 56; quarter += 1) {
    if (shown.format(around + quarter * 900_000) === wanted) return around + quarter * 900_000;
  }
  throw new Error(`${wanted} does not exist in ${zone}`);
}

const days = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
const pause = (n) => (n >= 730 ? `${Math.floor(n / 365.25)} years` : n >= 61 ? `${Math.floor(n / 30.44)} months` : `${n} days`);

export async function stories(folder) {
  if (!folder) return;
  await check('the stories are seen through the page: the days and pauses they were written with', async () => {
    const { page, finish } = await open();
    for (const name of STORIES) {
      const { zone, lines } = read(readFileSync(join(folder, `${name}.story`), 'utf8'));
      assert.ok(lines.length > 1, name);
      const vault = `${stage.demo.url}/v1/vaults/story-${name}`;
      await ask(`${stage.demo.url}/v1/vaults`, { method: 'POST', body: { name: `story-${name}`, zone } });
      for (const { role, content, at } of lines) await ask(`${vault}/memories/told/entries`, { method: 'POST', body: { role, content, conversation_time: at } });
      const expected = [];
      let last = null;
      for (const { day, content } of [...lines].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
        if (day !== last) {
          if (last && days(last, day) > 1) expected.push(`${pause(days(last, day))} of silence`);
          expected.push(`day ${day}`);
        }
        expected.push(content);
        last = day;
      }
      await page.goto(`${stage.demo.url}/ui/story-${name}/told`);
      await page.waitForSelector('.entry');
      const shown = await page.$$eval('.rows h2.day time, .rows .silence span, .rows .said', (all) => all.map((one) => (one.tagName === 'TIME' ? `day ${one.dateTime}` : one.textContent)));
      assert.deepEqual(shown, expected, name);
      await ask(vault, { method: 'DELETE' });
    }
    await finish();
  });
}
