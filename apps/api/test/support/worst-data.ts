// The worst data and requests that the limits allow: as large as they may be, and dear to parse, check, hide or write.
import { limits } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import { bodyMembersMax } from '../../src/http/limits.ts'
import { testScale } from './scale.ts'

export interface WorstRequest {
  readonly name: string
  /** The value of each parameter in the path. */
  readonly id?: string
  readonly query?: string
  /** JSON text. */
  readonly body?: string
}

const jobIdOf = (n: number): string => `01980d3c-7a1e-7c3a-9f52-${n.toString(16).padStart(12, '0')}`
const fullJobId = jobIdOf(1)
const nodes = limits.payloadNodesMax - 100
const repeat = (text: string, count: number): string => Array.from({ length: count }, () => text).join(',')
const numbered = (count: number, text: (n: string) => string): string =>
  Array.from({ length: count }, (_, n) => text(n.toString(36))).join(',')

/** JSON texts, each dear in its own way. The reduced form has those that were the dearest. */
const reducedValues = {
  names: `[${numbered(bodyMembersMax / 2 - 100, (n) => `{"a${n}":{"b${n}":0}}`)}]`,
  members: `{${numbered(bodyMembersMax - 100, (n) => `"${n}":0`)}}`,
  exact: `[${repeat('1.0000000000000002e3', 45_000)}]`,
}
const values: Readonly<Record<string, string>> = {
  ...reducedValues,
  ...(testScale > 1 && {
    numbers: `[${repeat('0', nodes)}]`,
    objects: `[${repeat('{}', nodes)}]`,
    nested: `[${repeat('['.repeat(55) + ']'.repeat(55), Math.floor(nodes / 55))}]`,
    texts: `[${repeat('"ab"', nodes)}]`,
    inexact: `[${repeat('1.00000000000000021e3', 45_000)}]`,
    records: `[${repeat('{"a":{"b":0}}', bodyMembersMax / 2 - 100)}]`,
    escapes: `"${String.raw`\u0001`.repeat(limits.payloadBytesMax / 6 - 200)}"`,
    quotes: `"${String.raw`\"`.repeat(limits.payloadBytesMax / 2 - 200)}"`,
  }),
}

const schemaNodes = limits.kindSchemaNodesMax - 10
/** JSON Schemas: as large as one may be, and larger. */
const schemas: Readonly<Record<string, string>> = {
  empty: `{"properties":{${numbered(schemaNodes, (n) => `"${n}":{}`)}}}`,
  bounded: `{"type":"object","properties":{${numbered(schemaNodes / 4 - 1, (n) => `"${n}":{"type":"string","minLength":1,"maxLength":9}`)}}}`,
  union: `{"anyOf":[${repeat('{"type":"null"}', schemaNodes / 2 - 1)}]}`,
  tuple: `{"prefixItems":[${repeat('{}', schemaNodes - 1)}]}`,
  pattern: `{"pattern":"${String.raw`\\p{L}`.repeat(limits.kindPatternsLengthMax / 5 - 1)}"}`,
  too_many_members: `{"properties":{${numbered(7_000, (n) => `"${n}":{}`)}}}`,
  too_long_a_pattern: `{"pattern":"${String.raw`\\p{L}`.repeat(10_000)}"}`,
}
const registrationOf = ([name, schema]: readonly [string, string]): string =>
  `{"kind":"${name}","payload_schema":${schema},"sensitive":[]}`

const seededJobs = 8 * testScale
const pointers = Array.from({ length: limits.keptPointersMax }, (_, n) => `/*/${'*/'.repeat(50)}${n}`)

/** Jobs, dead letters, attempts and log lines of the largest size, and a kind whose versions have the largest schemas. */
export async function seedWorstData({ pool }: TestDatabase): Promise<void> {
  const metadata = Array.from({ length: limits.metadataMembersMax }, (_, n) => [`name_${n}`, 'v'.repeat(180)])
  const result = `[${repeat('{}', 20_000)}]`
  const lastError = 'e'.repeat(limits.errorLengthMax)
  for (let n = 0; n < seededJobs; n += 1) {
    await pool.query(
      `INSERT INTO queue.jobs (id, queue, kind, status, payload, metadata, result, sensitive, last_error, finished_at)
       VALUES ($1, 'worst', 'send_email', 'failed_permanent', $2, $3, $4, $5, $6, now())`,
      [
        jobIdOf(n),
        Object.values(values)[n % Object.keys(values).length],
        JSON.stringify(Object.fromEntries(metadata)),
        result,
        n % 2 === 0 ? null : pointers,
        lastError,
      ],
    )
  }
  await pool.query(
    `INSERT INTO queue.job_executions (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error)
     SELECT $1, n, n, 'w', now(), now(), 'failed', repeat(chr(1), $2) FROM generate_series(1, $3::int) AS n`,
    [fullJobId, limits.errorLengthMax, limits.executionsPerJobMax],
  )
  await pool.query(
    `INSERT INTO queue.job_logs (job_id, lease_token, at, line, attempt, level, message, fields)
     SELECT $1, t, now(), n, t, 'info', repeat(chr(1), $2), to_jsonb(array_fill(0, ARRAY[100]))
       FROM generate_series(1, 30) AS n, generate_series(1, 10) AS t`,
    [fullJobId, limits.logMessageLengthMax],
  )
  await pool.query(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority, crashes,
       queue, kind, payload, metadata, last_error, sensitive, execution_history)
     SELECT j.id, 0, now(), now(), 100, 100, 4, 0, queue, kind, payload, metadata, last_error, sensitive, history
       FROM queue.all_jobs AS j CROSS JOIN (
         SELECT jsonb_agg(jsonb_build_object('lease_token', n, 'attempt', n, 'worker_id', 'w', 'started_at', now(),
                  'finished_at', now(), 'outcome', 'failed', 'error', repeat('e', 1000))) AS history
           FROM generate_series(1, 100) AS n) AS h`,
  )
  await pool.query(
    `INSERT INTO queue.job_kinds (kind, version, payload_schema, digest, registered_by)
     SELECT 'versions', n, $1, n, 'test' FROM generate_series(1, $2::int) AS n`,
    [schemas['bounded'], 5 * testScale],
  )
}

const jobOf = (value: string): string =>
  `{"kind":"webhook_delivery","payload":{"url":"https://example.com/","body":${value}}}`
const ofEachValue = (bodyOf: (value: string) => string): WorstRequest[] =>
  Object.entries(values).map(([name, value]) => ({ name, body: bodyOf(value) }))
const scheduleOf = (n: number): string =>
  `{"name":"s${n}","cron":"0 0 29 2 *","time_zone":"Europe/Berlin","kind":"webhook_delivery","payload":{"url":"https://example.com/","body":[]}}`

const requests: Readonly<Record<string, readonly WorstRequest[]>> = {
  'POST /jobs': [
    ...ofEachValue(jobOf),
    { name: 'the first of a kind, which fits no version', body: '{"kind":"versions","payload":{"a":0}}' },
  ],
  'POST /jobs/batch': [
    ...ofEachValue((value) => `{"jobs":[${jobOf(value)}]}`),
    { name: 'many', body: `{"jobs":[${repeat(jobOf('{"a":[1,2,3]}'), limits.enqueueBatchMax)}]}` },
    { name: 'invalid jobs', body: `{"jobs":[${repeat('{}', limits.enqueueBatchMax)}]}` },
  ],
  'POST /jobs/states': [
    {
      name: 'many',
      body: JSON.stringify({ ids: Array.from({ length: limits.listLimitMax }, (_, n) => jobIdOf(n)) }),
    },
  ],
  'POST /schedules/sync': [
    {
      name: 'many',
      body: `{"source":"s","schedules":[${Array.from({ length: limits.scheduleSyncMax }, (_, n) => scheduleOf(n)).join(',')}]}`,
    },
  ],
  'POST /schedules/preview': [
    { name: 'rare', body: '{"cron":"0 0 29 2 1","time_zone":"America/New_York"}' },
    { name: 'never', body: '{"cron":"0 0 30 2 *","time_zone":"America/New_York"}' },
  ],
  'POST /kinds': [
    ...Object.entries(schemas).map((one) => ({ name: one[0], body: `{"kinds":[${registrationOf(one)}]}` })),
    { name: 'all', body: `{"kinds":[${Object.entries(schemas).map(registrationOf).join(',')}]}` },
  ],
}

/** What to send to this operation, such as `GET /jobs`. */
export function worstRequestsOf(operation: string): readonly WorstRequest[] {
  const [method, path = ''] = operation.split(' ')
  const id = path.startsWith('/jobs/') ? fullJobId : 'x'
  if (method === 'GET' && !path.endsWith('/events')) {
    const isPaged = !path.includes('{') || path.endsWith('/logs')
    return [{ name: 'the largest page', id, query: isPaged ? `?limit=${limits.listLimitMax}` : '' }]
  }
  if (method === 'GET') return [{ name: 'with logs', id, query: '?logs=debug' }]
  return [...(requests[operation] ?? []), { name: 'unknown members', id, body: reducedValues.members }]
}
