import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { describe, expect, jest, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { handle } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { stderrLogger } from '@queue/loop'
import { z } from 'zod'
import type { Logger, WorkerObserver, WorkerTracing } from '../src/index.ts'
import { noObserver } from '../src/observer.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

function raise(): never {
  throw new Error('this reporter is broken')
}

async function rejecting(): Promise<never> {
  raise()
}

const brokenLogger: Logger = { debug: raise, info: raise, warn: raise, error: raise }
const brokenObserver = Object.fromEntries(
  Object.keys(noObserver).map((name) => [name, raise]),
) as unknown as WorkerObserver

describe('an observer that throws', () => {
  test('affects no job, no slot and not the worker', async () => {
    await world.work(() => undefined, { metrics: brokenObserver, concurrency: 1 })
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
  })
})

describe('an observer', () => {
  test('is told the duration of an attempt without the work of the attempt that takes its slot', async () => {
    const blockedMs = 500
    const bothClaimed = Promise.withResolvers<void>()
    let claimed = 0
    const tracing: WorkerTracing = {
      claimed: ({ jobs }) => {
        claimed += jobs.length
        if (claimed === 2) bothClaimed.resolve()
      },
      attempt: () => ({ traceparent: undefined, within: (work) => work(), ended: () => undefined }),
    }
    const ids = [await world.enqueue(), await world.enqueue()]
    let firstMs = 0
    await world.work(
      async ({ id }) => {
        const startedAtMs = performance.now()
        if (id !== ids[0]) while (performance.now() < startedAtMs + blockedMs);
        else await bothClaimed.promise.then(() => setImmediate())
        firstMs ||= performance.now() - startedAtMs
      },
      { tracing, concurrency: 1, prefetch: 1 },
    )
    for (const id of ids) await world.reached(id, 'succeeded')
    const [first] = await eventually(() => {
      const completed = world.observer.reports('jobCompleted')
      return completed.length === 2 && completed
    })
    expect((first?.seconds ?? 0) * 1_000).toBeLessThan(firstMs + blockedMs)
  })
})

describe('tracing', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const own = '00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01'

  test('gets each claim and attempt, runs the handler within the attempt, and passes it the traceparent', async () => {
    const events: unknown[] = []
    let current = 'none'
    const tracing: WorkerTracing = {
      claimed: ({ jobs }) => void events.push(['claimed', jobs.length]),
      attempt: (job) => ({
        traceparent: own,
        within: (work) => {
          current = job.id
          work()
          current = 'none'
        },
        ended: ({ outcome, error }) => void events.push(['ended', outcome, (error as Error).message]),
      }),
    }
    const traceparents: unknown[] = []
    await world.work(
      (job, ctx) => {
        traceparents.push(current === job.id, ctx.traceparent)
        ctx.logger.info('at work')
        throw new Error('no')
      },
      { tracing },
    )
    const id = await world.enqueue({ maxAttempts: 1, traceContext: traceparent })
    await world.reached(id, 'failed_permanent')
    await eventually(() => events.length === 2)
    expect(traceparents).toEqual([true, own])
    expect(events).toEqual([
      ['claimed', 1],
      ['ended', 'failed_permanent', 'no'],
    ])
    const line = world.logger.lines.find(({ message }) => message === 'at work')
    expect(line?.fields).toMatchObject({ job_id: id, trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' })
  })

  test('that is absent passes the handler the trace context of the enqueue', async () => {
    const seen: unknown[] = []
    await world.work((_job, ctx) => void seen.push(ctx.traceparent))
    await world.reached(await world.enqueue({ traceContext: traceparent }), 'succeeded')
    await world.reached(await world.enqueue(), 'succeeded')
    expect(seen).toEqual([traceparent, null])
  })

  test.each([
    ['everywhere', { claimed: raise, attempt: raise }],
    [
      'in promises that it returns',
      { claimed: rejecting, attempt: () => ({ traceparent: own, within: rejecting, ended: rejecting }) },
    ],
    ['in the promise of an attempt', { claimed: rejecting, attempt: rejecting as never }],
    [
      'before the work',
      { claimed: raise, attempt: () => ({ traceparent: own, within: raise, ended: raise }) },
    ],
    [
      'after the work',
      {
        claimed: () => undefined,
        attempt: () => ({
          traceparent: undefined,
          within: (work: () => void) => {
            work()
            raise()
          },
          ended: raise,
        }),
      },
    ],
  ])('that throws %s affects no job, and each runs once', async (_where, tracing: WorkerTracing) => {
    let runs = 0
    await world.work(() => void (runs += 1), { tracing, concurrency: 1 })
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
    expect(runs).toBe(3)
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  })
})

describe('a logger that throws', () => {
  test('affects no job, no slot and not the worker', async () => {
    const logs: unknown[] = []
    await world.work(
      (_job, ctx) => {
        logs.push(ctx.logger.info('at work'))
        if (ctx.attempt === 1) throw new Error('once')
      },
      { logger: brokenLogger, concurrency: 1 },
    )
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
    expect(logs).toHaveLength(6)
  })
})

describe('the default logger', () => {
  function written(log: () => void): string {
    const lines: string[] = []
    const write = jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => lines.push(String(text)) > 0)
    try {
      log()
    } finally {
      write.mockRestore()
    }
    return lines.join('')
  }

  test('writes the error', () => {
    const line = written(() => stderrLogger.warn('a claim failed', { error: new Error('out of disk') }))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', message: 'a claim failed' })
    expect(JSON.parse(line).error).toContain('out of disk')
  })

  test('writes a line for any fields', () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const error of [7n, circular, Symbol('s'), () => undefined, undefined]) {
      const line = written(() => stderrLogger.error('job failed', { error, job_id: 'j_1' }))
      expect(JSON.parse(line)).toMatchObject({ level: 'error', message: 'job failed' })
    }
  })
})

describe('the lines about a job', () => {
  test('contain its id, its kind, the attempt and the worker', async () => {
    const worker = await world.work((_job, ctx) => {
      ctx.logger.info('at work', { step: 1 })
      throw new Error('no')
    })
    const id = await world.enqueue({ maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    const about = { job_id: id, kind: 'test_job', attempt: 1, worker_id: worker.id }
    await eventually(() => world.logger.lines.some((line) => line.message === 'job failed'))
    for (const message of ['at work', 'job failed']) {
      expect(world.logger.lines.find((line) => line.message === message)?.fields).toMatchObject(about)
    }
  })

  test('mask sensitive parts of the payload in the errors of its attempts', async () => {
    const card = defineJob({
      kind: 'charge_card',
      payload: z.object({ number: z.string(), shop: z.string() }),
      sensitive: ['/number'],
    })
    const fails = handle(card, ({ payload }) => {
      const cause = new Error(`no such card: ${payload.number}`)
      throw new Error(`${payload.shop} could not charge ${payload.number}`, { cause })
    })
    await world.create({ handlers: [fails] }).start()
    await world.database.queue.enqueue(card, { number: '4111-secret', shop: 'north' }, { maxAttempts: 1 })
    const failed = () =>
      world.logger.lines.find(
        ({ message, fields }) => message === 'job failed' && fields['kind'] === card.kind,
      )
    const { fields } = await eventually(failed)
    const error = fields['error'] as Error
    expect(error).toMatchObject({
      message: 'north could not charge ***',
      cause: { message: 'no such card: ***' },
    })
    expect(inspect(error)).not.toContain('4111-secret')
  })
})
