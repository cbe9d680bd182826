import type { NewSchedule, Schedule, ScheduledWork } from '@queue/core'
import { toProblem } from '../http/handle-errors.ts'
import { type Issue, issuesProblem } from '../http/problem.ts'
import type { Services } from '../services.ts'
import {
  type CreateSchedule,
  decodeScheduledOptions,
  decodeTiming,
  type UpdateSchedule,
} from '../wire/schedule.ts'

type Kinds = Services['kinds']

/** A schedule to be made. Throws 422 where the server does not know the kind. */
export async function newSchedule(body: CreateSchedule, kinds: Kinds): Promise<NewSchedule> {
  return {
    name: body.name,
    definition: await kinds.find(body.kind),
    payload: body.payload,
    options: decodeScheduledOptions(body),
    ...decodeTiming(body),
  }
}

/** The schedules of a sync. Throws 422 with the place of each kind that the server does not know. */
export async function newSchedules(bodies: readonly CreateSchedule[], kinds: Kinds): Promise<NewSchedule[]> {
  const issues: Issue[] = []
  const schedules: NewSchedule[] = []
  for (const [index, body] of bodies.entries()) {
    try {
      schedules.push(await newSchedule(body, kinds))
    } catch (error) {
      const problem = toProblem(error)
      if (problem.issues === undefined) throw error
      issues.push(...problem.issues.map((issue) => ({ ...issue, path: `/schedules/${index}${issue.path}` })))
    }
  }
  if (issues.length > 0) throw issuesProblem('unknown_kind', issues)
  return schedules
}

/** What the jobs of a schedule become by these changes; nothing where they concern only when it fires. */
export async function changedWork(
  body: UpdateSchedule,
  current: Schedule,
  kinds: Kinds,
): Promise<Partial<ScheduledWork>> {
  const given = Object.entries(decodeScheduledOptions(body)).filter(([, value]) => value !== undefined)
  if (body.kind === undefined && body.payload === undefined && given.length === 0) return {}
  return {
    definition: await kinds.find(body.kind ?? current.kind),
    payload: body.payload === undefined ? current.payload : body.payload,
    options: { ...keptOptions(current), ...keptWithPayload(body, current), ...Object.fromEntries(given) },
  }
}

/** Another payload is of the newest version that accepts it, and has the key that it gives, as that of a new schedule. */
function keptWithPayload({ kind, payload }: UpdateSchedule, { kindVersion, options }: Schedule) {
  if (kind !== undefined || payload !== undefined) return {}
  return { version: kindVersion, ...(options.key !== null && { key: options.key }) }
}

/** Null means that the worker decides, which an option says by its absence. */
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
