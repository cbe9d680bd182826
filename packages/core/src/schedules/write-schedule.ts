// The columns that an insert or an update of a schedule writes. Used by create, update and sync.
import { type RawBuilder, sql } from 'kysely'
import { instantParameter } from '../database/instant.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import type { ScheduleRules } from './definition.ts'
import { dueMs } from './plan-firing.ts'
import { noTenant, optionsText, type StoredRequest } from './schedule-row.ts'

/** A schedule to write. */
export interface ScheduleWrite {
  readonly name: string
  readonly source: string
  readonly revision: number
  readonly request: Pick<JobRequest, 'kind' | 'payloadText'> & StoredRequest
  readonly rules: ScheduleRules
  readonly nextMs: number | null
}

/** The columns of a schedule, except those that only firing, pausing and the clock set. */
export function writtenColumns(write: ScheduleWrite): Readonly<Record<string, RawBuilder<unknown>>> {
  const { name, source, revision, request, rules, nextMs } = write
  return {
    tenant_id: sql`${noTenant}`,
    name: sql`${name}`,
    source: sql`${source}`,
    revision: sql`${revision}`,
    kind: sql`${request.kind}`,
    payload: sql`${request.payloadText}::jsonb`,
    options: sql`${optionsText(request)}::jsonb`,
    cron: sql`${rules.cron}`,
    time_zone: sql`${rules.timeZone}`,
    every_ms: sql`${rules.everyMs}`,
    starts_at: optionalInstant(rules.startsAt),
    ends_at: optionalInstant(rules.endsAt),
    jitter_ms: sql`${rules.jitterMs}`,
    missed: sql`${rules.missed}`,
    missed_window_ms: sql`${rules.missedWindowMs}`,
    overlap: sql`${rules.overlap}`,
    ...dueColumns({ name, jitterMs: rules.jitterMs, endsAt: rules.endsAt, nextMs }),
  }
}

/** The two columns that say when the schedule fires next. */
export function dueColumns(due: {
  readonly name: string
  readonly jitterMs: number
  readonly endsAt: Date | null
  readonly nextMs: number | null
}): Readonly<Record<'next_run_at' | 'due_at', RawBuilder<unknown>>> {
  const instantOrNull = (ms: number | null) => (ms === null ? sql`NULL` : instantParameter(new Date(ms)))
  const { nextMs } = due
  return {
    next_run_at: instantOrNull(nextMs),
    due_at: instantOrNull(nextMs === null ? null : dueMs({ ...due, tenantId: noTenant }, nextMs)),
  }
}

function optionalInstant(instant: Date | null): RawBuilder<unknown> {
  return instant === null ? sql`NULL` : instantParameter(instant)
}

/** The assignments of an UPDATE: `a = 1, b = 2`. */
export function assignments(columns: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(Object.entries(columns).map(([name, value]) => sql`${sql.id(name)} = ${value}`))
}
