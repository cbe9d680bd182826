import { once } from 'node:events'
import type { MigrateOptions, MigrationEvent } from '@queue/core'
import pg from 'pg'
import type { CutDecision, FaultProxy } from '../proxy/fault-proxy.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { forkProgram } from '../run/fork-program.ts'
import type { SchemaState, Observer } from './observer.ts'

/** A schema that is migrated from its bottom version to its top version again and again. */
export interface MigrationPath {
  readonly name: string
  readonly schema: string
  readonly bottom: number
  readonly top: number
  /** The names of relations that an interrupted step may leave behind although it is not recorded. */
  readonly mayRemain: readonly string[]
  /** The configuration for a separate process that migrates up. */
  readonly runnerConfig: RunnerConfig['migrationPath']
  /** Whether one of its steps builds an index concurrently. */
  readonly buildsIndex: boolean
  up(options: MigrateOptions): Promise<unknown>
  /** Migrates down to that version. */
  down(to: number): Promise<unknown>
}

/**
 * Where a run is interrupted. `cut before`, `cut after`: its connection is cut at the statement with this number. `command`:
 * its session ends right after this many commands that change the schema, within their step. `build`: its session ends
 * while it builds an index. `process`: its process is killed after it has sent this many statements.
 */
export interface Interruption {
  readonly at: number
  readonly kind: Cut | 'command' | 'build' | 'process'
}

type Cut = Exclude<CutDecision, 'pass'>

/** Everything about an undisturbed run. */
export interface PathSurvey {
  readonly interruptions: readonly Interruption[]
  /** The content of the schema at each version. */
  readonly catalogs: ReadonlyMap<number, string>
}

export interface MigrationPathContext {
  readonly databaseUrl: string
  readonly observer: Observer
}

/** Migrates up once without any fault, and down step by step. */
export async function surveyPath(
  migrationPath: MigrationPath,
  { databaseUrl, observer }: MigrationPathContext,
): Promise<PathSurvey> {
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
      interruptions: [
        ...numbers(statements).flatMap((at): Interruption[] => [
          { kind: 'cut before', at },
          { kind: 'cut after', at },
          { kind: 'process', at },
        ]),
        ...numbers(commands).map((at): Interruption => ({ kind: 'command', at })),
        ...(migrationPath.buildsIndex ? [{ kind: 'build', at: 1 } as const] : []),
      ],
    }
  } finally {
    await proxy.close()
  }
}

/**
 * Whether a schema has the content of its version: all of it, and nothing else except relations that an interrupted step may
 * leave behind.
 */
export function matchesCatalog({ mayRemain }: MigrationPath, expectedText: string, actual: string): boolean {
  const expected = new Set(expectedText.split('\n'))
  const lines = new Set(actual.split('\n'))
  const more = [...lines].filter((line) => !expected.has(line))
  return (
    [...expected].every((line) => lines.has(line)) &&
    more.every((line) => mayRemain.some((name) => line.includes(name)))
  )
}

export function versionOf({ versions }: SchemaState): number {
  return versions.at(-1) ?? 0
}

/** The end of a run that should be interrupted: it failed, it was killed, or it completed before. */
export type InterruptedRun =
  | { readonly ended: 'failed'; readonly error: Error }
  | { readonly ended: 'killed' | 'done' }

/** Migrates up until the interruption, and waits until the session has ended on the server. */
export async function interruptRun(
  migrationPath: MigrationPath,
  { kind, at }: Interruption,
  context: MigrationPathContext,
): Promise<InterruptedRun> {
  const { databaseUrl, observer } = context
  const ways: Readonly<Record<Interruption['kind'], () => Promise<InterruptedRun>>> = {
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

async function endOf(run: Promise<unknown>): Promise<InterruptedRun> {
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
): Promise<InterruptedRun> {
  const proxy = await startCuttingProxy(databaseUrl, kind, at)
  try {
    return await endOf(migrationPath.up({ connectionString: proxy.url }))
  } finally {
    await proxy.close()
  }
}

/** Ends the session of a build. An open transaction keeps the build from completing before that. */
async function endBuild(
  migrationPath: MigrationPath,
  { databaseUrl, observer }: MigrationPathContext,
): Promise<InterruptedRun> {
  const release = await holdSnapshot(databaseUrl)
  try {
    const run = endOf(migrationPath.up({ connectionString: databaseUrl }))
    const isEnded = await Promise.race([run, observer.endBuild()])
    return isEnded === 'build ended' ? await run : isEnded
  } finally {
    await release()
  }
}

/** The configuration of a process that migrates up. */
export interface RunnerConfig {
  readonly databaseUrl: string
  readonly schema: string
  /** The current steps, or those of the next release with this many rows in a batch. */
  readonly migrationPath: { readonly steps: 'own' } | { readonly steps: 'next'; readonly batchRows: number }
}

const program = new URL('runner-program.ts', import.meta.url)

/** Kills the process while the statement with this number is sent. The server runs it, and nothing waits for the answer. */
async function killProcess(
  { schema, runnerConfig }: MigrationPath,
  { databaseUrl, at }: { readonly databaseUrl: string; readonly at: number },
): Promise<InterruptedRun> {
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
    config: { databaseUrl: proxy.url, schema, migrationPath: runnerConfig } satisfies RunnerConfig,
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

/** The versions that these runs have applied, and how often one of them waited for a lock and retried. */
export interface ConcurrentMigration {
  readonly applied: readonly number[]
  readonly waited: number
}

/** Migrates to the top version with several runners at the same time. */
export async function migrateConcurrently(
  migrationPath: MigrationPath,
  runners: number,
  databaseUrl: string,
): Promise<ConcurrentMigration> {
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

/** Opens a transaction that has read the jobs, so that no exclusive lock is granted. Resolves with a function that commits it. */
export function holdJobs(databaseUrl: string, schema: string): Promise<() => Promise<void>> {
  return hold(databaseUrl, `SELECT FROM ${pg.escapeIdentifier(schema)}.jobs LIMIT 1`)
}

/** Opens a transaction without table locks, for which only a concurrent index build waits. */
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
