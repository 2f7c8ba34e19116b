// Every visible text comes through `t`. A language is one file in texts/, and every language has every text.
import { observable } from './view.js';

const CHOSEN_LANGUAGE = 'everwhen.language';
/** Languages there are, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' };
let texts = {};
export const language = observable('en');

function wished() {
  /** @type {string | null} */
  let chosen = null;
  try { chosen = localStorage.getItem(CHOSEN_LANGUAGE); } catch { /* storage may be switched off */ }
  const wishes = [chosen ?? '', ...(navigator.languages ?? [])].filter(Boolean).map((one) => one.slice(0, 2).toLowerCase());
  return wishes.find((one) => one in LANGUAGES) ?? 'en';
}

/** Loads the language that the person or the browser asks for. */
export async function loadLanguage(chosen) {
  if (chosen) try { localStorage.setItem(CHOSEN_LANGUAGE, chosen); } catch { /* then it lasts for this page */ }
  const lang = chosen ?? wished();
  texts = (await import(`../texts/${lang}.js`)).default;
  document.documentElement.lang = lang;
  language.set(lang);
}

/** The language as the browser writes it, with its region, so that dates look as people know them. */
export const locale = () => (navigator.languages ?? []).find((one) => one.slice(0, 2).toLowerCase() === language.value) ?? language.value;

/** The text of this name with its `{values}` filled in. Of `one|many` the number `n` chooses. */
export function t(name, values = {}) {
  let text = texts[name] ?? name;
  if (text.includes('|') && 'n' in values) text = text.split('|')[Number(values.n) === 1 ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (whole, value) => {
    if (!(value in values)) return whole;
    return typeof values[value] === 'number' ? count(values[value]) : String(values[value]);
  });
}

const numbers = new Map();
/** A number as people write it. Formatters are slow to make, so each is made once. */
export function count(number) {
  const lang = locale();
  if (!numbers.has(lang)) numbers.set(lang, new Intl.NumberFormat(lang));
  return numbers.get(lang).format(number);
}
