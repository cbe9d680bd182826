import { describe, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { handle } from '@queue/executor'
import { eventually, insertJob } from '@queue/test-database'
import { z } from 'zod'
import { createWorker, type WorkerOptions } from '../src/index.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

/** Counts the concurrent handlers of each queue, and lets those of a queue end when it is opened. */
function gated() {
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const gateOf = (queue: string): PromiseWithResolvers<void> => {
    const gate = gates.get(queue) ?? Promise.withResolvers<void>()
    gates.set(queue, gate)
    return gate
  }
  const handler = handle(testJob, async ({ queue }) => {
    const now = (running.get(queue) ?? 0) + 1
    running.set(queue, now)
    most.set(queue, Math.max(now, most.get(queue) ?? 0))
    await gateOf(queue).promise
    running.set(queue, (running.get(queue) ?? 1) - 1)
  })
  return { handler, running, most, open: (queue: string) => gateOf(queue).resolve() }
}

const enqueue = (queue: string, count: number) =>
  world.database.queue.enqueueMany(Array.from({ length: count }, () => testJob.create({}, { queue })))

const succeeded = async (): Promise<number> => {
  const { rows } = await world.database.pool.query(`SELECT FROM queue.all_jobs WHERE status = 'succeeded'`)
  return rows.length
}

describe('a queue with a concurrency of its own', () => {
  test('runs this many jobs concurrently, in addition to the slots that the other queues share', async () => {
    await enqueue('mail', 12)
    await enqueue('default', 12)
    await enqueue('other', 12)
    const { handler, running, most, open } = gated()
    const queues = { mail: { concurrency: 2 }, default: {}, other: {} }
    const worker = world.create({ handlers: [handler] }, { queues, concurrency: 3 })
    await worker.start()
    await eventually(() => worker.running === 5, { what: 'that every slot is taken' })
    expect(running.get('mail')).toBe(2)
    const [registered] = await world.database.queue.workers()
    expect(registered).toMatchObject({ concurrency: 5, queues: ['mail', 'default', 'other'] })
    for (const queue of Object.keys(queues)) open(queue)
    await eventually(async () => (await succeeded()) === 36)
    expect(most.get('mail')).toBeLessThanOrEqual(2)
    expect((most.get('default') ?? 0) + (most.get('other') ?? 0)).toBeLessThanOrEqual(6)
  })

  test('does not make others wait when its slots are in use, and continues at once when one is free', async () => {
    await enqueue('mail', 5)
    await enqueue('default', 20)
    const { handler, open } = gated()
    open('default')
    const settings = {
      queues: { mail: { concurrency: 1 }, default: {} },
      concurrency: 1,
      maxPollIntervalMs: 3_600_000,
      pollIntervalMs: 3_600_000,
    }
    const worker = world.create({ handlers: [handler] }, settings)
    await worker.start()
    await eventually(async () => (await succeeded()) === 20)
    expect(worker.running).toBe(1)
    open('mail')
    await eventually(async () => (await succeeded()) === 25)
  })

  test('stops with its worker: running jobs end, and none is left behind', async () => {
    await enqueue('mail', 3)
    await enqueue('default', 3)
    const { handler, open } = gated()
    const worker = world.create(
      { handlers: [handler] },
      { queues: { mail: { concurrency: 2 }, default: {} }, concurrency: 2 },
    )
    await worker.start()
    await eventually(() => worker.running === 4)
    open('mail')
    open('default')
    await worker.stop()
    const { rows } = await world.database.pool.query(`SELECT FROM queue.all_jobs WHERE status = 'running'`)
    expect(rows).toEqual([])
  })

  test('runs a job that has crashed a worker before alone in the process, whatever its queue is', async () => {
    const crashed = { crashes: 1, attempts: 1, maxAttempts: 5, status: 'retrying' } as const
    for (const queue of ['mail', 'default', 'mail', 'default'])
      await insertJob(world.database, { kind: testJob.kind, queue, ...crashed })
    let running = 0
    let most = 0
    const handler = handle(testJob, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
    })
    const worker = world.create(
      { handlers: [handler] },
      { queues: { mail: { concurrency: 2 }, default: {} }, concurrency: 2 },
    )
    await worker.start()
    await eventually(async () => (await succeeded()) === 4)
    expect(most).toBe(1)
  })
})

describe('the option', () => {
  const mail = defineJob({ kind: 'mail', payload: z.unknown() })
  const handlers = [handle(mail, () => null)]
  const make = (queues: WorkerOptions['queues']) => () =>
    createWorker({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing', handlers, queues })

  test.each([
    [{ mail: { concurrency: 0 } }, 'queues.mail.concurrency'],
    [{ mail: { concurrency: 1_001 } }, 'queues.mail.concurrency'],
    [{ mail: { workers: 2 } as never }, 'queues.mail'],
    [{ 'no name': {} }, 'queues.0'],
    [{}, 'queues'],
  ])('is refused with the path of the fault: %j', (queues, place) => {
    expect(make(queues)).toThrow(place)
  })
})
