import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { createQueue, type Job, type JobDefinition, type JobStatus, limits } from '@queue/core'
import { kindRule } from '@queue/core/internal'
import { assertArguments, assertOptions, number, object, optional, type Rule } from '@queue/loop/arguments'
import type { z } from 'zod'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

/** The values that the expected jobs have. An absent member matches any value. */
export interface EnqueuedMatch<Payload> {
  /**
   * Members that the payload has, at any depth; it may have more. A member can be a matcher of the test runner, such as
   * `expect.any(String)`. Or a function that returns whether a payload matches.
   */
  readonly payload?: PayloadPattern<Payload> | ((payload: Payload) => boolean)
  readonly queue?: string
  readonly priority?: number
  readonly tenantId?: string
  readonly idempotencyKey?: string
  readonly status?: JobStatus
  /** The exact earliest start. */
  readonly runAt?: Date
  /** The exact number of matching jobs. Default: one or more. */
  readonly count?: number
}

const anything: Rule = () => undefined

const matchRules = {
  payload: anything,
  queue: anything,
  priority: anything,
  tenantId: anything,
  idempotencyKey: anything,
  status: anything,
  runAt: anything,
  count: optional(number),
} as const satisfies { readonly [Name in keyof EnqueuedMatch<unknown>]-?: Rule }

/** A part of a payload. Any value in it can be a matcher of the test runner. */
export type PayloadPattern<Payload> =
  | (Payload extends readonly (infer Element)[]
      ? readonly PayloadPattern<Element>[]
      : Payload extends object
        ? { readonly [Name in keyof Payload]?: PayloadPattern<Payload[Name]> }
        : Payload)
  | Matcher

/** An asymmetric matcher of Jest or Vitest, such as `expect.any(…)` or `expect.stringContaining(…)`. */
export interface Matcher {
  asymmetricMatch(value: unknown): boolean
}

/** The error message shows at most this many jobs of the kind. */
const shownMax = 5

/**
 * Resolves with the matching jobs of this kind in any status, oldest first. If none matches, or their number is not `count`,
 * throws an `AssertionError` that shows the newest jobs of the kind. Jobs of a transaction that has not committed are not
 * visible.
 */
export async function expectEnqueued<Kind extends string, Payload extends z.ZodType>(
  database: TestedDatabase,
  definition: JobDefinition<Kind, Payload>,
  match: EnqueuedMatch<z.input<Payload>> = {},
): Promise<Job[]> {
  assertArguments('expectEnqueued', { database: object, definition: kindRule }, [database, definition])
  assertOptions('expectEnqueued', match, matchRules)
  const jobs = await jobsOf(database, definition.kind)
  const matching = jobs.filter((job) => isMatch(job, match as EnqueuedMatch<unknown>))
  const { count } = match
  const isAsExpected = count === undefined ? matching.length > 0 : matching.length === count
  if (isAsExpected) return matching
  throw new AssertionError({
    message: describeFailure({ kind: definition.kind, jobs, matching, count }),
    actual: jobs.map(summaryOf),
    expected: match,
    operator: 'expectEnqueued',
    stackStartFn: expectEnqueued,
  })
}

async function jobsOf(database: TestedDatabase, kind: string): Promise<Job[]> {
  const queue = createQueue(connectionOf(database))
  try {
    const jobs: Job[] = []
    let cursor: string | null | undefined
    do {
      const page = await queue.list({ kind, limit: limits.listLimitMax, ...(cursor ? { cursor } : {}) })
      jobs.push(...page.jobs)
      cursor = page.nextCursor
    } while (cursor !== null)
    return jobs.toReversed()
  } finally {
    await queue.close()
  }
}

function isMatch(job: Job, { payload, count: _count, ...fields }: EnqueuedMatch<unknown>): boolean {
  const fieldsMatch = Object.entries(fields).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(job[name as keyof Job], value),
  )
  if (!fieldsMatch || payload === undefined) return fieldsMatch
  return typeof payload === 'function' ? payload(job.payload) : contains(job.payload, payload)
}

/** Whether `value` contains everything in `pattern`. */
function contains(value: unknown, pattern: unknown): boolean {
  if (isMatcher(pattern)) return pattern.asymmetricMatch(value)
  if (Array.isArray(pattern)) return Array.isArray(value) && sameElements(value, pattern)
  if (!isObject(pattern) || !isObject(value)) return isDeepStrictEqual(value, storedForm(pattern))
  return Object.entries(pattern).every(([name, part]) => contains(value[name], part))
}

function sameElements(values: readonly unknown[], patterns: readonly unknown[]): boolean {
  return values.length === patterns.length && patterns.every((part, index) => contains(values[index], part))
}

/** The value as JSON stores it; a date becomes a string. */
function storedForm(pattern: unknown): unknown {
  return pattern === undefined ? undefined : (JSON.parse(JSON.stringify(pattern)) as unknown)
}

function isMatcher(value: unknown): value is Matcher {
  return isObject(value) && typeof value['asymmetricMatch'] === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
}

interface Failure {
  readonly kind: string
  readonly jobs: readonly Job[]
  readonly matching: readonly Job[]
  readonly count: number | undefined
}

function describeFailure({ kind, jobs, matching, count }: Failure): string {
  const expected = count === undefined ? 'at least one job' : `${count} ${count === 1 ? 'job' : 'jobs'}`
  const actual = `${matching.length} of the ${jobs.length} jobs of the kind '${kind}' ${matching.length === 1 ? 'matches' : 'match'}`
  const summaries = jobs.slice(-shownMax).map((job) => `\n  ${JSON.stringify(summaryOf(job))}`)
  const heading = jobs.length === 0 ? '' : `\nthe newest of that kind:${summaries.join('')}`
  return `expected ${expected} that ${count === 1 || count === undefined ? 'matches' : 'match'}, but ${actual}${heading}`
}

function summaryOf({ id, status, queue, priority, runAt, payload }: Job) {
  return { id, status, queue, priority, runAt, payload }
}
