import type { NewSchedule, Schedule, ScheduledJobOptions, ScheduledWork } from '@queue/core'
import { toProblem } from '../../http/handle-errors.ts'
import { type Issue, issuesProblem } from '../../http/problem.ts'
import type { FindKind } from '../../kinds/kind-catalogue.ts'
import { decodeOptions } from '../../wire/job-options.ts'
import { type CreateSchedule, type UpdateSchedule, decodeTiming } from './schedule-requests.ts'

/** The schedule that a request creates. Throws 422 if the server does not know the kind. */
export async function newSchedule(body: CreateSchedule, find: FindKind): Promise<NewSchedule> {
  return {
    name: body.name,
    definition: await find(body.kind),
    payload: body.payload,
    options: decodeOptions<'schedule'>(body),
    ...decodeTiming(body),
  }
}

/** The schedules of a sync. Throws 422 with the position of each unknown kind. */
export async function newSchedules(
  bodies: readonly CreateSchedule[],
  find: FindKind,
): Promise<NewSchedule[]> {
  const issues: Issue[] = []
  const schedules: NewSchedule[] = []
  for (const [index, body] of bodies.entries()) {
    try {
      schedules.push(await newSchedule(body, find))
    } catch (error) {
      const problem = toProblem(error)
      if (problem.issues === undefined) throw error
      issues.push(...problem.issues.map((issue) => ({ ...issue, path: `/schedules/${index}${issue.path}` })))
    }
  }
  if (issues.length > 0) throw issuesProblem('unknown_kind', issues)
  return schedules
}

/** The job definition and options of a schedule after an update; empty if the update changes only the timing. */
export async function changedWork(
  body: UpdateSchedule,
  current: Schedule,
  find: FindKind,
): Promise<Partial<ScheduledWork>> {
  const sentOptions = decodeOptions<'schedule'>(body)
  const isSameWork = body.kind === undefined && body.payload === undefined
  if (isSameWork && Object.keys(sentOptions).length === 0) return {}
  return {
    definition: await find(body.kind ?? current.kind),
    payload: body.payload === undefined ? current.payload : body.payload,
    options: {
      ...keptOptions(current),
      ...keptWithPayload(body, current),
      ...sentOptions,
    },
  }
}

/** A new payload gets its version and key as in a new schedule. Otherwise both stay. */
function keptWithPayload({ kind, payload }: UpdateSchedule, { kindVersion, options }: Schedule) {
  if (kind !== undefined || payload !== undefined) return {}
  return { version: kindVersion, ...(options.key !== null && { key: options.key }) }
}

/** The current options except the key. Null means that the worker decides, which an absent option says. */
function keptOptions({ options: current }: Schedule): ScheduledJobOptions {
  const { key: _, unique, ...options } = current
  const kept = Object.entries(options).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(kept), ...(unique !== null && { unique: uniqueOptionsOf(unique) }) }
}

function uniqueOptionsOf({ windowMs, maxWaitMs, ...unique }: NonNullable<Schedule['options']['unique']>) {
  return {
    ...unique,
    ...(windowMs !== null && { windowMs }),
    ...(maxWaitMs !== null && { maxWaitMs }),
  }
}
