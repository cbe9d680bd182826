import { parseArgs } from 'node:util'
import type { RolesGoal } from '@queue/core'
import { ConfigError } from '@queue/service'

/** What the runner was asked to do. */
export type Command =
  | { readonly name: 'up' | 'status' | 'plan' | 'doctor'; readonly format: OutputFormat }
  | { readonly name: 'down'; readonly format: OutputFormat; readonly to: number | undefined }
  | {
      readonly name: 'roles'
      readonly format: OutputFormat
      readonly goal: RolesGoal
      /** `plan` prints the SQL and runs none of it. */
      readonly mode: 'apply' | 'plan'
    }

/** How results are written to standard output. */
export type OutputFormat = 'text' | 'json'

export const usage = `up             bring the schema up to this release (default)
down --yes     undo the last step; --to N undoes every step after version N. The data in them is lost
status         show which steps have been applied
plan           print the SQL that up would run
roles          make the roles of API, workers and readers, and grant each what it needs and no more
               --plan: print the SQL only; --revoke --yes: take back what they have. The roles stay
doctor         look over schema, server and queue, and say what is wrong and what to do; exit 1 on a failure
--json         results as JSON`

const names = ['up', 'down', 'status', 'plan', 'roles', 'doctor'] as const

/** Reads the command line. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseArguments(args: readonly string[]): Command {
  const { positionals, values } = split(args)
  const [given = 'up', ...more] = positionals
  const name = names.find((one) => one === given)
  if (name === undefined) throw refuse(`${JSON.stringify(given)} is no command`, names.join(', '))
  if (more[0] !== undefined) throw refuse(`${JSON.stringify(more[0])} after ${name}`, 'one command')
  const format = values.json ? 'json' : 'text'
  if (name === 'down') return parseDown({ ...values, format })
  if (values.to !== undefined) throw refuse(`--to does not go with ${name}`, 'down --to N')
  if (name === 'roles') return parseRoles({ ...values, format })
  if (values.yes) throw refuse(`--yes does not go with ${name}`, 'down --yes')
  refuseRolesOptions(name, values)
  return { name, format }
}

interface Split {
  readonly positionals: string[]
  readonly values: Values
}

interface Values {
  readonly json?: boolean
  readonly yes?: boolean
  readonly to?: string
  readonly plan?: boolean
  readonly revoke?: boolean
}

function split(args: readonly string[]): Split {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        yes: { type: 'boolean' },
        to: { type: 'string' },
        plan: { type: 'boolean' },
        revoke: { type: 'boolean' },
      },
    })
  } catch (error) {
    // Its first sentence names the option; the rest is about options in general.
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(fault, '--to N, --yes, --plan, --revoke, --json, --help, --version')
  }
}

interface FormattedValues extends Values {
  readonly format: OutputFormat
}

function parseDown({ format, to, yes, ...others }: FormattedValues): Command {
  refuseRolesOptions('down', others)
  if (to !== undefined && !/^\d{1,9}$/.test(to)) {
    throw refuse(`--to ${JSON.stringify(to)} is not a version`, 'a whole number, 0 for nothing at all')
  }
  if (!yes) throw refuse('down destroys data: the tables of what it undoes are dropped', 'down --yes')
  return { name: 'down', format, to: to === undefined ? undefined : Number(to) }
}

function parseRoles({ format, yes, plan, revoke }: FormattedValues): Command {
  if (revoke && !plan && !yes) {
    throw refuse(
      'roles --revoke shuts out every process that connects with these roles',
      'roles --revoke --yes',
    )
  }
  if (yes && (plan || !revoke)) throw refuse('--yes goes with --revoke alone', 'roles --revoke --yes')
  return { name: 'roles', format, goal: revoke ? 'revoked' : 'set_up', mode: plan ? 'plan' : 'apply' }
}

function refuseRolesOptions(name: string, { plan, revoke }: Pick<Values, 'plan' | 'revoke'>): void {
  if (plan) throw refuse(`--plan does not go with ${name}`, 'roles --plan')
  if (revoke) throw refuse(`--revoke does not go with ${name}`, 'roles --revoke')
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
