import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, type PostgresServer, startEmbeddedPostgres } from '@queue/dev-postgres'
import pg from 'pg'
import ceilings from '../ceilings.json' with { type: 'json' }
import { parseCompareArguments } from '../src/compare/arguments.ts'
import { costNames } from '../src/compare/costs.ts'
import { renderReport, renderReportAsJson } from '../src/compare/report.ts'
import { compare, type CompareOptions, runCompare } from '../src/compare/run-compare.ts'

const fixture = (name: string): string => path.join(import.meta.dirname, 'fixtures', name)
const ourAdapter = path.join(import.meta.dirname, '..', 'src', 'contenders', 'ours.ts')

describe('two builds on one server', () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ settings: { shared_preload_libraries: 'pg_stat_statements' } })
    pool = new pg.Pool({ connectionString: server.url })
    // The server may stop before the last connection is closed.
    pool.on('error', () => undefined)
    await pool.query('CREATE TABLE turns (turn int GENERATED ALWAYS AS IDENTITY, name text)')
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })
  beforeEach(() => pool.query('TRUNCATE turns'))

  function optionsFor(adapters: Readonly<Record<'workTree' | 'commit', string>>): CompareOptions {
    return {
      serverUrl: server.url,
      workTree: { name: 'the work tree', adapter: adapters.workTree },
      commits: [{ name: 'the commit', adapter: adapters.commit }],
      measurements: ['enqueue'],
      counts: { enqueue: 20, drain: 20, latency: 3 },
      pairs: 2,
      onStep: () => undefined,
    }
  }

  test('each runs its own code, only its measured part counts, and each round begins with another', async () => {
    const adapters = { workTree: fixture('three-statements.ts'), commit: fixture('one-statement.ts') }
    const options = optionsFor(adapters)
    const commits = [...options.commits, { name: 'another', adapter: fixture('one-statement.ts') }]
    const [first, second] = await runCompare({ ...options, commits, pairs: 3 })
    const enqueue = first?.enqueue
    expect(second?.enqueue?.costsPerJob.statements).toMatchObject({ workTree: 3, commit: 1 })
    expect(enqueue?.costsPerJob.statements).toMatchObject({ workTree: 3, commit: 1 })
    // A row with its line pointer and the commit record take some 100 bytes of WAL. Each INSERT reads pages.
    expect(enqueue?.costsPerJob.walBytes.commit).toBeGreaterThan(50)
    expect(enqueue?.costsPerJob.buffers.commit).toBeGreaterThanOrEqual(1)
    expect(enqueue?.speed['perSecond']?.ratio?.ratio).toBeGreaterThan(0)
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM turns ORDER BY turn')
    expect(rows.map(({ name }) => name.replace(/ statements?/, '')).join(' ')).toBe(
      'three one one one one three one three one',
    )
  })

  test('the queue itself is measured adding, draining and starting jobs', async () => {
    const adapters = { workTree: ourAdapter, commit: ourAdapter }
    const [comparisons = {}] = await runCompare({
      ...optionsFor(adapters),
      measurements: ['enqueue', 'drain', 'latency'],
      pairs: 1,
    })
    const figures = Object.entries(comparisons).flatMap(([measurement, { speed }]) =>
      Object.keys(speed).map((figure) => `${measurement} ${figure}`),
    )
    expect(figures).toEqual(['enqueue perSecond', 'drain perSecond', 'latency p50Ms', 'latency p99Ms'])
    for (const { speed, peakRssBytes } of Object.values(comparisons)) {
      for (const { ratio } of [...Object.values(speed), peakRssBytes]) {
        expect(ratio).toEqual({ ratio: expect.any(Number), lower: null, upper: null })
      }
    }
    // So few jobs can take less than one tick of the server's clock.
    const counted = costNames.filter((name) => name !== 'serverUs')
    for (const { costsPerJob } of Object.values(comparisons)) {
      const withoutRatio = counted.filter((name) => !((costsPerJob[name].ratio?.ratio ?? 0) > 0))
      expect(withoutRatio.map((name) => ({ name, ...costsPerJob[name] }))).toEqual([])
    }
    // Insert, notification, claim and finish of each job, one at a time. The last finish may come after the measured part.
    expect(comparisons.latency?.costsPerJob.statements.workTree).toBeGreaterThan(3)
  })

  test.each(['enqueue', 'drain'] as const)(
    'a job costs no more than its ceilings: %s',
    async (measurement) => {
      const [comparisons = {}] = await runCompare({
        ...optionsFor({ workTree: ourAdapter, commit: ourAdapter }),
        measurements: [measurement],
        counts: { ...ceilings.jobs, latency: 0 },
        pairs: 1,
      })
      const costs = costNames.flatMap((name) => {
        const ceiling = (ceilings[measurement] as Partial<Record<typeof name, number>>)[name]
        const cost = comparisons[measurement]?.costsPerJob[name].workTree ?? Number.NaN
        return ceiling === undefined ? [] : [{ name, cost, ceiling }]
      })
      expect(costs).toHaveLength(4)
      expect(costs.filter(({ cost, ceiling }) => !(cost <= ceiling))).toEqual([])
    },
  )

  test('the error of a side that fails names it and contains its output', async () => {
    const options = optionsFor({ workTree: fixture('one-statement.ts'), commit: fixture('one-statement.ts') })
    await expect(runCompare({ ...options, measurements: ['drain'] })).rejects.toThrow(
      /^the work tree, drain: [\s\S]*one statement does not work/,
    )
    const missing = optionsFor({ workTree: ourAdapter, commit: fixture('no-such-adapter.ts') })
    await expect(runCompare(missing)).rejects.toThrow(/^the commit, its schema: [\s\S]*no-such-adapter/)
  })

  test('an aborted comparison ends at once', async () => {
    const stopped = new AbortController()
    const options = optionsFor({ workTree: ourAdapter, commit: ourAdapter })
    const running = runCompare({
      ...options,
      counts: { ...options.counts, latency: 1_000_000 },
      measurements: ['latency'],
      signal: stopped.signal,
    })
    const ended = expect(running).rejects.toThrow('enough')
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname <> current_database() AND query LIKE '%jobs%'`,
      )
      return (rowCount ?? 0) > 0
    })
    stopped.abort(new Error('enough'))
    await ended
  })
})

test('a server that counts no statements is refused, with the setting that it needs', async () => {
  const server = await startEmbeddedPostgres()
  try {
    const side = { name: 'either', adapter: ourAdapter }
    await expect(
      runCompare({
        serverUrl: server.url,
        workTree: side,
        commits: [side],
        measurements: ['enqueue'],
        counts: { enqueue: 1, drain: 1, latency: 1 },
        pairs: 1,
        onStep: () => undefined,
      }),
    ).rejects.toThrow('shared_preload_libraries = pg_stat_statements')
  } finally {
    await server.stop()
  }
})

const costs = {
  clientUs: 500,
  serverUs: 0,
  walBytes: 1_000,
  buffers: 20,
  allocatedBytes: 4_000,
  statements: 30,
}
const peakRssBytes = 100e6
/** The work tree runs three jobs while the commit runs two, and starts a job in half the time. */
const pair = {
  workTree: { figures: { perSecond: 300, p50Ms: 2 }, costs, peakRssBytes },
  commit: {
    figures: { perSecond: 200, p50Ms: 4 },
    costs: { ...costs, walBytes: 2_000 },
    peakRssBytes: 125e6,
  },
}

test('a ratio is how many times as fast the work tree is, of rates and of times', () => {
  const { speed } = compare(
    Array.from({ length: 6 }, () => pair),
    10,
  )
  expect(speed['perSecond']).toMatchObject({ workTree: 300, commit: 200 })
  expect(speed['perSecond']?.ratio?.ratio).toBeCloseTo(1.5, 12)
  expect(speed['p50Ms']?.ratio?.ratio).toBeCloseTo(2, 12)
  expect(speed['p50Ms']?.ratio?.lower).toBeCloseTo(2, 12)
})

test('the ratio of a cost is below 1 if the work tree is cheaper, and costs are those of a job', () => {
  const { costsPerJob, peakRssBytes: memory } = compare(
    Array.from({ length: 6 }, () => pair),
    10,
  )
  expect(costsPerJob.statements).toMatchObject({
    workTree: 3,
    commit: 3,
    ratio: { ratio: 1, lower: 1, upper: 1 },
  })
  expect(costsPerJob.walBytes).toMatchObject({ workTree: 100, commit: 200 })
  expect(costsPerJob.walBytes.ratio?.ratio).toBeCloseTo(0.5, 12)
  expect(memory.ratio?.ratio).toBeCloseTo(0.8, 12)
  expect(costsPerJob.serverUs).toEqual({ workTree: 0, commit: 0, ratio: null })
})

test('a report shows figures, ratios with their bounds, and costs of both', () => {
  const commit = { hash: 'bbbbbbbbbb', subject: 'core: what it was' }
  const enqueue = compare(
    Array.from({ length: 6 }, () => pair),
    10,
  )
  const report = {
    machine: 'a machine',
    measuredOn: '2026-01-01',
    workTree: { hash: 'aaaaaaaaaa', changed: true },
    pairs: 6,
    counts: { enqueue: 10 },
    against: [{ commit, comparisons: { enqueue } }],
  }
  const text = renderReport(report)
  expect(text).toContain('the work tree (aaaaaaa with changes) against bbbbbbb (core: what it was)')
  expect(text).toMatch(/enqueue, jobs\/s +300 +200 +1\.500 +1\.500 to 1\.500/)
  expect(text).toMatch(/enqueue, p50, ms +2 +4 +2\.000/)
  expect(text).toMatch(/enqueue, WAL bytes +100 +200 +0\.500 +0\.500 to 0\.500/)
  expect(text).toMatch(/enqueue, peak RSS, MB +100 +125 +0\.800/)
  expect(text).toMatch(/enqueue, server, µs +0 +0 +not counted/)
  const { lower, upper } = enqueue.speed['perSecond']?.ratio ?? {}
  expect([lower, upper].every((bound) => Math.abs((bound ?? 0) - 1.5) < 1e-12)).toBe(true)
  expect(JSON.parse(renderReportAsJson(report))).toMatchObject({
    pairs: 6,
    against: [
      {
        comparisons: { enqueue: { speed: { perSecond: { ratio: { ratio: 1.5, lower: 1.5, upper: 1.5 } } } } },
      },
    ],
  })
  const few = { ...report, against: [{ commit, comparisons: { enqueue: compare([pair], 10) } }] }
  expect(renderReport(few)).toMatch(/enqueue, jobs\/s +300 +200 +1\.500 +too few pairs/)
})

test.each([
  [[], 'needs a commit'],
  [['HEAD', '--pairs', '0'], '--pairs must be a whole number from 1 to 1000, not "0"'],
  [['HEAD', '--pairs', '2.5'], 'not "2.5"'],
  [['HEAD', '--fast'], '--fast'],
])('%j is refused', (args, reason) => {
  expect(() => parseCompareArguments(args)).toThrow(reason)
})

test('twenty pairs of everything are measured by default', () => {
  expect(parseCompareArguments(['main'])).toMatchObject({
    commits: ['main'],
    pairs: 20,
    measurements: ['enqueue', 'drain', 'latency'],
  })
  expect(parseCompareArguments(['main', 'latency', '--pairs', '8', '--quick'])).toMatchObject({
    pairs: 8,
    quick: true,
    measurements: ['latency'],
  })
  expect(parseCompareArguments(['main', 'v1', '--base']).commits).toEqual([
    'main',
    'v1',
    expect.stringMatching(/^[0-9a-f]{40}$/),
  ])
})

describe('the command', () => {
  const run = promisify(execFile)
  const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')

  async function bench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return run(process.execPath, [main, ...args]).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
  }

  test('reports an unknown commit', async () => {
    const { code, stderr } = await bench('compare', 'no-such-commit')
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no commit "no-such-commit"'),
    })
  })

  test('refuses invalid arguments and prints its help', async () => {
    const { code, stderr } = await bench('compare', 'HEAD', '--pairs', '0')
    expect(code).toBe(2)
    expect(stderr).toContain('--pairs must be a whole number')
    expect(stderr).toContain('pnpm bench compare <commit …>')
  })

  test('prints its help', async () => {
    const { code, stdout } = await bench('compare', '--help')
    expect(code).toBe(0)
    expect(stdout).toContain('--pairs')
  })
})
