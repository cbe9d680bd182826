import { once } from 'node:events'
import type { MigrateOptions, MigrationEvent } from '@queue/core'
import pg from 'pg'
import type { Fate, FaultProxy } from '../proxy/fault-proxy.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { forkProgram } from '../run/fork-program.ts'
import type { SchemaState, Observer } from './observer.ts'

/** A schema that is brought from its bottom version to its top one, again and again. */
export interface MigrationPath {
  readonly name: string
  readonly schema: string
  readonly bottom: number
  readonly top: number
  /** What a step that was broken off may leave behind although it is not recorded: relations, by name. */
  readonly leftOver: readonly string[]
  /** How a process of its own is told to go up. */
  readonly order: RunnerOrder['migrationPath']
  /** Whether one of its steps builds an index while others write. */
  readonly builds: boolean
  up(options: MigrateOptions): Promise<unknown>
  /** Takes it back to that version. */
  down(to: number): Promise<unknown>
}

/**
 * Where a run is broken off. `cut before`, `cut after`: so many statements after its client's first. `command`: its session
 * ends right after so many commands that change the schema, within their step. `build`: its session ends while it builds an
 * index. `process`: its process is killed as it has sent so many statements.
 */
export interface Break {
  readonly at: number
  readonly kind: Cut | 'command' | 'build' | 'process'
}

type Cut = Exclude<Fate, 'pass'>

/** All there is to a run that nobody disturbs. */
export interface Survey {
  readonly breaks: readonly Break[]
  /** What the schema consists of at each version. */
  readonly catalogs: ReadonlyMap<number, string>
}

export interface MigrationPathContext {
  readonly databaseUrl: string
  readonly observer: Observer
}

/** Climbs once without any fault, and goes back step by step. */
export async function survey(
  migrationPath: MigrationPath,
  { databaseUrl, observer }: MigrationPathContext,
): Promise<Survey> {
  const catalogs = new Map<number, string>()
  const note = (state: SchemaState): unknown => catalogs.set(versionOf(state), state.catalog)
  let statements = 0
  const proxy = await startFaultProxy({
    databaseUrl,
    decide: () => {
      statements += 1
      return 'pass'
    },
  })
  try {
    await observer.setFatalCommand(null)
    await migrationPath.up({ connectionString: proxy.url })
    const commands = await observer.commands()
    note(await observer.inspect(migrationPath.schema))
    for (let version = migrationPath.top - 1; version >= migrationPath.bottom; version -= 1) {
      await migrationPath.down(version)
      note(await observer.inspect(migrationPath.schema))
    }
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
    return {
      catalogs,
      breaks: [
        ...numbers(statements).flatMap((at): Break[] => [
          { kind: 'cut before', at },
          { kind: 'cut after', at },
          { kind: 'process', at },
        ]),
        ...numbers(commands).map((at): Break => ({ kind: 'command', at })),
        ...(migrationPath.builds ? [{ kind: 'build', at: 1 } as const] : []),
      ],
    }
  } finally {
    await proxy.close()
  }
}

/**
 * Whether a schema consists of what its version does: of all of it, and of nothing else but what a step after it may have
 * left behind.
 */
export function isWhole({ leftOver }: MigrationPath, known: string, found: string): boolean {
  const expected = new Set(known.split('\n'))
  const lines = new Set(found.split('\n'))
  const more = [...lines].filter((line) => !expected.has(line))
  return (
    [...expected].every((line) => lines.has(line)) &&
    more.every((line) => leftOver.some((name) => line.includes(name)))
  )
}

export function versionOf({ versions }: SchemaState): number {
  return versions.at(-1) ?? 0
}

/** How a run that was to be broken off has ended: it failed, it was killed, or it was over before. */
export type BrokenRun =
  | { readonly ended: 'failed'; readonly error: Error }
  | { readonly ended: 'killed' | 'done' }

/** Climbs until it is broken off there, and waits until the server has done with it. */
export async function breakOff(
  migrationPath: MigrationPath,
  { kind, at }: Break,
  context: MigrationPathContext,
): Promise<BrokenRun> {
  const { databaseUrl, observer } = context
  const ways: Readonly<Record<Break['kind'], () => Promise<BrokenRun>>> = {
    'cut before': () => cutOff(migrationPath, { kind: 'cut before', at }, databaseUrl),
    'cut after': () => cutOff(migrationPath, { kind: 'cut after', at }, databaseUrl),
    command: async () => {
      await observer.setFatalCommand(at)
      return endOf(migrationPath.up({ connectionString: databaseUrl }))
    },
    build: () => endBuild(migrationPath, context),
    process: () => killProcess(migrationPath, { databaseUrl, at }),
  }
  try {
    return await ways[kind]()
  } finally {
    await observer.setFatalCommand(null)
    await observer.runnersGone()
  }
}

async function endOf(run: Promise<unknown>): Promise<BrokenRun> {
  try {
    await run
    return { ended: 'done' }
  } catch (error) {
    const known = error instanceof Error ? error : new Error('a run threw no error', { cause: error })
    return { ended: 'failed', error: known }
  }
}

async function cutOff(
  migrationPath: MigrationPath,
  { kind, at }: { readonly kind: Cut; readonly at: number },
  databaseUrl: string,
): Promise<BrokenRun> {
  const proxy = await startCuttingProxy(databaseUrl, kind, at)
  try {
    return await endOf(migrationPath.up({ connectionString: proxy.url }))
  } finally {
    await proxy.close()
  }
}

/** An open transaction keeps the build from its end until its session has been ended. */
async function endBuild(
  migrationPath: MigrationPath,
  { databaseUrl, observer }: MigrationPathContext,
): Promise<BrokenRun> {
  const letGo = await holdSnapshot(databaseUrl)
  try {
    const run = endOf(migrationPath.up({ connectionString: databaseUrl }))
    const isEnded = await Promise.race([run, observer.endBuild()])
    return isEnded === 'build ended' ? await run : isEnded
  } finally {
    await letGo()
  }
}

/** What a process that climbs is started with. */
export interface RunnerOrder {
  readonly databaseUrl: string
  readonly schema: string
  /** The steps that there are, or those of the release to come with so many rows in a batch. */
  readonly migrationPath: { readonly steps: 'own' } | { readonly steps: 'next'; readonly batchRows: number }
}

const program = new URL('runner-program.ts', import.meta.url)

/** SIGKILL as the statement of that number is on its way: the server gets it, and nobody waits for its answer. */
async function killProcess(
  { schema, order }: MigrationPath,
  { databaseUrl, at }: { readonly databaseUrl: string; readonly at: number },
): Promise<BrokenRun> {
  let statements = 0
  const proxy = await startFaultProxy({
    databaseUrl,
    decide: () => {
      if ((statements += 1) === at) child.kill('SIGKILL')
      return 'pass'
    },
  })
  const child = forkProgram({
    program,
    order: { databaseUrl: proxy.url, schema, migrationPath: order } satisfies RunnerOrder,
    stderr: 'inherit',
  })
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (signal === 'SIGKILL') return { ended: 'killed' }
    return code === 0 ? { ended: 'done' } : { ended: 'failed', error: new Error(`exit code ${code}`) }
  } finally {
    await proxy.close()
  }
}

function startCuttingProxy(databaseUrl: string, kind: Cut, at: number): Promise<FaultProxy> {
  let statements = 0
  return startFaultProxy({ databaseUrl, decide: () => ((statements += 1) === at ? kind : 'pass') })
}

/** How often each version was applied by these runs, and how often one of them has given way to others. */
export interface Climb {
  readonly applied: readonly number[]
  readonly waited: number
}

/** So many runners at once, up to the top. */
export async function climbTogether(
  migrationPath: MigrationPath,
  runners: number,
  databaseUrl: string,
): Promise<Climb> {
  const events: MigrationEvent[] = []
  const onProgress = (event: MigrationEvent): unknown => events.push(event)
  await Promise.all(
    Array.from({ length: runners }, () =>
      migrationPath.up({ connectionString: databaseUrl, onProgress: (event) => void onProgress(event) }),
    ),
  )
  return {
    applied: events.flatMap((event) => (event.type === 'applied' ? [event.version] : [])),
    waited: events.filter(({ type }) => type === 'waiting').length,
  }
}

/** A transaction that has read the jobs and stays open, which no exclusive lock can pass; gives what commits it. */
export function holdJobs(databaseUrl: string, schema: string): Promise<() => Promise<void>> {
  return hold(databaseUrl, `SELECT FROM ${pg.escapeIdentifier(schema)}.jobs LIMIT 1`)
}

/** A transaction that stays open and has locked nothing: only the build of an index waits for it. */
function holdSnapshot(databaseUrl: string): Promise<() => Promise<void>> {
  return hold(databaseUrl, 'SELECT 1')
}

async function hold(databaseUrl: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query(statement)
  return async () => {
    await client.query('COMMIT')
    await client.end()
  }
}
