import { migrateUp } from '@queue/core'
import { acquireServer, createTestDatabases } from '@queue/dev-postgres'
import { measureGrowth } from './measure-growth.ts'
import type { GrowthFigures } from './report.ts'
import { situations } from './situations.ts'

export interface GrowthOptions {
  /** 1 for the published figures. */
  readonly scale: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** Measures every situation on a database of its own, all on one server. */
export async function runGrowth({ scale, rounds, onStep }: GrowthOptions): Promise<GrowthFigures> {
  const server = await acquireServer()
  const databases = createTestDatabases({
    serverUrl: server.url,
    templateKey: `growth-${Date.now()}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  try {
    const figures = []
    for (const situation of situations) {
      onStep(situation.name)
      const database = await databases.create()
      const costs = await measureGrowth({ url: database.url, situation, scale, rounds })
      figures.push({ situation: situation.name, costs })
      await database.drop()
    }
    return figures
  } finally {
    await databases.dropAll()
    await server.stop()
  }
}
