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
  { format, ask, print }: CommandContext,
  { mode, target }: AfterRestoreCommand,
): Promise<void> {
  const report = await ask(() => (mode === 'plan' ? afterRestorePlan(target) : applyAfterRestore(target)))
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

/** Running jobs that are shown one by one; --json has more. */
const shownMax = 20

function toText(report: AfterRestoreReport, mode: 'apply' | 'plan'): string {
  const { schema, queues, leaseTokens, runsAgain } = report
  const would = mode === 'plan' ? 'would be ' : ''
  const tokens = `${leaseTokens.jobs} jobs and ${leaseTokens.deadLetters} dead letters`
  return [
    `schema "${schema}"`,
    `queues ${would}paused: ${listed(queues.paused)}; paused before: ${listed(queues.alreadyPaused)}`,
    `lease tokens ${would}raised by ${leaseTokens.step}: those of ${tokens}`,
    '',
    ...waitingLines(runsAgain),
    ...runningLines(runsAgain),
    '',
    mode === 'plan'
      ? 'nothing has been changed: after-restore --yes does it'
      : 'start the workers, and resume one queue after the other: after-restore --resume QUEUE',
  ].join('\n')
}

type RunsAgain = AfterRestoreReport['runsAgain']

function waitingLines({ waiting }: RunsAgain): string[] {
  if (waiting.length === 0) return ['no job waits']
  return [
    'these jobs waited when the backup was made. They run when their queue is resumed, even if they have run since:',
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
  if (runningCount === 0) return ['no job was running']
  const shown = running.slice(0, shownMax)
  const last = `except ${exhaustedCount} on their last attempt, which become dead letters`
  return [
    `${runningCount} were running, and run again once they are recovered (${last}):`,
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
