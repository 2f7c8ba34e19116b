// The parts of the view library that the page uses.

export type Cleanup = void | (() => void) | (() => boolean);
export interface Ref<T> { current: T }
export interface Observable<T> { readonly value: T; set(next: T): void; watch(watcher: (value: T) => void): () => boolean }

export interface Library {
  html(strings: TemplateStringsArray, ...values: any[]): any;
  render(tree: any, into: Element | null): void;
  useState<T = any>(first: T | (() => T)): [any extends T ? any : T, (next: T | ((before: T) => T) | any) => void];
  useEffect(work: () => Cleanup, deps?: unknown[]): void;
  useLayoutEffect(work: () => Cleanup, deps?: unknown[]): void;
  useRef(first: any): Ref<any>;
  useMemo<T>(make: () => T, deps: unknown[]): T;
  useCallback<T>(call: T, deps: unknown[]): T;
}
