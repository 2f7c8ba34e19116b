// What can go wrong, each with a class of its own.

import type { Problem, ProblemKind } from "./types.ts";

/** The base of everything that this package throws by itself. */
export class EverwhenError extends Error {
  override name = "EverwhenError";
}

/** The server did not answer, also after retries. */
export class NotReachableError extends EverwhenError {
  override name = "NotReachableError";
}

/** The server refused a request and said why. */
export class APIError extends EverwhenError {
  override name = "APIError";
  /** The HTTP status. */
  readonly status: number;
  /** The kind of problem; undefined if something in between answered. */
  readonly kind: ProblemKind | undefined;
  /** The problem in a few words. */
  readonly title: string;
  /** What was wrong, and what would have been right. */
  readonly detail: string;

  constructor(status: number, kind: ProblemKind | undefined, title: string, detail: string) {
    super(detail ? `${title}: ${detail}` : title);
    this.status = status;
    this.kind = kind;
    this.title = title;
    this.detail = detail;
  }
}

/** The request is wrong; the detail says what would be right. */
export class InvalidError extends APIError {
  override name = "InvalidError";
}
/** There is no valid key in the request. */
export class UnauthenticatedError extends APIError {
  override name = "UnauthenticatedError";
}
/** The key does not allow this. */
export class DeniedError extends APIError {
  override name = "DeniedError";
}
/** There is no such thing. */
export class NotFoundError extends APIError {
  override name = "NotFoundError";
}
/** The path does not know this method. */
export class MethodNotAllowedError extends APIError {
  override name = "MethodNotAllowedError";
}
/** It contradicts what is there, or the idempotency key was used for another request. */
export class ConflictError extends APIError {
  override name = "ConflictError";
}
/** More than the server accepts at once. */
export class TooLargeError extends APIError {
  override name = "TooLargeError";
}
/** The body is not JSON. */
export class UnsupportedMediaTypeError extends APIError {
  override name = "UnsupportedMediaTypeError";
}
/** The request did not arrive in time. */
export class RequestTimeoutError extends APIError {
  override name = "RequestTimeoutError";
}
/** The server has too much to do; later it may answer. */
export class BusyError extends APIError {
  override name = "BusyError";
}
/** The server cannot reach its store, or is stopping. */
export class UnavailableError extends APIError {
  override name = "UnavailableError";
}
/** What the server has stored cannot be read. */
export class DamagedError extends APIError {
  override name = "DamagedError";
}

// The type makes the compiler ask for every kind of problem.
const ERRORS: Record<ProblemKind, typeof APIError> = {
  invalid: InvalidError,
  unauthenticated: UnauthenticatedError,
  denied: DeniedError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  conflict: ConflictError,
  too_large: TooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  timeout: RequestTimeoutError,
  busy: BusyError,
  unavailable: UnavailableError,
  damaged: DamagedError,
};

/** The error for a response. A server in between may have answered something else than a problem. */
export function errorFrom(status: number, text: string): APIError {
  const problem = readProblem(text);
  const kind = problem.kind;
  const known = kind === undefined ? undefined : ERRORS[kind];
  return new (known ?? APIError)(status, kind, problem.title ?? `HTTP ${status}`, problem.detail ?? text.slice(0, 500));
}

function readProblem(text: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "kind" in body ? (body as Problem) : {};
  } catch {
    return {};
  }
}
