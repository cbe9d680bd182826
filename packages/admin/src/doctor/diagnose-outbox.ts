import { type RunnerClient, type RunnerOptions, withRunnerClient } from '@queue/postgres'
import { outboxMigrationSet } from '@queue/outbox'
import type { Finding } from './finding.ts'
import { type CheckOf, countText, problem, ok, rowsOf, durationText } from './finding.ts'
import { checkPublications } from './check-publications.ts'
import { checkVersion } from './check-schema.ts'
import { runChecks } from './run-checks.ts'

/** A message that waits for longer than this, in seconds, is reported. */
const waitSecondsMax = 300

interface WaitingTopic {
  readonly topic: string
  readonly messages: number
  readonly oldest_seconds: number
}

/** Whether messages are delivered. There is no registry of relays, so a missing relay shows only in the age of messages. */
const checkMessages: CheckOf<RunnerClient> = async (context) => {
  const waiting = await rowsOf<WaitingTopic>(
    context,
    `SELECT topic, count(*)::int AS messages, extract(epoch FROM now() - min(created_at))::int AS oldest_seconds
       FROM ${tableOf(context, 'outbox_messages')} WHERE delivered_at IS NULL
      GROUP BY topic ORDER BY oldest_seconds DESC`,
  )
  const details = { waiting: waiting.map((topic) => ({ ...topic })) }
  const old = waiting.filter(({ oldest_seconds }) => oldest_seconds > waitSecondsMax)
  if (old.length === 0) return ok(`no message waits for more than ${durationText(waitSecondsMax)}`, details)
  return problem('warning', {
    message: old
      .map(({ topic, messages, oldest_seconds }) => {
        return `${countText(messages, 'message')} of topic ${topic} waiting, the oldest for ${durationText(oldest_seconds)}`
      })
      .join('; '),
    cure: 'check that a relay with this topic runs, and read its log and the last_error of the messages: docs/runbooks/outbox-backlog-old.md',
    details,
  })
}

/** Whether there are dead letters. */
const checkDeadLetters: CheckOf<RunnerClient> = async (context) => {
  const topics = await rowsOf<{ topic: string; deadLetters: number }>(
    context,
    `SELECT topic, count(*)::int AS "deadLetters" FROM ${tableOf(context, 'outbox_dead_letters')}
      GROUP BY topic ORDER BY "deadLetters" DESC`,
  )
  const details = { topics: topics.map((topic) => ({ ...topic })) }
  if (topics.length === 0) return ok('none', details)
  return problem('warning', {
    message: topics.map(({ topic, deadLetters }) => `${deadLetters} of topic ${topic}`).join(', '),
    cure: 'requeue or delete them: docs/runbooks/outbox-dead-letters.md',
    details,
  })
}

/** Every check of an outbox. Programs rely on these names. */
export const outboxChecks = {
  outbox_schema_version: checkVersion,
  outbox_publications: checkPublications,
  outbox_messages: checkMessages,
  outbox_dead_letters: checkDeadLetters,
} as const satisfies Record<string, CheckOf<RunnerClient>>

export interface DiagnoseOutboxOptions extends RunnerOptions {
  /** Whether an outbox may be missing: `meant` reports no findings then, `failure` reports a failure. */
  readonly absence: 'meant' | 'failure'
}

/**
 * Checks an outbox and changes nothing. Resolves with no findings if there is no outbox and `absence` is `meant`. Throws the
 * errors of `diagnose`.
 */
export function diagnoseOutbox(
  options: DiagnoseOutboxOptions,
): Promise<readonly (Finding & { readonly check: string })[]> {
  return withRunnerClient(outboxMigrationSet, options, async (runner) => {
    if (options.absence === 'meant' && !(await outboxExists(runner))) return []
    return runChecks(runner, outboxChecks)
  })
}

async function outboxExists(runner: RunnerClient): Promise<boolean> {
  const [row] = await rowsOf<{ there: boolean }>(
    runner,
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                     WHERE n.nspname = $1 AND c.relname = $2) AS there`,
    [runner.schema, runner.migrationSet.historyTable],
  )
  return row?.there === true
}

/** The name of the schema needs no escaping: `withRunnerClient` has checked it. */
function tableOf({ schema }: RunnerClient, table: string): string {
  return `"${schema}".${table}`
}
