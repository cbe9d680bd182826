import { z } from 'zod'
import { InvalidInput, type InputIssue } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { type JobDefinition, type JobRequest, parseOrThrow } from '../domain/job-definition.ts'
import { optionFields, type OptionsIn } from '../domain/job-options.ts'
import * as limits from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { uniqueSchema } from '../domain/unique.ts'
import { missedPolicies, overlapPolicies } from '../domain/schedule-policies.ts'
import { faultyField, instantsOf, type Timing } from './timing.ts'

const expressionShape =
  'accepted: five fields, minute hour day-of-month month day-of-week, or six with the second before them'
const zoneShape = 'accepted: an IANA name such as Europe/Berlin, or UTC'
const instant = z.date().min(new Date(0)).max(new Date(limits.runAtMsMax))

/** The fields of a schedule, each written once. Options, request bodies and OpenAPI are derived from them. */
export const scheduleFields = {
  name: jobFields.queue,
  source: jobFields.queue,
  revision: z.int().min(0),
  cron: z
    .string()
    .max(limits.scheduleCronLengthMax)
    .regex(
      /^[\dA-Za-z*?,\-/#]+(?: +[\dA-Za-z*?,\-/#]+){4,5}$/,
      `is not a cron expression; ${expressionShape}`,
    ),
  timeZone: z
    .string()
    .max(limits.scheduleTimeZoneLengthMax)
    .refine(isTimeZone, `is not a time zone; ${zoneShape}`),
  everyMs: z.int().min(limits.scheduleEveryMsMin).max(limits.scheduleEveryMsMax),
  startsAt: instant,
  endsAt: instant,
  jitterMs: z.int().min(0).max(limits.scheduleJitterMsMax),
  missed: z.enum(missedPolicies),
  missedWindowMs: z.int().min(0).max(limits.scheduleMissedWindowMsMax),
  overlap: z.enum(overlapPolicies),
} as const

const timingFields = {
  /**
   * A cron expression of five fields, minute hour day-of-month month day-of-week, or of six with the second first.
   * Exclusive with `everyMs`.
   */
  cron: scheduleFields.cron.nullable().optional(),
  /** The IANA name of the time zone of the expression. Default `UTC`. */
  timeZone: scheduleFields.timeZone.optional(),
  /** Milliseconds between two runs, at least 1 000, counted from `startsAt`, or else from 1970. Exclusive with `cron`. */
  everyMs: scheduleFields.everyMs.nullable().optional(),
  /** No run before this instant. */
  startsAt: scheduleFields.startsAt.nullable().optional(),
  /** No run at this instant or after it. */
  endsAt: scheduleFields.endsAt.nullable().optional(),
  /**
   * The most milliseconds by which a run is delayed. The delay is random, but the same each time for one instant.
   * Default 0.
   */
  jitterMs: scheduleFields.jitterMs.optional(),
  /**
   * What happens to missed runs: `skip` drops all of them, `once` makes up for all with one run, `all` enqueues each.
   * Default `once`.
   */
  missed: scheduleFields.missed.optional(),
  /** How many milliseconds late a run may start. Default: 60 000 with `skip`, a day with `all`, unlimited with `once`. */
  missedWindowMs: scheduleFields.missedWindowMs.nullable().optional(),
  /** `skip` drops a run while the job of the previous one has not ended. Default `allow`. */
  overlap: scheduleFields.overlap.optional(),
}
const timingSchema = z.strictObject(timingFields)

/** The jobs of a schedule cannot change other jobs. */
const jobOptionFields = {
  ...optionFields('schedule'),
  unique: uniqueSchema
    .refine(({ onConflict }) => onConflict !== 'replace' && onConflict !== 'reschedule', {
      path: ['onConflict'],
      message: 'must be return or refuse: the jobs of a schedule cannot change other jobs',
    })
    .optional(),
}

const jobOptionsSchema = z.strictObject(jobOptionFields)

/** The options of a schedule's jobs. Absent ones come from the definition of the kind. */
export type ScheduledJobOptions = OptionsIn<'schedule'>

/** When a schedule fires, and what happens to runs that are late. */
export type ScheduleTimingOptions = OptionsOf<typeof timingFields>

/** What a schedule enqueues. */
export interface ScheduledWork<Kind extends string = string, Payload extends z.ZodType = z.ZodType> {
  readonly definition: Pick<JobDefinition<Kind, Payload>, 'create'>
  readonly payload: z.input<Payload>
  readonly options?: ScheduledJobOptions
}

/** A schedule to create. */
export type NewSchedule<
  Kind extends string = string,
  Payload extends z.ZodType = z.ZodType,
> = ScheduleTimingOptions &
  ScheduledWork<Kind, Payload> & {
    /** 1 to 63 characters of a-z 0-9 _ . -, the first a letter or digit. */
    readonly name: string
  }

/** No change of what a schedule enqueues. */
interface SameWork {
  readonly definition?: undefined
  readonly payload?: undefined
  readonly options?: undefined
}

/**
 * The changes of a schedule. Absent members stay as they are, and null removes a value. What the schedule enqueues is replaced as
 * a whole, because only a definition can check a payload: `definition` and `payload` come together, and absent `options` are then
 * those of the definition.
 */
export type ScheduleChanges = ScheduleTimingOptions & (ScheduledWork | SameWork)

/** The stored rules of when a schedule fires. */
export interface ScheduleRules extends Timing {
  readonly jitterMs: number
  readonly missed: z.output<typeof scheduleFields.missed>
  readonly missedWindowMs: number | null
  readonly overlap: z.output<typeof scheduleFields.overlap>
}

const defaultRules: ScheduleRules = {
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

/** The rules with these changes. Throws `invalid_schedule` with every issue. */
export function changedRules(
  changes: ScheduleTimingOptions,
  current: ScheduleRules = defaultRules,
): ScheduleRules {
  const parsed = parseOrThrow(timingSchema, changes, 'invalid_schedule')
  const changed = Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined))
  const rules: ScheduleRules = { ...current, ...withoutOtherTiming(parsed), ...changed }
  const issues = faultsOf(rules)
  if (issues.length > 0) throw invalidSchedule(issues)
  return rules
}

/** Setting an expression removes the interval, and the other way round. */
function withoutOtherTiming({ cron, everyMs }: z.output<typeof timingSchema>): Partial<ScheduleRules> {
  if (typeof cron === 'string' && everyMs === undefined) return { everyMs: null }
  return typeof everyMs === 'number' && cron === undefined ? { cron: null, timeZone: 'UTC' } : {}
}

function faultsOf(rules: ScheduleRules): InputIssue[] {
  const { cron, timeZone, everyMs, startsAt, endsAt } = rules
  if ((cron === null) === (everyMs === null)) {
    return [{ path: ['cron'], message: 'set either an expression or an interval, not both' }]
  }
  const issues: InputIssue[] = []
  if (everyMs !== null && timeZone !== 'UTC') {
    issues.push({
      path: ['timeZone'],
      message: 'requires a cron expression: an interval is the same in every time zone',
    })
  }
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    issues.push({ path: ['endsAt'], message: 'must be after the start' })
  }
  const fault = cron === null ? undefined : expressionFault(rules)
  return fault === undefined ? issues : [...issues, { path: ['cron'], message: fault }]
}

/** The fault of the expression by itself: it cannot be parsed, or no instant ever matches it. */
function expressionFault({ cron, timeZone }: ScheduleRules): string | undefined {
  try {
    const instants = instantsOf({ cron, timeZone, everyMs: null, startsAt: null, endsAt: null })
    return instants.next(0) === null ? `never fires: no day has such a date; ${expressionShape}` : undefined
  } catch (error) {
    const reason = error instanceof Error ? /^CronPattern: (.*)/s.exec(error.message)?.[1] : undefined
    // Anything else is not the fault of the expression.
    if (reason === undefined) throw error
    // The library names months and days as it counts them, and steps as it was given them.
    const field = faultyField(cron ?? '')
    const fault = field === undefined ? reason : `the ${field.name} cannot be ${field.text}`
    return `is not a cron expression (${fault}); ${expressionShape}`
  }
}

/** Whether the text is a time zone. Node also accepts offsets such as +01:00, which have no daylight saving time. */
function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return /^[A-Za-z]/.test(timeZone)
  } catch {
    return false
  }
}

/** The new work of a schedule; undefined if it stays. Throws `invalid_schedule` where parts of it are missing. */
export function changedWorkOf({
  definition,
  payload,
  options,
}: Pick<ScheduleChanges, keyof ScheduledWork>): ScheduledWork | undefined {
  if (definition !== undefined) return { definition, payload, ...(options && { options }) }
  if (payload === undefined && options === undefined) return undefined
  const message = 'is missing: payload and options are replaced together with the definition that checks them'
  throw invalidSchedule([{ path: ['definition'], message }])
}

/** The job that the schedule enqueues each time. Throws `invalid_schedule` where kind, payload or options are invalid. */
export function requestOf({ definition, payload, options = {} }: ScheduledWork): JobRequest {
  parseOrThrow(jobOptionsSchema, options, 'invalid_schedule')
  const request = createOrThrow(() => definition.create(payload, options))
  if (Buffer.byteLength(request.payloadText) <= limits.schedulePayloadBytesMax) return request
  const message = `is larger than ${limits.schedulePayloadBytesMax} bytes, the most that a schedule may carry`
  throw invalidSchedule([{ path: ['payload'], message }])
}

function createOrThrow(create: () => JobRequest): JobRequest {
  try {
    return create()
  } catch (error) {
    throw error instanceof InvalidInput ? invalidSchedule(error.issues) : error
  }
}

/** The name, if it is valid. Throws `invalid_schedule`. */
export function checkedName(name: string): string {
  const parsed = scheduleFields.name.safeParse(name)
  if (parsed.success) return parsed.data
  throw invalidSchedule(parsed.error.issues.map(({ message }) => ({ path: ['name'], message })))
}

/** Whether a schedule can have this name. Other text may contain characters that PostgreSQL does not accept. */
export function isScheduleName(text: string): boolean {
  return scheduleFields.name.safeParse(text).success
}

export function invalidSchedule(issues: readonly InputIssue[]): InvalidInput {
  return new InvalidInput('invalid_schedule', issues)
}

/**
 * The first instant after `afterMs`. Throws `invalid_schedule` where there is none, or where the jitter would let one
 * run overtake another.
 */
export function firstInstant(rules: ScheduleRules, afterMs: number): number {
  const first = instantsOf(rules).next(afterMs)
  if (first === null) {
    throw invalidSchedule([{ path: ['endsAt'], message: 'leaves no run before it: use a later instant' }])
  }
  assertNoOvertaking(rules, first)
  return first
}

/** Throws `invalid_schedule` where the jitter would let one of the runs from this instant on overtake another. */
export function assertNoOvertaking(rules: ScheduleRules, firstMs: number): void {
  const instants = instantsOf(rules)
  let shortestMs = Number.POSITIVE_INFINITY
  let last = firstMs
  for (let n = 1; n < limits.schedulePreviewMax; n += 1) {
    const next = instants.next(last)
    if (next === null) break
    shortestMs = Math.min(shortestMs, next - last)
    last = next
  }
  if (rules.jitterMs < shortestMs) return
  const message = `must be less than the time between two runs, ${shortestMs} ms`
  throw invalidSchedule([{ path: ['jitterMs'], message }])
}
