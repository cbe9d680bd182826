import { type RawBuilder, sql } from 'kysely'
import { type Given, template } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import type { Lease } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'
import { leaseIds, leaseInput, leaseKey, leaseTokens } from '../database/lease-rows.ts'

export interface ReadPayload {
  readonly payload: JsonValue
  /** Characters of its text. */
  readonly length: number
}

/**
 * The payloads of jobs that run under these leases, in their order, where the claim did not return them. Undefined
 * where the lease is lost.
 */
export async function readPayloads(
  database: QueueDatabase,
  leases: readonly Lease[],
): Promise<(ReadPayload | undefined)[]> {
  const rows = await database.run(payloadsStatement(database.names)(leases), 'frequent')
  const texts = new Map(rows.map((row) => [leaseKey(row.id, row.lease_token), row.payload]))
  return leases.map(({ jobId, token }) => {
    const text = texts.get(leaseKey(jobId, token))
    return text === undefined ? undefined : { payload: JSON.parse(text) as JsonValue, length: text.length }
  })
}

interface PayloadRow {
  readonly id: string
  readonly lease_token: string
  readonly payload: string
}

const payloadsStatement = perSchema((names) =>
  template<readonly Lease[], PayloadRow>((given) => statement(names, given)),
)

/** `OFFSET 0` keeps each lookup separate: the planner would otherwise read a small table in full. */
function statement(names: SchemaNames, given: Given<readonly Lease[]>): RawBuilder<PayloadRow> {
  const asWrites = (leases: readonly Lease[]) => leases.map((lease) => ({ lease }))
  const ids = given((leases) => leaseIds(asWrites(leases)))
  const tokens = given((leases) => leaseTokens(asWrites(leases)))
  return sql<PayloadRow>`
    SELECT i.id, i.lease_token::text AS lease_token, j.payload
      FROM ${leaseInput(ids, tokens)}
     CROSS JOIN LATERAL (
       SELECT j.payload::text AS payload FROM ${names.jobs} AS j
        WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running} OFFSET 0) AS j`
}
