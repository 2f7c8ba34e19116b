// The server: its health, work that waits, what comes in and goes out, keys, how to connect, what models cost, what to forget, and how the page looks.
import { get, key, post, refresh, remove, setKey, useLoad, vaultPath } from '../lib/api.js';
import { html, useObservable, useState } from '../lib/view.js';
import { Buttons, Copy, Dialog, Loaded, Time, Title, useAct } from '../lib/parts.js';
import { ForgetPeriod } from '../lib/acts.js';
import { Connect } from '../lib/connect.js';
import { Backup, Export, Import } from '../lib/transfer.js';
import { iso, span, told, shortDay } from '../lib/time.js';
import { LANGUAGES, count, language, loadLanguage, t } from '../lib/text.js';
import { THEMES, applyTheme, theme } from '../lib/theme.js';

export default function Settings() {
  useObservable(language);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const vaults = useLoad((signal) => get('/v1/vaults', { limit: 1000 }, { signal }), []);
  const names = vaults.data?.data ?? [];
  const doctor = useLoad((signal) => get('/v1/doctor', null, { signal, quiet: true }), []);
  return html`<${Title}>${t('nav.settings')}</${Title}><div class="settings">
    <${Health} zone=${zone} doctor=${doctor} /><${Look} />
    <${Import} vaults=${names} />
    <${Export} vaults=${names} /><${Backup} zone=${zone} doctor=${doctor} isRefused=${isRefused(doctor)} refusal=${html`<${Operators} brief />`} />
    <${Connect} /><${Keys} zone=${zone} vaults=${names} /><${Usage} vaults=${names} /><${ForgetBox} vaults=${names} />
  </div>`;
}

/** From this part of the cap on the bar looks different. */
const NEARLY = 0.8;
/** An amount in the currency of the configured prices; calls cost fractions of a cent. */
const money = (amount) => amount.toFixed(4);

const Panel = ({ title, children, class: kind }) => html`<section class="panel ${kind ?? ''}"><h2>${title}</h2>${children}</section>`;
/** What only the operator may see. */
const Operators = ({ brief }) => html`<p class="muted">${t('settings.operator')}${!brief && ` ${t('settings.open')}`}</p>${!brief && html`<pre>everwhen ui</pre>`}`;
const isRefused = (of) => of.error && (of.error.status === 401 || of.error.status === 403);

function Health({ zone, doctor }) {
  const ready = useLoad((signal) => get('/readyz', null, { signal, quiet: true }), []);
  const retry = (id) => post(`/v1/jobs/${id}/retry`).then(refresh, refresh);
  return html`<${Panel} title=${t('health.title')}>
    <p><span class="dot ${ready.data ? 'good' : 'bad'}" aria-hidden="true"></span> ${ready.data ? t('health.ready') : t('health.not.ready')}</p>
    ${isRefused(doctor) ? html`<${Operators} />` : html`<${Loaded} of=${doctor}>${(found) => html`
      <p class="muted">${t('health.version', { version: found.version })} · ${t('health.waiting', { n: found.jobs.waiting })}</p>
      ${found.outbox && html`<p class="muted">${t('health.outbox', { n: found.outbox.waiting })}</p>`}
      ${found.problems.map((problem) => html`<p class="failure">${problem}</p>`)}
      ${found.problems.length === 0 && html`<p>${t('health.well')}</p>`}
      ${found.jobs.set_aside.length > 0 && html`<ul class="jobs">${found.jobs.set_aside.map((job) => html`<li key=${job.id}><strong>${job.kind}</strong> <span class="muted">${job.vault} / ${job.memory} · ${told(job.due_at, zone)}</span><p>${job.last_error}</p><button type="button" onClick=${() => retry(job.id)}>${t('health.retry')}</button></li>`)}</ul>`}
    `}</${Loaded}>`}
  </${Panel}>`;
}

function Look() {
  const [now, setNow] = useState(theme());
  return html`<${Panel} title=${t('look.title')}>
    <div class="chips" role="group" aria-label=${t('look.theme')}>${THEMES.map((one) => html`<button type="button" key=${one} class="chip" aria-pressed=${now === one} onClick=${() => { applyTheme(one); setNow(one); }}>${t(`theme.${one}`)}</button>`)}</div>
    <label>${t('look.language')}<select value=${language.value} onChange=${(event) => loadLanguage(event.target.value)}>${Object.entries(LANGUAGES).map(([name, own]) => html`<option key=${name} value=${name}>${own}</option>`)}</select></label>
    ${key() && html`<p><button type="button" onClick=${() => setKey(null)}>${t('key.forget')}</button></p>`}
  </${Panel}>`;
}

function Keys({ zone, vaults }) {
  const [box, setBox] = useState(null);
  const keys = useLoad((signal) => get('/v1/keys', null, { signal, quiet: true }), []);
  return html`<${Panel} title=${t('keys.title')} class="wide">${isRefused(keys) ? html`<${Operators} brief />` : html`<${Loaded} of=${keys}>${({ data }) => html`
    ${data.length ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t('keys.title')}><table><thead><tr><th scope="col">${t('keys.label')}</th><th scope="col">${t('keys.vault')}</th><th scope="col">${t('keys.scope')}</th><th scope="col">${t('keys.used')}</th><th scope="col"><span class="visually-hidden">${t('keys.remove')}</span></th></tr></thead><tbody>${data.map((one) => html`<tr key=${one.id}><th scope="row">${one.label ?? one.id}</th><td>${one.vault}</td><td>${t(`scope.${one.scope}`)}</td><td>${one.last_used_at ? html`<${Time} at=${one.last_used_at} zone=${zone} />` : t('keys.never')}</td><td><button type="button" class="quiet" onClick=${() => setBox({ remove: one })}>${t('keys.remove')}</button></td></tr>`)}</tbody></table></div>` : html`<p class="muted">${t('keys.none')}</p>`}
    <p><button type="button" onClick=${() => setBox({ add: true })}>${t('keys.add')}</button></p>`}</${Loaded}>`}
    ${box?.add && html`<${AddKey} vaults=${vaults} onClose=${() => setBox(null)} />`}
    ${box?.remove && html`<${RemoveKey} one=${box.remove} onClose=${() => setBox(null)} />`}
  </${Panel}>`;
}

function AddKey({ vaults, onClose }) {
  const [made, setMade] = useState(null);
  const act = useAct(setMade);
  const send = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    act.run(() => post('/v1/keys', { vault: String(form.get('vault')), label: String(form.get('label')).trim() || undefined, scope: /** @type {'read' | 'write' | 'admin'} */ (form.get('scope')) }));
  };
  const close = () => { onClose(); refresh(); };
  if (made) return html`<${Dialog} title=${t('keys.made')} onClose=${close}><p>${t('keys.once')}</p><p class="row"><code class="secret">${made.key}</code><${Copy} text=${made.key} /></p></${Dialog}>`;
  return html`<${Dialog} title=${t('keys.add')} onClose=${onClose}><form onSubmit=${send}>
    <label>${t('keys.vault')}<select name="vault">${vaults.map((one) => html`<option key=${one.id}>${one.name}</option>`)}</select></label>
    <label>${t('keys.label')}<input name="label" autocomplete="off" /></label>
    <label>${t('keys.scope')}<select name="scope">${['write', 'read', 'admin'].map((one) => html`<option key=${one} value=${one}>${t(`scope.${one}`)}</option>`)}</select></label>
    <${Buttons} ...${act} label=${t('keys.add')} onClose=${onClose} />
  </form></${Dialog}>`;
}

function RemoveKey({ one, onClose }) {
  const act = useAct(() => { onClose(); refresh(); });
  return html`<${Dialog} title=${t('keys.remove')} onClose=${onClose}><form onSubmit=${(event) => { event.preventDefault(); act.run(() => remove(`/v1/keys/${one.id}`)); }}>
    <p>${t('keys.remove.hint', { name: one.label ?? one.id })}</p><${Buttons} ...${act} label=${t('keys.remove')} danger onClose=${onClose} /></form></${Dialog}>`;
}

function Usage({ vaults }) {
  const [vault, setVault] = useState(null);
  const name = vault ?? vaults[0]?.name;
  const usage = useLoad((signal) => (name ? get(`${vaultPath(name)}/usage`, null, { signal, quiet: true }) : Promise.resolve(null)), [name]);
  return html`<${Panel} title=${t('usage.title')}>
    ${vaults.length > 1 && html`<label>${t('keys.vault')}<select value=${name} onChange=${(event) => setVault(event.target.value)}>${vaults.map((one) => html`<option key=${one.id}>${one.name}</option>`)}</select></label>`}
    ${usage.data && html`<${Month} of=${usage.data.month} />`}
    ${usage.data?.data.length ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t('usage.title')}><table><thead><tr><th scope="col">${t('usage.day')}</th><th scope="col">${t('usage.model')}</th><th scope="col">${t('usage.purpose')}</th><th scope="col">${t('usage.tokens')}</th><th scope="col">${t('usage.cost')}</th></tr></thead>
      <tbody>${usage.data.data.slice(0, 50).map((row) => html`<tr><th scope="row">${row.day}</th><td>${row.model}</td><td>${row.purpose}</td><td>${count(row.input_tokens + row.output_tokens)}</td><td>${money(row.cost)}</td></tr>`)}</tbody></table></div>` : html`<p class="muted">${t('usage.none')}</p>`}
  </${Panel}>`;
}

/** What models cost this month beside what they may cost. The cap is for all vaults together; whoever may see one only is told both apart. */
function Month({ of: { since, cost, server_cost: all, cap } }) {
  if (cap === null) return cost ? html`<p>${t('usage.month', { cost: money(cost), since: shortDay(since, 'UTC') })}</p>` : null;
  const spent = all ?? cost;
  const label = t(all === undefined ? 'usage.cap.own' : 'usage.cap', { cost: money(spent), cap: money(cap), since: shortDay(since, 'UTC') });
  return html`<p class=${spent < cap ? '' : 'failure'}><meter min="0" max=${cap} value=${Math.min(spent, cap)} high=${cap * NEARLY} aria-label=${t('usage.title')}></meter> ${label}${spent < cap ? '' : ` ${t('usage.cap.reached')}`}</p>`;
}

function ForgetBox({ vaults }) {
  const [box, setBox] = useState(null);
  const [vault, setVault] = useState(null);
  const [wrong, setWrong] = useState(null);
  const name = vault ?? vaults[0]?.name;
  const memories = useLoad((signal) => (name ? get(`${vaultPath(name)}/memories`, { limit: 1000 }, { signal, quiet: true }) : Promise.resolve(null)), [name]);
  const zone = vaults.find((one) => one.name === name)?.zone ?? 'UTC';
  if (!name) return null;
  const send = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const typed = (field) => String(form.get(field)).trim();
    try {
      const [after, before] = [typed('after') && iso(span(typed('after'), zone).since), typed('before') && iso(span(typed('before'), zone).until)];
      setBox({ memory: form.get('memory'), after: after || undefined, before: before || undefined });
      setWrong(null);
    } catch (error) { setWrong(error.message); }
  };
  return html`<${Panel} title=${t('forget.period')}><p class="muted">${t('forget.period.hint')}</p><form onSubmit=${send}>
    ${vaults.length > 1 && html`<label>${t('keys.vault')}<select value=${name} onChange=${(event) => setVault(event.target.value)}>${vaults.map((one) => html`<option key=${one.id}>${one.name}</option>`)}</select></label>`}
    <label>${t('forget.in')}<select name="memory">${(memories.data?.data ?? []).map((one) => html`<option key=${one.id}>${one.name}</option>`)}</select></label>
    <div class="row"><label>${t('forget.after')}<input name="after" placeholder="2024-01-01" autocomplete="off" /></label><label>${t('forget.before')}<input name="before" placeholder="2024-01-31" autocomplete="off" /></label></div>
    ${wrong && html`<p class="failure" role="alert">${wrong}</p>`}
    <p><button class="danger">${t('forget.look')}</button></p></form>
    ${box && html`<${ForgetPeriod} vault=${name} ...${box} zone=${zone} onClose=${() => setBox(null)} />`}
  </${Panel}>`;
}
