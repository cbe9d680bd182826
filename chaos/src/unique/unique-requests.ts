// The random requests of the attack on unique keys.
import type { Queue, UniqueScope } from '@queue/core'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import { policiesOf, servedQueue, type UniqueRequest, uniqueWindowMs } from './unique-doors.ts'

const keys = Array.from({ length: 12 }, (_, n) => `key ${n}`)
export const groups = Array.from({ length: 6 }, (_, n) => `group ${n}`)
const scopes = ['waiting', 'live', 'window'] as const satisfies readonly UniqueScope[]
/** The most requests of one call, for the doors that take several. */
const requestsMax: Readonly<Record<string, number>> = { enqueueMany: 4, transaction: 2 }

export interface Draw {
  readonly random: Random
  /** The database's clock. */
  readonly nowMs: number
  /** The number of the call. */
  readonly number: number
}

/** Random requests for a door. In a transaction, each has another key. */
export function drawRequests(door: string, draw: Draw): [UniqueRequest, ...UniqueRequest[]] {
  const { random, number } = draw
  // Nobody else takes the slot of a key that is requested once, so it shows what its job has left.
  const firstKey = random.chance(0.2) ? `key of ${number}` : random.pick(keys)
  const others = door === 'transaction' ? keys.filter((key) => key !== firstKey) : keys
  const more = Array.from({ length: random.between(1, requestsMax[door] ?? 1) - 1 }, (_, n) =>
    drawRequest(draw, random.pick(others), n + 1),
  )
  return [drawRequest(draw, firstKey, 0), ...more]
}

function drawRequest({ random, nowMs, number }: Draw, uniqueKey: string, place: number): UniqueRequest {
  // Most are waiting, because workers soon free the keys of these.
  const scope = random.chance(0.6) ? 'waiting' : random.pick(scopes)
  const policy = random.pick(policiesOf[scope])
  return {
    request: `r${number}-${place}`,
    uniqueKey,
    scope,
    policy,
    startMs: random.chance(0.5) ? Math.round(nowMs) + random.pick([20, 100, 400]) : undefined,
    maxWaitMs: policy === 'reschedule' && random.chance(0.5) ? random.between(1, 300) : undefined,
    // Jobs that are due and not claimed are met by requests that would put them off.
    queue: random.chance(0.6) ? servedQueue : 'unserved',
    expiresInMs: random.chance(0.4) ? random.pick([20, 60, 200]) : undefined,
    group: random.pick(groups),
  }
}

/** The requests of schedules, which are the same in each run. The name of the schedule is that of the request. */
export const scheduledRequests: readonly (UniqueRequest & { readonly policy: 'return' | 'refuse' })[] =
  scopes.map((scope, n) => ({
    request: `schedule-${scope}`,
    uniqueKey: keys[n] ?? '',
    scope,
    policy: n === 0 ? 'refuse' : 'return',
    expiresInMs: undefined,
    queue: servedQueue,
    group: groups[n] ?? '',
  }))

/** Creates the schedules, which do not become due in a run. */
export async function createSchedules(queue: Queue): Promise<void> {
  for (const { request: name, uniqueKey: key, scope, policy: onConflict, group } of scheduledRequests) {
    const unique = { key, scope, onConflict, ...(scope === 'window' && { windowMs: uniqueWindowMs }) }
    await queue.schedules.create({
      name,
      everyMs: 86_400_000,
      definition: chaosJob,
      payload: { key: name, plan: 'succeed', ms: 0 },
      options: { queue: servedQueue, metadata: { group }, unique },
    })
  }
}
