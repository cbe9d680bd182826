import { findPgBouncer, startPooler } from '@queue/test-database'
import { failuresOf, runTests, type TestRun } from '../run/suite-scenario.ts'
import { killsWithin } from './kill.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

type Suite = Pick<TestRun, 'directory' | 'files'>

/** The tests that run through the pooler. */
const suites: readonly Suite[] = [
  { directory: 'packages/core', files: [] },
  { directory: 'packages/worker', files: [] },
  // The other files of these two packages test roles, processes and connections, or need no database.
  {
    directory: 'packages/outbox',
    files: [
      'transitions.test',
      'migrations.test',
      'outbox-worker.test',
      'plans.test',
      'publish.test',
      'targets.test',
    ],
  },
  {
    directory: 'apps/api',
    files: [
      'bodies.test',
      'cancel-and-requeue.test',
      'create-job.test',
      'dead-letters.test',
      'grouped-writes.test',
      'http-semantics.test',
      'queues-and-workers.test',
      'read-jobs.test',
    ],
  },
]
const reducedSuites: readonly Suite[] = [
  { directory: 'packages/core', files: ['transitions.test', 'fencing.test', 'caller-transaction.test'] },
]
/** Some tests hold many transactions open at once. */
const suiteConnections = 40
const fullKills = 30

/**
 * Runs the kill scenario and the integration tests with connections through PgBouncer in transaction mode and without
 * notifications: nothing may need a session of its own. Tests of session state are skipped.
 */
export const pooler: Scenario = {
  number: 17,
  name: 'pooler',
  law: 'behind a pooler in transaction mode, without notifications, every promise is kept',
  counted: 'kills',
  full: { jobs: 20_000, count: fullKills, minutesMax: 60 },
  reduced: { jobs: 500, count: 3, minutesMax: 10 },
  run: async (context) => {
    const program = await findPgBouncer()
    if (program === undefined) {
      return {
        outcome: 'skipped',
        counts: {},
        reason: 'PgBouncer is not installed (Debian package pgbouncer)',
      }
    }
    const killed = await killBehind(program, context)
    if (killed.outcome !== 'held') return killed
    const tested = await testBehind(program, context)
    return { ...tested, counts: { ...killed.counts, ...tested.counts } }
  },
}

async function killBehind(program: string, context: ScenarioContext): Promise<RunResult> {
  const pgBouncer = await startPooler(program, context.serverUrl)
  try {
    const { urlOf } = pgBouncer
    return await killsWithin(context, { name: 'pooler', fleet: { notifications: false }, workerUrlOf: urlOf })
  } finally {
    await pgBouncer.close()
  }
}

async function testBehind(program: string, context: ScenarioContext): Promise<RunResult> {
  const pgBouncer = await startPooler(program, context.serverUrl, { serverConnections: suiteConnections })
  const faults: string[] = []
  let tests = 0
  let skipped = 0
  try {
    for (const suite of context.size.count < fullKills ? reducedSuites : suites) {
      const env = { TEST_DATABASE_POOLER: pgBouncer.address }
      const report = await runTests({ ...suite, scale: 1, env }, context)
      tests += report.numPassedTests
      skipped += report.numPendingTests
      faults.push(...failuresOf(report))
      if (report.numPassedTests === 0) faults.push(`no test of ${suite.directory} has passed`)
    }
  } finally {
    await pgBouncer.close()
  }
  return resultOf({ counts: { tests, 'tests that need a session of their own': skipped }, faults })
}
