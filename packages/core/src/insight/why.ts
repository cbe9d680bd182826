import type { QueueDatabase } from '../database/connect.ts'
import type { JobStatus } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'
import { type ExpectedStart, expectedStart } from './expected-start.ts'
import { readClaimFacts } from './claim-facts.ts'
import type { Reason } from './reason.ts'
import { reasonsOf } from './reasons.ts'

/** Why a job does not start. */
export interface Why {
  readonly status: JobStatus
  /** Whether the next claim of some worker will take the job, once the jobs before it are taken. No reason blocks it then. */
  readonly claimable: boolean
  /** The blocking ones come from the conditions of the claim. */
  readonly reasons: readonly Reason[]
  /** Its place in the queue, and its expected start as far as the last minutes tell; null where something blocks it. */
  readonly start: ExpectedStart | null
}

/**
 * Why the job does not start. Nothing blocks it exactly when a claim of some live worker, with room for every job that
 * it may take, would take this one. Undefined where there is no such job. It reads at most `whyHeldMax` jobs that
 * workers hold, and `placeMax` jobs before this one.
 */
export async function whyNotStarted(database: QueueDatabase, id: string): Promise<Why | undefined> {
  if (!isJobId(id)) return undefined
  const [facts] = await readClaimFacts(database, [id])
  if (facts === undefined) return undefined
  const reasons = reasonsOf(facts)
  const claimable = !reasons.some(({ blocking }) => blocking)
  const start = claimable ? await expectedStart(database, id) : undefined
  return { status: facts.status, claimable, reasons, start: start ?? null }
}
