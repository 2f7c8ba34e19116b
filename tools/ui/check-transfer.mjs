// Files that are dropped onto the page, rehearsals, exports.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { ask, run } from './server.mjs';
import { chatgpt, drop } from './files.mjs';
import { binary, check, examine, home, open, stage } from './harness.mjs';

export async function transfer() {
  const { demo } = stage;
  const vault = `${demo.url}/v1/vaults/demo`;

  await check('an export is dropped onto the page, rehearsed, and comes in', async () => {
    const { page, finish } = await open();
    const text = JSON.stringify(chatgpt(40));
    await page.goto(`${demo.url}/ui/demo`);
    await page.waitForSelector('.memory');
    await drop(page, 'conversations.json', text);
    await page.waitForURL(/settings#import$/);
    await page.getByText('conversations.json').first().waitFor();
    await page.getByRole('button', { name: 'See what would come in' }).click();
    await page.getByText('80 entries would come in.').waitFor();
    const report = await page.locator('.import-report').innerText();
    assert.match(report, /Conversations\s+40/);
    assert.match(report, /1 May 2023 – 9 Jun 2023/);
    assert.ok(!(await ask(`${vault}/memories?limit=1000`)).data.some((one) => one.name === 'chatgpt'), 'a rehearsal stores nothing');
    await examine(page, 'a rehearsal');
    await page.locator('.import-report').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('80 entries came in.').waitFor();
    const memory = `${vault}/memories/chatgpt`;
    const entries = (await ask(`${memory}/entries?limit=1000`)).data;
    assert.deepEqual([entries.length, entries[0].conversation_time, entries[0].content], [80, '2023-05-01T08:00:00Z', 'Question 0 about <b>bread</b>.']);
    await drop(page, 'conversations.json', text);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('0 entries came in. 80 were there already.').waitFor();
    await page.locator('.recent summary').click();
    await page.getByRole('row', { name: /conversations.json/ }).first().waitFor();
    await page.goto(`${demo.url}/ui/demo/chatgpt`);
    await page.waitForSelector('.entry');
    assert.match(await page.locator('.rows').innerText(), /Question 39 about <b>bread<\/b>/);
    await finish();
    await ask(memory, { method: 'DELETE' });
  });

  await check('a file that cannot be read is refused with its reason, and an import can be stopped', async () => {
    const { page, finish } = await open();
    await page.goto(`${demo.url}/ui/demo/ana`);
    await page.waitForSelector('.entry');
    await drop(page, 'notes.bin', '\u0000\u0001 nothing that any program writes');
    await page.getByRole('button', { name: 'See what would come in' }).click();
    await page.locator('.import .failure').waitFor();
    assert.ok((await page.locator('.import .failure').innerText()).length > 20);
    await examine(page, 'a refused file');
    const path = `${home.path}/large.json`;
    writeFileSync(path, JSON.stringify(chatgpt(6000)));
    await page.locator('.import input[type=file]').setInputFiles(path);
    await page.locator('.import').getByLabel('Into the memory').selectOption('');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('.import-progress').getByText(/Storing/).waitFor();
    await page.locator('.import-progress').getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.import-report').waitFor();
    const [last] = (await ask(`${vault}/imports`)).data;
    assert.ok(last.state === 'cancelled' || (last.state === 'done' && last.stored === 12_000), JSON.stringify(last));
    assert.equal(await page.getByText('Stopped.').count(), last.state === 'cancelled' ? 1 : 0);
    await finish();
    // Stopped early enough, it has made no memory.
    await ask(`${vault}/memories/chatgpt`, { method: 'DELETE' }).catch(() => {});
  });

  await check('an export is downloaded and makes the same memory again', async () => {
    const { page, finish } = await open();
    const memory = `${vault}/memories/round`;
    for (const [content, time] of [['Once.', '2024-01-05T10:00:00Z'], ['Twice.', '2024-01-05T10:05:00Z'], ['And again.', '2024-02-01T10:00:00Z']]) await ask(`${memory}/entries`, { method: 'POST', body: { role: 'user', content, conversation_time: time } });
    await page.goto(`${demo.url}/ui/-/settings`);
    await page.waitForSelector('.export a.button');
    const panel = page.locator('.export');
    if (await panel.getByLabel('Vault').count()) await panel.getByLabel('Vault').selectOption('demo');
    const save = async (memory, path) => {
      await panel.getByLabel('Memory').selectOption(memory);
      const [saved] = await Promise.all([page.waitForEvent('download'), panel.locator('a.button').click()]);
      assert.match(saved.suggestedFilename(), new RegExp(`^everwhen-demo-${memory}-\\d{4}-\\d{2}-\\d{2}\\.jsonl$`));
      await saved.saveAs(path);
      return readFileSync(path, 'utf8');
    };
    // A job that ends in between changes what is exported; then it is compared again.
    let [text, expected] = ['', ''];
    for (let turn = 0; turn < 20 && (!text || text !== expected); turn += 1) {
      text = await save('round', `${home.path}/round.jsonl`);
      expected = await (await fetch(`${vault}/export?memory=round`)).text();
    }
    assert.equal(text, expected);
    const entries = async () => (await ask(`${memory}/entries?include=all`)).data.map(({ id, content, conversation_time, creation_time }) => ({ id, content, conversation_time, creation_time }));
    const before = await entries();
    await ask(memory, { method: 'DELETE' });
    await page.goto(`${demo.url}/ui/demo`);
    await page.waitForSelector('.memory');
    await drop(page, 'round.jsonl', text);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('3 entries came in.').waitFor();
    assert.deepEqual(await entries(), before);
    // The same conversations cannot be in two vaults of one store: nothing comes in, and the page says why.
    await ask(`${demo.url}/v1/vaults`, { method: 'POST', body: { name: 'copy' } });
    await page.goto(`${demo.url}/ui/copy`);
    await page.waitForSelector('.empty');
    await drop(page, 'round.jsonl', text);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('.import-report').waitFor();
    assert.match(await page.locator('.import-report').innerText(), /another memory of this store/);
    await finish();
    for (const gone of [memory, `${demo.url}/v1/vaults/copy`]) await ask(gone, { method: 'DELETE' });
  });
}

/** The panel of backups, on a server that makes them. */
export async function backups() {
  await check('the state of backups is shown to the operator', async () => {
    const { page, finish } = await open();
    await page.goto((await run(binary, ['ui', '--print', '--data', `${home.path}/demo`])).trim());
    await page.waitForSelector('.memory');
    const panel = page.locator('.backup');
    for (;;) {
      await page.goto(`${stage.demo.url}/ui/-/settings`);
      await panel.getByText(/Last backup|The first backup/).waitFor();
      if (/Last backup/.test(await panel.innerText())) break;
    }
    assert.match(await panel.innerText(), /Every 1 day, the newest 3 are kept/);
    await finish();
  });
}
