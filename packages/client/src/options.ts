export interface ClientOptions {
  /** The URL of the API, for example `http://queue.internal:8080`. It may have a path, which precedes the paths of the API. */
  readonly baseUrl: string
  /**
   * The API key or bearer token, if the API requires one, or a function that returns it. The client calls the function
   * before each attempt, so a rotated key needs no restart. If the function throws, the call rejects with that error.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** The tenant of all calls. Needed if the credential is for several tenants or for all. */
  readonly tenant?: string | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** How many times a failed call is retried at most, if a retry is safe. Default: 5. 0 turns retries off. */
  readonly retries?: number | undefined
  /** How long one attempt may take, in milliseconds, until its response has been read. Default: 35 000. */
  readonly timeoutMs?: number | undefined
  /** Aborts all calls of the client. */
  readonly signal?: AbortSignal | undefined
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts this call: it rejects with the signal's reason. A request that was already sent may still take effect. */
  readonly signal?: AbortSignal | undefined
}
