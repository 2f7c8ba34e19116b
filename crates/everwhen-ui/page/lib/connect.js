// How programs reach this server: a line for each kind, and a button that asks the server what such a program asks first.
import { send } from './api.js';
import { html, useState } from './view.js';
import { Copy } from './parts.js';
import { t } from './text.js';

const MCP_VERSION = '2025-06-18';

/** The JSON of an answer, and the session it opened; MCP may wrap it into an event. What is refused is thrown in the server's words. */
async function probe(method, path, options) {
  const response = await send(method, path, options);
  const text = await response.text();
  const event = text.split('\n').findLast((line) => line.startsWith('data: {'));
  let json = {};
  try { json = JSON.parse(event ? event.slice(6) : text); } catch { /* then its status says it */ }
  const refusal = json.error?.message ?? json.error ?? json.detail;
  if (!response.ok || json.error) throw new Error(typeof refusal === 'string' ? refusal : `HTTP ${response.status}`);
  return { json, session: response.headers.get('mcp-session-id') };
}

/** What an MCP client asks first: who is there, and which tools it has. */
async function askMcp() {
  const ask = (method, params, session) => probe('POST', '/mcp', {
    extra: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': MCP_VERSION, ...(session ? { 'mcp-session-id': session } : {}) },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const hello = await ask('initialize', { protocolVersion: MCP_VERSION, capabilities: {}, clientInfo: { name: 'everwhen-page', version: '1' } });
  const listed = await ask('tools/list', {}, hello.session);
  return t('connect.tools', { n: listed.json.result.tools.length });
}

/** What a chat client asks first: which models there are. */
const askModels = (path, extra) => async () => {
  const { json } = await probe('GET', path, { extra });
  return t('connect.models', { n: (json.data ?? json.models).length });
};

const openai = askModels('/v1/models');
const anthropic = askModels('/v1/models', { 'anthropic-version': '2023-06-01' });
const ollama = askModels('/api/tags');

/** The lines, each with its test. */
export function Connect() {
  const at = location.origin;
  const rows = [
    ['Claude Code', `claude mcp add --transport http everwhen ${at}/mcp`, askMcp],
    ['Codex', `codex mcp add everwhen --url ${at}/mcp`, askMcp],
    ['Cursor', JSON.stringify({ mcpServers: { everwhen: { url: `${at}/mcp` } } }), askMcp],
    ['VS Code', `code --add-mcp '${JSON.stringify({ name: 'everwhen', type: 'http', url: `${at}/mcp` })}'`, askMcp],
    [t('connect.openai'), `OPENAI_BASE_URL=${at}/v1`, openai],
    [t('connect.anthropic'), `ANTHROPIC_BASE_URL=${at}`, anthropic],
    [t('connect.ollama'), `OLLAMA_HOST=${at}`, ollama],
  ];
  return html`<section class="panel wide"><h2>${t('connect.title')}</h2><p class="muted">${t('connect.hint')}</p>
    <dl class="connect">${rows.map(([name, line, test]) => html`<${Line} key=${name} name=${name} line=${line} test=${test} />`)}</dl>
    <p><a href="/docs/">${t('connect.docs')}</a></p></section>`;
}

function Line({ name, line, test }) {
  const [state, set] = useState({ busy: false, told: '', isGood: true });
  const run = async () => {
    set({ busy: true, told: t('connect.testing'), isGood: true });
    try { set({ busy: false, told: await test(), isGood: true }); } catch (error) { set({ busy: false, told: t('connect.failed', { why: error.message }), isGood: false }); }
  };
  return html`<dt>${name}</dt><dd><code>${line}</code><span class="connect-acts"><${Copy} text=${line} />
    <button type="button" class="quiet test" aria-label=${t('connect.test.of', { name })} disabled=${state.busy} onClick=${run}>${t('connect.test')}</button></span>
    <p class="connect-told ${state.isGood ? 'good' : 'bad'}" role="status">${state.told}</p></dd>`;
}
