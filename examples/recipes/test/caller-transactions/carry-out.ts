import { defineJob, type Queue, QueueError } from '@queue/core'
import { z } from 'zod'
import type { Caller, Driver } from './drivers.ts'
import type { Call, Plan, Round } from './plans.ts'

/** What a transaction was told about one job. */
export interface Answer extends Reply {
  /** Whether the caller has rolled back to a savepoint from before it. */
  readonly undone: boolean
}

/** What an enqueue answered about one job. */
export interface Reply {
  readonly id: string
  /** Whether the job is new; otherwise its key was held. */
  readonly isNew: boolean
  /** Its key, with the kind of the key in front; undefined for a job without one. */
  readonly key: string | undefined
  /** For a request with an idempotency key: what it asked for, and whether its key was said to be that of another request. */
  readonly request?: { readonly differs: boolean; readonly mismatched: boolean }
}

/** What a transaction has done, as its caller knows it. */
export interface Told {
  readonly driver: string
  readonly end: 'committed' | 'rolled back' | 'unknown'
  /** The ids of its own rows, and whether the caller has rolled back to a savepoint from before them. */
  readonly rows: readonly { readonly id: string; readonly undone: boolean }[]
  readonly answers: readonly Answer[]
  /** The refusals, by code. */
  readonly refusals: readonly string[]
  /** Errors that no call may end with. */
  readonly errors: readonly string[]
}

/** The way from a call to its enqueue. A planted fault changes it. */
export type Around = (
  caller: Caller,
  enqueue: (transaction: Caller['transaction'] | undefined) => Promise<Reply[]>,
) => Promise<Reply[]>

export interface Attack {
  readonly queue: Queue
  readonly around: Around
  readonly backends: Backends
}

/** The backends that are ended. The pool of a library may give the connection of one to another transaction first. */
export interface Backends {
  end(pid: number): void
  isEnded(pid: number): boolean
}

export const fullQueue = 'full'
const task = defineJob({ kind: 'task', payload: z.object({ n: z.string(), differs: z.boolean() }) })

/** A rollback that the caller wants. */
class RollbackError extends Error {}

/** Carries out one transaction. `name` is part of the ids of its rows. */
export async function carryOut(
  attack: Attack,
  driver: Driver,
  { name, plan }: { readonly name: string; readonly plan: Plan },
): Promise<Told> {
  const told = { rows: [] as Told['rows'][number][], answers: [] as Answer[], refusals: [] as string[] }
  const errors: string[] = []
  const { backends } = attack
  /** Before it is known, the connection may be that of an ended backend. */
  let pid: number | undefined
  const note = (error: unknown): void => {
    if (pid !== undefined && !backends.isEnded(pid)) errors.push(String(error))
  }
  const finish = (end: Told['end']): Told => ({ driver: driver.name, end, ...told, errors })
  const end = plan.end === 'killed' || plan.end === 'cut' ? driver.outlivesBackends && plan.end : plan.end
  try {
    await driver.inside(async (caller) => {
      const [session] = (await caller.query('SELECT pg_backend_pid() AS pid')) as [{ readonly pid: number }]
      pid = session.pid
      for (const [index, round] of plan.rounds.entries()) {
        if (end === 'killed' && index === plan.rounds.length - 1) backends.end(pid)
        const made = await makeRound(attack, caller, { name: `${name} ${index}`, round })
        told.rows.push(...made.rows)
        told.answers.push(...made.answers)
        told.refusals.push(...made.refusals)
        made.errors.forEach(note)
      }
      if (end === 'rollback') throw new RollbackError()
      if (end === 'cut') backends.end(pid)
    })
    return finish('committed')
  } catch (error) {
    if (error instanceof RollbackError) return finish('rolled back')
    note(error)
    return finish('unknown')
  }
}

/** The refusals that a call may meet. Any other error is one that no call may end with. */
function refusalsOf(call: Call): readonly string[] {
  switch (call.type) {
    case 'row':
    case 'job':
      return []
    case 'many':
      return call.key === undefined ? [] : ['idempotency_key_locked']
    case 'keyed':
      return ['idempotency_key_locked', ...(call.reject ? ['idempotency_mismatch'] : [])]
    case 'unique':
      return ['unique_key_locked', ...(call.onConflict === 'refuse' ? ['unique_conflict'] : [])]
    case 'invalid':
      return ['invalid_job']
    case 'full':
      return ['queue_full']
  }
}

interface Made {
  readonly rows: Told['rows']
  readonly answers: readonly Answer[]
  readonly refusals: readonly string[]
  readonly errors: readonly unknown[]
}

/** Makes the calls of a round side by side. */
async function makeRound(
  attack: Attack,
  caller: Caller,
  { name, round: { calls, savepoint } }: { readonly name: string; readonly round: Round },
): Promise<Made> {
  const undone = savepoint === 'undone'
  const errors: unknown[] = []
  const note = (error: unknown): void => void errors.push(error)
  if (savepoint !== 'none') await caller.query('SAVEPOINT before_round').catch(note)
  const rows: Told['rows'][number][] = []
  const answers: Answer[] = []
  const refusals: string[] = []
  await Promise.all(
    calls.map(async (call, index) => {
      const id = `${name} ${index}`
      try {
        if (call.type === 'row') {
          await caller.query(`INSERT INTO orders (id) VALUES ('${id}')`)
          rows.push({ id, undone })
        } else {
          const made = await attack.around(caller, (transaction) =>
            enqueue(attack.queue, { call, id, transaction }),
          )
          answers.push(...made.map((answer) => ({ ...answer, undone })))
        }
      } catch (error) {
        if (error instanceof QueueError && refusalsOf(call).includes(error.code)) refusals.push(error.code)
        else note(error)
      }
    }),
  )
  if (undone) await caller.query('ROLLBACK TO SAVEPOINT before_round').catch(note)
  if (savepoint === 'released') await caller.query('RELEASE SAVEPOINT before_round').catch(note)
  return { rows, answers, refusals, errors }
}

interface EnqueueCall {
  readonly call: Exclude<Call, { readonly type: 'row' }>
  readonly id: string
  readonly transaction: Caller['transaction'] | undefined
}

async function enqueue(queue: Queue, { call, id, transaction }: EnqueueCall): Promise<Reply[]> {
  const inside = transaction === undefined ? {} : { transaction }
  const payload = { n: id, differs: false }
  switch (call.type) {
    case 'job':
      return [newJob(await queue.enqueue(task, payload, inside))]
    case 'many': {
      const keyed =
        call.key === undefined ? [] : [task.create(payloadOf(call.key), { idempotencyKey: call.key })]
      const others = Array.from({ length: call.count }, (_, n) =>
        task.create({ ...payload, n: `${id} ${n}` }),
      )
      const made = await queue.enqueueMany([...others, ...keyed], inside)
      return made.map((one, index) =>
        index < others.length || call.key === undefined ? newJob(one) : keyedJob(one, call.key, false),
      )
    }
    case 'keyed': {
      const options = {
        ...inside,
        idempotencyKey: call.key,
        ...(call.reject && { onMismatch: 'reject' as const }),
      }
      return [
        keyedJob(
          await queue.enqueue(task, { ...payloadOf(call.key), differs: call.differs }, options),
          call.key,
          call.differs,
        ),
      ]
    }
    case 'unique': {
      const unique = { key: call.key, scope: 'waiting', onConflict: call.onConflict } as const
      const { job, conflict } = await queue.enqueue(task, payload, { ...inside, unique })
      return [{ id: job.id, isNew: conflict === undefined, key: `unique ${call.key}` }]
    }
    case 'invalid':
      await queue.enqueue(task, { n: 1 } as never, inside)
      throw new Error('a job whose payload is not valid was answered')
    case 'full':
      await queue.enqueue(task, payload, { ...inside, queue: fullQueue })
      throw new Error('a job for a full queue was answered')
  }
}

interface Enqueued {
  readonly job: { readonly id: string }
  readonly replayed: boolean
  readonly mismatched: boolean
}

function newJob({ job: { id } }: Enqueued): Reply {
  return { id, isNew: true, key: undefined }
}

function keyedJob({ job: { id }, replayed, mismatched }: Enqueued, key: string, differs: boolean): Reply {
  return { id, isNew: !replayed, key: `idempotency ${key}`, request: { differs, mismatched } }
}

/** All requests with one idempotency key have one payload, unless they differ on purpose. */
function payloadOf(key: string): { n: string; differs: boolean } {
  return { n: key, differs: false }
}
