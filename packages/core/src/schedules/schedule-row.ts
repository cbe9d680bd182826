import { asText, epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeOptions, encodeOptions } from '../database/option-document.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { type OptionIn, optionsIn } from '../domain/job-options.ts'
import type { JsonValue } from '../domain/json.ts'
import type { ScheduleRules } from './definition.ts'
import { describeTiming } from './describe-timing.ts'

/** A schedule as readers see it. All instants are by the database's clock. */
export interface Schedule extends ScheduleRules {
  readonly name: string
  /** The name under which syncs manage this schedule; empty: none does. */
  readonly source: string
  /** The revision of the sync that wrote it. */
  readonly revision: number
  readonly kind: string
  readonly payload: JsonValue
  /** The version of the kind that the payload belongs to. */
  readonly kindVersion: number
  /** The sensitive parts of the payload: JSON pointers. Null: all of it. */
  readonly sensitive: readonly string[] | null
  /** Whether results of its jobs are shown to callers who may not read payloads. */
  readonly openResults: boolean
  /** The options of its jobs. */
  readonly options: Pick<JobRequest, ScheduledOption>
  /** A description of when it fires. */
  readonly description: string
  readonly pausedAt: Date | null
  /** Why the schedule paused itself; null where a caller paused it. */
  readonly pausedReason: string | null
  /** The instant of the next run; null: there is none. */
  readonly nextRunAt: Date | null
  /** The last instant for which a job was enqueued. */
  readonly lastRunAt: Date | null
  readonly lastJobId: string | null
  readonly firedCount: number
  /** Number of instants that `missed` has dropped. */
  readonly missedCount: number
  /** Number of instants that `overlap` has dropped. */
  readonly skippedCount: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A row as the statements of this folder return it. */
export interface ScheduleRow {
  readonly name: string
  readonly source: string
  readonly revision: number
  readonly kind: string
  readonly payload: string
  readonly options: string
  readonly cron: string | null
  readonly time_zone: string
  readonly every_ms: number | null
  readonly starts_ms: number | null
  readonly ends_ms: number | null
  readonly jitter_ms: number
  readonly missed: ScheduleRules['missed']
  readonly missed_window_ms: number | null
  readonly overlap: ScheduleRules['overlap']
  readonly paused_ms: number | null
  readonly paused_reason: string | null
  readonly next_run_ms: number | null
  readonly last_run_ms: number | null
  readonly last_job_id: string | null
  readonly fired_count: number
  readonly missed_count: number
  readonly skipped_count: number
  readonly created_ms: number
  readonly updated_ms: number
  readonly now_ms: number
}

/** The tenant of all schedules: no schedule has one yet. */
export const noTenant = ''

const numberColumns = [
  'revision',
  'every_ms',
  'missed_window_ms',
  'fired_count',
  'missed_count',
  'skipped_count',
]
const textColumns = ['name', 'source', 'kind', 'cron', 'time_zone', 'missed', 'overlap', 'paused_reason']
const instantColumns = {
  starts_ms: 'starts_at',
  ends_ms: 'ends_at',
  paused_ms: 'paused_at',
  next_run_ms: 'next_run_at',
  last_run_ms: 'last_run_at',
  created_ms: 'created_at',
  updated_ms: 'updated_at',
}

/** All columns of a schedule, read from the table `s`, and the time at which its row was read. */
export const scheduleColumns: RawBuilder<unknown> = sql.join([
  ...textColumns.map((name) => sql.ref(`s.${name}`)),
  ...numberColumns.map((name) => sql`${sql.ref(`s.${name}`)}::bigint AS ${sql.id(name)}`),
  ...Object.entries(instantColumns).map(
    // Seconds as a double, times 1 000, may not be exactly the millisecond that was written: the cast rounds.
    ([name, column]) =>
      sql`(date_part('epoch', ${sql.ref(`s.${column}`)}) * 1000::float8)::bigint AS ${sql.id(name)}`,
  ),
  sql`s.jitter_ms`,
  sql`${asText(sql`s.payload`)} AS payload`,
  sql`${asText(sql`s.options`)} AS options`,
  sql`${asText(sql`s.last_job_id`)} AS last_job_id`,
  sql`${epochMs(sql`clock_timestamp()`)} AS now_ms`,
])

/** The qualified names of the tables of schedules. */
export function scheduleTables({ schema }: QueueDatabase): {
  readonly schedules: RawBuilder<unknown>
  readonly sources: RawBuilder<unknown>
} {
  return { schedules: sql.id(schema, 'schedules'), sources: sql.id(schema, 'schedule_sources') }
}

/** The options of a schedule's jobs. The version belongs to the payload. */
type ScheduledOption = Exclude<OptionIn<'schedule'>, 'version'>

const scheduledOptions = optionsIn('schedule').filter((name) => name !== 'version')

interface StoredOptions {
  readonly version: number
  /** Absent: the whole payload is sensitive. */
  readonly sensitive?: readonly string[]
  readonly open_results?: true
}

/** What the column of options says of a request. */
export type StoredRequest = Pick<JobRequest, ScheduledOption | 'kindVersion' | 'sensitive' | 'openResults'>

/** The options of a request in the form of the column. */
export function optionsText(request: StoredRequest): string {
  return JSON.stringify({
    version: request.kindVersion,
    ...encodeOptions(request, scheduledOptions),
    ...(request.sensitive !== null && { sensitive: request.sensitive }),
    ...(request.openResults && { open_results: true }),
  } satisfies StoredOptions)
}

export function decodeSchedule(row: ScheduleRow): Schedule {
  const document = JSON.parse(row.options) as StoredOptions & Readonly<Record<string, unknown>>
  const rules = {
    cron: row.cron,
    timeZone: row.time_zone,
    everyMs: row.every_ms,
    startsAt: toDate(row.starts_ms),
    endsAt: toDate(row.ends_ms),
    jitterMs: row.jitter_ms,
    missed: row.missed,
    missedWindowMs: row.missed_window_ms,
    overlap: row.overlap,
  }
  return {
    ...rules,
    name: row.name,
    source: row.source,
    revision: row.revision,
    kind: row.kind,
    payload: JSON.parse(row.payload) as JsonValue,
    kindVersion: document.version,
    sensitive: document.sensitive ?? null,
    openResults: document.open_results ?? false,
    options: decodeOptions(document, scheduledOptions) as Schedule['options'],
    description: describeTiming(rules),
    pausedAt: toDate(row.paused_ms),
    pausedReason: row.paused_reason,
    nextRunAt: toDate(row.next_run_ms),
    lastRunAt: toDate(row.last_run_ms),
    lastJobId: row.last_job_id,
    firedCount: row.fired_count,
    missedCount: row.missed_count,
    skippedCount: row.skipped_count,
    createdAt: new Date(row.created_ms),
    updatedAt: new Date(row.updated_ms),
  }
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
