// What language models cost, on a server with a model that has a price, and a cap.
import assert from 'node:assert/strict';
import { ask, directory, model, start } from './server.mjs';
import { binary, check, open, stage } from './harness.mjs';

/** The price of one token here, so that the first call can be seen. */
const PRICE = { EVERWHEN_LLM_INPUT_PRICE: '250000', EVERWHEN_LLM_OUTPUT_PRICE: '0' };

export async function costs() {
  await check('what models cost this month is shown beside the cap', async () => {
    // It finds no facts, in the form that is asked for; what cannot be read is not in usage.
    const [before, home, answering] = [stage.demo, directory(), await model('{"facts":[]}')];
    const settings = { EVERWHEN_LLM_PROVIDER: 'openai', EVERWHEN_LLM_MODEL: 'small-model', EVERWHEN_LLM_BASE_URL: `${answering.url}/v1`, EVERWHEN_LLM_KEY: 'x', EVERWHEN_LLM_SPENDING_CAP: '100', ...PRICE };
    const serve = async (changes) => {
      Object.assign(process.env, settings, changes);
      stage.demo = await start(binary, ['serve', '--data', home.path, '--listen', '127.0.0.1:0', '--log', 'error']);
      for (const name of Object.keys(settings)) delete process.env[name];
    };
    try {
      await serve({});
      const vault = () => `${stage.demo.url}/v1/vaults/default`;
      const said = ['I moved to Lisbon in March.', 'My dog is called Rex.', 'I work at a bakery now.'].map((content, index) => ({ role: 'user', content, conversation_time: `2025-06-01T10:0${index}:00Z` }));
      await ask(`${vault()}/memories/ana/entries/batch`, { method: 'POST', body: { entries: said } });
      let usage = null;
      const until = Date.now() + 60_000;
      do usage = await ask(`${vault()}/usage`); while (!usage.month.cost && Date.now() < until);
      assert.ok(usage.month.cost, 'the model was asked');
      const panel = async () => {
        const { page, finish } = await open();
        await page.goto(`${stage.demo.url}/ui/-/settings`);
        const line = page.locator('.panel', { has: page.locator('meter') }).locator('p', { has: page.locator('meter') });
        await line.waitFor();
        const meter = await line.locator('meter').evaluate((one) => [one.value, one.max]);
        const told = { text: (await line.innerText()).trim(), meter, isFailure: await line.evaluate((one) => one.classList.contains('failure')) };
        await finish();
        return told;
      };
      const within = await panel();
      usage = await ask(`${vault()}/usage`);
      assert.equal(usage.month.cap, 100);
      assert.ok(usage.month.server_cost >= usage.month.cost && within.meter[0] > 0 && within.meter[0] <= usage.month.server_cost, JSON.stringify([usage.month, within]));
      assert.deepEqual([within.meter[1], within.isFailure], [100, false]);
      assert.match(within.text, /^\d+\.\d{4} of 100\.0000 since .*, for all vaults\.$/);
      await stage.demo.stop();
      await serve({ EVERWHEN_LLM_SPENDING_CAP: '0.1' });
      const over = await panel();
      assert.deepEqual([over.meter, over.isFailure], [[0.1, 0.1], true]);
      assert.match(over.text, /of 0\.1000 .* Until the next month no model is asked\.$/);
    } finally {
      await stage.demo.stop();
      await answering.stop();
      stage.demo = before;
      home.remove();
    }
  });
}
