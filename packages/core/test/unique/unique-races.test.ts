import { afterAll, describe, expect, test } from '@jest/globals'
import { makeDue } from '@queue/dev-postgres'
import { QueueError, UniqueConflict } from '../../src/domain/errors.ts'
import type { UniqueOptions } from '../../src/domain/unique.ts'
import { createGroupedEnqueue } from '../../src/enqueue/grouped-enqueue.ts'
import type { Enqueued } from '../../src/transitions/enqueue-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { testScale } from '../support/scale.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { queue, database } = world
const enqueues = 64
/** At a scale of 250, a thousand rounds of each mode. */
const rounds = 4 * testScale

const modes: Readonly<Record<string, Omit<UniqueOptions, 'key'>>> = {
  'waiting, return': { scope: 'waiting' },
  'waiting, replace': { scope: 'waiting', onConflict: 'replace' },
  'waiting, reschedule': { scope: 'waiting', onConflict: 'reschedule', maxWaitMs: 1 },
  'live, return': { scope: 'live' },
  'live, refuse': { scope: 'live', onConflict: 'refuse' },
  'window, return': { scope: 'window', windowMs: 3_600_000 },
}

/** Enqueues from three processes: two that group their enqueues, and one that writes each by itself. */
async function enqueueAll(unique: UniqueOptions): Promise<Enqueued[]> {
  const [firstProcess, secondProcess] = [createGroupedEnqueue(queue), createGroupedEnqueue(queue)]
  const target = { unique, keyLockTimeoutMs: 60_000 }
  const answers = await Promise.all(
    Array.from({ length: enqueues }, (_, n) =>
      enqueueOrRefuse(() =>
        n % 8 === 0
          ? queue.enqueue(probe, { n }, target)
          : (n % 2 === 0 ? firstProcess : secondProcess).enqueue(probe, { n }, { unique }),
      ),
    ),
  )
  return answers.filter((answer) => answer !== undefined)
}

/** Enqueues; undefined if the key is refused. Retries if the key was locked for a second, which happens on a busy machine. */
async function enqueueOrRefuse(enqueue: () => Promise<Enqueued>): Promise<Enqueued | undefined> {
  for (;;) {
    try {
      return await enqueue()
    } catch (error) {
      if (error instanceof UniqueConflict) return undefined
      if (!(error instanceof QueueError && error.code === 'unique_key_locked')) throw error
    }
  }
}

const created = (answers: readonly Enqueued[]) => answers.filter(({ conflict }) => conflict === undefined)

const pruneAll = { succeededMs: 0, cancelledMs: 0, failedMs: 0, keyMs: null }

/** Runs the acts of workers, operators and retention until the signal aborts. */
async function disturb(signal: AbortSignal): Promise<void> {
  const workerId = await newWorker(world)
  const failure = { error: 'e', waitMs: 0 }
  for (let turn = 0; !signal.aborted; turn += 1) {
    const writes = (await claim(world, workerId)).map(({ lease }) => lease)
    if (turn % 3 === 0)
      await finishJobs(
        database,
        writes.map((lease) => ({ lease, resultText: null, note: null })),
      )
    else {
      const permanent = turn % 3 === 1
      await retryOrDeadLetterJobs(
        database,
        writes.map((lease) => ({ lease, ...failure, permanent })),
      )
    }
    for (const { id, status } of (await queue.list({ limit: 10 })).jobs) {
      if (status === 'queued' && turn % 5 === 0) await queue.cancel(id)
      if (status === 'cancelled' || status === 'failed_permanent')
        await queue.requeue(id).catch(ignoreRefusal)
    }
    await queue.deadLetters.requeueMany({}, { all: true })
    await pruneJobs(database, pruneAll, null)
    await makeDue(world)
    const violations = await world.sql(violatingRows)
    if (violations.length > 0) throw new Error(`broken in turn ${turn}: ${JSON.stringify(violations)}`)
  }
}

const refusals = new Set(['invalid_transition', 'job_not_found', 'unique_conflict'])

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof QueueError) || !refusals.has(error.code)) throw error
}

/** Keys that more than one job holds, and jobs that hold a key without its slot. */
const violatingRows = `
  WITH holding AS (
    SELECT j.id, coalesce(j.tenant_id, '') AS tenant_id, j.kind, j.unique_key AS key FROM queue.all_jobs AS j
     WHERE j.unique_scope = 'live' AND j.finished_at IS NULL
        OR j.unique_scope = 'waiting' AND j.status = 'queued' AND j.lease_token % 1000000000 = 0)
  SELECT h.key, count(*)::int AS jobs FROM holding AS h GROUP BY h.tenant_id, h.kind, h.key HAVING count(*) > 1
  UNION ALL
  SELECT h.key, 0 FROM holding AS h
   WHERE NOT EXISTS (SELECT FROM queue.job_unique_slots AS s
                      WHERE s.tenant_id = h.tenant_id AND s.kind = h.kind AND s.key = h.key AND s.job_id = h.id)`

describe.each(Object.entries(modes))('64 enqueues of one key at once: %s', (_, mode) => {
  test('make one job when nothing else happens', async () => {
    await world.reset()
    for (let round = 0; round < rounds; round += 1) {
      const answers = await enqueueAll({ ...mode, key: `k${round}` })
      expect(created(answers)).toHaveLength(1)
      expect(answers).toHaveLength(mode.onConflict === 'refuse' ? 1 : enqueues)
      expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1)
      expect(await world.sql(violatingRows)).toEqual([])
    }
    expect(await world.sql('SELECT FROM queue.all_jobs')).toHaveLength(rounds)
  })

  test('leave one holder beside claims, retries, cancels, requeues and prunes', async () => {
    await world.reset()
    const stop = new AbortController()
    const disturbing = disturb(stop.signal)
    try {
      for (let round = 0; round < rounds; round += 1) {
        const answers = await enqueueAll({ ...mode, key: `k${round % 3}` })
        if (mode.scope === 'window' && round >= 3) expect(created(answers)).toHaveLength(0)
        expect(await world.sql(violatingRows)).toEqual([])
      }
    } finally {
      stop.abort()
      await disturbing
    }
  })
})
