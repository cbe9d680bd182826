// queued | retrying → running, of jobs in lanes and in queues with limits. Called by `claimJobs` for a worker that holds its lease.
import { sql } from 'kysely'
import { template } from '@queue/postgres'
import type { UnbegunJob } from '../domain/job.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { type ClaimedRow, claimedColumns, decodeClaimedJob } from '../database/job-row.ts'
import { perSchema } from '../database/schema-names.ts'
import { type Claim, type ClaimInput, inClaimOrder, takingShare } from '../claims/claim.ts'

/** What may start so soon is taken to be there. */
const soonMs = 30_000

/** A row of a job; or the last one, which has no job and says what the claim has seen. */
type LaneRow = ClaimedRow & {
  readonly key: string | null
  readonly counted: number | null
  readonly seen: string | null
}

interface LanesSeen {
  readonly taken_ms: number
  readonly is_active: boolean
  readonly is_too_late: boolean
  readonly more: boolean
  /** Until the next event is due, a rate lets another job start, or what another claim held is free again. */
  readonly next_in_ms: number | null
  /** Where the next claim may begin to look. */
  readonly marks: unknown
}

/** More than any value has. */
const bytesMax = 2 ** 31 - 1

/**
 * Claims up to `limit` jobs by the function `claim_lanes`, in one statement: no limit that holds for one of them is exceeded,
 * and its counters change with it. Lanes of one queue, kind and priority take turns. What is said of leases, of lateness and of
 * pauses at `claimJobs` holds for it too.
 */
export async function claimLanes(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { lanes } = input.memory
  const keepMarks = lanes.beginClaim()
  const rows = await database.run(statementIn(database.names)(input), 'frequent')
  const seen = JSON.parse(rows.at(-1)?.seen ?? '{}') as LanesSeen
  const claimedRows = rows.slice(0, -1)
  const hasLanes = claimedRows.length > 0 || (seen.next_in_ms ?? soonMs) < soonMs
  lanes.learn(seen.taken_ms, { hasLanes, jobs: claimedRows.length })
  keepMarks(JSON.stringify(seen.marks ?? {}))
  return {
    jobs: inClaimOrder(claimedRows.map((row) => decodeLaneJob(row, seen.taken_ms))),
    payloadLength: claimedRows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0),
    leaseLost: !seen.is_active,
    tooLate: seen.is_too_late,
    databaseNowMs: seen.taken_ms,
    more: seen.more,
    retryInMs: lanes.retryIn(seen.next_in_ms, claimedRows.length),
  }
}

function decodeLaneJob(row: LaneRow, nowMs: number): UnbegunJob {
  const job = decodeClaimedJob(row, nowMs)
  const { key, counted } = row
  if (key === null && counted === null) return job
  return { ...job, lease: { ...job.lease, inLane: true }, key, isCounted: counted !== null }
}

const statementIn = perSchema((names) =>
  template<ClaimInput, LaneRow>(
    (given) => sql`
    SELECT ${claimedColumns(
      'c',
      given((input) => input.payloadBytesMax ?? bytesMax),
    )}, c.key, c.counted, c.seen::text AS seen
      FROM ${names.claimLanes}(${given((input) => input.workerId)}::text, ${given((input) => input.memory.queuesText)}::text[],
             ${given((input) => input.kinds)}::text[], ${given((input) => input.limit)}::integer,
             ${given((input) => input.eligible === 'steady')}::boolean,
             ${given((input) => input.clock.nowMs() ?? Number.POSITIVE_INFINITY)}::float8,
             ${given((input) => input.answerWithinMs * takingShare)}::float8,
             ${given((input) => input.memory.lanes.marks)}::jsonb) AS c`,
  ),
)
