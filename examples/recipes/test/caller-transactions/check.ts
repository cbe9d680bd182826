import type pg from 'pg'
import type { Told } from './carry-out.ts'

interface StoredJob {
  readonly id: string
  readonly idempotency_key: string | null
  readonly unique_key: string | null
  readonly differs: boolean
}

/**
 * Compares what each transaction was told with what is stored. No job has started or ended, so the first job that a committed
 * transaction was told of a key holds it from then on.
 */
export async function violationsOf(pool: pg.Pool, transactions: readonly Told[]): Promise<string[]> {
  const { rows: orders } = await pool.query<{ id: string }>('SELECT id FROM orders')
  const { rows: jobs } = await pool.query<StoredJob>(
    `SELECT id, idempotency_key, unique_key, (payload ->> 'differs')::bool AS differs FROM queue.all_jobs WHERE kind = 'task'`,
  )
  const storedRows = new Set(orders.map(({ id }) => id))
  const storedJobs = new Map(jobs.map((job) => [job.id, job]))
  const holders = new Map<string, string>()
  const faults: string[] = []
  for (const { id, idempotency_key: idempotencyKey, unique_key: uniqueKey } of jobs) {
    for (const key of [
      idempotencyKey && `idempotency ${idempotencyKey}`,
      uniqueKey && `unique ${uniqueKey}`,
    ]) {
      if (!key) continue
      if (holders.has(key)) faults.push(`two jobs have the key ${key}`)
      holders.set(key, id)
    }
  }
  for (const told of transactions) faults.push(...violationsOfOne(told, { storedRows, storedJobs, holders }))
  return [...faults, ...unexpected(transactions, storedRows, storedJobs)]
}

interface Stored {
  readonly storedRows: ReadonlySet<string>
  readonly storedJobs: ReadonlyMap<string, StoredJob>
  readonly holders: ReadonlyMap<string, string>
}

function violationsOfOne(told: Told, { storedRows, storedJobs, holders }: Stored): string[] {
  const { driver, end, rows, answers, errors } = told
  const faults = errors.map((error) => `an error reached the caller: ${error}`)
  const written = [
    ...rows.map((row) => ({ ...row, what: 'its own row', exists: storedRows.has(row.id) })),
    ...answers
      .filter(({ isNew }) => isNew)
      .map((job) => ({ ...job, what: 'a job answered as new', exists: storedJobs.has(job.id) })),
  ]
  const kept = written.filter(({ undone }) => !undone)
  for (const { what, id } of written.filter(({ undone, exists }) => undone && exists))
    faults.push(`${what} exists although its savepoint was undone: ${id}`)
  if (end === 'unknown') {
    const existing = kept.filter(({ exists }) => exists).length
    if (existing > 0 && existing < kept.length) faults.push(`${existing} of ${kept.length} writes exist`)
  } else {
    for (const { what, id } of kept.filter(({ exists }) => exists !== (end === 'committed')))
      faults.push(`${what} ${end === 'committed' ? 'is missing' : 'exists'}: ${id}`)
  }
  if (end === 'committed') {
    for (const { key, id, request, undone } of answers) {
      if (key === undefined || undone) continue
      if (holders.get(key) !== id)
        faults.push(`the answer for the key ${key} names ${id}, and ${holders.get(key)} has it`)
      const differs = storedJobs.get(id)?.differs
      if (request !== undefined && request.mismatched !== (request.differs !== differs))
        faults.push(`the answer for the key ${key} is wrong: mismatched is ${request.mismatched}`)
    }
  }
  return faults.map((fault) => `${driver}, ${end}: ${fault}`)
}

/** What exists although nobody was told of it. */
function unexpected(
  transactions: readonly Told[],
  storedRows: ReadonlySet<string>,
  storedJobs: ReadonlyMap<string, StoredJob>,
): string[] {
  // Of a transaction that was killed amid its calls, answers may be missing, but then it has not committed.
  const toldRows = new Set(transactions.flatMap(({ rows }) => rows.map(({ id }) => id)))
  const toldJobs = new Set(transactions.flatMap(({ answers }) => answers.map(({ id }) => id)))
  return [
    ...[...storedRows].filter((id) => !toldRows.has(id)).map((id) => `nobody was told of the row ${id}`),
    ...[...storedJobs.keys()]
      .filter((id) => !toldJobs.has(id))
      .map((id) => `nobody was told of the job ${id}`),
  ]
}
