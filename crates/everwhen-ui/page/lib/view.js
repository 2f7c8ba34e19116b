// The view library in one place: the rest of the page imports it from here.
import { h, render, Fragment, createRef } from '../vendor/preact.js';
import { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } from '../vendor/hooks.js';
import htm from '../vendor/htm.js';

export const html = htm.bind(h);
export { h, render, Fragment, createRef, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback };

/** A value that others can watch. */
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

/** The value of an observable; the component renders again when it changes. */
export function useObservable(source) {
  const [, render] = useState(0);
  const seen = source.value;
  useLayoutEffect(() => {
    if (!Object.is(source.value, seen)) render((n) => n + 1);
    return source.watch(() => render((n) => n + 1));
  }, [source]);
  return seen;
}
