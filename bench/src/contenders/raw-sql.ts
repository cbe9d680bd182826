import pg from 'pg'
import { ours } from './ours.ts'
import type { Contender } from './contender.ts'

const batch = 500
const workerId = 'raw'

/** The simplest possible claim and finish on our schema: without pauses and scan positions, and fenced only by the token. */
const claim = `
  UPDATE queue.jobs SET status = 'running', attempts = attempts + 1, lease_token = lease_token + 1,
         locked_at = now(), locked_by = '${workerId}', updated_at = now()
   WHERE id = ANY(ARRAY(
           SELECT id FROM queue.jobs
            WHERE queue = 'default' AND priority = 4 AND status IN ('queued', 'retrying') AND key IS NULL AND run_at <= now()
            ORDER BY run_at, id LIMIT ${batch} FOR UPDATE SKIP LOCKED))
  RETURNING id, lease_token, kind, payload, attempts, max_attempts`
const finish = `
  UPDATE queue.jobs AS j
     SET status = 'succeeded', finished_at = now(), updated_at = now(), locked_at = NULL, locked_by = NULL,
         started_at = j.locked_at, worker_id = j.locked_by
    FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
   WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'`

interface Claimed {
  readonly id: string
  readonly lease_token: string
}

/** An upper bound for a worker on our schema: only two statements per batch of jobs. */
export const rawSql: Contender = {
  ...ours,
  name: 'raw SQL',
  work: async (connectionString, { onJob }) => {
    const pool = new pg.Pool({ connectionString, max: 2 })
    let isStopped = false
    const running = (async () => {
      let finishing: Promise<unknown> = Promise.resolve()
      while (!isStopped) {
        const { rows } = await pool.query<Claimed>({ name: 'claim', text: claim })
        await finishing
        for (const _ of rows) await onJob()
        if (rows.length === 0) break
        const values = [rows.map((row) => row.id), rows.map((row) => row.lease_token)]
        finishing = pool.query({ name: 'finish', text: finish, values })
      }
      await finishing
    })()
    return {
      stop: async () => {
        isStopped = true
        await running
        await pool.end()
      },
    }
  },
}
