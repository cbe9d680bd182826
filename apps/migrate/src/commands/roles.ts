import type { RolesGoal, RolesReport } from '@queue/admin'
import { flag, type Printer, usageFailure } from '@queue/commands'
import { type Context, defineCommand } from '../command.ts'

/** Sets up the roles of the processes, or revokes all their privileges. */
export const roles = defineCommand({
  name: 'roles',
  summary: 'create the roles of the processes, and grant each exactly what it needs',
  arguments: [],
  options: {
    plan: flag('only print the SQL'),
    revoke: flag('revoke all grants, but keep the roles'),
    yes: flag('required by --revoke, because it stops every process that connects with these roles'),
  },
  examples: [
    { line: 'queue-migrate roles --plan', description: 'The SQL, to be read, or run by somebody else' },
    { line: 'queue-migrate roles', description: 'The same, in one transaction' },
  ],
  async run(context) {
    const { plan, revoke, yes } = context.values
    if (revoke && !plan && !yes) {
      throw usageFailure(
        'roles --revoke stops every process that connects with these roles',
        'run roles --revoke --yes',
      )
    }
    if (yes && (plan || !revoke)) {
      throw usageFailure('roles accepts --yes only with --revoke', 'run roles --revoke --yes')
    }
    const goal = revoke ? 'revoked' : 'set_up'
    return plan ? printPlan(context, goal) : applyRoles(context, goal)
  },
})

async function applyRoles({ schema, retry, print }: Context<unknown>, goal: RolesGoal): Promise<void> {
  const report = await retry(() => schema.applyRoles(goal))
  if (print.isJson) return print.json(toJson(report, goal))
  for (const statement of report.statements) await print.line(statement)
  await printAdministrator(report, print)
  const result = goal === 'set_up' ? 'are set up' : 'have no privileges'
  return print.line(
    `the roles of schema "${report.schema}" ${report.statements.length === 0 ? 'already ' : ''}${result}: ${namesOf(report)}`,
  )
}

/** Prints the SQL that `roles` would run, and runs none of it. */
async function printPlan({ schema, retry, print }: Context<unknown>, goal: RolesGoal): Promise<void> {
  const report = await retry(() => schema.rolesPlan(goal))
  if (print.isJson) return print.json(toJson(report, goal))
  const nothingToDo = `-- nothing to do: ${namesOf(report)}`
  await print.line(
    report.statements.length === 0 ? nothingToDo : ['BEGIN;', ...report.statements, 'COMMIT;'].join('\n'),
  )
  return printAdministrator(report, print)
}

/** Prints the statements as comments, because the role that runs the plan may not be allowed to run them. */
async function printAdministrator({ administrator }: RolesReport, print: Printer): Promise<void> {
  for (const statement of administrator) await print.line(`-- for an administrator, once: ${statement}`)
}

function toJson({ schema, roles: names, statements, administrator }: RolesReport, goal: RolesGoal): object {
  return { schema, goal, roles: names, statements, administrator }
}

function namesOf({ roles: names }: RolesReport): string {
  return Object.entries(names)
    .map(([process, name]) => `${process} "${name}"`)
    .join(', ')
}
