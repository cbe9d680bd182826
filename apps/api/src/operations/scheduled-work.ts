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
import { definitionOf } from './create-job.ts'

type Catalogue = Services['catalogue']

/** A schedule to be made. Throws 422 where the server does not know the kind. */
export function newSchedule(body: CreateSchedule, catalogue: Catalogue): NewSchedule {
  return {
    name: body.name,
    definition: definitionOf(catalogue, body.kind),
    payload: body.payload,
    options: decodeScheduledOptions(body),
    ...decodeTiming(body),
  }
}

/** The schedules of a sync. Throws 422 with the place of each kind that the server does not know. */
export function newSchedules(bodies: readonly CreateSchedule[], catalogue: Catalogue): NewSchedule[] {
  const issues: Issue[] = []
  const schedules = bodies.flatMap((body, index) => {
    try {
      return [newSchedule(body, catalogue)]
    } catch (error) {
      const problem = toProblem(error)
      if (problem.issues === undefined) throw error
      issues.push(...problem.issues.map((issue) => ({ ...issue, path: `/schedules/${index}${issue.path}` })))
      return []
    }
  })
  if (issues.length > 0) throw issuesProblem('unknown_kind', issues)
  return schedules
}

/** What the jobs of a schedule become by these changes; nothing where they concern only when it fires. */
export function changedWork(
  body: UpdateSchedule,
  current: Schedule,
  catalogue: Catalogue,
): Partial<ScheduledWork> {
  const given = Object.entries(decodeScheduledOptions(body)).filter(([, value]) => value !== undefined)
  if (body.kind === undefined && body.payload === undefined && given.length === 0) return {}
  return {
    definition: definitionOf(catalogue, body.kind ?? current.kind),
    payload: body.payload === undefined ? current.payload : body.payload,
    options: { ...keptOptions(current), ...Object.fromEntries(given) },
  }
}

/** Null means that the worker decides, which an option says by its absence. */
function keptOptions({ options }: Schedule) {
  const { timeoutMs, retryPolicy, ...kept } = options
  return {
    ...kept,
    ...(timeoutMs !== null && { timeoutMs }),
    ...(retryPolicy !== null && { retryPolicy }),
  }
}
