import { migrateUp } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { measureGrowth } from './measure-growth.ts'
import type { GrowthFigures } from './report.ts'
import { situations } from './situations.ts'

export interface GrowthOptions {
  /** A maintenance database of the server, with a role that may create databases. */
  readonly serverUrl: string
  /** The number of rows, relative to the published figures. */
  readonly scale: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** Measures every situation in its own database, all on one server. */
export async function runGrowth({ serverUrl, scale, rounds, onStep }: GrowthOptions): Promise<GrowthFigures> {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `growth ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  try {
    const figures = []
    for (const situation of situations) {
      onStep(`growth: ${situation.name}`)
      const database = await databases.create()
      const costs = await measureGrowth({ url: database.url, situation, scale, rounds })
      figures.push({ situation: situation.name, costs })
      await database.drop()
    }
    return figures
  } finally {
    await databases.dropAll()
  }
}
