import type { MigrateOptions, MigrationEvent } from '@queue/core'
import pg from 'pg'
import type { Fate, FaultProxy } from '../proxy/fault-proxy.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import type { SchemaState, Witness } from './witness.ts'

/** A schema that is brought from its bottom version to its top one, again and again. */
export interface Ladder {
  readonly name: string
  readonly schema: string
  readonly bottom: number
  readonly top: number
  /** What a step that was broken off may leave behind although it is not recorded: relations, by name. */
  readonly leftOver: readonly string[]
  up(options: MigrateOptions): Promise<unknown>
  /** Takes it back to that version. */
  down(to: number): Promise<unknown>
}

/** Where a run is broken off: before or after so many statements as its client sends them, or within one of them. */
export type Break = { readonly at: number } & ({ readonly kind: Fate } | { readonly kind: 'command' })

/** All there is to a run that nobody disturbs. */
export interface Survey {
  readonly breaks: readonly Break[]
  /** What the schema consists of at each version. */
  readonly catalogs: ReadonlyMap<number, string>
}

export interface LadderContext {
  readonly databaseUrl: string
  readonly witness: Witness
}

/** Climbs once without any fault, and goes back step by step. */
export async function survey(ladder: Ladder, { databaseUrl, witness }: LadderContext): Promise<Survey> {
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
    await witness.setFatalCommand(null)
    await ladder.up({ connectionString: proxy.url })
    const commands = await witness.commands()
    note(await witness.look(ladder.schema))
    for (let version = ladder.top - 1; version >= ladder.bottom; version -= 1) {
      await ladder.down(version)
      note(await witness.look(ladder.schema))
    }
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
    return {
      catalogs,
      breaks: [
        ...numbers(statements).flatMap((at): Break[] => [
          { kind: 'cut before', at },
          { kind: 'cut after', at },
        ]),
        ...numbers(commands).map((at): Break => ({ kind: 'command', at })),
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
export function isWhole({ leftOver }: Ladder, known: string, found: string): boolean {
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

/** Climbs until it is broken off there; gives how it failed, or undefined when the run was over before. */
export async function breakOff(
  ladder: Ladder,
  { kind, at }: Break,
  { databaseUrl, witness }: LadderContext,
): Promise<Error | undefined> {
  const proxy = kind === 'command' ? undefined : await startCuttingProxy(databaseUrl, kind, at)
  try {
    if (kind === 'command') await witness.setFatalCommand(at)
    await ladder.up({ connectionString: proxy?.url ?? databaseUrl })
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('a run threw no error', { cause: error })
  } finally {
    await witness.setFatalCommand(null)
    await proxy?.close()
  }
}

function startCuttingProxy(databaseUrl: string, kind: Fate, at: number): Promise<FaultProxy> {
  let statements = 0
  return startFaultProxy({ databaseUrl, decide: () => ((statements += 1) === at ? kind : 'pass') })
}

/** How often each version was applied by these runs, and how often one of them has given way to others. */
export interface Climb {
  readonly applied: readonly number[]
  readonly waited: number
}

/** So many runners at once, up to the top. */
export async function climbTogether(ladder: Ladder, runners: number, databaseUrl: string): Promise<Climb> {
  const events: MigrationEvent[] = []
  const onProgress = (event: MigrationEvent): unknown => events.push(event)
  await Promise.all(
    Array.from({ length: runners }, () =>
      ladder.up({ connectionString: databaseUrl, onProgress: (event) => void onProgress(event) }),
    ),
  )
  return {
    applied: events.flatMap((event) => (event.type === 'applied' ? [event.version] : [])),
    waited: events.filter(({ type }) => type === 'waiting').length,
  }
}

/** A transaction that has read the jobs and stays open, which no exclusive lock can pass; gives what commits it. */
export async function holdJobs(databaseUrl: string, schema: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN')
  await client.query(`SELECT FROM ${pg.escapeIdentifier(schema)}.jobs LIMIT 1`)
  return async () => {
    await client.query('COMMIT')
    await client.end()
  }
}
