import {
  type AfterRestoreOptions,
  type AfterRestoreReport,
  afterRestore as applyAfterRestore,
  afterRestorePlan,
} from '@queue/admin'
import type { CommandContext } from './command-context.ts'

export interface AfterRestoreCommand {
  readonly mode: 'apply' | 'plan'
  readonly target: Pick<AfterRestoreOptions, 'connectionString' | 'schema'>
}

/** Pauses every queue of a restored database, raises its lease tokens, and lists what will run again. */
export async function afterRestore(
  { format, retry, print }: CommandContext,
  { mode, target }: AfterRestoreCommand,
): Promise<void> {
  const report = await retry(() => (mode === 'plan' ? afterRestorePlan(target) : applyAfterRestore(target)))
  print(format === 'json' ? toJson(report, mode) : toText(report, mode))
}

function toJson({ schema, queues, leaseTokens, runsAgain }: AfterRestoreReport, mode: string): string {
  return JSON.stringify({
    schema,
    dry_run: mode === 'plan',
    queues: { paused: queues.paused, already_paused: queues.alreadyPaused },
    lease_tokens: {
      step: leaseTokens.step,
      jobs: leaseTokens.jobs,
      dead_letters: leaseTokens.deadLetters,
    },
    runs_again: {
      waiting: runsAgain.waiting.map(({ oldestCreatedAt, ...jobs }) => ({
        ...jobs,
        oldest_created_at: oldestCreatedAt.toISOString(),
      })),
      running_count: runsAgain.runningCount,
      exhausted_count: runsAgain.exhaustedCount,
      running: runsAgain.running.map(({ id, queue, kind, workerId, claimedAt, attempts, maxAttempts }) => ({
        id,
        queue,
        kind,
        worker_id: workerId,
        claimed_at: claimedAt.toISOString(),
        attempts,
        max_attempts: maxAttempts,
      })),
    },
  })
}

/** The text lists at most this many running jobs; --json has more. */
const shownMax = 20

function toText(report: AfterRestoreReport, mode: 'apply' | 'plan'): string {
  const { schema, queues, leaseTokens, runsAgain } = report
  const wouldBe = mode === 'plan' ? 'would be ' : ''
  const holders = `${leaseTokens.jobs} jobs and ${leaseTokens.deadLetters} dead letters`
  return [
    `schema "${schema}"`,
    `queues ${wouldBe}paused: ${listed(queues.paused)}; paused before: ${listed(queues.alreadyPaused)}`,
    `lease tokens of ${holders} ${wouldBe}raised by ${leaseTokens.step}`,
    '',
    ...waitingLines(runsAgain),
    ...runningLines(runsAgain),
    '',
    mode === 'plan'
      ? 'nothing was changed; to apply this: after-restore --yes'
      : 'next, start the workers and resume one queue after the other: after-restore --resume QUEUE',
  ].join('\n')
}

type RunsAgain = AfterRestoreReport['runsAgain']

function waitingLines({ waiting }: RunsAgain): string[] {
  if (waiting.length === 0) return ['no jobs are waiting']
  return [
    'these jobs were waiting when the backup was made. They run when their queue is resumed, even if they ran after the backup:',
    ...table([
      ['queue', 'kind', 'due', 'scheduled', 'oldest'],
      ...waiting.map(({ queue, kind, due, scheduled, oldestCreatedAt }) => [
        queue,
        kind,
        String(due),
        String(scheduled),
        oldestCreatedAt.toISOString(),
      ]),
    ]),
  ]
}

function runningLines({ running, runningCount, exhaustedCount }: RunsAgain): string[] {
  if (runningCount === 0) return ['no jobs were running']
  const shown = running.slice(0, shownMax)
  const exception = `except ${exhaustedCount} on their last attempt, which become dead letters`
  return [
    `jobs that were running: ${runningCount}. They run again after recovery, ${exception}:`,
    ...table([
      ['id', 'queue', 'kind', 'attempt', 'worker'],
      ...shown.map(({ id, queue, kind, attempts, maxAttempts, workerId }) => [
        id,
        queue,
        kind,
        `${attempts} of ${maxAttempts}`,
        workerId,
      ]),
    ]),
    ...(runningCount > shown.length ? [`  and ${runningCount - shown.length} more`] : []),
  ]
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'none'
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
}
