import { z } from 'zod'
import { InvalidInput, type InputIssue } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import type { JobDefinition, JobRequest } from '../domain/job-definition.ts'
import * as limits from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { uniqueSchema } from '../domain/unique.ts'
import { missedPolicies, overlapPolicies } from '../domain/schedule-policies.ts'
import { instantsOf, type Timing } from './timing.ts'

const expressionShape =
  'accepted: five fields, minute hour day-of-month month day-of-week, or six with the second before them'
const zoneShape = 'accepted: an IANA name such as Europe/Berlin, or UTC'
const instant = z.date().min(new Date(0)).max(new Date(limits.runAtMsMax))

/** The fields of a schedule, each written once: options, request bodies and OpenAPI are made of them. */
export const scheduleFields = {
  name: jobFields.queue,
  source: jobFields.queue,
  revision: z.int().min(0),
  cron: z
    .string()
    .max(limits.scheduleCronLengthMax)
    .regex(/^[\dA-Za-z*?,\-/#]+(?: +[\dA-Za-z*?,\-/#]+){4,5}$/, `is no expression; ${expressionShape}`),
  timeZone: z
    .string()
    .max(limits.scheduleTimeZoneLengthMax)
    .refine(isTimeZone, `is no time zone; ${zoneShape}`),
  everyMs: z.int().min(limits.scheduleEveryMsMin).max(limits.scheduleEveryMsMax),
  startsAt: instant,
  endsAt: instant,
  jitterMs: z.int().min(0).max(limits.scheduleJitterMsMax),
  missed: z.enum(missedPolicies),
  missedWindowMs: z.int().min(0).max(limits.scheduleMissedWindowMsMax),
  overlap: z.enum(overlapPolicies),
} as const

const timingFields = {
  /** Five fields, minute hour day-of-month month day-of-week, or six with the second before them. Give this or `everyMs`. */
  cron: scheduleFields.cron.nullable().optional(),
  /** The IANA name of the zone in which the expression counts. Default `UTC`. */
  timeZone: scheduleFields.timeZone.optional(),
  /** Milliseconds between two runs, 1 000 at least, counted from `startsAt`, or else from 1970. Give this or `cron`. */
  everyMs: scheduleFields.everyMs.nullable().optional(),
  /** No run before this instant. */
  startsAt: scheduleFields.startsAt.nullable().optional(),
  /** No run at this instant or after it. */
  endsAt: scheduleFields.endsAt.nullable().optional(),
  /** Each run comes up to so many milliseconds late, always as late for one instant. Default 0. */
  jitterMs: scheduleFields.jitterMs.optional(),
  /** What becomes of runs that fell into a gap: `skip` none, `once` one for all, `all` each. Default `once`. */
  missed: scheduleFields.missed.optional(),
  /**
   * How many milliseconds late a run may begin. Default: 60 000 with `skip`, a day with `all`, any with `once`.
   */
  missedWindowMs: scheduleFields.missedWindowMs.nullable().optional(),
  /** `skip` leaves a run out while the job of the one before has not ended. Default `allow`. */
  overlap: scheduleFields.overlap.optional(),
}
const timingSchema = z.strictObject(timingFields)

const jobOptionFields = {
  /** The version of its kind that the payload is of. Default: the newest whose schema accepts the payload. */
  version: jobFields.kindVersion.optional(),
  /** In place of the queue of its kind. */
  queue: jobFields.queue.optional(),
  /** In place of the priority of its kind, 0 to 9; lower runs first. */
  priority: jobFields.priority.optional(),
  /** In place of the attempts of its kind, the first included. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take, in place of those of its kind. */
  timeoutMs: jobFields.timeoutMs.optional(),
  /** How long a job waits before its next attempt, in place of the policy of its kind. */
  retryPolicy: jobFields.retryPolicy.optional(),
  /** What its jobs can be found by: see the options of a job. */
  metadata: jobFields.metadata.optional(),
  /** Milliseconds from the firing: a job that has not begun by then is cancelled. */
  expiresInMs: jobFields.expiresInMs.optional(),
  /** Makes each of its jobs the only one of its kind under a key, for as long as the scope says; not to replace another. */
  unique: uniqueSchema
    .refine(({ onConflict }) => onConflict !== 'replace' && onConflict !== 'reschedule', {
      path: ['onConflict'],
      message: 'must be return or refuse: the jobs of a schedule change no others',
    })
    .optional(),
  /** The key of its jobs, in place of what the definition takes from the payload. */
  key: jobFields.key.optional(),
  /** How many tokens a start of its jobs costs, in place of what the definition says. */
  weight: jobFields.weight.optional(),
}

/** The options of the jobs of a schedule; what is absent comes from the definition of the kind. */
export type ScheduledJobOptions = OptionsOf<typeof jobOptionFields>

/** When a schedule fires, and what becomes of runs that are late. */
export type ScheduleTimingOptions = OptionsOf<typeof timingFields>

/** What a schedule enqueues. */
export interface ScheduledWork<Kind extends string = string, Payload extends z.ZodType = z.ZodType> {
  readonly definition: Pick<JobDefinition<Kind, Payload>, 'create'>
  readonly payload: z.input<Payload>
  readonly options?: ScheduledJobOptions
}

/** A schedule to be made. */
export type NewSchedule<
  Kind extends string = string,
  Payload extends z.ZodType = z.ZodType,
> = ScheduleTimingOptions &
  ScheduledWork<Kind, Payload> & {
    /** 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. */
    readonly name: string
  }

/** What changes of a schedule; what is absent stays, and null takes away. */
export type ScheduleChanges = ScheduleTimingOptions & Partial<ScheduledWork>

/** What is stored of when a schedule fires. */
export interface ScheduleRules extends Timing {
  readonly jitterMs: number
  readonly missed: z.output<typeof scheduleFields.missed>
  readonly missedWindowMs: number | null
  readonly overlap: z.output<typeof scheduleFields.overlap>
}

const newRules: ScheduleRules = {
  cron: null,
  timeZone: 'UTC',
  everyMs: null,
  startsAt: null,
  endsAt: null,
  jitterMs: 0,
  missed: 'once',
  missedWindowMs: null,
  overlap: 'allow',
}

/** The rules with these changes. Throws `invalid_schedule` with everything that is wrong. */
export function changedRules(
  changes: ScheduleTimingOptions,
  current: ScheduleRules = newRules,
): ScheduleRules {
  const parsed = timingSchema.safeParse(changes)
  if (!parsed.success) {
    throw invalidSchedule(
      parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
    )
  }
  const given = Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined))
  const rules: ScheduleRules = { ...current, ...otherTimingGone(parsed.data), ...given }
  const issues = faultsOf(rules)
  if (issues.length > 0) throw invalidSchedule(issues)
  return rules
}

/** An expression takes the place of an interval, and the other way round. */
function otherTimingGone({ cron, everyMs }: z.output<typeof timingSchema>): Partial<ScheduleRules> {
  if (typeof cron === 'string' && everyMs === undefined) return { everyMs: null }
  return typeof everyMs === 'number' && cron === undefined ? { cron: null, timeZone: 'UTC' } : {}
}

function faultsOf(rules: ScheduleRules): InputIssue[] {
  const { cron, timeZone, everyMs, startsAt, endsAt } = rules
  if ((cron === null) === (everyMs === null)) {
    return [{ path: ['cron'], message: 'give an expression or an interval, and not both' }]
  }
  const issues: InputIssue[] = []
  if (everyMs !== null && timeZone !== 'UTC') {
    issues.push({
      path: ['timeZone'],
      message: 'goes with an expression: an interval is the same in every zone',
    })
  }
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    issues.push({ path: ['endsAt'], message: 'must be after the start' })
  }
  const fault = cron === null ? undefined : expressionFault(rules)
  return fault === undefined ? issues : [...issues, { path: ['cron'], message: fault }]
}

/** What is wrong with the expression by itself: it cannot be read, or no instant ever matches it. */
function expressionFault({ cron, timeZone }: ScheduleRules): string | undefined {
  try {
    const instants = instantsOf({ cron, timeZone, everyMs: null, startsAt: null, endsAt: null })
    return instants.next(0) === null ? `never fires: no day has such a date; ${expressionShape}` : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return `is no expression (${reason}); ${expressionShape}`
  }
}

/** Node also takes offsets such as +01:00, which know no summer. */
function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return /^[A-Za-z]/.test(timeZone)
  } catch {
    return false
  }
}

/** The job that the schedule enqueues each time. Throws `invalid_schedule` where kind, payload or options are wrong. */
export function requestOf({ definition, payload, options = {} }: ScheduledWork): JobRequest {
  const checked = z.strictObject(jobOptionFields).safeParse(options)
  if (!checked.success) {
    throw invalidSchedule(
      checked.error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
    )
  }
  const request = createOrThrow(() => definition.create(payload, options))
  if (Buffer.byteLength(request.payloadText) <= limits.schedulePayloadBytesMax) return request
  const message = `is larger than ${limits.schedulePayloadBytesMax} bytes, which is what a schedule may carry`
  throw invalidSchedule([{ path: ['payload'], message }])
}

function createOrThrow(create: () => JobRequest): JobRequest {
  try {
    return create()
  } catch (error) {
    throw error instanceof InvalidInput ? invalidSchedule(error.issues) : error
  }
}

/** A name that a schedule can have. Throws `invalid_schedule`. */
export function checkedName(name: string): string {
  const parsed = scheduleFields.name.safeParse(name)
  if (parsed.success) return parsed.data
  throw invalidSchedule(parsed.error.issues.map(({ message }) => ({ path: ['name'], message })))
}

/** Text that is no name names no schedule, and may be text that PostgreSQL cannot take. */
export function isScheduleName(text: string): boolean {
  return scheduleFields.name.safeParse(text).success
}

export function invalidSchedule(issues: readonly InputIssue[]): InvalidInput {
  return new InvalidInput('invalid_schedule', issues)
}

/**
 * When the schedule fires next. Throws `invalid_schedule` where it never does, or where its jitter would let one run overtake
 * another.
 */
export function firstInstant(rules: ScheduleRules, afterMs: number): number {
  const instants = instantsOf(rules)
  const first = instants.next(afterMs)
  if (first === null) {
    throw invalidSchedule([{ path: ['endsAt'], message: 'no run is left before it: give a later one' }])
  }
  let shortestMs = Number.POSITIVE_INFINITY
  let last = first
  for (let n = 1; n < limits.schedulePreviewMax; n += 1) {
    const next = instants.next(last)
    if (next === null) break
    shortestMs = Math.min(shortestMs, next - last)
    last = next
  }
  if (rules.jitterMs < shortestMs) return first
  const message = `must be below the time between two runs, which is ${shortestMs} ms`
  throw invalidSchedule([{ path: ['jitterMs'], message }])
}
