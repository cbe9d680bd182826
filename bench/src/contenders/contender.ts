/**
 * A queue in the comparison. Every contender runs the same no-op handler with the same payload. `bench compare` also calls
 * these functions on `ours` of other commits, so their parameters and results may be extended but not changed.
 */
export interface Contender {
  readonly name: string
  /** Creates the tables; the database at `url` is empty. */
  prepare(url: string): Promise<void>
  /** Connects a producer. */
  produce(url: string): Promise<Producer>
  /** Starts a worker with the settings that suit the work best. `onJob` is its handler. */
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
  /** `throughput`: with batches and prefetch. `latency`: with the settings that start a single job soonest. */
  readonly tuning: 'throughput' | 'latency'
  readonly onJob: () => void | Promise<void>
}

export interface Consumer {
  stop(): Promise<void>
}

/** The payload of every job. */
export const payload = { message: 'hello', number: 42 } as const
/** The number of concurrent handlers, for contenders that have such a setting. */
export const concurrency = 24
