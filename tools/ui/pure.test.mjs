// What the page computes by itself, without a browser: dates, differences, byte offsets, addresses.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';

if (!globalThis.navigator) globalThis.navigator = { languages: ['en-GB'] };
globalThis.location = new URL('http://127.0.0.1/ui/');
globalThis.addEventListener = () => {};
const page = new URL(`file://${process.env.EVERWHEN_UI_PAGE}/`);
const load = (path) => import(new URL(path, page));
const { dayOf, daysBetween, read, span, stepped, when, write } = await load('lib/time.js');
const { readMoment } = await load('lib/moment.js');
const { loadLanguage } = await load('lib/text.js');
const { changes, words } = await load('lib/diff.js');
const { cut, eachLine } = await load('lib/bytes.js');
const { format, parse } = await load('lib/router.js');

if (!globalThis.document) globalThis.document = { documentElement: {} };
await loadLanguage('en');
const iso = (time) => (time === null ? null : new Date(time).toISOString());

test('a typed day, month or year means its end, in the zone of the vault', () => {
  assert.equal(iso(read('2025-06-08', 'UTC')), '2025-06-09T00:00:00.000Z');
  assert.equal(iso(read('2025-06-08', 'America/New_York')), '2025-06-09T04:00:00.000Z');
  assert.equal(iso(read('2025-12', 'Asia/Tokyo')), '2025-12-31T15:00:00.000Z');
  assert.equal(iso(read('2025', 'UTC')), '2026-01-01T00:00:00.000Z');
  assert.equal(iso(read('2025-06-08 14:30', 'Europe/Lisbon')), '2025-06-08T13:30:00.000Z');
  assert.equal(iso(read('2025-06-08T14:30:00+02:00', 'UTC')), '2025-06-08T12:30:00.000Z');
  for (const wrong of ['', 'someday', '2025-13', '2025-06-08 25:00', '08.06.2025', undefined]) assert.equal(read(wrong, 'UTC'), null, wrong);
});

test('days are those of the zone, also where clocks change', () => {
  assert.equal(dayOf('2025-03-30T00:30:00Z', 'Europe/Berlin'), '2025-03-30');
  assert.equal(dayOf('2025-03-29T23:30:00Z', 'Europe/Berlin'), '2025-03-30');
  assert.equal(iso(read('2025-03-29', 'Europe/Berlin')), '2025-03-29T23:00:00.000Z');
  assert.equal(iso(read('2025-03-30', 'Europe/Berlin')), '2025-03-30T22:00:00.000Z');
  assert.equal(daysBetween('2025-03-29', '2025-04-02'), 4);
});

test('a typed period has its beginning and its end', () => {
  const both = (text, zone) => { const { since, until } = span(text, zone); return [iso(since), iso(until)]; };
  assert.deepEqual(both('2025-06-08', 'Europe/Berlin'), ['2025-06-07T22:00:00.000Z', '2025-06-08T22:00:00.000Z']);
  assert.deepEqual(both('2025-06', 'Europe/Berlin'), ['2025-05-31T22:00:00.000Z', '2025-06-30T22:00:00.000Z']);
  assert.deepEqual(both('2025-12', 'UTC'), ['2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']);
  assert.deepEqual(both('2025', 'UTC'), ['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']);
  assert.deepEqual(both('2025-06-08 14:30', 'UTC'), ['2025-06-08T14:30:00.000Z', '2025-06-08T14:30:00.000Z']);
  // Clocks go forward at midnight there, so the day begins at one.
  assert.deepEqual(both('2025-04-25', 'Africa/Cairo'), ['2025-04-24T22:00:00.000Z', '2025-04-25T21:00:00.000Z']);
});

test('a time that does not exist is no other time, and what was wrong is said', () => {
  const refused = {
    '2025-02-31': /no day 2025-02-31.*2025-02-28/, '2024-02-30': /2024-02-29/, '2025-02-31 10:00': /no day 2025-02-31/, '2025-02-31T10:00Z': /no day/, '2025-06-00': /no day/,
    '2025-03-30 02:30': /no 2025-03-30 02:30 in Europe\/Berlin/, '2025-06-08T25:00': /cannot be read/, '2025-06-08T10:61': /cannot be read/, '2025-06-08T10:00:61': /cannot be read/,
    '2025-13-01': /cannot be read/, '2025-00': /cannot be read/, garbage: /cannot be read/, '0050-01-01': /years 1000 to 8999/, '9000': /years 1000 to 8999/, '2025-06-08T10:00+99:00': /cannot be read/,
  };
  for (const [text, message] of Object.entries(refused)) {
    assert.throws(() => span(text, 'Europe/Berlin'), { message }, text);
    assert.equal(read(text, 'Europe/Berlin'), null, text);
  }
  assert.equal(iso(read('2025-03-30 02:30', 'UTC')), '2025-03-30T02:30:00.000Z');
  assert.equal(iso(read('2025-10-26 02:30', 'Europe/Berlin')), '2025-10-26T00:30:00.000Z', 'the first of two');
  assert.equal(iso(read('2024-02-29 02:30:59', 'UTC')), '2024-02-29T02:30:59.000Z');
});

test('a step is a calendar day or month', () => {
  const steps = (text, zone, ...all) => all.reduce(([...seen], by) => [...seen, stepped(seen.at(-1) ?? text, zone, by)], []);
  const [back, on, last, next] = [{ days: -1 }, { days: 1 }, { months: -1 }, { months: 1 }];
  assert.deepEqual(steps('2025-03-31', 'Europe/Berlin', back, back, on), ['2025-03-30', '2025-03-29', '2025-03-30']);
  assert.deepEqual(steps('2025-10-27', 'Europe/Berlin', back, back), ['2025-10-26', '2025-10-25']);
  assert.deepEqual(steps('2025-06-08', 'UTC', last, next, next), ['2025-05-08', '2025-06-08', '2025-07-08']);
  assert.deepEqual(steps('2025-03-31', 'UTC', last, last), ['2025-02-28', '2025-01-28']);
  assert.deepEqual(steps('2024-01-31', 'UTC', next), ['2024-02-29']);
  assert.deepEqual(steps('2025-01-01', 'Asia/Tokyo', back, last, next), ['2024-12-31', '2024-11-30', '2024-12-30']);
  assert.deepEqual(steps('2025-06', 'UTC', last, back), ['2025-05', '2025-05-30']);
  assert.deepEqual(steps('2025', 'UTC', last), ['2025-11']);
  assert.deepEqual(steps('2025-03-31T12:30', 'Europe/Berlin', back, back), ['2025-03-30T12:30', '2025-03-29T12:30']);
  assert.deepEqual(steps('2025-03-31T02:30', 'Europe/Berlin', back), ['2025-03-30T03:30'], 'clocks skip it, so it is as much later');
  assert.deepEqual(steps('2025-06-08T22:30:00Z', 'Europe/Berlin', on), ['2025-06-10T00:30']);
  assert.throws(() => stepped('garbage', 'UTC', back), { message: /cannot be read/ });
});

test('a moment in the address that cannot be read is not now, and nothing can be changed', () => {
  const now = readMoment({}, 'UTC');
  assert.deepEqual([now.said, now.known, now.past, now.wrong], [null, null, false, null]);
  assert.deepEqual([readMoment({ said: '', known: ' ' }, 'UTC').wrong, readMoment({ said: '2025-06-08' }, 'UTC').past], [null, false]);
  for (const [text, zone] of [['garbage', 'UTC'], ['2025-13-01', 'UTC'], ['2025-06-08T25:00', 'UTC'], ['2025-02-31', 'UTC'], ['2025-03-30T02:30', 'Europe/Berlin']]) {
    for (const name of ['said', 'known']) {
      const { past, wrong, before, asOf } = readMoment({ [name]: text }, zone);
      assert.deepEqual([past, before, asOf], [true, undefined, undefined], text);
      assert.match(wrong[name], /cannot be read|There is no/, text);
      assert.equal(wrong[name === 'said' ? 'known' : 'said'], '');
    }
  }
});

test('what was said on a day was said on that day', () => {
  assert.equal(iso(when('2025-06-08', 'Europe/Berlin')), '2025-06-07T22:00:00.000Z');
  assert.equal(iso(when(' 2025-06-08 14:30 ', 'Europe/Berlin')), '2025-06-08T12:30:00.000Z');
  assert.equal(iso(when('2999-01-01', 'UTC')), '2999-01-01T00:00:00.000Z', 'the server refuses the future');
  for (const text of ['2025', '2025-06']) assert.throws(() => when(text, 'UTC'), { message: /longer than a day/ });
  assert.throws(() => when('2025-02-31', 'UTC'), { message: /no day/ });
});

test('lines are the same however a stream is cut into pieces', () => {
  const lines = ['data: {"content":"Grüße 👋"}', '', ': still here', 'data: 2', ''];
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\nbegun`);
  for (let size = 1; size <= bytes.length; size += 1) {
    const found = [];
    const take = eachLine((line) => found.push(new TextDecoder('utf-8', { fatal: true }).decode(line)));
    for (let from = 0; from < bytes.length; from += size) take(bytes.subarray(from, from + size));
    assert.deepEqual(found, lines, `pieces of ${size} bytes`);
  }
});

test('what is written into an address is read as the same minute', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham']) {
    for (let month = 0; month < 12; month += 1) {
      const time = Date.UTC(2025, month, 17, 3, 41);
      assert.equal(read(write(time, zone), zone), time, zone);
    }
  }
  // Both of the hours that look the same, where clocks go back.
  for (const time of ['2025-10-26T00:30:00.000Z', '2025-10-26T01:30:00.000Z']) assert.equal(iso(read(write(time, 'Europe/Berlin'), 'Europe/Berlin')), time);
});

test('a difference gives both texts back', () => {
  const texts = ['', 'a', 'a b c', 'one\ntwo\nthree', 'one\n2\nthree\nfour', 'a  b\n\nc', 'The cat sat here.\nBye.', 'The dog sat here.\nBye.'];
  for (const before of texts) {
    for (const after of texts) {
      for (const parts of [changes(before, after), words(before, after)]) {
        const only = (kind) => parts.filter(([one]) => one === 'same' || one === kind).map(([, text]) => text).join('');
        assert.equal(only('gone'), before);
        assert.equal(only('new'), after);
      }
    }
  }
  assert.deepEqual(changes('The cat sat here.', 'The dog sat here.'), [['same', 'The '], ['gone', 'cat'], ['new', 'dog'], ['same', ' sat here.']]);
});

test('bytes are found among letters of any width', () => {
  const text = 'Ünïcode 日本 🦀 end';
  const piece = '日本 🦀';
  const start = Buffer.byteLength(text.slice(0, text.indexOf(piece)));
  assert.deepEqual(cut(text, start, start + Buffer.byteLength(piece)), ['Ünïcode ', piece, ' end']);
  assert.deepEqual(cut(text, 0, 999), ['', text, '']);
});

test('every address is read as it was written', () => {
  for (const route of [
    { view: 'memories', vault: 'a/b ü' }, { view: 'timeline', vault: 'v', memory: 'm?#%' }, { view: 'facts', vault: 'v', memory: 'm', params: { said: '2025-01-01', fact: 'fct_1' } },
    { view: 'conversation', vault: 'v', memory: 'm', id: 'x/y', hash: 'ent_1' }, { view: 'live' }, { view: 'settings' }, { view: 'home' },
  ]) {
    const again = parse(new URL(format(route), 'http://x'));
    for (const [name, value] of Object.entries({ params: {}, hash: '', ...route })) assert.deepEqual(again[name], value, `${name} of ${JSON.stringify(route)}`);
  }
});

test('every language has the same texts, with the same values and forms', async () => {
  const { LANGUAGES } = await load('lib/text.js');
  const all = await Promise.all(Object.keys(LANGUAGES).map(async (name) => [name, (await load(`texts/${name}.js`)).default]));
  const [[, english], ...others] = all;
  assert.ok(Object.keys(english).length > 300 && others.length > 0);
  const shape = (text) => ({ values: [...new Set(text.match(/\{\w+\}/g) ?? [])].sort(), forms: text.split('|').length });
  for (const [name, texts] of others) {
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(english).sort(), name);
    for (const [key, text] of Object.entries(english)) assert.deepEqual(shape(texts[key]), shape(text), `${key} in ${name}`);
    const same = Object.keys(english).filter((key) => texts[key] === english[key] && english[key].length > 20);
    assert.deepEqual(same, [], `${name} has long texts that were not translated`);
  }
});

test('every text that the page names is there', async () => {
  const texts = (await load('texts/en.js')).default;
  const sources = readdirSync(page, { recursive: true }).filter((path) => path.endsWith('.js') && !/^(vendor|texts)/.test(path)).map((path) => readFileSync(new URL(path, page), 'utf8'));
  const named = new Set(sources.flatMap((source) => [...source.matchAll(/\bt\('([a-z0-9.]+)'/g)].map(([, name]) => name)));
  assert.ok(named.size > 150, `${named.size} names`);
  assert.deepEqual([...named].filter((name) => !(name in texts)), []);
});
