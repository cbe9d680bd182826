import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { isTraceparent, traceIdOf } from '../../src/internal.ts'
import { type EnqueueTracing, createGroupedEnqueue, createQueue } from '../../src/index.ts'
import { probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = (n: number) => `00-${traceId}-${String(n).padStart(16, '0')}-01`

/** A tracer that gives each enqueue its own trace context, and records how many jobs each wrote. */
function countingTracer() {
  const sizes: number[] = []
  const tracing: EnqueueTracing = {
    send: async (requests, write) => {
      const traceContext = traceparent(sizes.push(requests.length))
      return write(requests.map((request) => ({ ...request, traceContext })))
    },
  }
  return { tracing, sizes }
}

test('jobs carry the trace context of the operation that enqueued them', async () => {
  const { tracing, sizes } = countingTracer()
  const queue = createQueue({ pool: world.database.pool, tracing })
  const alone = await queue.enqueue(probe, 0, { traceContext: traceparent(99) })
  const batch = await queue.enqueueMany([probe.create(1), probe.create(2)])
  const contexts = [alone, ...batch].map(({ job }) => job.traceContext)
  expect(contexts).toEqual([traceparent(1), traceparent(2), traceparent(2)])
  expect(sizes).toEqual([1, 2])
})

test('enqueues that are written together are one operation for each caller', async () => {
  const { tracing, sizes } = countingTracer()
  const grouped = createGroupedEnqueue(world.queue, { tracing })
  const enqueued = await Promise.all([0, 1, 2].map((n) => grouped.enqueue(probe, n)))
  expect(enqueued.map(({ job }) => job.traceContext)).toEqual([1, 2, 3].map(traceparent))
  expect(sizes).toEqual([1, 1, 1])
})

test.each([
  [traceparent(1), true],
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09', true],
  ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
  ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', false],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7', false],
  ['', false],
])('%s is a traceparent: %s', (text, is) => {
  expect(isTraceparent(text)).toBe(is)
  expect(traceIdOf(text)).toBe(is ? traceId : undefined)
})
