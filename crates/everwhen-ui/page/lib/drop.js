// A file that is dropped anywhere on the page is imported: the settings open with it.
import { html, observable, useEffect, useObservable, useState } from './view.js';
import { go, route } from './router.js';
import { t } from './text.js';

/** The file to import and the vault and memory that were open when it was dropped, or null. */
export const dropped = observable(null);

/** Says that a file may be dropped while one is held over the page. */
export function DropTarget() {
  const [over, setOver] = useState(false);
  useObservable(dropped);
  useEffect(() => {
    let depth = 0;
    const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
    const enter = (event) => { if (hasFile(event)) { event.preventDefault(); depth += 1; setOver(true); } };
    const leave = (event) => { if (hasFile(event)) { depth = Math.max(0, depth - 1); if (!depth) setOver(false); } };
    const hold = (event) => { if (hasFile(event)) { event.preventDefault(); event.dataTransfer.dropEffect = 'copy'; } };
    const drop = (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (!file) return;
      const here = route.value;
      dropped.set({ file, others: event.dataTransfer.files.length - 1, vault: here.vault, memory: here.memory });
      if (here.view !== 'settings') go({ view: 'settings', vault: undefined, memory: undefined, hash: 'import' });
    };
    const all = { dragenter: enter, dragleave: leave, dragover: hold, drop };
    for (const [name, act] of Object.entries(all)) addEventListener(name, act);
    return () => { for (const [name, act] of Object.entries(all)) removeEventListener(name, act); };
  }, []);
  return over ? html`<div class="drop-over no-print" aria-hidden="true"><p>${t('import.drop.here')}</p></div>` : null;
}
