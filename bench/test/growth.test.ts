import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrateUp } from '@queue/core'
import {
  acquireServer,
  createTestDatabases,
  type PostgresServer,
  type TestDatabases,
} from '@queue/dev-postgres'
import { type Costs, measureGrowth, operations } from '../src/growth/measure-growth.ts'
import { growthRatioMax } from '../src/growth/report.ts'
import { situations } from '../src/growth/situations.ts'

/** A twentieth of the published figures, which is enough for a growing scan to show in its pages. */
const scale = 0.05
const rounds = 5
/** A deeper index costs every statement a page or two. */
const treeHeightPages = 16

let server: PostgresServer
let databases: TestDatabases
let empty: Costs

async function costsIn(situation: (typeof situations)[number]): Promise<Costs> {
  const database = await databases.create()
  const costs = await measureGrowth({ url: database.url, situation, scale, rounds })
  await database.drop()
  return costs
}

beforeAll(async () => {
  server = await acquireServer()
  databases = createTestDatabases({
    serverUrl: server.url,
    templateKey: `growth-${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  const [first] = situations
  if (first === undefined) throw new Error('there is no situation to compare with')
  empty = await costsIn(first)
})

afterAll(async () => {
  await databases.dropAll()
  await server.stop()
})

// A full scan reads what the scan positions would have skipped. It happens once in ten seconds, and its cost is published.
const boundedOperations = operations.filter((operation) => operation !== 'claim, full scan')

test.each(situations.slice(1))('no statement reads more pages because of $name', async (situation) => {
  const costs = await costsIn(situation)
  for (const operation of boundedOperations) {
    const pagesMax = empty[operation].buffers * growthRatioMax + treeHeightPages
    expect({ operation, pages: Math.min(costs[operation].buffers, pagesMax) }).toEqual({
      operation,
      pages: costs[operation].buffers,
    })
  }
})
