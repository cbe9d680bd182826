import type { NewSchedule, Schedule, ScheduledWork } from '@queue/core'
import { toProblem } from '../http/handle-errors.ts'
import { type Issue, issuesProblem } from '../http/problem.ts'
import type { FindKind } from '../kinds/kind-catalogue.ts'
import {
  type CreateSchedule,
  decodeScheduledOptions,
  decodeTiming,
  type UpdateSchedule,
} from '../wire/schedule-requests.ts'

/** The schedule that a request creates. Throws 422 if the server does not know the kind. */
export async function newSchedule(body: CreateSchedule, find: FindKind): Promise<NewSchedule> {
  return {
    name: body.name,
    definition: await find(body.kind),
    payload: body.payload,
    options: decodeScheduledOptions(body),
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
  const sentOptions = Object.entries(decodeScheduledOptions(body)).filter(([, value]) => value !== undefined)
  if (body.kind === undefined && body.payload === undefined && sentOptions.length === 0) return {}
  return {
    definition: await find(body.kind ?? current.kind),
    payload: body.payload === undefined ? current.payload : body.payload,
    options: {
      ...keptOptions(current),
      ...keptWithPayload(body, current),
      ...Object.fromEntries(sentOptions),
    },
  }
}

/** A new payload gets its version and key as in a new schedule. Otherwise both stay. */
function keptWithPayload({ kind, payload }: UpdateSchedule, { kindVersion, options }: Schedule) {
  if (kind !== undefined || payload !== undefined) return {}
  return { version: kindVersion, ...(options.key !== null && { key: options.key }) }
}

/** The current options. Null means that the worker decides, which an absent option says. */
function keptOptions({ options }: Schedule) {
  const { queue, priority, maxAttempts, timeoutMs, retryPolicy, metadata, expiresInMs, unique, weight } =
    options
  return {
    queue,
    priority,
    maxAttempts,
    weight,
    ...(timeoutMs !== null && { timeoutMs }),
    ...(retryPolicy !== null && { retryPolicy }),
    ...(metadata !== null && { metadata }),
    ...(expiresInMs !== null && { expiresInMs }),
    ...(unique !== null && { unique: uniqueOptionsOf(unique) }),
  }
}

function uniqueOptionsOf({ windowMs, maxWaitMs, ...unique }: NonNullable<Schedule['options']['unique']>) {
  return {
    ...unique,
    ...(windowMs !== null && { windowMs }),
    ...(maxWaitMs !== null && { maxWaitMs }),
  }
}
