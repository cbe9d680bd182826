import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import {
  createTestDatabase,
  type DatabaseProxy,
  eventually,
  startDatabaseProxy,
  type TestDatabase,
} from '@queue/testing'
import { countStatements } from './count-statements.ts'
import { createWorkerProcesses, mainFiles } from './worker-process.ts'

/** Enough statements to include every periodic one except the rarest. */
const measuredStatements = 20
const measuredMsMax = 240_000
const quietMs = 1_000
/** The memory of the start is collected some 10 s after it, and later on a slow machine. */
const idleWithinMs = 240_000
const rssBytesMax = 130_000_000

const workers = createWorkerProcesses()
let database: TestDatabase
let proxy: DatabaseProxy
let statements = 0

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.urlAs('worker'), {
    reader: () => countStatements(() => (statements += 1)),
  })
})

afterEach(() => workers.killAll())

afterAll(async () => {
  await proxy?.close()
  await database?.close()
})

test('an idle worker as it is deployed makes at most one query per second, and takes less than 130 MB', async () => {
  if (!existsSync(mainFiles.built)) throw new Error(`${mainFiles.built} is not there: pnpm build makes it`)
  // Without the compile cache, which no deployment uses: a process keeps what it has read of it in memory, 4 MB.
  const env = { DATABASE_URL: proxy.url, NODE_DISABLE_COMPILE_CACHE: '1' }
  const worker = workers.start({ main: 'built', env })
  await worker.logged('worker registered')
  await eventually(() => rssBytes(worker.process.pid) < rssBytesMax, { deadlineMs: idleWithinMs })
  // The statements of the start do not count: the first poll after an empty claim comes at once, and later ones at longer
  // intervals.
  await untilQuiet()

  const perSecond = await statementsPerSecond()
  // Statements leave garbage, and V8 collects it only after some megabytes, so the smallest value counts.
  const rss = await eventually(() => below(rssBytesMax, rssBytes(worker.process.pid)), {
    deadlineMs: idleWithinMs,
    what: 'less than 130 MB',
  })
  console.info(`idle worker: ${perSecond.toFixed(2)} queries/s, RSS ${(rss / 1_000_000).toFixed(1)} MB`)

  expect(perSecond).toBeLessThanOrEqual(1)
})

/** The value if it is below the limit. */
function below(limit: number, value: number): number | undefined {
  return value < limit ? value : undefined
}

/** Resolves once a second has passed without a statement. */
async function untilQuiet(): Promise<void> {
  let lastCount = -1
  let sinceMs = performance.now()
  await eventually(
    () => {
      if (statements !== lastCount) sinceMs = performance.now()
      lastCount = statements
      return performance.now() - sinceMs >= quietMs
    },
    { deadlineMs: idleWithinMs },
  )
}

/** Computes the rate from the times of statements, because counting in a fixed interval could include one too many. */
async function statementsPerSecond(): Promise<number> {
  const quiet = statements
  await eventually(() => statements > quiet, { deadlineMs: measuredMsMax })
  const before = statements
  const startedMs = performance.now()
  await eventually(() => statements - before >= measuredStatements, { deadlineMs: measuredMsMax })
  return (statements - before) / ((performance.now() - startedMs) / 1_000)
}

/** The resident memory of the process, including shared pages. */
function rssBytes(pid: number | undefined): number {
  const status = `/proc/${pid}/status`
  const kib = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kib) * 1_024
}
