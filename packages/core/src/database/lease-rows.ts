// The values of writes by the holders of leases, as rows and arrays of a statement.
import { type RawBuilder, sql } from 'kysely'
import { nulls, plainArray } from '@queue/postgres'
import type { Lease } from '../domain/job.ts'

/** What the holder of a lease writes or reads. */
export interface Leased {
  readonly lease: Lease
}

/** A lease as one text. Two leases of one job have different texts. */
export function leaseKey(jobId: string, token: number | string): string {
  return `${jobId}:${token}`
}

/** Leases as rows with an id and a token, from the texts of two arrays. */
export function leaseInput(ids: RawBuilder<unknown>, tokens: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`unnest(${ids}::uuid[], ${tokens}::bigint[]) AS i (id, lease_token)`
}

/** The ids of the leased jobs, as the text of an array. */
export function leaseIds(writes: readonly Leased[]): string {
  return plainArray(writes.map((write) => write.lease.jobId))
}

/** The tokens of the leases, as the text of an array. */
export function leaseTokens(writes: readonly Leased[]): string {
  return plainArray(writes.map((write) => write.lease.token))
}

/** Reads one value of each write. */
export function valuesOf<Write, Value>(read: (write: Write) => Value): (writes: readonly Write[]) => Value[] {
  return (writes) => writes.map(read)
}

/**
 * Reads one text of each write, for a column of `optionalTexts`. An empty array where all are null: it is shorter.
 */
export function textsOf<Write>(
  read: (write: Write) => string | null,
): (writes: readonly Write[]) => string[] {
  return (writes) => {
    const values = writes.map(read)
    return values.every((value) => value === null) ? [] : values.map((value) => value ?? nulls.text)
  }
}
