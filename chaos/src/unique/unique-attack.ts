// Clients that request unique keys and act on their jobs, beside workers, retention and kills of their sessions.
import type { Queue } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import type pg from 'pg'
import type { Random } from '../nemesis/random.ts'
import { type Moment, readMoment } from '../record/snapshot.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import { uniqueActs } from './unique-acts.ts'
import { disturb } from './unique-disturbances.ts'
import { createDoors, type Door, type UniqueRequest } from './unique-doors.ts'
import { createUniqueRecord, type UniqueRecord } from './unique-record.ts'
import { createSchedules, drawRequests, groups, scheduledRequests } from './unique-requests.ts'

const clients = 8
const actsPerKill = 150
/** The share of the calls that are acts on jobs. The others request keys. */
const actShare = 0.4

/** More connections than the clients need, so that a killed one is replaced without a wait. */
export const attackPoolMax = 2 * clients

export interface AttackedQueue {
  readonly database: TestDatabase
  readonly queue: Queue
  /** The pool of the queue, whose sessions are killed. */
  readonly pool: pg.Pool
}

/** What the clients were told, and how often sessions were killed. */
export interface AttackResult extends UniqueRecord {
  readonly kills: number
}

/** Makes this many calls, and resolves when all of them have ended. */
export async function attackUniqueKeys(
  attacked: AttackedQueue,
  { size, random, signal, progress }: ScenarioContext,
): Promise<AttackResult> {
  const { database, queue } = attacked
  await createSchedules(queue)
  const record = createUniqueRecord()
  const call = createCalls(attacked, record, random)
  let calls = 0
  let isOver = false
  const attack = async (draws: Random): Promise<void> => {
    while (calls < size.count) {
      signal.throwIfAborted()
      calls += 1
      progress(`${calls} of ${size.count} acts`)
      await call(calls, draws)
    }
  }
  const killed = disturb({
    database,
    queue,
    random,
    record,
    isOver: () => isOver,
    killsDue: () => calls / actsPerKill,
  })
  try {
    await Promise.all(Array.from({ length: clients }, (_, n) => attack(random.fork(`client ${n}`))))
  } finally {
    isOver = true
  }
  // The runs of a schedule are told apart by their jobs alone.
  const unanswered = new Set([...record.unanswered, ...scheduledRequests.map(({ request }) => request)])
  return { ...record, unanswered, kills: await killed }
}

/** Returns a function that makes one random call, and notes its answer. */
function createCalls({ database, queue, pool }: AttackedQueue, record: UniqueRecord, random: Random) {
  const now = (): Promise<Moment> => readMoment(database)
  const doors: Readonly<Record<string, Door>> = {
    ...createDoors({ pool, queue, random: random.fork('transactions'), readMoment: now }),
  }
  const request = async (name: string, number: number, draws: Random): Promise<void> => {
    const before = await now()
    const requests: readonly [UniqueRequest, ...UniqueRequest[]] =
      name === 'schedule'
        ? [draws.pick(scheduledRequests)]
        : drawRequests(name, { random: draws, nowMs: before.ms, number })
    try {
      const entered = await doors[name]?.(requests)
      if (entered !== undefined) record.answer(requests, entered, { before, after: await now() })
    } catch (error) {
      record.failure(name, error, requests)
    }
  }
  const act = async (name: string, draws: Random): Promise<void> => {
    const before = await now()
    const target = { jobId: draws.pick(record.recentJobs), group: draws.pick(groups), random: draws }
    try {
      const said = (await uniqueActs[name]?.(queue, target)) ?? []
      record.said(said, { before, answered: await now() })
    } catch (error) {
      record.failure(name, error)
    }
  }
  return (number: number, draws: Random): Promise<void> =>
    record.recentJobs.length > 0 && draws.chance(actShare)
      ? act(draws.pick(Object.keys(uniqueActs)), draws)
      : request(draws.pick(Object.keys(doors)), number, draws)
}
