import { createGroupCommit } from '@queue/postgres'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { settleBatchMax } from '../domain/limits.ts'
import type { MessageLease } from '../domain/message.ts'
import { deliverMessages } from '../transitions/deliver-messages.ts'
import { releaseMessages, type ReleaseWrite } from '../transitions/release-messages.ts'
import { type FailureWrite, retryOrBuryMessages } from '../transitions/retry-or-bury-messages.ts'
import type { Settlement } from '../transitions/settle-messages.ts'

/** Writes the ends of attempts, each arrow in groups of its own. Every write is fenced by its lease. */
export interface Settler {
  deliver(lease: MessageLease): Promise<Settlement>
  fail(write: FailureWrite): Promise<Settlement>
  release(write: ReleaseWrite): Promise<Settlement>
  /** Resolves when every end that has been handed in has its answer. */
  drained(): Promise<void>
}

export interface SettlerOptions {
  readonly database: OutboxDatabase
  readonly onOutage: (error: unknown) => void
  readonly giveUp: AbortSignal
}

export function createSettler({ database, onOutage, giveUp }: SettlerOptions): Settler {
  const group = <Write>(
    apply: (database: OutboxDatabase, writes: readonly Write[]) => Promise<Settlement[]>,
  ) =>
    createGroupCommit<Write, Settlement>({
      apply: (writes) => apply(database, writes),
      groupMax: settleBatchMax,
      onOutage,
      giveUp,
    })
  const deliveries = group<MessageLease>(deliverMessages)
  const failures = group<FailureWrite>(retryOrBuryMessages)
  const releases = group<ReleaseWrite>(releaseMessages)
  return {
    deliver: (lease) => deliveries.add(lease),
    fail: (write) => failures.add(write),
    release: (write) => releases.add(write),
    drained: async () => {
      await Promise.all([deliveries, failures, releases].map((one) => one.drained()))
    },
  }
}
