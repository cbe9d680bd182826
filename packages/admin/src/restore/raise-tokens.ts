import { lockedOut, lockedTransaction, quoted, type RunnerClient } from '@queue/postgres'

/**
 * By how much a restore raises a lease token. A job cannot have been claimed this often since a backup: it would take one
 * claim each millisecond for eleven days. And nine million restores fit into the integers that a JavaScript number holds.
 */
export const leaseTokenStep = 1_000_000_000

/** How many jobs and how many dead letters have their token raised. */
export interface TokenCount {
  readonly jobs: number
  readonly deadLetters: number
}

const batchMax = 1_000

/**
 * The jobs that can be claimed again, now or after a requeue, by status. A job can move from one to a later one only, so
 * none is missed that changes its status meanwhile. Each condition is that of an index.
 */
const jobSets = [
  `status = 'running' AND locked_by IS NOT NULL`,
  `status = 'retrying'`,
  `status = 'queued'`,
  `status = 'cancelled'`,
  `status = 'failed_permanent'`,
] as const

/** Raises the tokens of all jobs that can be claimed again, together with those of their dead letters: the two must be equal. */
export async function raiseTokens(
  runner: RunnerClient,
  onProgress: (raised: number) => void,
): Promise<TokenCount> {
  const { schema } = runner
  let [jobs, deadLetters] = [0, 0]
  const statements = [...jobSets.map((set) => raiseJobs(schema, set)), raiseDeadLetters(schema)]
  for (const statement of statements) {
    for (let cursor: string | null = smallestId; cursor !== null; ) {
      const batch: RaisedBatch = await raiseBatch(runner, statement, cursor)
      jobs += batch.jobs
      deadLetters += batch.deadLetters
      cursor = batch.cursor
      onProgress(jobs + deadLetters)
    }
  }
  return { jobs, deadLetters }
}

const smallestId = '00000000-0000-0000-0000-000000000000'

interface RaisedBatch extends TokenCount {
  /** The last id; null when the batch was not full. */
  readonly cursor: string | null
}

function raiseBatch(runner: RunnerClient, statement: string, cursor: string): Promise<RaisedBatch> {
  return lockedTransaction(runner, {
    body: async () => {
      const { rows } = await runner.client.query<{
        cursor: string | null
        jobs: string
        dead_letters: string
      }>(statement, [cursor, leaseTokenStep])
      const [row] = rows
      return { cursor: row?.cursor ?? null, jobs: Number(row?.jobs), deadLetters: Number(row?.dead_letters) }
    },
    onWait: () => undefined,
    lockedOut: (error) => lockedOut('the lease tokens', error),
  })
}

/** Locks jobs before their dead letters, in the order of their ids, as every other statement does. */
function raiseJobs(schema: string, set: string): string {
  const name = quoted(schema)
  return `
    WITH batch AS MATERIALIZED (
      SELECT id FROM ${name}.jobs WHERE ${set} AND id > $1::uuid ORDER BY id LIMIT ${batchMax} FOR UPDATE
    ), raised AS (
      UPDATE ${name}.jobs AS j SET lease_token = j.lease_token + $2::bigint FROM batch AS b WHERE j.id = b.id
      RETURNING 1
    ), dead_letters AS (
      UPDATE ${name}.dead_letter_jobs AS d SET lease_token = d.lease_token + $2::bigint FROM batch AS b
       WHERE d.job_id = b.id
      RETURNING 1
    )
    SELECT CASE WHEN count(*) = ${batchMax} THEN (SELECT id FROM batch ORDER BY id DESC LIMIT 1) END AS cursor,
           (SELECT count(*) FROM raised) AS jobs, (SELECT count(*) FROM dead_letters) AS dead_letters
      FROM batch`
}

/** Dead letters whose job retention has deleted: a requeue creates the job again with the next token. */
function raiseDeadLetters(schema: string): string {
  const name = quoted(schema)
  return `
    WITH batch AS MATERIALIZED (
      SELECT d.job_id FROM ${name}.dead_letter_jobs AS d
       WHERE d.job_id > $1::uuid AND NOT EXISTS (SELECT FROM ${name}.jobs AS j WHERE j.id = d.job_id)
       ORDER BY d.job_id LIMIT ${batchMax} FOR UPDATE
    ), dead_letters AS (
      UPDATE ${name}.dead_letter_jobs AS d SET lease_token = d.lease_token + $2::bigint FROM batch AS b
       WHERE d.job_id = b.job_id
      RETURNING 1
    )
    SELECT CASE WHEN count(*) = ${batchMax} THEN (SELECT job_id FROM batch ORDER BY job_id DESC LIMIT 1) END AS cursor,
           0 AS jobs, (SELECT count(*) FROM dead_letters) AS dead_letters
      FROM batch`
}

/** How many tokens would be raised. */
export async function countTokens({ client, schema }: RunnerClient): Promise<TokenCount> {
  const name = quoted(schema)
  const { rows } = await client.query<{ jobs: string; dead_letters: string }>(
    `SELECT (SELECT count(*) FROM ${name}.jobs
              WHERE status IN ('queued', 'retrying', 'failed_permanent', 'cancelled'))
            + (SELECT count(*) FROM ${name}.jobs WHERE locked_by IS NOT NULL) AS jobs,
            (SELECT count(*) FROM ${name}.dead_letter_jobs) AS dead_letters`,
  )
  return { jobs: Number(rows[0]?.jobs), deadLetters: Number(rows[0]?.dead_letters) }
}
