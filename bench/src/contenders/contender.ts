/**
 * One queue in the comparison. Every contender runs the same no-op handler on the same payload. `bench compare` also
 * calls these functions on `ours` of other commits: what they take and give stays as it is, or is only added to.
 */
export interface Contender {
  readonly name: string
  /** Creates the tables; the database at `url` is empty. */
  prepare(url: string): Promise<void>
  /** A producer, connected. */
  produce(url: string): Promise<Producer>
  /** A worker, at the settings that suit the work best; `onJob` is its handler. */
  work(url: string, settings: WorkSettings): Promise<Consumer>
}

export interface Producer {
  /** Adds `count` jobs, in batches of the size that suits this contender. */
  addMany(count: number): Promise<void>
  /** Adds one job; resolves when it is committed. */
  addOne(): Promise<void>
  close(): Promise<void>
}

export interface WorkSettings {
  /** `throughput`: batches and fetching ahead. `latency`: whatever starts a lone job soonest. */
  readonly tuning: 'throughput' | 'latency'
  readonly onJob: () => void | Promise<void>
}

export interface Consumer {
  stop(): Promise<void>
}

/** What every job carries. */
export const payload = { message: 'hello', number: 42 } as const
/** Handlers at a time, for contenders that count them so. */
export const concurrency = 24
