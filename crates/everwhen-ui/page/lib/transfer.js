// What comes in and what goes out: files of other programs with a look at them first, exports, and the state of backups.
import { download, get, key, refresh, remove, upload, useLoad, vaultPath } from './api.js';
import { html, useEffect, useObservable, useRef, useState } from './view.js';
import { Link } from './router.js';
import { Copy, Loaded } from './parts.js';
import { dropped } from './drop.js';
import { told, pause, shortDay } from './time.js';
import { count, t } from './text.js';

const LOOK_MS = 400;
const SHOWN = 8;
const DAY_SECONDS = 86_400;

const VaultSelect = ({ vaults, value, onChange }) => (vaults.length > 1
  ? html`<label>${t('keys.vault')}<select value=${value} onChange=${(event) => onChange(event.target.value)}>${vaults.map((one) => html`<option key=${one.id}>${one.name}</option>`)}</select></label>` : null);

const useMemories = (vault) => useLoad((signal) => (vault ? get(`${vaultPath(vault)}/memories`, { limit: 1000 }, { signal, quiet: true }) : Promise.resolve(null)), [vault]);

/** Imports a file: first what would come in, then imports it. */
export function Import({ vaults }) {
  const given = useObservable(dropped);
  const [picked, setPicked] = useState(null);
  const [chosen, setChosen] = useState({ vault: null, memory: '' });
  const box = useRef(null);
  const field = useRef(null);
  const chosenVault = chosen.vault ?? vaults[0]?.name ?? 'default';
  const memories = useMemories(vaults.length ? chosenVault : null);
  const work = useImport(chosenVault);
  useEffect(() => {
    if (!given) return;
    setPicked({ file: given.file, others: given.others });
    // The field says which file it is, too.
    const files = new DataTransfer();
    files.items.add(given.file);
    field.current.files = files.files;
    setChosen({ vault: given.vault ?? null, memory: given.memory ?? '' });
    work.reset();
    dropped.set(null);
    box.current?.scrollIntoView({ block: 'start' });
    box.current?.querySelector('h2')?.focus({ preventScroll: true });
  }, [given]);
  const zone = vaults.find((one) => one.name === chosenVault)?.zone ?? 'UTC';
  const start = (isRehearsal) => work.start(picked.file, { memory: chosen.memory || undefined, dry_run: isRehearsal, name: picked.file.name.slice(0, 200) });
  const pick = (event) => { const [file] = event.target.files; if (file) { setPicked({ file, others: 0 }); work.reset(); } };
  const { run, busy } = work;
  return html`<section class="panel wide import" id="import" ref=${box}>
    <h2 tabindex="-1">${t('import.title')}</h2>
    <p class="muted">${t('import.hint')}</p>
    <div class="row import-row">
      <label class="file">${t('import.file')}<input ref=${field} type="file" onChange=${pick} disabled=${busy} /></label>
      <${VaultSelect} vaults=${vaults} value=${chosenVault} onChange=${(vault) => setChosen({ vault, memory: '' })} />
      <label>${t('import.into')}<select value=${chosen.memory} disabled=${busy} onChange=${(event) => setChosen({ ...chosen, memory: event.target.value })}>
        <option value="">${t('import.by.source')}</option>
        ${(memories.data?.data ?? []).map((one) => html`<option key=${one.id} value=${one.name} selected=${one.name === chosen.memory}>${one.name}</option>`)}</select></label>
    </div>
    ${picked && html`<p class="import-file"><strong>${picked.file.name}</strong> <span class="muted">${size(picked.file.size)}</span>${picked.others > 0 && html` <span class="note">${t('import.one', { n: picked.others })}</span>`}</p>`}
    ${picked && !run && !busy && html`<p class="row"><button type="button" class="primary" onClick=${() => start(true)}>${t('import.rehearse')}</button><button type="button" onClick=${() => start(false)}>${t('import.do')}</button></p>`}
    <${Progress} work=${work} />
    ${work.error && html`<p class="failure" role="alert">${work.error.message}</p>`}
    ${run && run.state !== 'running' && html`<${Outcome} run=${run} zone=${zone} vault=${chosenVault} memory=${chosen.memory}
      onTake=${() => start(false)} onAgain=${() => { field.current.value = ''; setPicked(null); work.reset(); }} />`}
    <${Recent} vault=${chosenVault} zone=${zone} current=${run?.id} />
  </section>`;
}

/** Sends a file and looks after its import until it has ended. */
function useImport(vault) {
  const nothing = { run: null, busy: false, sent: null, error: null, expected: null };
  const [state, set] = useState(nothing);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);
  const follow = async (run, signal) => {
    for (let now = run; ;) {
      set((old) => ({ ...old, run: now, sent: null, busy: now.state === 'running' }));
      if (now.state !== 'running') return now;
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
      if (signal.aborted) return now;
      now = await get(`${vaultPath(vault)}/imports/${now.id}`, null, { signal });
    }
  };
  const start = async (file, query) => {
    stop.current?.abort();
    const abort = new AbortController();
    stop.current = abort;
    set((old) => ({ ...nothing, busy: true, sent: 0, expected: old.run?.dry_run ? old.run.found?.messages ?? null : null }));
    try {
      const onProgress = (share) => set((old) => (old.busy ? { ...old, sent: share } : old));
      const ended = await follow(await upload(`${vaultPath(vault)}/imports`, query, file, { signal: abort.signal, onProgress }), abort.signal);
      if (!ended.dry_run) refresh();
    } catch (error) { if (error.name !== 'AbortError') set((old) => ({ ...old, busy: false, sent: null, error })); }
  };
  const cancel = async () => {
    if (!state.run) { stop.current?.abort(); set(nothing); return; }
    await remove(`${vaultPath(vault)}/imports/${state.run.id}`).catch((error) => set((old) => ({ ...old, error })));
  };
  return { ...state, start, cancel, reset: () => { stop.current?.abort(); set(nothing); } };
}

/** How far it is, and a way to end it. */
function Progress({ work: { run, busy, sent, expected, cancel } }) {
  if (!busy) return null;
  const words = !run ? t('import.sending', { n: Math.round((sent ?? 0) * 100) }) : t(run.dry_run ? 'import.reading' : 'import.storing', { n: run.messages });
  const share = run ? (expected ? Math.min(1, run.messages / expected) : undefined) : sent ?? 0;
  return html`<div class="import-progress">
    <progress max="1" value=${share} aria-label=${t('import.title')}></progress>
    <span role="status">${words}</span>
    <button type="button" class="quiet" onClick=${cancel}>${t('cancel')}</button>
  </div>`;
}

/**
 * What became of an import.
 * @param {{ run: import('../../types/api.js').ImportRun, zone: string, vault: string, memory: string, onTake: () => void, onAgain: () => void }} props
 */
function Outcome({ run, zone, vault, memory, onTake, onAgain }) {
  const found = run.found;
  const to = memory ? { view: 'timeline', vault, memory } : { view: 'memories', vault, memory: undefined };
  return html`<div class="import-report" role="status">
    ${run.state === 'failed' && html`<p class="failure">${t('import.failed', { why: run.problem ?? '' })}</p>`}
    ${run.state === 'cancelled' && html`<p class="note">${t('import.cancelled')}</p>`}
    ${run.state === 'done' && html`<p class="import-told"><strong>${t(run.dry_run ? 'import.would' : 'import.done', { n: run.stored })}</strong>${run.known > 0 && ` ${t('import.known', { n: run.known })}`}${run.corrected > 0 && ` ${t('import.corrected', { n: run.corrected })}`}</p>`}
    ${found && html`<dl class="pairs">
      <dt>${t('import.conversations')}</dt><dd>${count(found.conversations)}</dd>
      <dt>${t('import.messages')}</dt><dd>${count(found.messages)}${found.branches > 0 && ` · ${t('import.branches', { n: found.branches })}`}</dd>
      ${found.first && found.last && html`<dt>${t('import.span')}</dt><dd>${shortDay(found.first, zone)} – ${shortDay(found.last, zone)}</dd>`}
      ${counted(t('import.precision'), found.precision, 'precision')}${counted(t('import.time.from'), found.time_from, 'time')}${counted(t('import.left.out'), found.left_out)}
      ${found.undated > 0 && html`<dt>${t('import.undated')}</dt><dd>${count(found.undated)}</dd>`}
    </dl>
    <${Lines} title=${t('import.warnings')} rows=${found.warnings} /><${Lines} title=${t('import.problems')} rows=${found.problems} />`}
    ${run.refused.length > 0 && html`<div class="failure"><${Lines} title=${t('import.refused')} rows=${run.refused} /></div>`}
    <p class="row">${run.dry_run && run.state === 'done' && html`<button type="button" class="primary" onClick=${onTake}>${t('import.do')}</button>`}
      ${!run.dry_run && run.stored > 0 && html`<${Link} class="button primary" to=${to}>${t('import.see')}</${Link}>`}
      <button type="button" class="quiet" onClick=${onAgain}>${t('import.other')}</button></p>
  </div>`;
}

/** Numbers by kind; kinds with texts of their own are told in words. */
const counted = (name, counts, words) => Object.keys(counts ?? {}).length > 0 && html`<dt>${name}</dt><dd>${Object.entries(counts).map(([kind, n]) => `${words ? t(`${words}.${kind}`) : kind.replaceAll('_', ' ')} (${count(n)})`).join(' · ')}</dd>`;
const Lines = ({ title, rows }) => (rows.length ? html`<h3>${title}</h3><ul class="import-lines">${rows.slice(0, SHOWN).map((row) => html`<li>${row}</li>`)}${rows.length > SHOWN && html`<li>… ${count(rows.length - SHOWN)}</li>`}</ul>` : null);

/** Imports since the server was started. */
function Recent({ vault, zone, current }) {
  const runs = useLoad((signal) => (vault ? get(`${vaultPath(vault)}/imports`, null, { signal, quiet: true }) : Promise.resolve(null)), [vault, current]);
  const rows = (runs.data?.data ?? []).filter((one) => one.id !== current && !one.dry_run).slice(0, SHOWN);
  if (!rows.length) return null;
  return html`<details class="recent"><summary>${t('import.recent', { n: rows.length })}</summary><div class="scroll" tabindex="0" role="region" aria-label=${t('import.recent', { n: rows.length })}><table><tbody>${rows.map((one) => html`<tr key=${one.id}><th scope="row">${one.file}</th><td>${told(one.started_at, zone)}</td><td>${t(`import.state.${one.state}`)}</td><td>${t('entries', { n: one.stored })}</td></tr>`)}</tbody></table></div></details>`;
}

/** Everything of a vault or a memory as one file. */
export function Export({ vaults }) {
  const [chosen, setChosen] = useState({ vault: null, memory: '' });
  const [state, set] = useState({ busy: false, error: null });
  const vault = chosen.vault ?? vaults[0]?.name;
  const memories = useMemories(vault);
  if (!vault) return null;
  const name = `everwhen-${[vault, chosen.memory].filter(Boolean).join('-').replace(/[^\p{L}\p{N}-]+/gu, '_')}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  const path = `${vaultPath(vault)}/export`;
  const query = chosen.memory ? `?memory=${encodeURIComponent(chosen.memory)}` : '';
  // Without a key the browser stores the file by itself, however large it is.
  const save = async (event) => {
    if (!key()) return;
    event.preventDefault();
    set({ busy: true, error: null });
    try {
      const address = URL.createObjectURL(await download(path, { memory: chosen.memory }));
      const link = document.createElement('a');
      Object.assign(link, { href: address, download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      set({ busy: false, error: null });
    } catch (error) { set({ busy: false, error }); }
  };
  const command = `everwhen export vault "${name}" --vault "${vault}"${chosen.memory ? ` --memory "${chosen.memory}"` : ''}`;
  return html`<section class="panel export"><h2>${t('export.title')}</h2><p class="muted">${t('export.hint')}</p>
    <${VaultSelect} vaults=${vaults} value=${vault} onChange=${(one) => setChosen({ vault: one, memory: '' })} />
    <label>${t('forget.in')}<select value=${chosen.memory} onChange=${(event) => setChosen({ vault, memory: event.target.value })}><option value="">${t('export.all')}</option>${(memories.data?.data ?? []).map((one) => html`<option key=${one.id} value=${one.name}>${one.name}</option>`)}</select></label>
    <p class="row"><a class="button primary" href=${path + query} download=${name} aria-busy=${state.busy} onClick=${save}>${t('export.do')}</a><${Copy} text=${command} label=${t('copy.cli')} /></p>
    ${state.error && html`<p class="failure" role="alert">${state.error.message}</p>`}
  </section>`;
}

/** The backups that the server makes by itself, or how to have it make them. */
export function Backup({ zone, doctor, isRefused, refusal }) {
  return html`<section class="panel backup"><h2>${t('backup.title')}</h2>
    ${isRefused ? refusal : html`<${Loaded} of=${doctor}>${({ backup }) => (backup ? html`
      <p>${backup.last_at ? html`<span class="dot good" aria-hidden="true"></span> ${t('backup.last', { at: told(backup.last_at, zone), size: size(backup.last_bytes ?? 0) })}` : t('backup.never')}</p>
      <p class="muted">${t('backup.schedule', { every: interval(backup.every_seconds), keep: backup.keep, count: backup.count })}${backup.next_at && ` ${t('backup.next', { at: told(backup.next_at, zone) })}`}</p>
      <p class="muted">${backup.directory}</p>`
      : html`<p>${t('backup.none')}</p><pre>[backup]
every = "24h"
keep = 7</pre>`)}</${Loaded}>`}
    <p class="muted">${t('backup.now')}</p><pre>everwhen backup FILE.zip</pre>
  </section>`;
}

const interval = (seconds) => (seconds >= DAY_SECONDS ? pause(Math.round(seconds / DAY_SECONDS)) : t('duration.hours', { h: Math.floor(seconds / 3600), m: Math.floor((seconds % 3600) / 60) }));

/** A size as people write it. */
export function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB'];
  let [amount, unit] = [bytes, 0];
  while (amount >= 1000 && unit < units.length - 1) { amount /= 1000; unit += 1; }
  return `${count(unit ? Math.round(amount * 10) / 10 : amount)} ${units[unit]}`;
}
