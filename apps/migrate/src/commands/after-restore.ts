import { type AfterRestoreReport, afterRestore as applyAfterRestore, afterRestorePlan } from '@queue/admin'
import { flag, renderTable, text, usageFailure } from '@queue/commands'
import { createQueue } from '@queue/core'
import { databaseOf, roleActor } from '@queue/core/internal'
import { type Context, defineCommand } from '../command.ts'
import { connectionOf } from '../managed-schema.ts'

type Mode = 'apply' | 'plan'

/** Pauses every queue of a restored database, raises its lease tokens, and lists what will run again. */
export const afterRestore = defineCommand({
  name: 'after-restore',
  summary: 'prepare a restored queue before you start any worker',
  description:
    'It pauses every queue, raises the lease tokens above all that were issued since the backup, and lists the jobs ' +
    'that will run again.',
  arguments: [],
  options: {
    'dry-run': flag('only print what would be done'),
    yes: flag('do it'),
    resume: text('QUEUE', 'resume this queue'),
  },
  examples: [
    { line: 'queue-migrate after-restore --dry-run', description: 'What would be paused, and run again' },
    { line: 'queue-migrate after-restore --yes', description: 'Do it, before any worker starts' },
    { line: 'queue-migrate after-restore --resume QUEUE', description: 'Later, one queue after the other' },
  ],
  async run(context) {
    const { config, retry, print, values } = context
    const { 'dry-run': isDryRun, yes, resume } = values
    const modes = [isDryRun, yes, resume].filter((given) => given !== undefined)
    const advice = 'run after-restore --dry-run, after-restore --yes, or after-restore --resume QUEUE'
    if (modes.length === 0) throw usageFailure('after-restore pauses every queue, so it needs --yes', advice)
    if (modes.length > 1) {
      throw usageFailure('after-restore accepts only one of --yes, --dry-run and --resume', advice)
    }
    if (resume !== undefined) return resumeQueue(context, resume)
    const target = connectionOf(config)
    const report = await retry(() => (isDryRun ? afterRestorePlan(target) : applyAfterRestore(target)))
    const mode = isDryRun ? 'plan' : 'apply'
    return print.isJson ? print.json(toJson(report, mode)) : print.line(toText(report, mode))
  },
})

/** Resumes one queue after a restore, and prints which queues are still paused. */
async function resumeQueue({ config, retry, print }: Context<unknown>, name: string): Promise<void> {
  const target = connectionOf(config)
  const queue = createQueue({ ...target, poolMax: 1, applicationName: 'queue-migrate' })
  try {
    await retry(async () => queue.actAs(await roleActor(databaseOf(queue))).resume(name))
  } finally {
    await queue.close()
  }
  const { schema, queues } = await retry(() => afterRestorePlan(target))
  if (print.isJson) return print.json({ schema, resumed: name, paused: queues.alreadyPaused })
  return print.line(`queue "${name}" is resumed; still paused: ${listed(queues.alreadyPaused)}`)
}

function toJson({ schema, queues, leaseTokens, runsAgain }: AfterRestoreReport, mode: Mode): object {
  return {
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
  }
}

/** The text lists at most this many running jobs; --json has more. */
const shownMax = 20

function toText(report: AfterRestoreReport, mode: Mode): string {
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
      ? 'nothing was changed; to apply this: queue-migrate after-restore --yes'
      : 'next, start the workers and resume one queue after the other: queue-migrate after-restore --resume QUEUE',
  ].join('\n')
}

type RunsAgain = AfterRestoreReport['runsAgain']

function waitingLines({ waiting }: RunsAgain): string[] {
  if (waiting.length === 0) return ['no jobs are waiting']
  return [
    'these jobs were waiting when the backup was made. They run when their queue is resumed, even if they ran after the backup:',
    ...indented(
      renderTable(waiting, [
        { title: 'queue', of: ({ queue }) => queue },
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'due', of: ({ due }) => due },
        { title: 'scheduled', of: ({ scheduled }) => scheduled },
        { title: 'oldest', of: ({ oldestCreatedAt }) => oldestCreatedAt.toISOString() },
      ]),
    ),
  ]
}

function runningLines({ running, runningCount, exhaustedCount }: RunsAgain): string[] {
  if (runningCount === 0) return ['no jobs were running']
  const shown = running.slice(0, shownMax)
  const exception = `except ${exhaustedCount} on their last attempt, which become dead letters`
  return [
    `jobs that were running: ${runningCount}. They run again after recovery, ${exception}:`,
    ...indented(
      renderTable(shown, [
        { title: 'id', of: ({ id }) => id },
        { title: 'queue', of: ({ queue }) => queue },
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'attempt', of: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}` },
        { title: 'worker', of: ({ workerId }) => workerId },
      ]),
    ),
    ...(runningCount > shown.length ? [`  and ${runningCount - shown.length} more`] : []),
  ]
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'none'
}

function indented(text_: string): string[] {
  return text_.split('\n').map((line) => `  ${line}`)
}
