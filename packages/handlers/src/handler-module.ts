import type { Handler } from '@queue/executor'

/** One handler, with the connections that it keeps open between jobs. */
export interface HandlerModule {
  readonly handler: Handler
  /** Closes its connections. Call it when no job runs any more. */
  close(): Promise<void>
}
