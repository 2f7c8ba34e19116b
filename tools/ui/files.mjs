// Files: those of the page taken from a folder, and one of another program with how it gets onto the page.
import { join } from 'node:path';

/** With UI_FILES=FOLDER the page's files come from there instead of the binary, so that a change needs no build. */
export async function fromFolder(context) {
  const folder = process.env.UI_FILES;
  if (folder) await context.route(/\/ui\/-\/assets\//, (route) => route.fulfill({ path: join(folder, ...new URL(route.request().url()).pathname.split('/').slice(5)) }));
}

/** A ChatGPT export with this many conversations of two messages. */
export function chatgpt(many) {
  const seconds = (index) => Date.parse('2023-05-01T08:00:00Z') / 1000 + index * 86_400;
  const message = (id, role, text, time) => ({ id, author: { role }, create_time: time, content: { content_type: 'text', parts: [text] }, status: 'finished_successfully', weight: 1, metadata: {} });
  return Array.from({ length: many }, (_, index) => ({
    id: `conversation-${index}`, conversation_id: `conversation-${index}`, title: `Day ${index}`, create_time: seconds(index), update_time: seconds(index) + 60, current_node: `${index}-b`,
    mapping: {
      [`${index}-root`]: { id: `${index}-root`, message: null, parent: null, children: [`${index}-a`] },
      [`${index}-a`]: { id: `${index}-a`, message: message(`${index}-a`, 'user', `Question ${index} about <b>bread</b>.`, seconds(index)), parent: `${index}-root`, children: [`${index}-b`] },
      [`${index}-b`]: { id: `${index}-b`, message: message(`${index}-b`, 'assistant', `Answer ${index}.`, seconds(index) + 60), parent: `${index}-a`, children: [] },
    },
  }));
}

/** Drops a file onto the page as a person would. */
export async function drop(page, name, text) {
  const transfer = await page.evaluateHandle(([file, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], file, { type: 'application/json' }));
    return data;
  }, [name, text]);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
  await page.waitForSelector('.drop-over');
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page.waitForSelector('.drop-over', { state: 'detached' });
}
