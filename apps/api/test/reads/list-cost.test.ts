import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  createQueue,
  type JobFilter,
  type JobStatus,
  jobStatuses,
  limits,
  type ListFilter,
  type Queue,
} from '@queue/core'
import { carryOutOperation, databaseOf } from '@queue/core/internal'
import { createTestDatabase, type TestDatabase } from '@queue/testing'

/** A tenth of what the promise is made for; `LIST_ROWS=1000000` tests it whole, and `LIST_ROWS=10000000` that it does not grow. */
const rows = Number(process.env['LIST_ROWS'] ?? 100_000)
const isFull = process.env['LIST_ROWS'] !== undefined
/** Beside other tests the best of many tries still waits for a processor; that no page reads more rows, each run shows. */
const budgetMs = isFull ? 50 : 100
const triesMax = 40
const seedMsMax = isFull ? 1_800_000 : 120_000
/** Beside the rows of the scan, those of the page and of the check for its end. */
const rowsReadMax = 2 * limits.listScanRowsMax + 4 * limits.listLimitMax
const firstMs = 1_750_000_000_000
/** A list of what runs reads all that does: as many jobs as 200 workers hold with 25 slots each. */
const runningMax = 5_000

interface Statement {
  readonly text: string
  readonly values: unknown[]
}

let database: TestDatabase
let queue: Queue
const statements: Statement[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  await seed()
  queue = createQueue({ pool: recordingPool() })
}, seedMsMax)

afterAll(() => database.close())

/** The pool, keeping what is asked through it, so that it can be explained. */
function recordingPool(): TestDatabase['pool'] {
  const connect = async () => {
    const client = await database.pool.connect()
    const query = (statement: Statement, answer: (error: Error, result: unknown) => void): void => {
      statements.push(statement)
      client.query(statement, answer)
    }
    return Object.assign(Object.create(client) as typeof client, {
      query,
      release: (broken?: boolean) => client.release(broken),
    })
  }
  return Object.assign(Object.create(database.pool) as typeof database.pool, { connect })
}

/**
 * A long history with little alive in it, and that old: whatever goes through the rows by id, newest first, and looks
 * for something rare, finds it last. A third has failed, so that reading all of a state would be seen.
 */
async function seed(): Promise<void> {
  await database.pool.query(
    `INSERT INTO queue.jobs (id, queue, kind, tenant_id, metadata, payload, status, attempts, locked_by, locked_at, finished_at)
     SELECT (left(hex, 8) || '-' || right(hex, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
            CASE WHEN n % 10000 = 7 THEN 'rare' ELSE 'default' END, CASE WHEN n % 10000 = 9 THEN 'rare' ELSE 'common' END,
            CASE WHEN n % 10000 = 11 THEN 'rare' WHEN n % 2 = 0 THEN 'common' END,
            CASE WHEN n % 10000 = 13 THEN '{"group":"rare"}'::jsonb WHEN n % 10 = 0 THEN '{"group":"common"}' END,
            '{"to":"ada@example.com","subject":"Hello","body":"Hi."}', status::queue.job_status, 1,
            CASE WHEN status = 'running' THEN 'w' END, CASE WHEN status = 'running' THEN now() END,
            CASE WHEN status IN ('succeeded', 'failed_permanent', 'cancelled') THEN now() END
       FROM (SELECT n, lpad(to_hex($2::bigint + n * 100), 12, '0') AS hex,
                    CASE WHEN n <= $1 / 50 AND (n % 5 <> 2 OR n < $3 * 5) THEN (ARRAY['queued', 'retrying', 'running', 'failed_permanent', 'cancelled'])[1 + n % 5]
                         WHEN n % 3 = 0 THEN 'failed_permanent' ELSE 'succeeded' END AS status
               FROM generate_series(1, $1::int) AS n) AS s`,
    [rows, firstMs, runningMax],
  )
  await database.pool.query(
    `INSERT INTO queue.job_metadata (job_id, tenant_id, name, value)
     SELECT id, coalesce(tenant_id, ''), 'group', metadata ->> 'group' FROM queue.all_jobs WHERE metadata IS NOT NULL`,
  )
  await database.pool.query(
    `INSERT INTO queue.job_executions (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error, fingerprint)
     SELECT id, 1, 1, 'w', now(), now(), 'failed', 'e', left(md5((n % 2)::text), 16)
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM queue.all_jobs) AS j WHERE n % 100 < 2`,
  )
  await database.pool.query('VACUUM ANALYZE queue.jobs, queue.job_metadata, queue.job_executions')
}

const values: { readonly [Name in keyof ListFilter]-?: readonly NonNullable<ListFilter[Name]>[] } = {
  status: [...jobStatuses] satisfies JobStatus[],
  kind: ['common', 'rare', 'none'],
  queue: ['default', 'rare', 'none'],
  tenantId: ['common', 'rare', 'none'],
  key: ['common', 'rare', 'none'],
  metadata: [{ group: 'common' }, { group: 'rare' }, { group: 'none' }],
  createdAfter: [new Date(firstMs + 1_000), new Date(firstMs + rows * 99)],
  createdBefore: [new Date(firstMs + 5_000), new Date(firstMs + rows * 99)],
  finishedAfter: [new Date('2020-01-01T00:00:00Z')],
  finishedBefore: [new Date(firstMs + 5_000)],
  fingerprint: ['cfcd208495d565ef', ['0', '1'].map((digit) => digit.repeat(16))],
  schedule: ['nightly'],
  worker: ['w'],
  workerVersion: ['1.0.0'],
  limit: [1, limits.listLimitMax],
  cursor: [cursorAt(0.5), cursorAt(0.02)],
}

/** The cursor of the job that stands so far from the first. */
function cursorAt(part: number): string {
  const hex = (firstMs + Math.floor(rows * part) * 100).toString(16).padStart(12, '0')
  return Buffer.from(`${hex}70008000000000000000`, 'hex').toString('base64url')
}

const singles: ListFilter[] = Object.entries(values).flatMap(([name, some]) =>
  some.map((value) => ({ [name]: value })),
)
const pairs: ListFilter[] = singles.flatMap((one, index) =>
  singles
    .slice(index + 1)
    .filter((other) => Object.keys(other)[0] !== Object.keys(one)[0])
    .map((other) => ({ ...one, ...other })),
)

/** Milliseconds of the quickest of some tries, of which the first that is quick enough ends them: what slows one down is not the list. */
async function quickest(filter: ListFilter): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && best >= budgetMs; tries += 1) {
    const start = performance.now()
    await queue.list(filter)
    best = Math.min(best, performance.now() - start)
  }
  return best
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that the scans of a plan have read from the table. */
function rowsRead(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0)
  if (!/(Index|Index Only|Seq|Bitmap Heap) Scan$/.test(plan['Node Type'])) return below
  return below + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
}

/** The rows that these statements read, once more. */
async function explainedRows(sent: readonly Statement[]): Promise<number> {
  const plans = await Promise.all(
    sent.map(async ({ text, values: parameters }) => {
      const { rows: answer } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        [...parameters],
      )
      return answer[0]?.['QUERY PLAN'][0].Plan
    }),
  )
  return plans.reduce((sum, plan) => sum + (plan === undefined ? 0 : rowsRead(plan)), 0)
}

/** The statements that find jobs, of those that were sent by now; they are kept no longer. */
function takeFinds(): Statement[] {
  return statements.splice(0).filter(({ text }) => text.trimStart().startsWith('WITH scan AS MATERIALIZED'))
}

/** What is read to count the jobs of an operation, and then to find those of its next batch. */
async function readByOperation(
  act: 'delete' | 'requeue',
  filter: JobFilter,
): Promise<{ readonly toCount: number; readonly toFind: number }> {
  statements.length = 0
  // A batch of one job leaves the table as it is, but for that.
  const result = await queue.many[act](filter, { all: true, rate: 1 })
  if (result.outcome !== 'operation') throw new Error('an act with a rate was done at once')
  const toCount = await explainedRows(takeFinds())
  await carryOutOperation(databaseOf(queue))
  const toFind = await explainedRows(takeFinds())
  await queue.many.cancelOperation(result.operation.id)
  return { toCount, toFind }
}

describe(`over ${rows} jobs`, () => {
  test.each([
    ['no filter', [{}]],
    ['each filter', singles],
    ['each pair of filters', pairs],
  ])(`a page of %s reads a bounded number of rows, in less than ${budgetMs} ms`, async (_what, filters) => {
    const dear: unknown[] = []
    for (const filter of filters) {
      statements.length = 0
      await queue.list(filter)
      if (statements.length === 0) throw new Error('no statement was kept to be explained')
      const read = await explainedRows(statements)
      const ms = await quickest(filter)
      if (ms >= budgetMs || read > rowsReadMax) dear.push({ filter, ms, read })
    }
    expect(dear).toEqual([])
  })

  test('an operation over each filter reads a bounded number of rows to count its jobs, and for each batch', async () => {
    const dear: unknown[] = []
    const { limit: _limit, cursor: _cursor, ...ofJobs } = values
    const filters: JobFilter[] = Object.entries(ofJobs).flatMap(([name, some]) =>
      some.slice(0, isFull ? some.length : 1).map((value) => ({ [name]: value })),
    )
    for (const act of ['delete', 'requeue'] as const) {
      for (const filter of [{}, ...filters]) {
        const { toCount, toFind } = await readByOperation(act, filter)
        // The rows of an index, and those of the jobs that they name.
        if (toCount > 3 * limits.actCountedMax || toFind > 3 * limits.listScanRowsMax)
          dear.push({ act, filter, toCount, toFind })
      }
    }
    expect(dear).toEqual([])
  })
})
