import type { NewSchedule } from '@queue/core'
import { type CreateScheduleDocument, decodeNewSchedule } from '@queue/core/internal'
import { toProblem } from '../../http/handle-errors.ts'
import { type Issue, issuesProblem } from '../../http/problem.ts'
import type { FindKind } from '../../kinds/kind-catalogue.ts'

/** The schedules of a sync. Throws 422 with the position of each unknown kind. */
export async function newSchedules(
  bodies: readonly CreateScheduleDocument[],
  find: FindKind,
): Promise<NewSchedule[]> {
  const issues: Issue[] = []
  const schedules: NewSchedule[] = []
  for (const [index, body] of bodies.entries()) {
    try {
      schedules.push(await decodeNewSchedule(body, find))
    } catch (error) {
      const problem = toProblem(error)
      if (problem.issues === undefined) throw error
      issues.push(...problem.issues.map((issue) => ({ ...issue, path: `/schedules/${index}${issue.path}` })))
    }
  }
  if (issues.length > 0) throw issuesProblem('unknown_kind', issues)
  return schedules
}
