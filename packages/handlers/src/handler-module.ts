import type { Handler } from '@queue/executor'

/** One handler, and what it holds open between jobs. */
export interface HandlerModule {
  readonly handler: Handler
  /** Ends its connections. To be called when no job runs any more. */
  close(): Promise<void>
}
