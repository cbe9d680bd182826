import { parseArgs } from 'node:util'
import type { RolesGoal } from '@queue/admin'
import { ConfigError } from '@queue/service'
import type { MigrationSetName } from './managed-schema.ts'
import { type KeysTask, parseKeysArguments } from './parse-keys-arguments.ts'
import { type KindsTask, parseKindsArguments } from './parse-kinds-arguments.ts'

/** What the runner was asked to do. */
export type Command = Task & {
  /** With the queue, or with an outbox. */
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
      /** `plan` prints what would be done, and does nothing. */
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

export const usage = `up             bring the schema up to this release (default)
down --yes     undo the last step; --to N undoes every step after version N. The data in them is lost
status         show which steps have been applied, and when
plan           print the SQL that up would run: what each statement locks, how long it may take, and who waits
roles          create the roles of API, workers and readers, and grant each exactly what it needs
               --plan: only print the SQL; --revoke --yes: revoke all grants, but keep the roles
doctor         check schema, server and queue, and say what is wrong and what to do; exit 1 on a failure
after-restore --yes
               prepare a restored queue before any worker is started: pause every queue, raise the lease tokens above
               all that were given out since the backup, and list the jobs that will run again
               --dry-run: only print what would be done; --resume QUEUE: resume that queue
keys create --name NAME --role ROLE
               create a key of the API and print it, this once. ROLE: enqueue, read, operate or admin
               --permission P (again for each): a further permission; --expires-in-days N;
               --rate COUNT/SECONDS[/BURST]: how many requests may be sent with it
keys list      list every key, and when it was last used
keys rotate ID create a key that replaces another, which stays valid for --overlap-hours N (24)
keys revoke ID revoke a key: every API refuses it within a second
kinds push MODULE
               register the kinds that a module of definitions exports (KIND_CHANGES); --restore: also what was replaced or retired
kinds list     list the registered kinds
kinds retire KIND
               take no further jobs of a kind
outbox …       the same for an outbox (OUTBOX_SCHEMA in OUTBOX_DATABASE_URL, else in DATABASE_URL):
               outbox up, outbox down --yes, outbox status, outbox plan, outbox roles
--json         print results as JSON`

const names = ['up', 'down', 'status', 'plan', 'roles', 'doctor', 'after-restore'] as const
const outboxNames = ['up', 'down', 'status', 'plan', 'roles'] as const

/** Reads the command line. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseArguments(args: readonly string[]): Command {
  const words = args.filter((word) => word !== '--json')
  if (words[0] === 'keys') {
    const place = args.indexOf('keys')
    const { format, ...task } = parseKeysArguments(args.toSpliced(place, 1))
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
  const [given = 'up', ...more] = words
  const name = names.find((one) => one === given && accepted.includes(one))
  if (name === undefined) throw refuse(`${JSON.stringify(given)} is not a command`, accepted.join(', '))
  if (more[0] !== undefined) throw refuse(`${JSON.stringify(more[0])} after ${name}`, 'one command')
  refuseOthersOptions(name, values)
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

/** The commands that take each option, and how it is written there. */
const optionsOf: Readonly<
  Record<Exclude<keyof Values, 'json'>, { of: readonly string[]; accepted: string }>
> = {
  to: { of: ['down'], accepted: 'down --to N' },
  yes: { of: ['down', 'roles', 'after-restore'], accepted: 'down --yes' },
  plan: { of: ['roles'], accepted: 'roles --plan' },
  revoke: { of: ['roles'], accepted: 'roles --revoke' },
  'dry-run': { of: ['after-restore'], accepted: 'after-restore --dry-run' },
  resume: { of: ['after-restore'], accepted: 'after-restore --resume QUEUE' },
}

function refuseOthersOptions(name: string, values: Values): void {
  for (const [option, { of, accepted }] of Object.entries(optionsOf)) {
    const isGiven = (values[option as keyof Values] ?? false) !== false
    if (isGiven && !of.includes(name)) throw refuse(`--${option} does not go with ${name}`, accepted)
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
    // The first sentence of Node's message names the option; the rest is about options in general.
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(
      fault,
      '--to N, --yes, --plan, --revoke, --dry-run, --resume QUEUE, --json, --help, --version',
    )
  }
}

function parseDown({ to, yes }: Values): Task {
  if (to !== undefined && !/^\d{1,9}$/.test(to)) {
    throw refuse(`--to ${JSON.stringify(to)} is not a version`, 'a whole number, 0 for nothing at all')
  }
  if (!yes) throw refuse('down destroys data: it drops the tables of the steps that it undoes', 'down --yes')
  return { name: 'down', to: to === undefined ? undefined : Number(to) }
}

function parseRoles({ yes, plan, revoke }: Values): Task {
  if (revoke && !plan && !yes) {
    throw refuse(
      'roles --revoke shuts out every process that connects with these roles',
      'roles --revoke --yes',
    )
  }
  if (yes && (plan || !revoke)) throw refuse('--yes goes with --revoke alone', 'roles --revoke --yes')
  return { name: 'roles', goal: revoke ? 'revoked' : 'set_up', mode: plan ? 'plan' : 'apply' }
}

function parseAfterRestore({ yes, 'dry-run': isDry, resume }: Values): Task {
  const given = [yes, isDry, resume !== undefined].filter((one) => one === true)
  if (given.length === 1) {
    return resume === undefined
      ? { name: 'after-restore', mode: isDry ? 'plan' : 'apply' }
      : { name: 'resume', queue: resume }
  }
  throw refuse(
    given.length === 0
      ? 'after-restore pauses every queue'
      : 'after-restore does one thing at a time: --yes, --dry-run or --resume',
    'after-restore --dry-run, after-restore --yes, after-restore --resume QUEUE',
  )
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
