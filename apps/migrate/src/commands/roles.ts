import { applyRoles, type RolesGoal, type RolesReport, rolesPlan } from '@queue/core'
import type { CommandContext } from './command-context.ts'

/** Sets up the roles of the processes, or takes back what they have. */
export async function roles(
  { migrate, passwordVerifiers, ask, ...out }: CommandContext,
  goal: RolesGoal,
): Promise<void> {
  const report = await ask(() => applyRoles({ ...migrate, passwordVerifiers }, goal))
  if (out.format === 'json') return out.print(toJson(report, goal))
  for (const statement of report.statements) out.print(statement)
  const done = goal === 'set_up' ? 'are set up' : 'have nothing'
  out.print(
    `the roles of schema "${report.schema}" ${report.statements.length === 0 ? 'already ' : ''}${done}: ${namesOf(report)}`,
  )
}

/** Prints the SQL that `roles` would run, and runs none of it. */
export async function planRoles(
  { migrate, passwordVerifiers, ask, ...out }: CommandContext,
  goal: RolesGoal,
): Promise<void> {
  const report = await ask(() => rolesPlan({ ...migrate, passwordVerifiers }, goal))
  if (out.format === 'json') return out.print(toJson(report, goal))
  const nothing = `-- nothing to do: ${namesOf(report)}`
  out.print(report.statements.length === 0 ? nothing : ['BEGIN;', ...report.statements, 'COMMIT;'].join('\n'))
}

function toJson({ schema, roles: names, statements }: RolesReport, goal: RolesGoal): string {
  return JSON.stringify({ schema, goal, roles: names, statements })
}

function namesOf({ roles: { api, worker, readonly } }: RolesReport): string {
  return `api "${api}", worker "${worker}", readonly "${readonly}"`
}
