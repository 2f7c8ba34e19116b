// The view library in one place: the rest of the page imports it from here.
import { hooks, htm, preact } from '../vendor/library.js';

/** @type {import('../../types/view.js').Library} */
const library = /** @type {any} */ ({ ...hooks, render: preact.render, html: htm.bind(preact.h) });
export const { html, render, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } = library;

/**
 * A value that others can watch.
 * @template [T=any]
 * @param {T} value
 * @returns {import('../../types/view.js').Observable<any extends T ? any : T extends null ? any : T>}
 */
export function observable(value) {
  const watchers = new Set();
  return {
    get value() { return value; },
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const watcher of [...watchers]) watcher(next);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/**
 * The value of an observable; the component renders again when it changes.
 * @template T
 * @param {import('../../types/view.js').Observable<T>} source
 * @returns {T}
 */
export function useObservable(source) {
  const [, render] = useState(0);
  const seen = source.value;
  useLayoutEffect(() => {
    if (!Object.is(source.value, seen)) render((n) => n + 1);
    return source.watch(() => render((n) => n + 1));
  }, [source]);
  return seen;
}
