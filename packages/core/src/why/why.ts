import type { QueueDatabase } from '../database/connect.ts'
import type { JobStatus } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'
import { type ExpectedStart, expectedStart } from '../stats/expected-start.ts'
import { readClaimFacts } from './claim-facts.ts'
import type { Reason } from './reason.ts'
import { reasonsOf } from './reasons.ts'

/** Why a job does not start. */
export interface Why {
  readonly status: JobStatus
  /** Whether the next claim of some worker takes it, once those before it have been taken: then no reason blocks. */
  readonly claimable: boolean
  /** Those that block come from the conditions of the claim. */
  readonly reasons: readonly Reason[]
  /** Its place, and when it begins as far as the last minutes tell; null where something blocks it. */
  readonly start: ExpectedStart | null
}

/**
 * Why the job does not start: nothing blocks it exactly when a claim of some live worker that takes whatever it may would take
 * it. Undefined when there is no such job. It reads at most `whyHeldMax` jobs of workers and `placeMax` before it.
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
