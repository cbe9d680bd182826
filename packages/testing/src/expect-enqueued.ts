import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { createQueue, type Job, type JobDefinition, type JobStatus, limits } from '@queue/core'
import type { z } from 'zod'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

/** What the expected jobs have in common; whatever is absent may be anything. */
export interface EnqueuedMatch<Payload> {
  /**
   * Members that the payload has, at any depth: it may have more. A member may be a matcher of the test runner, such as
   * `expect.any(String)`. Or a function that says whether a payload fits.
   */
  readonly payload?: PayloadPattern<Payload> | ((payload: Payload) => boolean)
  readonly queue?: string
  readonly priority?: number
  readonly tenantId?: string
  readonly idempotencyKey?: string
  readonly status?: JobStatus
  /** The earliest start, exactly. */
  readonly runAt?: Date
  /** How many jobs match. Default: one or more. 0: there must be none. */
  readonly count?: number
}

/** A part of a payload. A matcher of the test runner fits anywhere. */
export type PayloadPattern<Payload> =
  | (Payload extends readonly (infer Element)[]
      ? readonly PayloadPattern<Element>[]
      : Payload extends object
        ? { readonly [Name in keyof Payload]?: PayloadPattern<Payload[Name]> }
        : Payload)
  | Matcher

/** What `expect.any(…)`, `expect.stringContaining(…)` and their like are in Jest and in Vitest. */
export interface Matcher {
  asymmetricMatch(value: unknown): boolean
}

/** How many of the jobs that do not match a message shows. */
const shownMax = 5

/**
 * Gives the jobs of this kind that match, oldest first, whatever their state. Throws an `AssertionError` that shows the
 * jobs of the kind when none does, or not as many as `count` says. A job of a transaction that has not committed is not
 * there yet.
 */
export async function expectEnqueued<Kind extends string, Payload extends z.ZodType>(
  database: TestedDatabase,
  definition: JobDefinition<Kind, Payload>,
  match: EnqueuedMatch<z.input<Payload>> = {},
): Promise<Job[]> {
  const jobs = await jobsOf(database, definition.kind)
  const matching = jobs.filter((job) => isMatch(job, match as EnqueuedMatch<unknown>))
  const { count } = match
  const isAsExpected = count === undefined ? matching.length > 0 : matching.length === count
  if (isAsExpected) return matching
  throw new AssertionError({
    message: describeFailure({ kind: definition.kind, jobs, matching, count }),
    actual: jobs.map(shownOf),
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
  const isFitting = Object.entries(fields).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(job[name as keyof Job], value),
  )
  if (!isFitting || payload === undefined) return isFitting
  return typeof payload === 'function' ? payload(job.payload) : contains(job.payload, payload)
}

/** Whether `value` has everything that `pattern` has. */
function contains(value: unknown, pattern: unknown): boolean {
  if (isMatcher(pattern)) return pattern.asymmetricMatch(value)
  if (Array.isArray(pattern)) return Array.isArray(value) && sameElements(value, pattern)
  if (!isObject(pattern) || !isObject(value)) return isDeepStrictEqual(value, storedForm(pattern))
  return Object.entries(pattern).every(([name, part]) => part === undefined || contains(value[name], part))
}

function sameElements(values: readonly unknown[], patterns: readonly unknown[]): boolean {
  return values.length === patterns.length && patterns.every((part, index) => contains(values[index], part))
}

/** As JSON stores it: a date is a text. */
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
  const wanted = count === undefined ? 'at least one job' : `${count} ${count === 1 ? 'job' : 'jobs'}`
  const found = `${matching.length} of the ${jobs.length} jobs of the kind '${kind}' ${matching.length === 1 ? 'matches' : 'match'}`
  const shown = jobs.slice(-shownMax).map((job) => `\n  ${JSON.stringify(shownOf(job))}`)
  const heading = jobs.length === 0 ? '' : `\nthe newest of that kind:${shown.join('')}`
  return `expected ${wanted} that ${count === 1 || count === undefined ? 'matches' : 'match'}, but ${found}${heading}`
}

function shownOf({ id, status, queue, priority, runAt, payload }: Job) {
  return { id, status, queue, priority, runAt, payload }
}
