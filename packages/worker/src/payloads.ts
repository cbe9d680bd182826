import { limits, type QueueDatabase } from '@queue/core'
import { type Lease, type ReadPayload, readPayloads } from '@queue/core/runtime'
import { createGroupCommit } from '@queue/loop'

/** Reads what was too large for a claim, once its job begins: a few at a time, over one connection. */
export interface Payloads {
  /** The payload of a job that runs here; undefined when the lease is lost. Waits for a database that is away. */
  read(lease: Lease): Promise<ReadPayload | undefined>
}

export interface PayloadsOptions {
  readonly database: QueueDatabase
  /** A payload has come into memory. */
  readonly onRead: (payload: ReadPayload) => void
  readonly onOutage: (error: unknown) => void
  readonly giveUp: AbortSignal
}

export function createPayloads({ database, onRead, onOutage, giveUp }: PayloadsOptions): Payloads {
  const reads = createGroupCommit<Lease, ReadPayload | undefined>({
    apply: (leases) => readPayloads(database, leases),
    groupMax: limits.payloadReadBatchMax,
    onOutage,
    giveUp,
  })
  return {
    read: async (lease) => {
      const read = await reads.add(lease)
      if (read !== undefined) onRead(read)
      return read
    },
  }
}
