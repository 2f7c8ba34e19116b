// Light, dark, or as the system has it.

const CHOICE = 'everwhen.theme';
export const THEMES = ['auto', 'light', 'dark'];

export function theme() {
  try { return localStorage.getItem(CHOICE) ?? 'auto'; } catch { return 'auto'; }
}

export function applyTheme(chosen) {
  if (chosen) try { localStorage.setItem(CHOICE, chosen); } catch { /* then it lasts for this page */ }
  const now = chosen ?? theme();
  if (now === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
  dispatchEvent(new Event('everwhen-theme'));
}
