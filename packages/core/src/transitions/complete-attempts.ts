import { type RawBuilder, sql } from 'kysely'
import { type Given, isDataError, plainArray, template } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { laneColumns, writeEndEvents } from '../database/lane-events.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import { type CopiedColumn, copiedColumns } from '../database/tables.ts'
import type { ExecutionOutcome, JobStatus, Lease } from '../domain/job.ts'
import { countErrors } from '../errors/count-errors.ts'
import { executionsPerJobMax } from '../domain/limits.ts'

/**
 * What became of one fenced write. `lease_lost`: the job is in other hands, or was ended by somebody else, and
 * nothing was changed. `finished`: it is recorded, by this call or by an earlier one whose reply was lost.
 */
export interface Completion {
  readonly lease: Lease
  readonly outcome: 'finished' | 'lease_lost'
  /** The state that the job entered; null when that was recorded earlier, and the state then is no longer known. */
  readonly status: JobStatus | null
}

/**
 * One transition out of `running`, as the pieces in which it differs from the others. Expressions may use `h`: the
 * locked row (attempt, max_attempts, cancel_requested, started_at, worker_id, run_at) and the columns of `input`.
 */
export interface Transition {
  /** `unnest(…) AS i (id, lease_token, …)`: the leases, and what each write carries. */
  readonly input: RawBuilder<unknown>
  /** The names that `input` has beyond id and lease_token. */
  readonly inputColumns: readonly string[]
  /** The state to enter. */
  readonly nextStatus: RawBuilder<unknown>
  /** The start of the next attempt, where there is one. */
  readonly runAt: RawBuilder<unknown>
  /** What the attempt costs beyond what the claim has charged: 0, or −1 to take the charge back. */
  readonly attemptsDelta: 0 | -1
  /** Whether the job has begun and looks as if it had not: then an expiry must count no longer. */
  readonly endsExpiry?: true
  readonly lastError: RawBuilder<unknown>
  readonly result: RawBuilder<unknown>
  /** How the history names the end of this attempt; null when the attempt never began, and leaves no history. */
  readonly history: AttemptHistory | null
}

/** A write by the holder of a lease. */
interface Held {
  readonly lease: Lease
}

/** How an ended attempt is written down. */
export interface AttemptHistory {
  readonly outcome: RawBuilder<unknown>
  readonly error: RawBuilder<unknown>
  /** Whether what has ended has `error_class` and `fingerprint`, and is counted by its cause. */
  readonly hasCause?: true
  /** Whether the job may have become failed_permanent, and then gets its dead letter. */
  readonly mayDeadLetter: boolean
}

/** The transition of a group of writes, how its answer is read, and the harmless form of a write that was refused. */
export interface CompletionGroup<Write extends Held> {
  /** The state that nearly all enter. Only those that do not are answered with a row. */
  readonly usualStatus: JobStatus
  /** What an execution row of an earlier, lost reply may say. */
  readonly recordedAs: readonly ExecutionOutcome[]
  readonly transition: (names: SchemaNames, given: Given<readonly Write[]>) => Transition
  /** The same write with nothing in it that could be refused again. */
  readonly sanitise: (write: Write, error: unknown) => Write
}

/** Ends the attempts of `writes` by one transition; the answer has the order of the writes. */
export type Complete<Write extends Held> = (
  database: QueueDatabase,
  writes: readonly Write[],
) => Promise<Completion[]>

/**
 * What ends attempts by this transition in one statement, each fenced by its lease token, rows locked in id order. One
 * row that PostgreSQL refuses (SQLSTATE classes 22, 23, 54) harms no other: the group is then sent row by row, that row
 * sanitised.
 */
export function completing<Write extends Held>(group: CompletionGroup<Write>): Complete<Write> {
  const statementsIn = perSchema((names) => {
    const of = (lanes: LaneParts) =>
      template<readonly Write[], UnusualRow>((given) => completionStatement(names, { group, lanes }, given))
    return { plain: of(withoutLanes), inLanes: of(withLanes(names)) }
  })
  /** Rows are locked in the order of the input. */
  const run = async (database: QueueDatabase, sort: 'plain' | 'inLanes', writes: readonly Write[]) =>
    database.run(statementsIn(database.names)[sort](writes.toSorted(byJobId)), 'looping')
  const send: Complete<Write> = async (database, writes) => {
    const areInLanes = writes.some(({ lease }) => lease.inLane === true)
    const unusual = await run(database, areInLanes ? 'inLanes' : 'plain', writes)
    const missing = areInLanes ? [] : missingOf(writes, unusual)
    if (missing.length === 0) return resolve(database, writes, { unusual, group })
    // A limit may count a job since it was claimed: such a one is not ended by the first statement.
    const others = await run(database, 'inLanes', missing)
    return resolve(database, writes, {
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
      const [first, ...more] = writes
      // The second refusal of a sanitised row is a defect of ours.
      if (first !== undefined && more.length === 0) return send(database, [group.sanitise(first, error)])
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

function byJobId(a: Held, b: Held): number {
  return a.lease.jobId < b.lease.jobId ? -1 : a.lease.jobId > b.lease.jobId ? 1 : 0
}

/** The writes that the answer says were not matched. */
function missingOf<Write extends Held>(writes: readonly Write[], unusual: readonly UnusualRow[]): Write[] {
  const missing = new Set(
    unusual.flatMap(({ id, lease_token, status }) => (status === null ? [leaseKey(id, lease_token)] : [])),
  )
  return missing.size === 0
    ? []
    : writes.filter(({ lease }) => missing.has(leaseKey(lease.jobId, lease.token)))
}

/**
 * A write that did not come to the transition's usual state: what its job entered instead, or null when it did not
 * match.
 */
interface UnusualRow {
  readonly id: string
  readonly lease_token: string
  readonly status: JobStatus | null
}

/** The parts of a statement by which jobs with a key, and jobs that a limit counts, differ from others. */
interface LaneParts {
  readonly held: RawBuilder<unknown>
  readonly isHeld: RawBuilder<unknown>
  readonly set: RawBuilder<unknown>
  readonly returned: RawBuilder<unknown>
  readonly noted: RawBuilder<unknown>
}

/** What has no part in limits pays nothing for them: a job that has is not found, and takes the other statement. */
const withoutLanes: LaneParts = {
  held: sql``,
  isHeld: sql` AND j.key IS NULL AND j.counted IS NULL`,
  set: sql``,
  returned: sql``,
  noted: sql``,
}

function withLanes(names: SchemaNames): LaneParts {
  return {
    held: sql`j.counted, `,
    isHeld: sql``,
    set: sql`, counted = NULL`,
    returned: sql`, j.run_at, h.counted, ${laneColumns}`,
    noted: sql`, ${writeEndEvents(names)}`,
  }
}

/**
 * Each row is found by the primary key, locked in the order of the input, and updated by a second look-up: the planner
 * takes the input for one row (`isFew`), whatever its length, and joins with a look-up for each.
 *
 * Only what is unusual is answered: a row for each write would be a tenth of the statement's cost, and more to read.
 * `NOT IN` makes one hash of what has ended, whatever the planner believes of its size.
 */
function completionStatement<Write extends Held>(
  names: SchemaNames,
  { group, lanes }: { readonly group: CompletionGroup<Write>; readonly lanes: LaneParts },
  given: Given<readonly Write[]>,
): RawBuilder<UnusualRow> {
  const transition = group.transition(names, given)
  const carried = transition.inputColumns.map((column) => sql`, i.${sql.id(column)}`)
  const returned = transition.inputColumns.map((column) => sql`, h.${sql.id(column)}`)
  return sql<UnusualRow>`
    WITH input AS MATERIALIZED (
      SELECT i.* FROM ${transition.input} WHERE ${isFew}
    ), held AS MATERIALIZED (
      SELECT j.* ${sql.join(carried, sql``)}
        FROM input AS i
       CROSS JOIN LATERAL (
         SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested, j.run_at,
                ${lanes.held}j.locked_by AS worker_id, j.locked_at AS started_at
           FROM ${names.jobs} AS j
          WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}${lanes.isHeld}
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
             updated_at = statement_timestamp(), locked_at = NULL, locked_by = NULL${lanes.set}
        FROM next AS h
       WHERE j.id = h.id
      RETURNING h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, h.cancel_requested ${sql.join(returned, sql``)},
                j.status, j.crashes${lanes.returned}
    )${lanes.noted}${historyStatements(names, transition.history)}
    SELECT id, lease_token::text AS lease_token, status FROM ended
     WHERE status <> ${names.status[group.usualStatus]}
    UNION ALL
    SELECT i.id, i.lease_token::text, NULL FROM input AS i
     WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)`
}

/**
 * True of each row, and taken for true of one in two hundred, so that every input counts as one row. As long as it is, a
 * group of 500 would be joined by reading the whole table while that has fewer than some 60 000 rows, at twice the cost;
 * and because an array that is not known yet counts as ten rows, the statement that stays prepared looked dear beside one
 * for a single job, which was planned anew each time (docs/decisions/0017).
 */
const isFew = sql`i.lease_token = i.lease_token + 0`

function isWaiting(names: SchemaNames): RawBuilder<boolean> {
  return sql`h.next_status IN (${names.status.queued}, ${names.status.retrying})`
}

function historyStatements(names: SchemaNames, history: Transition['history']): RawBuilder<unknown> {
  if (history === null) return sql``
  const deadLettered = history.mayDeadLetter ? sql`, ${deadLetterExhausted(names, history)}` : sql``
  const counted = history.hasCause ? sql`, ${countErrors(names)}` : sql``
  return sql`, ${recordHistory(names, history)}${deadLettered}${counted}`
}

/**
 * An attempt ends with the statement, which may be the last of a handler's transaction. A recovery's can have begun some
 * milliseconds before the claim that its snapshot has just seen.
 */
const endedAt = sql`greatest(statement_timestamp(), h.started_at)`

/**
 * The history row of each ended attempt, and the removal of what is beyond the number kept per job. Rows are counted, and
 * not tokens: a claim that was returned has raised the token and left no row. A job whose token says that it cannot have
 * so many rows is not looked at.
 */
export function recordHistory(names: SchemaNames, history: AttemptHistory): RawBuilder<unknown> {
  const [columns, values] = history.hasCause
    ? [sql`, error_class, fingerprint`, sql`, h.error_class, h.fingerprint`]
    : [sql``, sql``]
  return sql`history AS (
      INSERT INTO ${names.executions}
        (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error${columns})
      SELECT h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, ${endedAt},
             ${history.outcome}, ${history.error}${values}
        FROM ended AS h
    ), trimmed AS (
      DELETE FROM ${names.executions} AS x USING (
        SELECT h.id, (SELECT e.lease_token FROM ${names.executions} AS e WHERE e.job_id = h.id
                       ORDER BY e.lease_token DESC OFFSET ${sql.lit(executionsPerJobMax - 1)} LIMIT 1) AS newest_beyond
          FROM ended AS h WHERE h.lease_token > ${sql.lit(executionsPerJobMax)} OFFSET 0
      ) AS long
       WHERE x.job_id = long.id AND x.lease_token <= long.newest_beyond
    )`
}

const columnsOfDeadLetter = [
  'job_id',
  'dead_lettered_at',
  ...copiedColumns,
  'fingerprint',
  'execution_history',
]
const writtenColumns = sql.join(columnsOfDeadLetter.map((name) => sql.id(name)))
const newColumns = sql.join(columnsOfDeadLetter.map((name) => sql`EXCLUDED.${sql.id(name)}`))

/**
 * The dead letter of each job that has just become failed_permanent, its history with the attempt that dead-lettered
 * it: that one is added by hand, because this statement's snapshot cannot see its own insert.
 */
export function deadLetterExhausted(names: SchemaNames, history: AttemptHistory): RawBuilder<unknown> {
  const taken: Partial<Record<CopiedColumn, RawBuilder<unknown>>> = {
    lease_token: sql`h.lease_token`,
    attempts: sql`h.attempt`,
    crashes: sql`h.crashes`,
    last_error: sql`coalesce(${history.error}, j.last_error)`,
  }
  const copies = copiedColumns.map((name) => taken[name] ?? sql`j.${sql.id(name)}`)
  const cause = history.hasCause
    ? { errorClass: sql`h.error_class`, fingerprint: sql`h.fingerprint` }
    : { errorClass: sql`NULL::text`, fingerprint: sql`NULL::text` }
  return sql`dead_lettered AS (
      INSERT INTO ${names.deadLetters} AS d (${writtenColumns})
      SELECT j.id, statement_timestamp(), ${sql.join(copies)}, ${cause.fingerprint},
             (SELECT coalesce(jsonb_agg(${executionJson()} ORDER BY x.lease_token), '[]')
                FROM ${names.executions} AS x WHERE x.job_id = h.id)
               || (SELECT ${executionJson()} FROM (SELECT h.lease_token, h.attempt, h.worker_id, h.started_at,
                          ${endedAt} AS finished_at, ${history.outcome} AS outcome, ${history.error} AS error,
                          ${cause.errorClass} AS error_class, ${cause.fingerprint} AS fingerprint) AS x)
        FROM ended AS h JOIN ${names.jobs} AS j ON j.id = h.id
       WHERE h.status = ${names.status.failed_permanent}
       ORDER BY h.id
      ON CONFLICT (job_id) DO UPDATE SET
        (${writtenColumns}) = ROW (${newColumns})
    )`
}

function executionJson(): RawBuilder<unknown> {
  return sql`jsonb_build_object('lease_token', x.lease_token, 'attempt', x.attempt, 'worker_id', x.worker_id,
                 'started_at', x.started_at, 'finished_at', x.finished_at, 'outcome', x.outcome, 'error', x.error,
                 'error_class', x.error_class, 'fingerprint', x.fingerprint)`
}

interface Answered {
  readonly unusual: readonly UnusualRow[]
  readonly group: Pick<CompletionGroup<never>, 'usualStatus' | 'recordedAs'>
}

/** Rows that did not match are looked up in the history: an earlier reply of this very write may have been lost. */
async function resolve(
  database: QueueDatabase,
  writes: readonly Held[],
  { unusual, group }: Answered,
): Promise<Completion[]> {
  if (unusual.length === 0) return writes.map(({ lease }) => finished(lease, group.usualStatus))
  const entered = new Map(unusual.map((row) => [leaseKey(row.id, row.lease_token), row.status]))
  const missing = writes.filter(({ lease }) => entered.get(leaseKey(lease.jobId, lease.token)) === null)
  const recorded = await findRecorded(database, missing, group.recordedAs)
  return writes.map(({ lease }) => {
    const key = leaseKey(lease.jobId, lease.token)
    const status = entered.get(key)
    if (status !== null) return finished(lease, status ?? group.usualStatus)
    return recorded.has(key) ? finished(lease, null) : { lease, outcome: 'lease_lost', status: null }
  })
}

function finished(lease: Lease, status: JobStatus | null): Completion {
  return { lease, outcome: 'finished', status }
}

async function findRecorded(
  database: QueueDatabase,
  writes: readonly Held[],
  recordedAs: readonly ExecutionOutcome[],
): Promise<ReadonlySet<string>> {
  if (writes.length === 0 || recordedAs.length === 0) return new Set()
  const rows = await database.run(sql<{ job_id: string; lease_token: string }>`
    SELECT i.id AS job_id, i.lease_token::text AS lease_token
      FROM ${leaseInput(sql.val(leaseIds(writes)), sql.val(leaseTokens(writes)))}
     CROSS JOIN LATERAL (
       SELECT FROM ${database.names.executions} AS x
        WHERE x.job_id = i.id AND x.lease_token = i.lease_token AND x.outcome = ANY(${recordedAs}::text[])
       OFFSET 0
     ) AS recorded`)
  return new Set(rows.map((row) => leaseKey(row.job_id, row.lease_token)))
}

/** A lease as one text: two leases of one job are two. */
export function leaseKey(jobId: string, token: number | string): string {
  return `${jobId}:${token}`
}

/** Leases as rows, without anything else: their ids and their tokens, as the texts of two arrays. */
export function leaseInput(ids: RawBuilder<unknown>, tokens: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`unnest(${ids}::uuid[], ${tokens}::bigint[]) AS i (id, lease_token)`
}

/** The ids of the leased jobs, as the text of an array. */
export function leaseIds(writes: readonly Held[]): string {
  return plainArray(writes.map((write) => write.lease.jobId))
}

/** The tokens of the leases, as the text of an array. */
export function leaseTokens(writes: readonly Held[]): string {
  return plainArray(writes.map((write) => write.lease.token))
}

/** One value of each write. */
export function each<Write, Value>(read: (write: Write) => Value): (writes: readonly Write[]) => Value[] {
  return (writes) => writes.map(read)
}

/** One text of each write; where there is none at all an empty array, because `unnest` fills up with nulls. */
export function texts<Write>(
  read: (write: Write) => string | null,
): (writes: readonly Write[]) => (string | null)[] {
  return (writes) => {
    const values = writes.map(read)
    return values.every((value) => value === null) ? [] : values
  }
}

/** `status`, unless a cancel was asked for: then the job ends cancelled, whatever its attempt did. */
export function unlessCancelled(names: SchemaNames, status: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN h.cancel_requested THEN ${names.status.cancelled} ELSE ${status} END`
}
