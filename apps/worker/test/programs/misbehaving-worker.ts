/** The worker process with other handlers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgClient } from '@queue/core'
import { type AttemptAborted, HandlerExecutor, handle } from '@queue/executor'
import { runMain } from '@queue/service'
import { program } from '../../src/program.ts'
import { runWorker } from '../../src/run-worker.ts'
import { misbehave } from './misbehave.ts'

const handler = handle<typeof misbehave.payload, PgClient>(
  misbehave,
  async ({ payload }, ctx): Promise<void> => {
    ctx.logger.info('begun', { act: payload.act })
    switch (payload.act) {
      case 'block':
        return holdLoop(payload.ms ?? 0)
      case 'spin':
        if (ctx.attempt === 1) holdLoop(Number.POSITIVE_INFINITY)
        return
      case 'ignore':
        return new Promise(() => undefined)
      case 'wait': {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        const { reason } = ctx.signal.reason as AttemptAborted
        ctx.logger.info('told to stop', { reason })
        throw ctx.signal.reason
      }
      case 'pause':
        return sleep(payload.ms)
      case 'return':
        return
    }
  },
)

/** Blocks the event loop as a busy loop does, but leaves the core to the other processes of the test. */
function holdLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

await runMain(program, (context) =>
  runWorker({ ...context, createExecutor: () => new HandlerExecutor<PgClient>([handler]) }),
)
