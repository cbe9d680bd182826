import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type PostgresServer, startEmbeddedPostgres } from '@queue/dev-postgres'
import { provideCounters } from '../src/compare/costs.ts'
import { type JobSort, jobSorts, payloadOf } from '../src/storage/job-sorts.ts'
import { type Life, lifeBatch, measureLife, steps, wholeLife } from '../src/storage/measure-life.ts'
import { renderStorage } from '../src/storage/report.ts'
import { createWorlds, inWorld } from '../src/storage/world.ts'
import { countingSettings } from '../src/with-server.ts'

test.each([33, 400, 511, 512, 8_000])('the JSON text of a payload of %d bytes has that length', (bytes) => {
  expect(JSON.stringify(payloadOf(bytes))).toHaveLength(bytes)
})

describe('the life of a job', () => {
  let server: PostgresServer
  const lives: Record<string, Life> = {}
  const sortNamed = (name: string): JobSort => {
    const sort = jobSorts.find((candidate) => candidate.name === name)
    if (sort === undefined) throw new Error(`no sort is named ${name}`)
    return sort
  }

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ settings: countingSettings })
    await provideCounters(server.url)
    const worlds = createWorlds(server.url)
    for (const name of ['small payload', 'result and progress', 'payload of 1000 B']) {
      lives[name] = await inWorld(worlds, server.url, (world) =>
        measureLife(world, sortNamed(name), 2 * lifeBatch),
      )
    }
  })
  afterAll(() => server.stop())

  test('is the sum of its steps, of which only some jobs report progress', () => {
    const { perStep } = lives['result and progress'] as Life
    expect(wholeLife(lives['result and progress'] as Life).walBytes).toBeCloseTo(
      steps.reduce((sum, step) => sum + perStep[step].walBytes, 0),
    )
    expect(perStep.progress.walBytes).toBeGreaterThan(0)
    expect(lives['small payload']?.perStep.progress).toEqual({ walBytes: 0, buffers: 0, statements: 0 })
  })

  test('writes the payload once to the log, and keeps it on disk', () => {
    const [small, large] = [lives['small payload'], lives['payload of 1000 B']] as [Life, Life]
    const moreWal = wholeLife(large).walBytes - wholeLife(small).walBytes
    expect(moreWal).toBeGreaterThan(900)
    expect(moreWal).toBeLessThan(2 * 967)
    expect(large.diskBytes - small.diskBytes).toBeGreaterThan(900)
  })

  test('is printed with the costs of each step', () => {
    const figures = { lives: Object.values(lives), processor: [{ batch: 500, leastUs: 20, medianUs: 25 }] }
    const text = renderStorage(figures)
    for (const name of Object.keys(lives)) expect(text).toMatch(new RegExp(`^${name}(?: +[\\d.]+){7}$`, 'm'))
    expect(text).toMatch(/^ +500 +20\.0 +25\.0$/m)
  })
})
