import type { RolesGoal, RolesReport } from '@queue/admin'
import type { CommandContext } from './command-context.ts'

/** Sets up the roles of the processes, or revokes all their privileges. */
export async function roles({ schema, retry, ...out }: CommandContext, goal: RolesGoal): Promise<void> {
  const report = await retry(() => schema.applyRoles(goal))
  if (out.format === 'json') return out.print(toJson(report, goal))
  for (const statement of report.statements) out.print(statement)
  printAdministrator(report, out)
  const result = goal === 'set_up' ? 'are set up' : 'have no privileges'
  out.print(
    `the roles of schema "${report.schema}" ${report.statements.length === 0 ? 'already ' : ''}${result}: ${namesOf(report)}`,
  )
}

/** Prints the SQL that `roles` would run, and runs none of it. */
export async function planRoles({ schema, retry, ...out }: CommandContext, goal: RolesGoal): Promise<void> {
  const report = await retry(() => schema.rolesPlan(goal))
  if (out.format === 'json') return out.print(toJson(report, goal))
  const nothingToDo = `-- nothing to do: ${namesOf(report)}`
  out.print(
    report.statements.length === 0 ? nothingToDo : ['BEGIN;', ...report.statements, 'COMMIT;'].join('\n'),
  )
  printAdministrator(report, out)
}

/** Prints the statements as comments, because the role that runs the plan may not be allowed to run them. */
function printAdministrator({ administrator }: RolesReport, { print }: Pick<CommandContext, 'print'>): void {
  for (const statement of administrator) {
    print(`-- for an administrator, once: ${statement}`)
  }
}

function toJson({ schema, roles: names, statements, administrator }: RolesReport, goal: RolesGoal): string {
  return JSON.stringify({ schema, goal, roles: names, statements, administrator })
}

function namesOf({ roles: names }: RolesReport): string {
  return Object.entries(names)
    .map(([process, name]) => `${process} "${name}"`)
    .join(', ')
}
