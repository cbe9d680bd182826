import { type RawBuilder, sql } from 'kysely'
import { type Given, isDataError, orNull, template } from '@queue/postgres'
import {
  type AttemptHistory,
  endedAttempts,
  recordHistory,
  writeDeadLetters,
} from '../database/attempt-history.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { laneColumns, writeEndEvents } from '../database/lane-events.ts'
import { type Leased, leaseIds, leaseInput, leaseKey, leaseTokens } from '../database/lease-rows.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import type { ExecutionOutcome, JobStatus, Lease } from '../domain/job.ts'
import { countErrors } from '../insight/count-errors.ts'

/**
 * The outcome of one fenced write. `lease_lost`: another worker holds the job, or it was ended in another way; nothing
 * changed. `finished`: the write is recorded, by this call or by an earlier one whose reply was lost.
 */
export interface Completion {
  readonly lease: Lease
  readonly outcome: 'finished' | 'lease_lost'
  /** The state that the job entered; null when an earlier call recorded it, because the state then is no longer known. */
  readonly status: JobStatus | null
}

/**
 * One transition out of `running`, as the parts of the statement in which it differs from the others. Expressions may
 * use `h`: the locked row (attempt, max_attempts, cancel_requested, started_at, worker_id, run_at) and the columns of
 * `input`.
 */
export interface Transition {
  /** `unnest(…) AS i (id, lease_token, …)`: the leases, and the values of each write. */
  readonly input: RawBuilder<unknown>
  /** The columns of `input` besides id and lease_token. */
  readonly inputColumns: readonly string[]
  /** Those of them that `textsOf` has sent. */
  readonly optionalTexts?: readonly string[]
  /** The new state of the job. */
  readonly nextStatus: RawBuilder<unknown>
  /** The start of the next attempt, where there is one. */
  readonly runAt: RawBuilder<unknown>
  /** What the attempt costs beyond the charge of the claim: 0, or −1 to take the charge back. */
  readonly attemptsDelta: 0 | -1
  /** Set where the job has started and goes back as if it had not: its expiry must no longer apply. */
  readonly endsExpiry?: true
  readonly lastError: RawBuilder<unknown>
  readonly result: RawBuilder<unknown>
  /**
   * The history row of this attempt. `on job`: nothing can follow it, so the row of the job keeps it. Null when the attempt
   * never started, and leaves no history.
   */
  readonly history: AttemptHistory | 'on job' | null
}

/**
 * The transition of a group of writes, how its answer is interpreted, and the harmless form of a write that PostgreSQL
 * refused.
 */
export interface CompletionGroup<Write extends Leased> {
  /** The state that nearly all jobs enter. Only jobs that enter another one are returned as a row. */
  readonly usualStatus: JobStatus
  /** The outcomes that the history may show where an earlier call, whose reply was lost, recorded this write. */
  readonly recordedAs: readonly ExecutionOutcome[]
  readonly transition: (names: SchemaNames, given: Given<readonly Write[]>) => Transition
  /**
   * The statement for jobs that leave `jobs` when they end, in place of the one for jobs without a lane. It does not match a job that
   * stays.
   */
  readonly archive?: (names: SchemaNames, given: Given<readonly Write[]>) => RawBuilder<UnusualRow>
  /** The same write without any value that could be refused again. */
  readonly sanitise: (write: Write, error: unknown) => Write
}

/** Ends the attempts of `writes` by one transition. The answer has the order of the writes. */
export type Complete<Write extends Leased> = (
  database: QueueDatabase,
  writes: readonly Write[],
) => Promise<Completion[]>

/**
 * Creates the function that ends attempts by this transition, in one statement. Each write is fenced by its lease
 * token, and rows are locked in the order of their ids. A row that PostgreSQL refuses (SQLSTATE classes 22, 23, 54)
 * does not affect the others: the group is then sent row by row, and the refused row in its sanitised form.
 */
export function createCompletion<Write extends Leased>(group: CompletionGroup<Write>): Complete<Write> {
  const statementsIn = perSchema((names) => {
    const templateWith = (lanes: LaneParts) =>
      template<readonly Write[], UnusualRow>((given) => completionStatement(names, { group, lanes }, given))
    const { archive } = group
    const plain =
      archive === undefined
        ? templateWith(withoutLanes)
        : template<readonly Write[], UnusualRow>((given) => archive(names, given))
    return { plain, inLanes: templateWith(withLanes(names)) }
  })
  /** Sorts the writes, because rows are locked in the order of the input. */
  const run = async (database: QueueDatabase, sort: 'plain' | 'inLanes', writes: readonly Write[]) =>
    database.run(statementsIn(database.names)[sort](writes.toSorted(byJobId)), 'looping')
  const send: Complete<Write> = async (database, writes) => {
    const areSpecial = writes.some(({ lease }) => lease.inLane === true || lease.staysInJobs === true)
    const unusual = await run(database, areSpecial ? 'inLanes' : 'plain', writes)
    const unmatched = areSpecial ? [] : unmatchedWrites(writes, unusual)
    if (unmatched.length === 0) return toCompletions(database, writes, { unusual, group })
    // A limit may have begun to count a job after its claim, and a day may have no leaf. The first statement does not match such a job.
    const others = await run(database, 'inLanes', unmatched)
    return toCompletions(database, writes, {
      unusual: [...unusual.filter(({ status }) => status !== null), ...others],
      group,
    })
  }
  const complete: Complete<Write> = async (database, writes) => {
    if (writes.length === 0) return []
    try {
      return await send(database, writes)
    } catch (error) {
      if (!isDataError(error)) throw error
      const [first, ...others] = writes
      // The sanitised row is not refused again, unless this code has a defect.
      if (first !== undefined && others.length === 0) return send(database, [group.sanitise(first, error)])
      return oneByOne(database, writes)
    }
  }
  const oneByOne: Complete<Write> = async (database, writes) => {
    const completions: Completion[] = []
    for (const write of writes) completions.push(...(await complete(database, [write])))
    return completions
  }
  return complete
}

function byJobId(a: Leased, b: Leased): number {
  return a.lease.jobId < b.lease.jobId ? -1 : a.lease.jobId > b.lease.jobId ? 1 : 0
}

/** The writes that the statement did not match, according to its rows. */
function unmatchedWrites<Write extends Leased>(
  writes: readonly Write[],
  unusual: readonly UnusualRow[],
): Write[] {
  const unmatched = new Set(
    unusual.flatMap(({ id, lease_token, status }) => (status === null ? [leaseKey(id, lease_token)] : [])),
  )
  return unmatched.size === 0
    ? []
    : writes.filter(({ lease }) => unmatched.has(leaseKey(lease.jobId, lease.token)))
}

/** A write whose job did not enter the usual state: the state that it entered, or null when the write did not match a row. */
export interface UnusualRow {
  readonly id: string
  readonly lease_token: string
  readonly status: JobStatus | null
}

/** The parts of the statement that differ for jobs with a key and for jobs that a limit counts. */
interface LaneParts {
  readonly heldColumns: RawBuilder<unknown>
  readonly heldCondition: RawBuilder<unknown>
  readonly setColumns: RawBuilder<unknown>
  readonly returnedColumns: RawBuilder<unknown>
  readonly events: RawBuilder<unknown>
}

/** Jobs outside of all limits pay nothing for limits. A job inside of one is not matched, and takes the other statement. */
const withoutLanes: LaneParts = {
  heldColumns: sql``,
  heldCondition: sql` AND j.key IS NULL AND j.counted IS NULL`,
  setColumns: sql``,
  returnedColumns: sql``,
  events: sql``,
}

function withLanes(names: SchemaNames): LaneParts {
  return {
    heldColumns: sql`j.counted, `,
    heldCondition: sql``,
    setColumns: sql`, counted = NULL`,
    returnedColumns: sql`, j.run_at, h.counted, ${laneColumns}`,
    events: sql`, ${writeEndEvents(names)}`,
  }
}

/**
 * Each row is found by the primary key, locked in the order of the input, and updated by a second lookup. The planner
 * expects one row of input (`countsAsOneRow`), whatever its length, and so joins by a lookup for each row.
 *
 * Only unusual outcomes are returned: a row for each write would be a tenth of the statement's cost, and more to read.
 * `NOT IN` builds one hash of the ended rows, whatever size the planner expects.
 */
function completionStatement<Write extends Leased>(
  names: SchemaNames,
  { group, lanes }: { readonly group: CompletionGroup<Write>; readonly lanes: LaneParts },
  given: Given<readonly Write[]>,
): RawBuilder<UnusualRow> {
  const transition = group.transition(names, given)
  const { optionalTexts = [] } = transition
  const inputColumns = transition.inputColumns.map((column) => {
    const value = sql`i.${sql.id(column)}`
    return optionalTexts.includes(column)
      ? sql`, ${orNull(value, 'text')} AS ${sql.id(column)}`
      : sql`, ${value}`
  })
  const returnedColumns = transition.inputColumns.map((column) => sql`, h.${sql.id(column)}`)
  return sql<UnusualRow>`
    WITH input AS MATERIALIZED (
      SELECT i.* FROM ${transition.input} WHERE ${countsAsOneRow}
    ), held AS MATERIALIZED (
      SELECT j.* ${sql.join(inputColumns, sql``)}
        FROM input AS i
       CROSS JOIN LATERAL (
         SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested, j.run_at,
                ${lanes.heldColumns}j.locked_by AS worker_id, j.locked_at AS started_at
           FROM ${names.jobs} AS j
          WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}${lanes.heldCondition}
            FOR UPDATE
       ) AS j
    ), next AS (
      SELECT h.*, ${transition.nextStatus} AS next_status, ${transition.runAt} AS next_run_at FROM held AS h
    ), ended AS (
      UPDATE ${names.jobs} AS j
         SET status = h.next_status,
             attempts = j.attempts + ${sql.lit(transition.attemptsDelta)},
             run_at = CASE WHEN ${isWaiting(names)} THEN h.next_run_at ELSE j.run_at END,
             finished_at = CASE WHEN ${isWaiting(names)} THEN NULL ELSE statement_timestamp() END,
             last_error = coalesce(${transition.lastError}, j.last_error),
             result = ${transition.result},${transition.endsExpiry ? sql` expires_at = NULL,` : sql``}
             updated_at = ${updatedAt(sql`statement_timestamp()`)}, locked_at = NULL, locked_by = NULL${attemptColumns(transition.history)}${lanes.setColumns}
        FROM next AS h
       WHERE j.id = h.id
      RETURNING h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, h.cancel_requested ${sql.join(returnedColumns, sql``)},
                j.status, j.crashes${lanes.returnedColumns}
    )${lanes.events}${historyStatements(names, transition.history)}
    SELECT id, lease_token::text AS lease_token, status FROM ended
     WHERE status <> ${names.status[group.usualStatus]}
    UNION ALL
    SELECT i.id, i.lease_token::text, NULL FROM input AS i
     WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)`
}

/**
 * True for every row, but estimated to be true for one in two hundred, so that the planner expects one row of every
 * input. Without it, a group of 500 would be joined by reading the whole table while that has fewer than about 60 000
 * rows, at twice the cost. And because an array of unknown length is estimated at ten rows, the prepared generic plan
 * looked expensive beside the plan for a single job, which was therefore planned anew each time (docs/decisions/0017).
 */
export const countsAsOneRow = sql`i.lease_token = i.lease_token + 0`

function isWaiting(names: SchemaNames): RawBuilder<boolean> {
  return sql`h.next_status IN (${names.status.queued}, ${names.status.retrying})`
}

function attemptColumns(history: Transition['history']): RawBuilder<unknown> {
  return history === 'on job' ? sql`, started_at = j.locked_at, worker_id = j.locked_by` : sql``
}

function historyStatements(names: SchemaNames, history: Transition['history']): RawBuilder<unknown> {
  if (history === null || history === 'on job') return sql``
  const deadLetters = history.mayDeadLetter ? sql`, ${writeDeadLetters(names, history)}` : sql``
  const errorCounts = history.hasCause ? sql`, ${countErrors(names)}` : sql``
  return sql`, ${recordHistory(names, history)}${deadLetters}${errorCounts}`
}

interface CompletionAnswer {
  readonly unusual: readonly UnusualRow[]
  readonly group: Pick<CompletionGroup<never>, 'usualStatus' | 'recordedAs'>
}

/**
 * Turns the rows of the answer into completions. Unmatched writes are looked up in the history, because an earlier
 * reply to the same write may have been lost.
 */
async function toCompletions(
  database: QueueDatabase,
  writes: readonly Leased[],
  { unusual, group }: CompletionAnswer,
): Promise<Completion[]> {
  if (unusual.length === 0) return writes.map(({ lease }) => finished(lease, group.usualStatus))
  const statusByLease = new Map(unusual.map((row) => [leaseKey(row.id, row.lease_token), row.status]))
  const unmatched = writes.filter(
    ({ lease }) => statusByLease.get(leaseKey(lease.jobId, lease.token)) === null,
  )
  const recorded = await findRecorded(database, unmatched, group.recordedAs)
  return writes.map(({ lease }) => {
    const key = leaseKey(lease.jobId, lease.token)
    const status = statusByLease.get(key)
    if (status !== null) return finished(lease, status ?? group.usualStatus)
    return recorded.has(key) ? finished(lease, null) : { lease, outcome: 'lease_lost', status: null }
  })
}

function finished(lease: Lease, status: JobStatus | null): Completion {
  return { lease, outcome: 'finished', status }
}

async function findRecorded(
  database: QueueDatabase,
  writes: readonly Leased[],
  recordedAs: readonly ExecutionOutcome[],
): Promise<ReadonlySet<string>> {
  if (writes.length === 0 || recordedAs.length === 0) return new Set()
  const rows = await database.run(sql<{ job_id: string; lease_token: string }>`
    SELECT i.id AS job_id, i.lease_token::text AS lease_token
      FROM ${leaseInput(sql.val(leaseIds(writes)), sql.val(leaseTokens(writes)))}
     CROSS JOIN LATERAL (
       SELECT FROM ${endedAttempts(database.names)} AS x
        WHERE x.job_id = i.id AND x.lease_token = i.lease_token AND x.outcome = ANY(${recordedAs}::text[])
       OFFSET 0
     ) AS recorded`)
  return new Set(rows.map((row) => leaseKey(row.job_id, row.lease_token)))
}

/** `status`, unless a cancel was requested: then the job ends as cancelled, whatever its attempt did. */
export function unlessCancelled(names: SchemaNames, status: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN h.cancel_requested THEN ${names.status.cancelled} ELSE ${status} END`
}
