import { parseArgs } from 'node:util'
import type { RolesGoal } from '@queue/admin'
import { ConfigError } from '@queue/service'
import type { MigrationSetName } from './managed-schema.ts'
import { type KeysTask, parseKeysArguments } from './parse-keys-arguments.ts'
import { type KindsTask, parseKindsArguments } from './parse-kinds-arguments.ts'

/** A parsed command line. */
export type Command = Task & {
  /** The schema that the command works on: the queue's, or an outbox's. */
  readonly migrationSet: MigrationSetName
  readonly format: OutputFormat
}

type Task =
  | { readonly name: 'up' | 'status' | 'plan' | 'doctor' }
  | { readonly name: 'keys'; readonly task: KeysTask }
  | { readonly name: 'kinds'; readonly task: KindsTask }
  | { readonly name: 'down'; readonly to: number | undefined }
  | {
      readonly name: 'after-restore'
      /** `plan` prints what would be done, and changes nothing. */
      readonly mode: 'apply' | 'plan'
    }
  | {
      readonly name: 'resume'
      /** The queue to resume. */
      readonly queue: string
    }
  | {
      readonly name: 'roles'
      readonly goal: RolesGoal
      /** `plan` prints the SQL and runs none of it. */
      readonly mode: 'apply' | 'plan'
    }

/** How results are written to standard output. */
export type OutputFormat = 'text' | 'json'

export const usage = `up             migrate the schema up to this release (default)
down --yes     undo the last step; --to N undoes every step after version N. The data of these steps is lost
status         show which steps have been applied, and when
plan           print the SQL that up would run, with the locks of each statement and how long they may block others
roles          create the roles of the API, the workers and readers, and grant each exactly what it needs
               --plan: only print the SQL; --revoke --yes: revoke all grants, but keep the roles
doctor         check schema, server and queue, and say what is wrong and what to do; exit 1 on a failure
after-restore --yes
               prepare a restored queue before you start any worker: pause every queue, raise the lease tokens above
               all that were issued since the backup, and list the jobs that will run again
               --dry-run: only print what would be done; --resume QUEUE: resume that queue
keys create --name NAME --role ROLE
               create an API key and print it, only this once. ROLE: enqueue, read, operate or admin
               --permission P (repeatable): a further permission; --expires-in-days N;
               --rate COUNT/SECONDS[/BURST]: the rate limit of its requests
keys list      list every key, and when it was last used
keys rotate ID create a key that replaces another, which stays valid for --overlap-hours N (24)
keys revoke ID revoke a key: every API process refuses it within a second
kinds push MODULE
               register the kinds that a module of definitions exports (KIND_CHANGES); --restore: also replaced or retired ones
kinds list     list the registered kinds
kinds retire KIND
               accept no further jobs of a kind
outbox …       the same for an outbox (OUTBOX_SCHEMA in OUTBOX_DATABASE_URL, else in DATABASE_URL):
               outbox up, outbox down --yes, outbox status, outbox plan, outbox roles
--json         print results as JSON`

const names = ['up', 'down', 'status', 'plan', 'roles', 'doctor', 'after-restore'] as const
const outboxNames = ['up', 'down', 'status', 'plan', 'roles'] as const

/** Parses the command line. Throws a ConfigError (exit code 2) that says what is wrong and what is accepted. */
export function parseArguments(args: readonly string[]): Command {
  const words = args.filter((word) => word !== '--json')
  if (words[0] === 'keys') {
    const { format, ...task } = parseKeysArguments(args.toSpliced(args.indexOf('keys'), 1))
    return { name: 'keys', task, migrationSet: 'queue', format }
  }
  if (words[0] === 'kinds') {
    const { format, ...task } = parseKindsArguments(args.toSpliced(args.indexOf('kinds'), 1))
    return { name: 'kinds', task, migrationSet: 'queue', format }
  }
  const { positionals, values } = split(args)
  const format = values.json ? 'json' : 'text'
  const [first, ...rest] = positionals
  return first === 'outbox'
    ? { ...parseTask(outboxNames, rest, values), migrationSet: 'outbox', format }
    : {
        ...parseTask([...names, 'keys', 'kinds', 'outbox'], positionals, values),
        migrationSet: 'queue',
        format,
      }
}

function parseTask(accepted: readonly string[], words: readonly string[], values: Values): Task {
  const [word = 'up', extra] = words
  const name = names.find((command) => command === word && accepted.includes(command))
  if (name === undefined) throw refuse(`${JSON.stringify(word)} is not a command`, accepted.join(', '))
  if (extra !== undefined) throw refuse(`unexpected ${JSON.stringify(extra)} after ${name}`, 'one command')
  refuseForeignOptions(name, values)
  switch (name) {
    case 'down':
      return parseDown(values)
    case 'roles':
      return parseRoles(values)
    case 'after-restore':
      return parseAfterRestore(values)
    default:
      return { name }
  }
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
  readonly 'dry-run'?: boolean
  readonly resume?: string
}

/** The commands that accept each option, and an example. */
const optionCommands: Readonly<
  Record<Exclude<keyof Values, 'json'>, { commands: readonly string[]; accepted: string }>
> = {
  to: { commands: ['down'], accepted: 'down --to N' },
  yes: { commands: ['down', 'roles', 'after-restore'], accepted: 'down --yes' },
  plan: { commands: ['roles'], accepted: 'roles --plan' },
  revoke: { commands: ['roles'], accepted: 'roles --revoke' },
  'dry-run': { commands: ['after-restore'], accepted: 'after-restore --dry-run' },
  resume: { commands: ['after-restore'], accepted: 'after-restore --resume QUEUE' },
}

function refuseForeignOptions(name: string, values: Values): void {
  for (const [option, { commands, accepted }] of Object.entries(optionCommands)) {
    const isGiven = (values[option as keyof Values] ?? false) !== false
    if (isGiven && !commands.includes(name)) throw refuse(`${name} has no option --${option}`, accepted)
  }
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
        'dry-run': { type: 'boolean' },
        resume: { type: 'string' },
      },
    })
  } catch (error) {
    // The first sentence of Node's message names the option; the rest explains options in general.
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(
      fault,
      '--to N, --yes, --plan, --revoke, --dry-run, --resume QUEUE, --json, --help, --version',
    )
  }
}

function parseDown({ to, yes }: Values): Task {
  if (to !== undefined && !/^\d{1,9}$/.test(to)) {
    throw refuse(`--to ${JSON.stringify(to)} is not a version`, 'a whole number; 0 undoes every step')
  }
  if (!yes) throw refuse('down deletes data: it drops the tables of the steps that it undoes', 'down --yes')
  return { name: 'down', to: to === undefined ? undefined : Number(to) }
}

function parseRoles({ yes, plan, revoke }: Values): Task {
  if (revoke && !plan && !yes) {
    throw refuse('roles --revoke stops every process that connects with these roles', 'roles --revoke --yes')
  }
  if (yes && (plan || !revoke)) throw refuse('roles accepts --yes only with --revoke', 'roles --revoke --yes')
  return { name: 'roles', goal: revoke ? 'revoked' : 'set_up', mode: plan ? 'plan' : 'apply' }
}

function parseAfterRestore({ yes, 'dry-run': isDryRun, resume }: Values): Task {
  const modes = [yes, isDryRun, resume !== undefined].filter((isGiven) => isGiven === true)
  if (modes.length === 1) {
    return resume === undefined
      ? { name: 'after-restore', mode: isDryRun ? 'plan' : 'apply' }
      : { name: 'resume', queue: resume }
  }
  throw refuse(
    modes.length === 0
      ? 'after-restore pauses every queue, so it needs --yes'
      : 'after-restore accepts only one of --yes, --dry-run and --resume',
    'after-restore --dry-run, after-restore --yes, after-restore --resume QUEUE',
  )
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
