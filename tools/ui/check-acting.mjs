// Everything that can be changed from the page, and what a question shows beside its answers.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, symlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ask, run } from './server.mjs';
import { READY, VIEWS, binary, check, examine, fits, home, open, stage, visit } from './harness.mjs';

export async function acting() {
  const { demo } = stage;
  const vault = `${demo.url}/v1/vaults/demo`;
  const api = `${vault}/memories/ana`;

  await check('a line of the briefing leads to what it tells, and what just missed is shown', async () => {
    const { page, finish } = await open();
    await visit(page, 'ask');
    const answer = await ask(`${api}/recall`, { method: 'POST', body: { query: 'Where did I live in March?', limit: 10, missed: 5, explain: true } });
    assert.equal(await page.locator('.briefing pre').textContent(), answer.briefing);
    const told = answer.briefing.split('\n');
    const lines = await page.$$eval('.briefing a.origin', (all) => all.map((one) => [one.getAttribute('href').slice(1), one.textContent]));
    assert.deepEqual(lines, answer.briefing_lines.map((one) => [one.entry_id ?? one.fact_id, told[one.line]]));
    for (const [id, text] of lines.filter(([id]) => id.startsWith('ent_'))) {
      const entry = answer.items.find((item) => item.entry.id === id).entry;
      assert.ok(text.includes(entry.content.slice(0, 20)) || text.includes((entry.summary ?? '').slice(0, 20)), text);
    }
    const found = page.locator('.found', { has: page.getByRole('heading', { name: 'Just missed' }) });
    assert.deepEqual(await found.locator('.said').allTextContents(), answer.missed.map((one) => one.entry.content));
    assert.equal(answer.missed.length, 5);
    const [target] = lines.at(-1);
    await page.locator('.briefing a.origin').last().click();
    await page.waitForFunction((id) => document.activeElement.id === id, target);
    assert.ok(await page.locator('.briefing a.origin.lit').count() > 0, 'its lines are lit while it is looked at');
    await finish();
  });

  await check('what is copied asks the same question with curl, on the command line and over MCP', async () => {
    const { page, finish } = await open();
    await page.addInitScript(() => { globalThis.copied = []; navigator.clipboard.writeText = async (text) => { globalThis.copied.push(text); }; });
    // Words that a shell would run, and both clocks in the past.
    const query = `Where did I live in March? $(touch ${home.path}/ran) "it's" \`id\``;
    const [said, known] = ['2025-06-08T12:00:00Z', '2025-09-01T12:00:00Z'];
    await page.goto(`${demo.url}/ui/demo/ana/ask?${new URLSearchParams({ q: query, said, known })}`);
    await page.waitForSelector('.found-row');
    for (const name of ['curl', 'command', 'MCP']) await page.locator('.copies').getByRole('button', { name }).click();
    const [curl, cli, mcp] = await page.evaluate(() => globalThis.copied);
    const body = { query, limit: 10, asked_at: said, before: said, as_of: known };
    const expected = (await ask(`${api}/recall`, { method: 'POST', body })).items.map((item) => item.entry.id);
    assert.ok(expected.length > 3 && (await ask(`${api}/recall`, { method: 'POST', body: { query, limit: 10 } })).items.some((item) => !expected.includes(item.entry.id)), 'the clocks matter here');
    const program = `${home.path}/everwhen`;
    if (!existsSync(program)) symlinkSync(binary, program);
    const shell = async (line) => JSON.parse(await run('bash', ['-c', line], { PATH: `${home.path}:${process.env.PATH}`, EVERWHEN_SERVER: demo.url }));
    const ids = (answer) => answer.items.map((item) => item.entry.id);
    assert.deepEqual(ids(await shell(`${curl} --silent`)), expected, curl);
    assert.deepEqual(ids(await shell(cli.replace('everwhen recall', 'everwhen recall --json'))), expected, cli);
    assert.ok(!existsSync(`${home.path}/ran`), 'nothing in a question is run');
    const answer = await ask(`${demo.url}/mcp`, { method: 'POST', headers: { accept: 'application/json, text/event-stream' }, body: JSON.parse(mcp) });
    assert.deepEqual(answer.result.structuredContent.items.map((item) => item.entry_id), expected, mcp);
    await finish();
  });

  await check('what is added on a day is there on that day, and a time that cannot be is refused', async () => {
    const { page, finish } = await open();
    const memory = `${vault}/memories/dated`;
    await ask(`${vault}/memories`, { method: 'POST', body: { name: 'dated' } });
    await page.goto(`${demo.url}/ui/demo/dated`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('What was said').fill('We met at the station.');
    const refused = { '2025-02-31': /2025-02-28/, '2025-03-30 01:30': /clocks go forward/, '2025-06': /longer than a day/, 'last week': /cannot be read/, '2999-01-01': /future/ };
    for (const [text, message] of Object.entries(refused)) {
      await page.getByLabel('When').fill(text);
      await page.getByRole('button', { name: 'Remember' }).click();
      await page.locator('dialog .failure', { hasText: message }).waitFor();
    }
    await examine(page, 'a refused time');
    assert.equal((await ask(`${memory}/entries?include=all`)).data.length, 0, 'nothing was stored');
    await page.getByLabel('When').fill('2025-06-08');
    await page.getByRole('button', { name: 'Remember' }).click();
    await page.waitForSelector('.entry');
    assert.equal(await page.locator('h2.day time').getAttribute('datetime'), '2025-06-08');
    assert.equal((await ask(`${memory}/entries`)).data[0].conversation_time, '2025-06-07T23:00:00Z', 'the beginning of the day in Lisbon');
    await finish();
    await ask(memory, { method: 'DELETE' });
  });

  await check('facts are corrected, pinned and deleted, and only now', async () => {
    const { page, finish } = await open();
    await ask(`${vault}/memories/facts-check/entries`, { method: 'POST', body: { role: 'user', content: 'I live in Porto. My dog is called Rex.', conversation_time: '2025-02-01T10:00:00Z' } });
    const facts = async () => (await ask(`${vault}/memories/facts-check/facts?limit=1000`)).data;
    for (let turn = 0; turn < 200 && (await facts()).length < 2; turn += 1) await new Promise((resume) => setTimeout(resume, 100));
    const before = await facts();
    const porto = before.find((fact) => fact.statement.includes('Porto'));
    await page.goto(`${demo.url}/ui/demo/facts-check/facts?fact=${porto.id}&known=2099`);
    await page.waitForSelector('dialog .chart .version');
    assert.equal(await page.locator('dialog').getByRole('button', { name: 'Correct' }).count(), 0, 'not in the past');
    assert.match(await page.locator('dialog').innerText(), /cannot be changed/);
    await page.goto(`${demo.url}/ui/demo/facts-check/facts?fact=${porto.id}`);
    await page.locator('dialog').getByRole('button', { name: 'Correct' }).click();
    await page.getByLabel('What holds').fill('I live in Braga.');
    await examine(page, 'correcting a fact');
    await page.locator('dialog').getByRole('button', { name: 'Correct' }).click();
    await page.locator('.fact-text', { hasText: 'I live in Braga.' }).waitFor();
    assert.ok((await facts()).some((fact) => fact.statement === 'I live in Braga.'));
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog .preview').waitFor();
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForSelector('dialog', { state: 'detached' });
    assert.ok(!(await facts()).some((fact) => /Braga|Porto/.test(fact.statement)));
    await page.locator('.pin').first().click();
    await page.locator('.pin[aria-pressed=true]').first().waitFor();
    assert.ok((await facts()).some((fact) => fact.pinned));
    await finish();
    await ask(`${vault}/memories/facts-check`, { method: 'DELETE' });
  });

  await check('end and forget a conversation, rename and forget a memory, forget a period', async () => {
    const { page, finish } = await open();
    const memory = `${vault}/memories/short`;
    for (const [content, time] of [['One thing.', '2024-01-05T10:00:00Z'], ['Another thing.', '2024-01-20T10:00:00Z'], ['The last thing.', '2024-03-01T10:00:00Z']]) await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content, conversation_time: time } });
    await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content: 'Said right now.' } });
    const list = async () => (await ask(`${memory}/conversations?order=desc`)).data;
    const [open_] = await list();
    await page.goto(`${demo.url}/ui/demo/short/c/${open_.id}`);
    await page.getByRole('button', { name: 'End' }).click();
    await page.getByLabel('Reason (optional)').fill('enough');
    await page.locator('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('ended: enough').waitFor();
    await page.getByRole('button', { name: 'Forget' }).first().click();
    await page.getByLabel('Type 1 to confirm').fill('1');
    await page.getByRole('button', { name: 'Forget permanently' }).click();
    await page.waitForURL(/\/short$/);
    assert.equal((await list()).length, 3);
    await page.goto(`${demo.url}/ui/-/settings`);
    const box = page.locator('.panel', { has: page.getByRole('heading', { name: 'Forget a period' }) });
    await page.waitForSelector('.connect');
    if (await box.getByLabel('Vault').count()) await box.getByLabel('Vault').selectOption('demo');
    await box.getByLabel('Memory').selectOption('short');
    await box.getByLabel('From').fill('2024-01-01');
    await box.getByLabel('To').fill('2024-01-31');
    await box.getByRole('button').click();
    await page.locator('.preview').waitFor();
    assert.match(await page.locator('.preview').innerText(), /One thing[\s\S]*Another thing/);
    await page.getByLabel('Type 2 to confirm').fill('2');
    await page.getByRole('button', { name: 'Forget permanently' }).click();
    await page.waitForSelector('dialog', { state: 'detached' });
    assert.deepEqual((await ask(`${memory}/entries`)).data.map((entry) => entry.content), ['The last thing.']);
    await page.goto(`${demo.url}/ui/demo`);
    const row = page.locator('.memory', { hasText: 'short' });
    await row.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('brief');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'brief' }).waitFor();
    await page.locator('.memory', { hasText: 'brief' }).getByRole('button', { name: 'Forget' }).click();
    await page.getByLabel('Type 1 to confirm').fill('1');
    await page.getByRole('button', { name: 'Forget permanently' }).click();
    await page.getByRole('link', { name: 'brief' }).waitFor({ state: 'detached' });
    await finish();
  });

  await check('a period to forget is all of its first and its last day, and nothing beside', async () => {
    const { page, finish } = await open();
    const memory = `${vault}/memories/periods`;
    // The first and last minute of a month in Lisbon, and those beside it.
    const said = { 'May ends.': '2025-05-31T22:59:00Z', 'June begins.': '2025-05-31T23:00:00Z', 'June ends.': '2025-06-30T22:59:00Z', 'July begins.': '2025-06-30T23:00:00Z' };
    for (const [content, time] of Object.entries(said)) await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content, conversation_time: time } });
    await page.goto(`${demo.url}/ui/-/settings`);
    await page.waitForSelector('.connect');
    const box = page.locator('.panel', { has: page.getByRole('heading', { name: 'Forget a period' }) });
    if (await box.getByLabel('Vault').count()) await box.getByLabel('Vault').selectOption('demo');
    await box.getByLabel('Memory').selectOption('periods');
    const look = async (from, to) => {
      await box.getByLabel('From').fill(from);
      await box.getByLabel('To').fill(to);
      await box.getByRole('button').click();
    };
    for (const [from, to] of [['2025-02-31', '2025-07-01'], ['2025-06', '2025-06-31'], ['2025-03-30 01:30', ''], ['last year', '']]) {
      await look(from, to);
      await box.getByRole('alert').waitFor();
      assert.equal(await page.locator('dialog').count(), 0, `${from} to ${to}`);
    }
    await examine(page, 'a refused period');
    for (const [from, to, words] of [['2025-06', '2025-06', 'June'], ['2025-06-01', '2025-06-30', 'June'], ['2025-06-01', '2025-06', 'June'], ['', '2025-05', 'May'], ['2025-07', '2025', 'July'], ['2025', '2025', '']]) {
      await look(from, to);
      await page.locator('.preview li').first().waitFor();
      const rows = (await page.locator('.preview li').allTextContents()).map((row) => row.split(': ')[1]);
      assert.deepEqual(rows, Object.keys(said).filter((one) => one.startsWith(words)), `${from} to ${to}`);
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
    }
    await finish();
    await ask(memory, { method: 'DELETE' });
  });

  await check('a conversation in the past has the words and the title it had', async () => {
    const { page, finish } = await open();
    const all = (await ask(`${api}/entries?include=all&limit=1000`)).data;
    const old = all.find((entry) => entry.corrected_by);
    const before = new Date(Date.parse(old.corrected_by.at) - 1000).toISOString();
    const then = await ask(`${api}/conversations/${old.conversation_id}?as_of=${before}`);
    assert.ok(then.entries.some((entry) => entry.content === old.content));
    await page.goto(`${demo.url}/ui/demo/ana/c/${old.conversation_id}?known=${before}`);
    await page.waitForSelector('.message');
    assert.deepEqual(await page.locator('.message .words .said').allTextContents(), then.entries.map((entry) => entry.content));
    await page.waitForSelector('.banner.past');
    assert.equal(await page.locator('.message .acts').count(), 0);
    const listed = (await ask(`${api}/conversations?as_of=2025-03-01T00:00:00Z&limit=1000&archived=all`)).data;
    const known = (await ask(`${api}/entries?as_of=2025-03-01T00:00:00Z&limit=1000`)).data;
    assert.equal(listed.reduce((sum, one) => sum + one.message_count, 0), known.length);
    await finish();
  });

  await check('what is seen is in the address, and the address shows it again', async () => {
    const { page, finish } = await open();
    const again = async (address, ready) => {
      await page.goto('about:blank');
      await page.goto(address);
      await page.waitForSelector(ready);
    };
    await page.goto(`${demo.url}/ui/-/live`);
    await page.getByRole('searchbox').fill('small');
    await page.waitForURL(/show=small/);
    await again(page.url(), '.live-controls');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'small');
    await visit(page, 'timeline');
    await page.getByRole('button', { name: 'Assistant', exact: true }).click();
    await page.waitForURL(/role=assistant/);
    await again(page.url(), '.entry');
    assert.equal(await page.locator('.entry.role-user').count(), 0);
    const all = (await ask(`${api}/conversations?limit=1000&archived=all`)).data;
    const details = await Promise.all(all.map((one) => ask(`${api}/conversations/${one.id}`)));
    const forked = details.find((one) => one.branches.length);
    assert.ok(forked, 'the demo has a branch');
    await page.goto(`${demo.url}/ui/demo/ana/c/${forked.id}`);
    await page.getByRole('button', { name: /^Left / }).first().click();
    await page.waitForURL(/branch=/);
    await again(page.url(), '.message');
    const left = (await ask(`${api}/entries?branch=${forked.branches[0].id}`)).data.map((entry) => entry.content);
    await page.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll('.message .words .said')].map((one) => one.textContent)) === JSON.stringify(wanted), left);
    await finish();
  });

  await check('every width from 390 px to 4K, and fingers', async () => {
    for (const width of [768, 1920, 3840]) {
      const { page, finish } = await open({ viewport: { width, height: Math.round(width * 0.5625) } });
      for (const [name, address] of Object.entries(VIEWS)) {
        await page.goto(demo.url + address);
        await page.waitForSelector(READY[name]);
        await fits(page, `${name} at ${width}`);
      }
      await finish();
    }
    const { page, finish } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await visit(page, 'timeline');
    await page.getByRole('link', { name: 'Facts' }).tap();
    await page.waitForSelector('.matter');
    const small = await page.$$eval('button:not(.link, .plain, .tag, .pin), .tabs a, .global a, select', (all) => all.filter((one) => one.offsetParent && one.getBoundingClientRect().height < 43).map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(small, [], 'targets for fingers');
    await page.locator('.matter-value button').first().tap();
    await page.waitForSelector('dialog .chart .version');
    await page.locator('dialog').getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('link', { name: 'Timeline' }).tap();
    await page.waitForSelector('.entry');
    assert.ok(await page.locator('.entry .acts').last().isVisible(), 'there is nothing to hover with');
    await finish();
  });
}

/** Keys lock out who has none, so this comes last. */
export async function keys() {
  const { demo } = stage;
  await check('a key is made and removed; without one the page asks for it', async () => {
    const operator = await open();
    const address = (await run(binary, ['ui', '--print', '--data', `${home.path}/demo`])).trim();
    await operator.page.goto(address);
    await operator.page.waitForSelector('.memory');
    await operator.page.goto(`${demo.url}/ui/-/settings`);
    await operator.page.getByRole('button', { name: 'Add a key' }).click();
    await operator.page.locator('dialog select[name=vault]').selectOption('demo');
    await operator.page.getByLabel('Label').fill('tablet');
    await operator.page.locator('dialog').getByRole('button', { name: 'Add a key' }).click();
    const key = (await operator.page.locator('.secret').innerText()).trim();
    await operator.page.getByRole('button', { name: 'Close' }).click();
    const { page, finish } = await open();
    await page.goto(`${demo.url}/ui/demo/ana`);
    await page.waitForSelector('.key-box');
    await examine(page, 'the box for a key');
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.waitForSelector('.entry');
    await page.goto(`${demo.url}/ui/-/settings`);
    await page.waitForSelector('.export a.button');
    const saved = page.waitForEvent('download');
    await page.locator('.export a.button').click();
    let count = 0;
    // Line by line: with a large memory it is longer than a string may be.
    for await (const line of createInterface({ input: createReadStream(await (await saved).path()) })) { JSON.parse(line); count += 1; }
    assert.ok(count > 50, 'an export with a key');
    await finish();
    await operator.page.getByRole('row', { name: /tablet/ }).getByRole('button', { name: 'Remove' }).click();
    await operator.page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
    await operator.page.getByRole('row', { name: /tablet/ }).waitFor({ state: 'detached' });
    await operator.finish();
  });
}
