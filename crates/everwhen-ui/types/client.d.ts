// How the page calls the API: the address of a request decides what it may send and what comes back, by openapi.json.
import type { Routes, Page } from './api.js';

/** An address with `{name}` parts, as a template type. */
type Pattern<K> = K extends `${infer A}{${string}}${infer B}` ? `${A}${string}${Pattern<B>}` : K;
/** The described route with exactly this address. */
type Route<P> = { [K in keyof Routes]: [P] extends [Pattern<K>] ? ([Pattern<K>] extends [P] ? K : never) : never }[keyof Routes];
type With<M extends string> = { [K in keyof Routes]: Routes[K] extends Record<M, unknown> ? K : never }[keyof Routes];
type Part<P, M extends string, F extends string> = Route<P> extends infer K ? (K extends keyof Routes ? (Routes[K] extends Record<M, Record<F, infer T>> ? T : never) : never) : never;
/** Addresses that the description leaves out: the proxy's own. */
type Undescribed = `/proxy/${string}`;
type Answer<P, M extends string> = P extends Undescribed ? any : Part<P, M, 'answer'>;
type Query<P, M extends string> = P extends Undescribed ? Record<string, unknown> : { [F in keyof Part<P, M, 'query'>]?: Part<P, M, 'query'>[F] | null };

export interface Options { signal?: AbortSignal; quiet?: boolean }

export type Get = <P extends string>(path: P, query?: Query<P, 'get'> | null, options?: Options) => Promise<Answer<P, 'get'>>;
export type Post = <P extends string>(path: P, body?: Part<P, 'post', 'body'>, options?: Options & { query?: Query<P, 'post'> }) => Promise<Answer<P, 'post'>>;
export type Put = <P extends string>(path: P, body: Part<P, 'put', 'body'>) => Promise<Answer<P, 'put'>>;
export type Patch = <P extends string>(path: P, body: Part<P, 'patch', 'body'>) => Promise<Answer<P, 'patch'>>;
export type Remove = <P extends string>(path: P) => Promise<Answer<P, 'delete'>>;
export type Upload = <P extends string>(path: P, query: Query<P, 'post'>, file: Blob, options?: { signal?: AbortSignal; onProgress?: (share: number) => void }) => Promise<Answer<P, 'post'>>;

export type VaultPath = (vault?: string) => `/v1/vaults/${string}`;
export type MemoryPath = (route: { vault?: string; memory?: string }) => `/v1/vaults/${string}/memories/${string}`;

export type AtMemory = ReturnType<MemoryPath>;

/** What `useLoad` gives. */
export interface Loaded<T> { data: T | null; error: (Error & { status?: number; kind?: string }) | null; loading: boolean }
export type UseLoad = <T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[]) => Loaded<T>;

/** Both clocks, as the address has them. */
export interface Moment { said: number | null; known: number | null; past: boolean; saidTold: string; knownTold: string; before?: string; asOf?: string; wrong: { said: string; known: string } | null }
/** Where the page is. */
export interface Place { view: string; vault?: string; memory?: string; id?: string; params: Record<string, string>; hash: string }
export type { Page };
