import { createGroupCommit } from '@queue/postgres'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { completionBatchMax } from '../domain/limits.ts'
import type { MessageLease } from '../domain/message.ts'
import { deliverMessages } from '../transitions/deliver-messages.ts'
import { releaseMessages, type ReleaseWrite } from '../transitions/release-messages.ts'
import { type FailureWrite, retryOrDeadLetterMessages } from '../transitions/retry-or-dead-letter-messages.ts'
import { unchargeMessages, type UnchargeWrite } from '../transitions/uncharge-messages.ts'
import type { Completion } from '../transitions/complete-messages.ts'

/** Writes the ends of attempts, in groups of the same transition. Every write is fenced by its lease. */
export interface Completer {
  deliver(lease: MessageLease): Promise<Completion>
  fail(write: FailureWrite): Promise<Completion>
  release(write: ReleaseWrite): Promise<Completion>
  uncharge(write: UnchargeWrite): Promise<Completion>
  /** Resolves when every write handed in so far has its answer. */
  drained(): Promise<void>
}

export interface CompleterOptions {
  readonly database: OutboxDatabase
  readonly onOutage: (error: unknown) => void
  readonly giveUp: AbortSignal
}

export function createCompleter({ database, onOutage, giveUp }: CompleterOptions): Completer {
  const group = <Write>(
    apply: (database: OutboxDatabase, writes: readonly Write[]) => Promise<Completion[]>,
  ) =>
    createGroupCommit<Write, Completion>({
      apply: (writes) => apply(database, writes),
      groupMax: completionBatchMax,
      onOutage,
      giveUp,
    })
  const deliveries = group<MessageLease>(deliverMessages)
  const failures = group<FailureWrite>(retryOrDeadLetterMessages)
  const releases = group<ReleaseWrite>(releaseMessages)
  const uncharges = group<UnchargeWrite>(unchargeMessages)
  return {
    deliver: (lease) => deliveries.add(lease),
    fail: (write) => failures.add(write),
    release: (write) => releases.add(write),
    uncharge: (write) => uncharges.add(write),
    drained: async () => {
      await Promise.all([deliveries, failures, releases, uncharges].map((writes) => writes.drained()))
    },
  }
}
