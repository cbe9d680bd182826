import path from 'node:path'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createFleet, type Fleet, type FleetSettings } from '../fleet/fleet.ts'
import { createHistory, type History } from '../record/history.ts'
import { installEffectLog } from '../record/effect-log.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'

/** A database with effect log and audit, the history of its clients, and a fleet of worker processes. */
export interface World {
  readonly database: TestDatabase
  readonly history: History
  readonly fleet: Fleet
}

export interface WorldOptions {
  /** A part of the name of the history file. */
  readonly name: string
  readonly fleet?: FleetSettings
  /** Returns the URL by which the workers reach the database at the given URL; default: the same. */
  readonly workerUrlOf?: (databaseUrl: string) => string
}

/** Runs `body` in a new world, and closes the world in any case. */
export async function withWorld<Result>(
  context: ScenarioContext,
  { name, fleet: settings, workerUrlOf = sameUrl }: WorldOptions,
  body: (world: World) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase({ serverUrl: context.serverUrl })
  const fleet = createFleet(database, {
    databaseUrl: workerUrlOf(database.url),
    defect: context.defect,
    ...settings,
  })
  const history = createHistory(path.join(context.directory, `${name}-${context.seed}.jsonl`))
  try {
    await installEffectLog(database.pool, database.schema)
    return await body({ database, history, fleet })
  } finally {
    await fleet.kill()
    await history.close()
    await database.close()
  }
}

function sameUrl(databaseUrl: string): string {
  return databaseUrl
}
