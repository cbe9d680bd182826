import { createQueue, type Queue, QueueError } from '@queue/core'
import type pg from 'pg'
import type { MutatedPool } from '../mutants/mutated-pool.ts'
import { nameAct } from '../record/row-changes.ts'
import { parseSnapshot, type Snapshot } from '../record/snapshot.ts'
import type { ActName, Records } from './records.ts'

/** A caller with one connection, so that each change of a row tells which of its acts made it. */
export interface ActSession {
  readonly queue: Queue
  /**
   * Carries out `work`, whose changes are recorded under the name that it receives, with a snapshot from before it. Resolves
   * with undefined where the library refuses the act. Any other error is a fault.
   */
  act(name: ActName, work: (named: NamedAct) => Promise<void>): Promise<void>
  snapshot(): Promise<Snapshot>
  /** Runs `work` in a transaction of the caller. */
  transaction(end: 'COMMIT' | 'ROLLBACK', work: (client: pg.PoolClient) => Promise<void>): Promise<void>
  close(): Promise<void>
}

export interface NamedAct {
  readonly name: string
  readonly before: Snapshot
}

/** The answers of acts on jobs that others have just changed. */
const refusals: ReadonlySet<string> = new Set([
  'job_not_found',
  'invalid_transition',
  'invalid_job',
  'dead_letter_not_found',
  'unique_conflict',
  'unique_key_locked',
])

export interface SessionDeps {
  readonly mutated: MutatedPool
  readonly records: () => Records
  /** The next number of an act. */
  readonly next: () => number
}

export function openSession({ mutated, records, next }: SessionDeps): ActSession {
  const pool = mutated.open({ max: 1, name: 'acts' })
  const queue = createQueue({ pool })
  const read = async (text: string, values: unknown[]): Promise<Snapshot> => {
    const { rows } = await pool.query<{ snapshot: string }>(text, values)
    return parseSnapshot(rows[0]?.snapshot ?? '')
  }
  return {
    queue,
    act: async (act, work) => {
      const name = `${act} ${next()}`
      const before = await read(nameAct, [name])
      try {
        await work({ name, before })
      } catch (error) {
        records().ones.push({ name, jobs: 0, deadLetters: 0 })
        if (error instanceof QueueError && refusals.has(error.code)) records().refused += 1
        else records().faults.push(`${name}: ${describe(error)}`)
      }
    },
    snapshot: () => read('SELECT pg_current_snapshot()::text AS snapshot', []),
    transaction: async (end, work) => {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await work(client)
        await client.query(end)
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
    close: async () => {
      await queue.close()
      await pool.end()
    },
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : ` (${describe(error.cause)})`
  return `an error reached the caller: ${error.message}${cause}`
}
