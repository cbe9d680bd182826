// running → succeeded inside a handler's own transaction. Called by the worker that holds the lease.
import { sql } from 'kysely'
import { type CallerTransaction, transactionSession } from '@queue/postgres'
import { databaseOn } from '../database/connect.ts'
import { commitIdleMsMax } from '../domain/limits.ts'
import { finishJobsInside, type FinishWrite } from './finish-jobs.ts'
import { type ProgressWrite, reportProgress } from './report-progress.ts'

/** Where the finish is written: an open transaction, and the queue's schema in its database. */
export interface FinishTarget {
  readonly transaction: CallerTransaction
  readonly schema: string
  /** How long the server waits for the COMMIT, in milliseconds. The default and the maximum are `commitIdleMsMax`. */
  readonly idleMsMax?: number
}

/** A finish, and the last progress that the handler reported, if it is not stored yet. */
export interface LastWrite extends FinishWrite {
  readonly progress?: Omit<ProgressWrite, 'lease'> | undefined
}

/**
 * The fenced finish of one job as part of an open transaction. Call it last before COMMIT, and roll back on
 * `lease_lost`, which is also the answer when this attempt was ended in another way. The job's row stays locked until
 * then, so that no other worker can take the job in between.
 *
 * A process whose network fails silently would hold that lock until TCP gives up, hours later. The server therefore
 * ends the session after `idleMsMax`, and recovery takes the job over. The setting ends with the transaction.
 */
export async function finishInTransaction(
  target: FinishTarget,
  { progress, ...write }: LastWrite,
): Promise<'finished' | 'lease_lost'> {
  const database = databaseOn(transactionSession(target.transaction), target.schema)
  const idleMs = Math.min(target.idleMsMax ?? commitIdleMsMax, commitIdleMsMax)
  await database.run(sql`SELECT set_config('idle_in_transaction_session_timeout', ${`${idleMs}ms`}, true)`)
  if (progress !== undefined) await reportProgress(database, [{ lease: write.lease, ...progress }])
  const [completion] = await finishJobsInside(database, [write])
  return completion?.outcome ?? 'lease_lost'
}
