import type pg from 'pg'

/** The number of rows of a situation, relative to the full run. */
export type Scale = number

/** Rows that accumulate in the queue's tables, and that must not make its statements slower. */
export interface Situation {
  readonly name: string
  /** Fills the tables. Resolves with a function to call after the measurement. */
  prepare(database: SituationDatabase): Promise<() => Promise<void>>
}

export interface SituationDatabase {
  readonly pool: pg.Pool
  readonly scale: Scale
  /** Claims and finishes `count` jobs as a worker does. */
  work(count: number): Promise<void>
}

const noOp = async (): Promise<void> => undefined

/** The situations of the published figures. The empty queue comes first, and the others are compared with it. */
export const situations: readonly Situation[] = [
  { name: 'empty', prepare: async () => noOp },
  {
    name: 'finished jobs',
    prepare: async ({ pool, scale }) => {
      await pool.query(insertJobs({ count: 2_000_000 * scale, status: 'succeeded' }))
      return noOp
    },
  },
  {
    name: 'scheduled jobs of a higher priority',
    prepare: async ({ pool, scale }) => {
      await pool.query(insertJobs({ count: 500_000 * scale, priority: 0, runAt: "now() + interval '1 day'" }))
      return noOp
    },
  },
  {
    name: "another queue's ready jobs",
    prepare: async ({ pool, scale }) => {
      await pool.query(insertJobs({ count: 300_000 * scale, queue: 'another' }))
      return noOp
    },
  },
  {
    name: 'ready jobs of a kind that cannot run here',
    prepare: async ({ pool, scale }) => {
      await pool.query(
        insertJobs({ count: 300_000 * scale, kind: 'unknown', runAt: "now() - interval '1 hour'" }),
      )
      return noOp
    },
  },
  {
    name: 'jobs processed while a snapshot is held',
    prepare: async ({ pool, scale, work }) => {
      const count = 200_000 * scale
      await pool.query(insertJobs({ count, kind: 'bench', runAt: "now() - interval '1 hour'" }))
      const client = await pool.connect()
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await client.query('SELECT count(*) FROM queue.queues')
      await work(count)
      return async () => {
        await client.query('ROLLBACK')
        client.release()
      }
    },
  },
]

interface JobRows {
  readonly count: number
  readonly status?: 'queued' | 'succeeded'
  readonly queue?: string
  readonly kind?: string
  readonly priority?: number
  readonly runAt?: string
}

/** The statement that inserts jobs of the last days, with ids in the order of their creation. */
function insertJobs(rows: JobRows): string {
  const { count, status = 'queued', queue = 'default', kind = 'bench', priority = 4, runAt = 'now()' } = rows
  const createdAt = `now() - interval '3 days' + n * interval '2 days' / ${count}`
  const id = `(lpad(to_hex((extract(epoch FROM ${createdAt}) * 1000)::bigint), 12, '0') || '7'
              || lpad(to_hex(n % 4096), 3, '0') || '8' || substr(md5(n::text), 1, 15))::uuid`
  const finishedAt = status === 'succeeded' ? `(${createdAt})` : 'NULL'
  return `INSERT INTO queue.jobs (id, queue, kind, priority, payload, status, run_at, created_at, finished_at, attempts, started_at, worker_id)
          SELECT ${id}, '${queue}', '${kind}', ${priority}, '{}', '${status}', ${runAt}, ${createdAt},
                 ${finishedAt}::timestamptz, ${status === 'succeeded' ? 1 : 0}, ${finishedAt}::timestamptz,
                 ${status === 'succeeded' ? "'w'" : 'NULL'}
            FROM generate_series(1, ${count}) AS n`
}
