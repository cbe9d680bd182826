import { epochMs, type Numeric } from '@queue/postgres'
import { sql } from 'kysely'
import { instantText } from '../database/instant.ts'
import type { ActorType } from '../domain/actor.ts'
import type { OperationAct, OperationState } from '../database/operation-tables.ts'
import type { Scope } from '../database/scope.ts'
import type { JsonValue } from '../domain/json.ts'

/** A bulk action that workers carry out in batches. */
export interface Operation {
  /** A UUIDv7. The order of ids is the order of creation. */
  readonly id: string
  readonly act: OperationAct
  /** The jobs, in the names of the wire; null once an erasure has ended, because it may tell whose the jobs were. */
  readonly filter: JsonValue
  /** The earliest start that a reschedule sets. */
  readonly runAt: Date | null
  /** The most jobs per second; null: no limit. */
  readonly rate: number | null
  readonly state: OperationState
  /** How many jobs the filter matched when the operation started; a lower bound where `expectedIsLeast`. */
  readonly expected: number
  readonly expectedIsLeast: boolean
  /** Jobs that it has changed. */
  readonly changed: number
  /** Jobs that its filter matched, but that no longer qualified when they were to be changed. */
  readonly skipped: number
  /** Why it ended without success. */
  readonly reason: string | null
  /** Who started it: the id of a key or the name of a role; null: a program. */
  readonly actor: string | null
  readonly actorName: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface OperationRow {
  readonly id: string
  readonly act: OperationAct
  readonly filter: string
  readonly run_at: Numeric | null
  readonly rate: number | null
  readonly state: OperationState
  readonly expected: number
  readonly expected_is_least: boolean
  readonly changed: Numeric
  readonly skipped: Numeric
  readonly reason: string | null
  readonly actor: string | null
  readonly actor_name: string | null
  readonly created_at: Numeric
  readonly finished_at: Numeric | null
}

/** The columns of an `OperationRow`, read from the row named `o`. */
export const operationColumns = sql`o.id, o.act, o.filter::text AS filter, ${epochMs(sql`o.run_at`)} AS run_at, o.rate, o.state,
  o.expected, o.expected_is_least, o.changed, o.skipped, o.reason, o.actor,
  o.actor_name, ${epochMs(sql`o.created_at`)} AS created_at, ${epochMs(sql`o.finished_at`)} AS finished_at`

export function decodeOperation(row: OperationRow): Operation {
  return {
    id: row.id,
    act: row.act,
    filter: JSON.parse(row.filter) as JsonValue,
    runAt: toDate(row.run_at),
    rate: row.rate,
    state: row.state,
    expected: row.expected,
    expectedIsLeast: row.expected_is_least,
    changed: Number(row.changed),
    skipped: Number(row.skipped),
    reason: row.reason,
    actor: row.actor,
    actorName: row.actor_name,
    createdAt: new Date(Number(row.created_at)),
    finishedAt: toDate(row.finished_at),
  }
}

function toDate(ms: Numeric | null): Date | null {
  return ms === null ? null : new Date(Number(ms))
}

/** The row of an operation with what carrying it out needs. */
export interface LiveOperationRow extends OperationRow {
  readonly scope: string | null
  readonly actor_type: ActorType | null
  readonly up_to: string
  readonly reached: string | null
  /** When it was created, to the microsecond. */
  readonly created: string
  /** Whether the credential of the caller who started it has expired. */
  readonly rights_ended: boolean
}

export const liveOperationColumns = sql`${operationColumns}, o.scope::text AS scope, o.actor_type, o.up_to, o.reached,
  ${instantText(sql`o.created_at`)} AS created,
  coalesce(o.rights_end_at <= now(), false) AS rights_ended`

/** The stored text of a caller's bounds. Equal bounds have equal texts. */
export function scopeText(scope: Scope | undefined): string | null {
  if (scope === undefined) return null
  const { tenantId = null, queues = null, kinds = null } = scope
  return JSON.stringify({
    tenant_id: tenantId,
    queues: queues?.toSorted() ?? null,
    kinds: kinds?.toSorted() ?? null,
  })
}

export function decodeScope(text: string | null): Scope | undefined {
  if (text === null) return undefined
  const {
    tenant_id: tenantId,
    queues,
    kinds,
  } = JSON.parse(text) as {
    readonly tenant_id: string | null
    readonly queues: string[] | null
    readonly kinds: string[] | null
  }
  return {
    ...(tenantId !== null && { tenantId }),
    ...(queues !== null && { queues }),
    ...(kinds !== null && { kinds }),
  }
}
