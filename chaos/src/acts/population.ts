import { defineJob, type JobOptions, type Queue } from '@queue/core'
import { registerWorker, databaseOf } from '@queue/core/internal'
import { z } from 'zod'
import type { Random } from '../nemesis/random.ts'

/** Few values of each member, so that filters of several members select some jobs and not others. */
export const kinds = ['paint', 'polish'] as const
/** The jobs of the second queue start one at a time for each key. */
export const queues = ['open', 'limited'] as const
export const tenants = ['acme', 'umbrella'] as const
export const keys = ['k1', 'k2'] as const
export const groups = ['a', 'b', 'c'] as const
/** The index of metadata holds the first 200 characters of a value. */
export const tags = ['x'.repeat(199), 'x'.repeat(200), 'x'.repeat(201)] as const
export const fingerprints = ['00000000000000f1', '00000000000000f2', '00000000000000f3'] as const
export const schedules = ['daily', 'weekly'] as const
export const workers = [
  { id: 'first', version: '1.0.0' },
  { id: 'second', version: '2.0.0' },
] as const

const payload = z.strictObject({ n: z.int() })

/** The kinds of the jobs. */
export const definitions = kinds.map((kind) =>
  defineJob({ kind, payload, retryPolicy: { type: 'fixed', baseMs: 5 } }),
)

/** Sets the limits, registers the workers and creates the schedules. */
export async function prepareQueues(queue: Queue): Promise<void> {
  await queue.limits.set({ queue: 'limited', scope: 'each_key', maxRunning: 1 })
  for (const worker of workers) {
    await registerWorker(databaseOf(queue), {
      ...worker,
      hostname: 'acts',
      pid: 1,
      zoneVersion: '2026a',
      queues: [...queues],
      kinds: [...kinds],
      concurrency: 10,
      leaseMs: 3_600_000,
    })
  }
  for (const [index, name] of schedules.entries()) {
    const definition = definitions[index] ?? definitions[0]
    if (definition === undefined) throw new Error('there is no kind')
    await queue.schedules.create({ name, everyMs: 86_400_000, definition, payload: { n: 0 } })
  }
}

/** Random options of a job. */
export function drawOptions(random: Random): JobOptions {
  const chooses = (probability: number): boolean => random.chance(probability)
  return {
    queue: random.pick(queues),
    priority: random.between(0, 9),
    maxAttempts: random.between(1, 3),
    ...(chooses(0.5) && { tenantId: random.pick(tenants) }),
    ...(chooses(0.5) && { key: random.pick(keys) }),
    ...(chooses(0.8) && { metadata: drawMetadata(random) }),
    ...(chooses(0.3) && { idempotencyKey: `i${random.between(1, 1e9)}` }),
    ...(chooses(0.3) && { delayMs: chooses(0.5) ? 3_600_000 : 20 }),
    ...(chooses(0.2) && { expiresInMs: chooses(0.5) ? 7_200_000 : random.between(25, 200) }),
  }
}

export function drawMetadata(random: Random): NonNullable<JobOptions['metadata']> {
  return { group: random.pick(groups), ...(random.chance(0.3) && { tag: random.pick(tags) }) }
}
