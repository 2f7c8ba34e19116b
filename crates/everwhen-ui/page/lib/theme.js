// Light, dark, or as the system has it.

const CHOSEN_THEME = 'everwhen.theme';
export const THEMES = ['auto', 'light', 'dark'];

export function theme() {
  try { return localStorage.getItem(CHOSEN_THEME) ?? 'auto'; } catch { return 'auto'; }
}

export function applyTheme(chosen) {
  if (chosen) try { localStorage.setItem(CHOSEN_THEME, chosen); } catch { /* then it lasts for this page */ }
  const now = chosen ?? theme();
  if (now === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
  dispatchEvent(new Event('everwhen-theme'));
}
