import { setTimeout as wait } from 'node:timers/promises'
import { carryOutOperation, nextOperationMs, databaseOf } from '@queue/core/internal'
import type { MutatedPool } from '../mutants/mutated-pool.ts'
import type { Random } from '../nemesis/random.ts'
import type { Row } from '../record/row-changes.ts'
import { type ActSession, openSession } from './act-session.ts'
import { actOnMany } from './many-acts.ts'
import { workers } from './population.ts'
import { emptyRecords, type Records } from './records.ts'
import { enqueueOne, hold, singleActs } from './single-acts.ts'
import { createWorker } from './worker-acts.ts'

const sessionsForMany = 3
const sessionsForOne = 3
const holders = 3
const operators = 2
const jobsMin = 60
const idleMs = 2

/** Callers, workers and their operations, which act on the same few jobs at the same time. */
export interface ActLoad {
  /** Makes this many acts on jobs that were as these rows say, and completes the operations that they started. */
  run(acts: number, jobs: readonly Row[]): Promise<Records>
  close(): Promise<void>
}

export function openActLoad(mutated: MutatedPool, random: Random): ActLoad {
  let records = emptyRecords()
  let acts = 0
  const source: { rows: readonly Row[]; ids: string[] } = { rows: [], ids: [] }
  const sessions: ActSession[] = []
  const deps = { mutated, records: () => records, next: () => (acts += 1) }
  const open = (): ActSession => {
    const session = openSession(deps)
    sessions.push(session)
    return session
  }
  const draws = (purpose: string, n: number): Random => random.fork(`${purpose} ${n}`)
  const actors = [
    ...Array.from({ length: sessionsForMany }, (_, n) => {
      const own = { session: open(), random: draws('many', n) }
      return () => actOnMany({ ...own, records: deps.records, rows: source.rows })
    }),
    ...Array.from({ length: sessionsForOne }, (_, n) => {
      const own = { session: open(), random: draws('one', n), records: deps.records }
      return () => own.random.pick(singleActs)({ ...own, ids: source.ids })
    }),
    ...workers.map(({ id }, n) =>
      createWorker({ session: open(), records: deps.records, random: draws('worker', n), workerId: id }),
    ),
    ...Array.from({ length: holders }, (_, n) => {
      const own = { session: open(), random: draws('holder', n), records: deps.records }
      return () => hold({ ...own, ids: source.ids })
    }),
  ]
  const operatorSessions = Array.from({ length: operators }, open)
  const filler = { session: open(), random: draws('filler', 0), records: deps.records }
  const fill = async (): Promise<void> => {
    while (source.ids.length < jobsMin) {
      await filler.session.act('enqueue', async ({ name }) => {
        records.ones.push({ name, ...(await enqueueOne({ ...filler, ids: source.ids }, ['none'])) })
      })
    }
  }
  return {
    run: async (count, jobs) => {
      records = emptyRecords()
      source.rows = jobs
      source.ids = jobs.map(({ id }) => id)
      await fill()
      const upTo = acts + count
      let isOver = false
      const operating = Promise.all(
        operatorSessions.map((session) => operate(session, deps.records, () => isOver)),
      )
      const acting = actors.map(async (next) => {
        while (acts < upTo) await next()
      })
      try {
        await Promise.all(acting)
      } finally {
        isOver = true
        await operating
      }
      return records
    },
    close: async () => {
      await Promise.all(sessions.map((session) => session.close()))
    },
  }
}

/** Carries out the batches of operations until it is over and none is left. */
async function operate(session: ActSession, records: () => Records, isOver: () => boolean): Promise<void> {
  const database = databaseOf(session.queue)
  for (;;) {
    const hasEnded = isOver()
    const untilMs = await nextOperationMs(database)
    if (untilMs === null && hasEnded) return
    if (untilMs === null || untilMs > 0) {
      await wait(untilMs === null ? idleMs : Math.ceil(Math.min(untilMs, 10)))
      continue
    }
    await session.act('carry_out', async ({ name }) => {
      const batch = await carryOutOperation(database)
      if (batch === undefined) return
      const { operation, jobs } = batch
      records().batches.push({
        name,
        operation,
        ids: jobs.map(({ id }) => id),
        after: await session.snapshot(),
      })
    })
  }
}
