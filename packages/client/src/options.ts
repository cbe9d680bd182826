export interface ClientOptions {
  /** Where the API is, as `http://queue.internal:8080`; a path is what stands before the paths of the API. */
  readonly baseUrl: string
  /**
   * The API key or bearer token, where the API asks for one; or a function that gives it, asked before each attempt, so
   * that a rotated key needs no restart. What it throws, the call rejects with.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** The tenant that all calls are about, where the credential is for several tenants or for all. */
  readonly tenant?: string | undefined
  /** In the place of the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** How often a call is sent again at most, where that is safe. 5 if absent; 0 is never. */
  readonly retries?: number | undefined
  /** Milliseconds that one attempt may take, its answer read. 35 000 if absent. */
  readonly timeoutMs?: number | undefined
  /** Aborts whatever the client does. */
  readonly signal?: AbortSignal | undefined
}

/** What every call takes. */
export interface CallOptions {
  /** Aborts this call: it rejects with the signal's reason. What was sent may take effect all the same. */
  readonly signal?: AbortSignal | undefined
}
