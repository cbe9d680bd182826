import type { Enqueued, JobEdit } from '@queue/core'
import type pg from 'pg'
import { type Random, repeated } from '../nemesis/random.ts'
import type { ActSession } from './act-session.ts'
import { definitions, drawMetadata, drawOptions, schedules } from './population.ts'
import type { ActName, AnsweredOne, Records } from './records.ts'

export interface SingleDeps {
  readonly session: ActSession
  readonly records: () => Records
  readonly random: Random
  /** The ids of jobs that exist, or have existed shortly before. */
  readonly ids: string[]
}

/** Makes one act on one job. */
type SingleAct = (deps: SingleDeps) => Promise<void>

/** Carries out an act, and records the answer that `work` derives from it. */
function single(
  act: ActName,
  work: (deps: SingleDeps) => Promise<Omit<AnsweredOne, 'name'> | undefined>,
): SingleAct {
  return (deps) =>
    deps.session.act(act, async ({ name }) => {
      const answer = await work(deps)
      deps.records().ones.push({ name, ...(answer ?? { jobs: 0, deadLetters: 0 }) })
    })
}

const cancel = single('cancel', async ({ session, ids, random }) => {
  const { outcome } = await session.queue.cancel(random.pick(ids))
  if (outcome === 'already_terminal') return { jobs: 0 }
  return { jobs: 1, ...(outcome === 'requested' && { mayChangeNothing: true }) }
})

const requeue = single('requeue', async ({ session, ids, random }) => {
  await session.queue.requeue(
    random.pick(ids),
    random.chance(0.2) ? { expiresInMs: random.between(10, 500) } : {},
  )
  return { jobs: 1 }
})

const runNow = single('run_now', async ({ session, ids, random }) => {
  await session.queue.runNow(random.pick(ids))
  return { jobs: 1, mayChangeNothing: true }
})

const edit = single('edit', async ({ session, ids, random }) => {
  await session.queue.edit(random.pick(ids), drawEdit(random))
  return { jobs: 1 }
})

const editMetadata = single('edit', async ({ session, ids, random }) => {
  await session.queue.edit(random.pick(ids), { metadata: random.chance(0.9) ? drawMetadata(random) : null })
  return { jobs: 1 }
})

const duplicate = single('enqueue', async ({ session, ids, random }) => {
  ids.push((await session.queue.duplicate(random.pick(ids))).id)
  return { jobs: 1 }
})

const runSchedule = single('enqueue', async ({ session, ids, random }) => {
  ids.push((await session.queue.schedules.runNow(random.pick(schedules))).job.id)
  return { jobs: 1 }
})

const enqueue = single('enqueue', (deps) => enqueueOne(deps))

const requeueDeadLetter = single('requeue_dead_letters', async (deps) => {
  const id = await drawDeadLetter(deps)
  if (id === undefined) return undefined
  await deps.session.queue.deadLetters.requeue(id)
  return { jobs: 1, deadLetters: 1 }
})

const deleteDeadLetter = single('delete_dead_letter', async (deps) => {
  const id = await drawDeadLetter(deps)
  if (id === undefined) return undefined
  await deps.session.queue.deadLetters.delete(id)
  return { jobs: 0, deadLetters: 1 }
})

/** The acts on one job, by how often each is made. */
export const singleActs = repeated<SingleAct>([
  [2, cancel],
  [3, requeue],
  [1, runNow],
  [1, edit],
  [3, editMetadata],
  [4, enqueue],
  [1, duplicate],
  [1, runSchedule],
  [2, requeueDeadLetter],
  [1, deleteDeadLetter],
])

/** Enqueues a job, or replaces the one that holds its unique key. */
export async function enqueueOne(
  { session, random, ids }: SingleDeps,
  scopes: readonly ('none' | 'live' | 'waiting')[] = ['none', 'live', 'waiting'],
  transaction?: pg.PoolClient,
): Promise<Pick<AnsweredOne, 'jobs'>> {
  const scope = random.pick(scopes)
  const key = `u${random.between(1, 2)}`
  const unique =
    scope === 'none'
      ? {}
      : {
          unique:
            scope === 'live'
              ? ({ key: `live-${key}`, scope } as const)
              : ({ key: `waiting-${key}`, scope, onConflict: 'replace' } as const),
        }
  const enqueued = await session.queue.enqueue(
    random.pick(definitions),
    { n: 1 },
    {
      ...drawOptions(random),
      ...unique,
      ...(transaction !== undefined && { transaction }),
    },
  )
  if (enqueued.conflict === undefined) ids.push(enqueued.job.id)
  return { jobs: changesOf(enqueued) }
}

/** A key that was returned, because its job holds it, has changed nothing. */
function changesOf({ conflict }: Enqueued): number {
  return conflict === 'returned' ? 0 : 1
}

function drawEdit(random: Random): JobEdit {
  return random.pick<JobEdit>([
    { priority: random.between(0, 9) },
    { weight: random.between(1, 3) },
    { runAt: new Date(Date.now() + random.pick([0, 1_800_000])) },
  ])
}

async function drawDeadLetter({ session, random }: SingleDeps): Promise<string | undefined> {
  const { deadLetters } = await session.queue.deadLetters.list({ limit: 20 })
  return deadLetters.length === 0 ? undefined : random.pick(deadLetters).id
}

const heldMsMax = 8
const heldJobsMax = 12

/**
 * Changes jobs in a transaction that stays open for a moment, or only locks some: who waits for them finds them
 * changed, or not.
 */
export function hold({ session, random, ids, records }: SingleDeps): Promise<void> {
  const way = random.pick(['lock', 'cancel', 'edit', 'edit', 'replace'] as const)
  const end = way === 'lock' || random.chance(0.3) ? 'ROLLBACK' : 'COMMIT'
  return session.act(way === 'replace' ? 'enqueue' : way === 'edit' ? 'edit' : 'cancel', async ({ name }) => {
    let jobs = 0
    await session.transaction(end, async (client) => {
      const inside = { session, random, ids, records, client }
      if (way === 'replace') jobs = (await enqueueOne(inside, ['waiting'], client)).jobs
      else jobs = await lockAndChange(inside, way)
      await new Promise((resolve) => setTimeout(resolve, random.between(0, heldMsMax)))
    })
    records().ones.push({
      name,
      jobs: end === 'COMMIT' ? jobs : 0,
      // The cancel of a running job may have been requested before.
      ...(way === 'cancel' && { mayChangeNothing: true }),
    })
  })
}

/** Locks some jobs in their order, and may change each in SQL. Resolves with how many jobs were changed. */
async function lockAndChange(
  { random, ids, client }: SingleDeps & { readonly client: pg.PoolClient },
  way: 'lock' | 'cancel' | 'edit',
): Promise<number> {
  const chosen = Array.from({ length: random.between(1, heldJobsMax) }, () => random.pick(ids))
  const { rows } = await client.query<{ id: string }>(
    'SELECT j.id FROM queue.jobs AS j WHERE j.id = ANY($1::uuid[]) ORDER BY j.id FOR UPDATE',
    [chosen],
  )
  let changed = 0
  for (const { id } of way === 'lock' ? [] : rows) {
    const answer = await (way === 'cancel'
      ? client.query<{ outcome: string }>('SELECT queue.cancel($1) AS outcome', [id])
      : client.query<{ outcome: string }>('SELECT outcome FROM queue.edit_job($1, $2::jsonb, NULL)', [
          id,
          { metadata: drawMetadata(random) },
        ]))
    if (['cancelled', 'requested', 'edited', 'unchanged'].includes(answer.rows[0]?.outcome ?? ''))
      changed += 1
  }
  return changed
}
