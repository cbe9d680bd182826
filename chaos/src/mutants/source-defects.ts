import type { SourceDefect } from './source-defect.ts'

/** Defects that a scenario must detect with real workers, because they are not in a single statement. */
export const sourceDefects = {
  claimsTooLate: {
    name: 'a claim takes jobs after its caller has given it up',
    edits: [
      {
        module: 'packages/core/src/transitions/claim-jobs.ts',
        find: 'WHEN l.at < l.deadline AND ',
        replace: 'WHEN ',
      },
    ],
  },
  forgetsRefusedEnds: {
    name: 'a worker forgets an end that the database refuses',
    edits: [
      {
        module: 'packages/worker/src/finisher.ts',
        find: 'if (!isRunning) void run()',
        replace: `remove('error')`,
      },
      // Jobs that the worker does not know of are returned at once instead of within a minute.
      {
        module: 'packages/worker/src/reconcile.ts',
        find: 'const sweepIntervalMs = 60_000',
        replace: 'const sweepIntervalMs = 250',
      },
    ],
  },
  recordsFailuresInstead: {
    name: 'a worker records every end that was refused as a failure',
    edits: [
      {
        module: 'packages/worker/src/complete-attempt.ts',
        find: 'const transition = takeTransition(attempt, outcome, retryDeps)',
        replace: `const transition = takeTransition(attempt, failed(new Error('refused')), retryDeps)`,
      },
    ],
  },
  leavesTransactionsOpen: {
    name: 'a handler that returns while its transaction is open has succeeded',
    edits: [
      {
        module: 'packages/worker/src/run-job.ts',
        find: 'transaction === undefined ? outcome : transaction.outcomeAfter(outcome)',
        replace: 'outcome',
      },
    ],
  },
  takesTransactionsTooLate: {
    name: 'a transaction that is begun after the end of its attempt commits',
    edits: [
      { module: 'packages/worker/src/transaction.ts', find: 'if (!executing)', replace: 'if (false)' },
      {
        module: 'packages/core/src/transitions/finish-jobs.ts',
        find: 'createCompletion({ ...finish, recordedAs: [] })',
        replace: 'createCompletion(finish)',
      },
    ],
  },
  fetchesPastLastAttempts: {
    name: 'a worker fetches ahead although jobs of a queue may not wait',
    edits: [
      {
        module: 'packages/core/src/claims/claim-turns.ts',
        find: 'inLanes || (toRun ===',
        replace: 'false && (toRun ===',
      },
    ],
  },
  servesInOneOrder: {
    name: 'a worker serves its queues in one order, and each with all that it may',
    edits: [
      {
        module: 'packages/core/src/claims/claim-turns.ts',
        find: 'if (queues.length <= 1 || backlogs.size === 0) {',
        replace: 'if (true) {\n      return { order: all, shares: all.map(() => limit) }',
      },
    ],
  },
  carriesEveryPayload: {
    name: 'a claim carries every payload, and what waits is not bounded by bytes',
    edits: [
      {
        module: 'packages/core/src/database/job-row.ts',
        find: 'CASE WHEN ${fits} THEN',
        replace: 'CASE WHEN ${fits} OR true THEN',
      },
      {
        module: 'packages/worker/src/prefetch.ts',
        find: 'return jobs < concurrency ? 0 : Math.min(prefetchMax, jobs)',
        replace: 'return prefetchMax + 0 * jobs',
      },
    ],
  },
  startsOn: {
    name: 'a process that is stopped during the start of its worker lets the start go on',
    edits: [
      {
        module: 'packages/service/src/run-worker.ts',
        find: 'await worker.stop()',
        replace: 'if (worker.id !== undefined) await worker.stop()',
      },
    ],
  },
  changesApart: {
    name: 'a batch changes its jobs in a transaction of its own',
    edits: [
      {
        module: 'packages/core/src/acts/carry-out-operation.ts',
        find: 'return carryOut({ ...inside,',
        replace: 'return carryOut({ ...inside, apart: database.run,',
      },
      {
        module: 'packages/core/src/acts/carry-out-operation.ts',
        find: 'const jobs = await changeJobs(database, action, found.ids)',
        replace: 'const jobs = await changeJobs({ ...database, run: database.apart }, action, found.ids)',
      },
    ],
  },
} as const satisfies Record<string, SourceDefect>
