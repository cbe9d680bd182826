import { parseArgs } from 'node:util'
import { ConfigError } from '@queue/service'

/** What the runner was asked to do. */
export type Command =
  | { readonly name: 'up' | 'status' | 'plan'; readonly format: OutputFormat }
  | { readonly name: 'down'; readonly format: OutputFormat; readonly to: number | undefined }

/** How results are written to standard output. */
export type OutputFormat = 'text' | 'json'

export const usage = `up             bring the schema up to this release (default)
down --yes     undo the last step; --to N undoes every step after version N. The data in them is lost
status         show which steps have been applied
plan           print the SQL that up would run
--json         results as JSON`

const names = ['up', 'down', 'status', 'plan'] as const

/** Reads the command line. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseArguments(args: readonly string[]): Command {
  const { positionals, values } = split(args)
  const [given = 'up', ...more] = positionals
  const name = names.find((one) => one === given)
  if (name === undefined) throw refuse(`${JSON.stringify(given)} is no command`, names.join(', '))
  if (more[0] !== undefined) throw refuse(`${JSON.stringify(more[0])} after ${name}`, 'one command')
  const format = values.json ? 'json' : 'text'
  if (name === 'down') return parseDown({ format, to: values.to, yes: values.yes })
  if (values.to !== undefined) throw refuse(`--to does not go with ${name}`, 'down --to N')
  if (values.yes) throw refuse(`--yes does not go with ${name}`, 'down --yes')
  return { name, format }
}

interface Split {
  readonly positionals: string[]
  readonly values: { readonly json?: boolean; readonly yes?: boolean; readonly to?: string }
}

function split(args: readonly string[]): Split {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, yes: { type: 'boolean' }, to: { type: 'string' } },
    })
  } catch (error) {
    // Its first sentence names the option; the rest is about options in general.
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(fault, '--to N, --yes, --json, --help, --version')
  }
}

interface DownOptions {
  readonly format: OutputFormat
  readonly to: string | undefined
  readonly yes: boolean | undefined
}

function parseDown({ format, to, yes }: DownOptions): Command {
  if (to !== undefined && !/^\d{1,9}$/.test(to)) {
    throw refuse(`--to ${JSON.stringify(to)} is not a version`, 'a whole number, 0 for nothing at all')
  }
  if (!yes) throw refuse('down destroys data: the tables of what it undoes are dropped', 'down --yes')
  return { name: 'down', format, to: to === undefined ? undefined : Number(to) }
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
