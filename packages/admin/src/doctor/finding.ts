import type { JsonValue } from '@queue/core'
import type { RoleNames } from '@queue/core/internal'
import type { RunnerClient } from '@queue/postgres'

/**
 * The result of a check. `failure`: a guarantee of the queue is broken, or soon will be. `warning`: an operator should look
 * at it. `not_permitted`: the connection's role may not read what the check reads. `skipped`: there is nothing to check
 * yet, or the check took too long.
 */
export type FindingStatus = 'ok' | 'warning' | 'failure' | 'not_permitted' | 'skipped'

export interface Finding {
  readonly status: FindingStatus
  /** One sentence for people; its wording may change. */
  readonly message: string
  /** What to do; null if there is nothing to do. */
  readonly cure: string | null
  /** The figures behind the message, for programs. Their names are in snake_case, with the unit last. */
  readonly details: Readonly<Record<string, JsonValue>>
}

/** The input of every check. Each check runs in a read-only transaction of its own. */
export interface CheckContext extends RunnerClient {
  readonly roles: RoleNames
  /** The size of each process's connection pool. */
  readonly poolMax: number
  /** This machine's clock, in milliseconds since 1970. */
  readonly clientNowMs: () => number
}

export type CheckOf<Context> = (context: Context) => Promise<Finding>
export type Check = CheckOf<CheckContext>

type Details = Finding['details']

export function ok(message: string, details: Details = {}): Finding {
  return { status: 'ok', message, cure: null, details }
}

/** A finding that needs an action. */
export function problem(
  status: 'warning' | 'failure' | 'not_permitted' | 'skipped',
  { message, cure, details = {} }: { message: string; cure: string; details?: Details },
): Finding {
  return { status, message, cure, details }
}

/** The rows of one statement. */
export async function rowsOf<Row>(
  { client }: Pick<RunnerClient, 'client'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query(text, [...values])
  return rows as Row[]
}

/** The row of a statement that always returns one. */
export async function rowOf<Row>(
  context: Pick<RunnerClient, 'client'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const [row] = await rowsOf<Row>(context, text, values)
  if (row === undefined) throw new Error('the statement of a check returned no row')
  return row
}

/** `3 workers`, `1 worker`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A duration in its largest unit, rounded down: `3 h`. */
export function durationText(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const
  const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}
