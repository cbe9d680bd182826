import { isDeepStrictEqual } from 'node:util'
import type { Job } from '@queue/core'
import { toSnakeCase } from '@queue/core/plain'
import type { Options } from './option-model.ts'

/** The members of a job that its options decide, by their names in the API. */
export type Members = Readonly<Record<string, unknown>>

/** Two clocks within one statement differ by less, on any machine. */
const toleranceMs = 60_000

const policyDefaults: Readonly<Record<string, Members>> = {
  fixed: {},
  decorrelated: { base_ms: 1_000, cap_ms: 60_000 },
  exponential: { jitter: 'full', base_ms: 1_000, cap_ms: 300_000 },
}

/** What a reader sees of a job with these options, of a kind with these defaults. */
export function expectedJob(given: Options, defaults: Options): Members {
  const options = { ...defaults, ...given }
  const unique = options['unique'] as Options | undefined
  return {
    queue: options['queue'] ?? 'default',
    priority: options['priority'] ?? 4,
    max_attempts: options['maxAttempts'] ?? 3,
    timeout_ms: options['timeoutMs'] ?? null,
    retry_policy: completePolicy(options['retryPolicy'] as Options | undefined),
    weight: options['weight'] ?? 1,
    idempotency_key: options['idempotencyKey'] ?? null,
    tenant_id: options['tenantId'] ?? null,
    key: options['key'] ?? null,
    metadata: options['metadata'] ?? null,
    unique_key: unique?.['key'] ?? null,
    unique_scope: unique?.['scope'] ?? null,
    kind_version: 1,
  }
}

function completePolicy(policy: Options | undefined): Members | null {
  if (policy === undefined) return null
  const given = snakeMembers(policy)
  const base = given['jitter'] === 'proportional' ? { base_ms: 5_000 } : {}
  return { ...policyDefaults[String(given['type'])], ...base, ...given }
}

/** The members of a value with the names of the API. */
export function snakeMembers(value: object): Members {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toSnakeCase(name), member]))
}

/** A job of the library with the names of the API. */
export function membersOfJob({ retryPolicy, ...job }: Job): Members {
  return { ...snakeMembers(job), retry_policy: retryPolicy === null ? null : snakeMembers(retryPolicy) }
}

/** What differs between a job and what its options say, in words. */
export function differences(seen: Members, expected: Members): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(plain(seen[name]), plain(value)))
    .map(([name, value]) => `${name} is ${shown(seen[name])} instead of ${shown(value)}`)
}

/** What is wrong with the start and the expiry of a job, which follow from the clock of the database. */
export function wrongInstants(seen: Members, options: Options): string[] {
  const createdMs = instantOf(seen['created_at'])
  const { runAt, delayMs, expiresInMs } = options
  const startMs =
    runAt instanceof Date ? Math.max(runAt.getTime(), createdMs) : createdMs + Number(delayMs ?? 0)
  return [
    ...wrongInstant('run_at', seen, startMs),
    ...(expiresInMs === undefined
      ? differences(seen, { expires_at: null })
      : wrongInstant('expires_at', seen, createdMs + Number(expiresInMs))),
  ]
}

function wrongInstant(name: string, seen: Members, expectedMs: number): string[] {
  const isNear = Math.abs(instantOf(seen[name]) - expectedMs) < toleranceMs
  return isNear ? [] : [`${name} is ${shown(seen[name])} instead of ${new Date(expectedMs).toISOString()}`]
}

/** The instant of a date or of a text of one; NaN for anything else. */
function instantOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Date.parse(String(value))
}

/** JSON has no order of members, no undefined and no prototypes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 200)
}
