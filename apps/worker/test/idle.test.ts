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
/**
 * The memory that the process has to itself. Pages of the Node binary are left out: every process of one image shares them,
 * and the kernel maps them in blocks of its page cache, so that the same program has 56 or 68 MB of them.
 */
const ownBytesMax = 75_000_000
/** What is taken for those pages where the system does not tell them apart. */
const sharedBytes = 55_000_000

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

test('an idle worker as it is deployed makes at most one query per second, and takes less than 75 MB of its own', async () => {
  if (!existsSync(mainFiles.built)) throw new Error(`${mainFiles.built} is not there: pnpm build makes it`)
  // Without the compile cache, which no deployment uses: a process keeps what it has read of it in memory, 4 MB.
  const env = { DATABASE_URL: proxy.url, NODE_DISABLE_COMPILE_CACHE: '1' }
  const worker = workers.start({ main: 'built', env })
  await worker.logged('worker registered')
  await eventually(() => ownBytes(worker.process.pid) < ownBytesMax, { deadlineMs: idleWithinMs })
  // The statements of the start do not count: the first poll after an empty claim comes at once, and later ones at longer
  // intervals.
  await untilQuiet()

  const perSecond = await statementsPerSecond()
  // Statements leave garbage, and V8 collects it only after some megabytes, so the smallest value counts.
  const own = await eventually(() => below(ownBytesMax, ownBytes(worker.process.pid)), {
    deadlineMs: idleWithinMs,
    what: 'less than 75 MB',
  })
  console.info(
    `idle worker: ${perSecond.toFixed(2)} queries/s, memory of its own ${(own / 1_000_000).toFixed(1)} MB`,
  )

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

/** The anonymous memory of the process; without /proc, all of its resident memory but what a bare Node maps. */
function ownBytes(pid: number | undefined): number {
  const status = `/proc/${pid}/status`
  if (existsSync(status)) return kibIn(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1])
  return kibIn(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) - sharedBytes
}

function kibIn(text: string | undefined): number {
  return Number(text) * 1_024
}
