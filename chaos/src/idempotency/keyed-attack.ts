// Clients that request idempotency keys in every way, beside cancels, deletions, retention, lost replies and kills.
import { createQueue, type Queue, QueueError } from '@queue/core'
import { carryOutOperation, pruneJobs, databaseOf } from '@queue/core/internal'
import { isUnavailable, sqlState, sqlStateOf } from '@queue/postgres'
import type { TestDatabase } from '@queue/testing'
import { setTimeout as wait } from 'node:timers/promises'
import { type KeyedAnswer, type KeyEvidence, scheduledName } from '../checker/check-idempotency.ts'
import { deleteAct, type KeyRetention, pruneAct } from '../checker/key-tenures.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { withApplicationName } from '../fleet/fleet.ts'
import { createMutatedPool } from '../mutants/mutated-pool.ts'
import type { Mutation } from '../mutants/mutation.ts'
import type { Random } from '../nemesis/random.ts'
import type { Cuts } from '../proxy/cuts.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { readMoment } from '../record/snapshot.ts'
import { killSessions, sessionName } from '../run/kill-sessions.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import { createKeyedDoors, type KeyedCall, scheduleName } from './keyed-doors.ts'

export const retention: KeyRetention = { jobMs: 30, keyMs: 150 }

/** What the clients were told, and what was done to them. */
export interface KeyedAttack extends KeyEvidence {
  /** Errors that no client may get. */
  readonly faults: readonly string[]
  readonly counts: Readonly<Record<'kills' | 'calls without an answer' | 'snapshots too old', number>>
}

const clients = 8
const actsPerKill = 150
/** The share of the calls that end a job, so that retention finds some. */
const cancelShare = 0.25
const recentMax = 40
const pruneIntervalMs = 15
const deleteIntervalMs = 70

const tenants = [null, 'acme']
const keys = ['a', 'b', 'c', 'd', 'e']
const served = 'served'
const bodies = [
  { queue: served, payloadKey: 'one' },
  { queue: served, payloadKey: 'one' },
  { queue: served, payloadKey: 'two' },
  { queue: 'other', payloadKey: 'one' },
] as const

/** Makes this many calls, and resolves when all of them have ended. */
export async function attackKeys(
  database: TestDatabase,
  context: ScenarioContext,
  cuts: Cuts,
): Promise<KeyedAttack> {
  const { size, random, signal, progress, mutation } = context
  const proxy = await startFaultProxy({ databaseUrl: database.url, decide: cuts.decide })
  const client = openActor(proxy.url, 'client', mutation)
  const pruner = openActor(database.url, pruneAct, mutation)
  const deleter = openActor(database.url, deleteAct, mutation)
  const record = createRecord()
  let calls = 0
  let isOver = false
  const over = (): boolean => isOver
  try {
    await createSchedule(database.queue)
    const { call, cancel } = createCalls(database, { ...client, random }, record)
    const attack = async (draws: Random): Promise<void> => {
      while (calls < size.count) {
        signal.throwIfAborted()
        calls += 1
        progress(`${calls} of ${size.count} acts`)
        await (draws.chance(cancelShare) ? cancel(draws) : call(`${calls}`, draws))
      }
    }
    const disturbed = Promise.all([
      killSessions({ database, isOver: over, killsDue: () => calls / actsPerKill }),
      repeat(over, pruneIntervalMs, () => record.attempt(pruneAct, () => prune(pruner.queue, retention))),
      repeat(over, deleteIntervalMs, () =>
        record.attempt(deleteAct, () => deleteSome(deleter.queue, random.fork(`delete ${calls}`))),
      ),
    ])
    try {
      await Promise.all(Array.from({ length: clients }, (_, n) => attack(random.fork(`client ${n}`))))
    } finally {
      isOver = true
    }
    const [kills] = await disturbed
    return { ...record, counts: { kills, ...record.counts } }
  } finally {
    await Promise.all([client, pruner, deleter].map(({ close }) => close()))
    await proxy.close()
  }
}

/** Ends all jobs, and removes them and their keys as retention does. */
export async function removeAll(database: TestDatabase): Promise<void> {
  const pruner = openActor(database.url, pruneAct, undefined)
  try {
    await pruner.queue.many.cancel({}, { all: true })
    while ((await carryOutOperation(databaseOf(pruner.queue))) !== undefined);
    await wait(retention.keyMs)
    await prune(pruner.queue, retention)
  } finally {
    await pruner.close()
  }
}

/** A queue whose sessions are named in the changes that they make, and may be killed. */
function openActor(databaseUrl: string, act: string, mutation: Mutation | undefined) {
  const url = new URL(withApplicationName(databaseUrl, sessionName))
  url.searchParams.set('options', `-c chaos.act=${act}`)
  const { pool } = createMutatedPool(url.href, mutation)
  const queue = createQueue({ pool })
  const close = async (): Promise<void> => {
    await queue.close()
    await pool.end()
  }
  return { pool, queue, close }
}

async function createSchedule(queue: Queue): Promise<void> {
  const [{ queue: name, payloadKey: key }] = bodies
  await queue.schedules.create({
    name: scheduleName,
    everyMs: 86_400_000,
    definition: chaosJob,
    payload: { key, plan: 'succeed', ms: 0 },
    options: { queue: name, metadata: { request: scheduledName } },
  })
}

function createCalls(
  database: TestDatabase,
  { pool, queue, random }: Pick<ReturnType<typeof openActor>, 'pool' | 'queue'> & { readonly random: Random },
  record: ReturnType<typeof createRecord>,
) {
  const doors = createKeyedDoors({
    pool,
    queue,
    random: random.fork('doors'),
    readMoment: () => readMoment(database),
    onUnknown: record.add,
  })
  const call = async (name: string, draws: Random): Promise<void> => {
    const door = draws.pick(Object.keys(doors))
    const calls = drawCalls(door, `${door} ${name}`, draws)
    await record.attempt(
      door,
      async () => record.add((await doors[door]?.(calls)) ?? []),
      calls.map((one) => one.name),
    )
  }
  const cancel = async (draws: Random): Promise<void> => {
    if (record.recentJobs.length === 0) return
    const id = draws.pick(record.recentJobs)
    await record.attempt('cancel', () => queue.cancel(id))
  }
  return { call, cancel }
}

/** Draws the calls of a door, each with a key of its own, in the order in which keys are locked. */
function drawCalls(door: string, name: string, random: Random): readonly [KeyedCall, ...KeyedCall[]] {
  if (door === 'schedule')
    return [{ name: scheduledName, tenant: null, key: random.pick(keys), ...bodies[0] }]
  const draw = (place: number): KeyedCall => ({
    name: `${name}-${place}`,
    tenant: random.pick(tenants),
    key: random.pick(keys),
    ...random.pick(bodies),
  })
  const drawn = Array.from({ length: random.between(1, 3) }, (_, place) => draw(place))
  const sortName = ({ tenant, key }: KeyedCall): string => `${tenant ?? ''}/${key}`
  const byName = new Map(drawn.map((one) => [sortName(one), one]))
  const sorted = [...byName.values()].toSorted((one, other) => (sortName(one) < sortName(other) ? -1 : 1))
  return sorted as [KeyedCall, ...KeyedCall[]]
}

async function prune(queue: Queue, { jobMs, keyMs }: KeyRetention): Promise<void> {
  const kept = { succeededMs: jobMs, cancelledMs: jobMs, failedMs: jobMs, keyMs }
  await pruneJobs(databaseOf(queue), kept, null)
}

/** Deletes or erases the jobs of a tenant in one state, among them receipts. */
async function deleteSome(queue: Queue, random: Random): Promise<void> {
  const act = random.pick(['delete', 'erase'] as const)
  const filter = random.pick([
    { queue: 'other', status: 'queued' },
    { tenantId: 'acme', status: 'cancelled' },
    { queue: served, tenantId: 'acme' },
  ] as const)
  await queue.many[act](filter)
  while ((await carryOutOperation(databaseOf(queue))) !== undefined);
}

async function repeat(isOver: () => boolean, intervalMs: number, act: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    await act()
    await wait(intervalMs)
  }
}

function createRecord() {
  const answers: KeyedAnswer[] = []
  const unanswered = new Set<string>()
  const faults: string[] = []
  const recentJobs: string[] = []
  const counts = { 'calls without an answer': 0, 'snapshots too old': 0 }
  const add = (told: readonly KeyedAnswer[]): void => {
    answers.push(...told)
    recentJobs.push(...told.map(({ jobId }) => jobId))
    recentJobs.splice(0, recentJobs.length - recentMax)
  }
  /** Only our own faults, and snapshots of a transaction that asks for one, may make a call fail. */
  const attempt = async (
    name: string,
    act: () => Promise<unknown>,
    requests: readonly string[] = [],
  ): Promise<void> => {
    try {
      await act()
    } catch (error) {
      const code = error instanceof QueueError ? error.code : undefined
      if (code === 'database_unavailable' || isLost(error)) {
        counts['calls without an answer'] += 1
        // What a transaction has written before its COMMIT is sent was not committed.
        if (name !== 'transaction' && name !== 'snapshot') for (const one of requests) unanswered.add(one)
      } else if (name === 'snapshot' && sqlStateOf(error) === sqlState.serializationFailure) {
        counts['snapshots too old'] += 1
      } else if (name !== 'cancel' || (code !== 'job_not_found' && code !== 'invalid_transition')) {
        faults.push(`${name} failed: ${String(error)} (${code ?? sqlStateOf(error) ?? 'no code'})`)
      }
    }
  }
  return { answers, unanswered, faults, recentJobs, counts, add, attempt }
}

/** Whether a connection was lost, also as node-postgres says it of a statement of a caller. */
function isLost(error: unknown): boolean {
  if (isUnavailable(error)) return true
  return error instanceof Error && /Connection terminated|ECONNRESET|not queryable/.test(error.message)
}
