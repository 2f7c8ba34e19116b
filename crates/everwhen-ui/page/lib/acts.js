// What can be changed from the page. Each act is a box that says what will happen before it does.
import { get, memoryPath, patch, post, put, refresh, remove, useLoad, vaultPath } from './api.js';
import { html, useState } from './view.js';
import { Buttons, Dialog, Loaded, useAct } from './parts.js';
import { Unreadable, iso, told, when } from './time.js';
import { count, t } from './text.js';

const submit = (work) => (event) => { event.preventDefault(); work(new FormData(event.target)); };
/** Done: close the box and read the page again. */
const done = (onClose) => () => { onClose(); refresh(); };

/** Adds an entry, now or at another time. Whether that may be is for the server to say, which refuses the future. */
export function AddEntry({ route, zone, onClose }) {
  const act = useAct(done(onClose));
  const send = submit((form) => act.run(() => {
    const typed = form.get('at').trim();
    return post(`${memoryPath(route)}/entries`, { role: form.get('role'), content: form.get('content'), conversation_time: typed ? iso(when(typed, zone)) : undefined });
  }));
  return html`<${Dialog} title=${t('add.title')} onClose=${onClose}><form onSubmit=${send}>
    <label>${t('add.content')}<textarea name="content" rows="5" required autofocus></textarea></label>
    <div class="row">
      <label>${t('add.role')}<select name="role"><option value="user">${t('role.user')}</option><option value="assistant">${t('role.assistant')}</option></select></label>
      <label>${t('add.at')}<input name="at" placeholder=${t('moment.now')} aria-invalid=${act.error instanceof Unreadable} autocomplete="off" /></label>
    </div>
    <p class="hint">${t('add.at.hint', { zone })}</p>
    <${Buttons} ...${act} label=${t('add.do')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Corrects an entry; the old words stay visible in the past. */
export function CorrectEntry({ route, entry, onClose }) {
  const act = useAct(done(onClose));
  const send = submit((form) => act.run(() => post(`${memoryPath(route)}/entries/${entry.id}/correction`, { content: form.get('content'), reason: form.get('reason') })));
  return html`<${Dialog} title=${t('correct.title')} onClose=${onClose}><form onSubmit=${send}>
    <p class="hint">${t('correct.hint')}</p>
    <label>${t('correct.content')}<textarea name="content" rows="6" required defaultValue=${entry.content}>${entry.content}</textarea></label>
    <label>${t('correct.reason')}<input name="reason" required autocomplete="off" /></label>
    <${Buttons} ...${act} label=${t('correct.do')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Forgets permanently. What will go is shown first, and its number has to be typed. */
export function Forget({ title, preview, work, onClose, onGone }) {
  const act = useAct(() => { onClose(); onGone?.(); refresh(); });
  const [typed, setTyped] = useState('');
  const going = useLoad(preview, []);
  return html`<${Dialog} title=${title} onClose=${onClose}><form onSubmit=${submit(() => act.run(work))}>
    <p>${t('forget.hint')}</p>
    <${Loaded} of=${going}>${({ total, rows, more }) => html`
      <p><strong>${t(more ? 'forget.atleast' : 'forget.count', { n: total })}</strong></p>
      <ul class="preview">${rows.slice(0, 5).map((row) => html`<li>${row}</li>`)}${total > 5 && html`<li>…</li>`}</ul>
      <label>${t('forget.type', { n: String(total) })}<input inputmode="numeric" autocomplete="off" value=${typed} onInput=${(event) => setTyped(event.target.value)} /></label>
      <${Buttons} ...${act} label=${t('forget.do')} danger disabled=${typed.trim() !== String(total) || total === 0} onClose=${onClose} />`}</${Loaded}>
  </form></${Dialog}>`;
}

const line = (entry, zone) => `${told(entry.conversation_time, zone)}: ${entry.content.slice(0, 120)}`;

/** What a list of entries looks like before it is forgotten. */
async function listed(path, query, zone, signal) {
  const page = await get(path, { limit: 1000, include: 'all', ...query }, { signal });
  return { total: page.data.length, more: page.has_more, rows: page.data.slice(0, 6).map((entry) => line(entry, zone)) };
}

export const ForgetEntry = ({ route, entry, zone, onClose }) => html`<${Forget} title=${t('forget.entry')} onClose=${onClose}
  preview=${async () => ({ total: 1, rows: [line(entry, zone)] })} work=${() => remove(`${memoryPath(route)}/entries/${entry.id}`)} />`;

export const ForgetConversation = ({ route, conversation, zone, onClose, onGone }) => html`<${Forget} title=${t('forget.conversation')} onClose=${onClose} onGone=${onGone}
  preview=${(signal) => listed(`${memoryPath(route)}/entries`, { conversation_id: conversation.id }, zone, signal)}
  work=${() => remove(`${memoryPath(route)}/conversations/${encodeURIComponent(conversation.id)}`)} />`;

export const ForgetMemory = ({ route, zone, onClose, onGone }) => html`<${Forget} title=${t('forget.memory', { name: route.memory })} onClose=${onClose} onGone=${onGone}
  preview=${(signal) => listed(`${memoryPath(route)}/entries`, {}, zone, signal)} work=${() => remove(memoryPath(route))} />`;

export const ForgetPeriod = ({ vault, memory, after, before, zone, onClose }) => html`<${Forget} title=${t('forget.period')} onClose=${onClose}
  preview=${(signal) => listed(`${memoryPath({ vault, memory })}/entries`, { after, before }, zone, signal)}
  work=${() => post(`${vaultPath(vault)}/forget`, { memory, after, before })} />`;

/** Makes a memory, or gives one another name and description. */
export function NameMemory({ vault, memory, onClose, onDone }) {
  const act = useAct((made) => { onClose(); onDone?.(made); refresh(); });
  const send = submit((form) => {
    const body = { name: form.get('name').trim(), description: form.get('description').trim() || undefined };
    act.run(() => (memory ? patch(memoryPath({ vault, memory: memory.id }), body) : post(`${vaultPath(vault)}/memories`, body)));
  });
  return html`<${Dialog} title=${t(memory ? 'memory.rename' : 'memory.new')} onClose=${onClose}><form onSubmit=${send}>
    <label>${t('memory.name')}<input name="name" required autofocus autocomplete="off" defaultValue=${memory?.name ?? ''} /></label>
    <label>${t('memory.description')}<input name="description" autocomplete="off" defaultValue=${memory?.description ?? ''} /></label>
    <${Buttons} ...${act} label=${t('save')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Ends a conversation by word. */
export function EndConversation({ route, conversation, onClose }) {
  const act = useAct(done(onClose));
  const send = submit((form) => act.run(() => post(`${memoryPath(route)}/conversations/end`, { conversation_id: conversation.id, reason: form.get('reason').trim() || undefined })));
  return html`<${Dialog} title=${t('end.title')} onClose=${onClose}><form onSubmit=${send}>
    <p class="hint">${t('end.hint')}</p>
    <label>${t('end.reason')}<input name="reason" autocomplete="off" /></label>
    <${Buttons} ...${act} label=${t('end.do')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Writes a version of the context document. */
export function WriteContext({ route, content, onClose }) {
  const act = useAct(done(onClose));
  const send = submit((form) => act.run(() => put(`${memoryPath(route)}/context`, { content: form.get('content') })));
  return html`<${Dialog} title=${t('context.write')} wide onClose=${onClose}><form onSubmit=${send}>
    <p class="hint">${t('context.hint')}</p>
    <label>${t('context.content')}<textarea name="content" rows="16" required defaultValue=${content}>${content}</textarea></label>
    <${Buttons} ...${act} label=${t('save')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Puts other words in the place of a fact; what was said stays. */
export function CorrectFact({ route, fact, onClose, onDone }) {
  const act = useAct((made) => { onDone(made); refresh(); });
  const send = submit((form) => act.run(() => put(`${memoryPath(route)}/facts/${fact.id}`, { statement: form.get('statement').trim() })));
  return html`<${Dialog} title=${t('fact.correct')} onClose=${onClose}><form onSubmit=${send}>
    <p class="hint">${t('fact.correct.hint')}</p>
    <label>${t('fact.correct.content')}<textarea name="statement" rows="3" required autofocus defaultValue=${fact.statement}>${fact.statement}</textarea></label>
    <${Buttons} ...${act} label=${t('correct.do')} onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Removes a fact; what was said stays, and it is not learned from it again. */
export function RemoveFact({ route, fact, onClose, onDone }) {
  const act = useAct(() => { onDone(); refresh(); });
  return html`<${Dialog} title=${t('fact.remove')} onClose=${onClose}><form onSubmit=${submit(() => act.run(() => remove(`${memoryPath(route)}/facts/${fact.id}`)))}>
    <p>${t('fact.remove.hint')}</p>
    <ul class="preview"><li>${fact.statement}</li></ul>
    <${Buttons} ...${act} label=${t('fact.remove')} danger onClose=${onClose} />
  </form></${Dialog}>`;
}

/** Pins a fact or takes the pin out. */
export const pin = (route, fact) => post(`${memoryPath(route)}/facts/${fact.id}/pin`, { pinned: !fact.pinned }).then(refresh);

export const entryCount = (n) => t('entries', { n });
export { count };
