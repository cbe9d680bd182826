import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually } from '@queue/testing'
import { endedAttempts } from '@queue/test-database'
import { type Deployment, jobsOfEachKind, runDeployment } from './monitoring/deployment.ts'
import { labelsByName, type Sample, sumOf } from './monitoring/exposition.ts'
import { readsOf } from './monitoring/prom-ql.ts'
import { hasPrometheus, startPrometheus } from './monitoring/prometheus-server.ts'
import { runRunbookSql } from './monitoring/run-runbook-sql.ts'
import { inlineSql, runbooks, runbookSql, runbookText } from './monitoring/runbooks.ts'
import { readDashboard, readRules, recordedLabels, unknownNames } from './monitoring/rule-files.ts'

const { alerts, recordings } = readRules()
let deployment: Deployment
let exported: Map<string, Set<string>>

beforeAll(async () => {
  deployment = await runDeployment()
  exported = labelsByName([...deployment.api, ...deployment.worker])
})

afterAll(() => deployment?.close())

const seconds = (name: string, ...labels: string[]) =>
  [
    [`${name}_bucket`, [...labels, 'le']],
    [`${name}_sum`, labels],
    [`${name}_count`, labels],
  ] as const

const workerMetrics = new Map<string, readonly string[]>([
  ['worker_jobs_started_total', ['kind', 'queue']],
  ['worker_jobs_completed_total', ['kind', 'queue', 'outcome']],
  ...seconds('worker_job_duration_seconds', 'kind', 'outcome'),
  ...seconds('worker_job_wait_seconds', 'kind', 'queue'),
  ...seconds('worker_dequeue_wait_seconds'),
  ...seconds('worker_claim_seconds'),
  ...seconds('worker_claim_batch_size'),
  ['worker_active_jobs', []],
  ['worker_concurrency', []],
  ['dead_letter_jobs_total', ['kind']],
  ['worker_jobs_expired_total', ['kind']],
  ['worker_recovered_jobs_total', []],
  ['worker_lost_workers_total', []],
  ['worker_claim_errors_total', []],
  ['worker_zombie_handlers', []],
  ['worker_refused_ends', []],
  ['worker_listener_healthy', []],
  ['worker_zone_data', ['version']],
  ...seconds('worker_schedule_late_seconds'),
  ['worker_schedule_runs_missed_total', ['policy']],
  ['worker_schedule_runs_skipped_total', []],
  ['worker_schedule_runs_refused_total', []],
  ['worker_stale_writes_refused_total', []],
  ['worker_stats_dropped_total', []],
  ['worker_limit_repairs_total', ['what']],
  ['worker_log_lines_dropped_total', []],
  ['db_pool_connections', ['pool', 'state']],
  ['db_pool_acquire_timeouts_total', ['pool']],
  ['nodejs_eventloop_lag_p99_seconds', []],
])

const outboxMetrics = new Map<string, readonly string[]>([
  ['outbox_delivered_total', ['topic']],
  ['outbox_failed_total', ['topic']],
  ['outbox_dead_letters_total', ['topic']],
  ...seconds('outbox_dispatch_seconds', 'topic', 'outcome'),
  ...seconds('outbox_claim_seconds'),
  ['outbox_pending', []],
  ['outbox_oldest_seconds', []],
  ['outbox_listener_healthy', []],
])

const apiMetrics = new Map<string, readonly string[]>([
  ['queue_jobs', ['queue', 'status']],
  ['queue_oldest_ready_seconds', ['queue']],
  ['queue_active_workers', ['queue']],
  ['queue_paused', ['queue']],
  ['queue_schedule_overdue_seconds', []],
  ['queue_unserved_seconds', ['queue', 'kind', 'version']],
  ['queue_limit_running', ['queue', 'scope', 'name']],
  ['queue_limit_running_most', ['queue', 'scope', 'name']],
  ['queue_limit_waiting', ['queue', 'scope', 'name']],
  ['queue_limit_held_seconds_total', ['queue', 'scope', 'name']],
  ['queue_enqueues_refused_total', ['queue']],
  ['queue_dead_letters', ['kind']],
  ['queue_dead_letters_recent', ['kind']],
  ['queue_dead_letters_oldest_seconds', ['kind']],
  ['db_table_bytes', ['table']],
  ['db_table_dead_rows', ['table']],
  ['db_up', []],
  ['db_writable', []],
  ['db_oldest_snapshot_seconds', []],
  ...seconds('http_request_duration_seconds', 'method', 'route', 'status'),
  ['db_pool_connections', ['pool', 'state']],
  ['db_pool_acquire_timeouts_total', ['pool']],
  ['nodejs_eventloop_lag_p99_seconds', []],
])

describe('the metrics of the processes', () => {
  test.each([
    ['worker', new Map([...workerMetrics, ...outboxMetrics])],
    ['api', apiMetrics],
  ] as const)('of the %s has the names and the labels of the contract', (app, metrics) => {
    const exportedLabels = labelsByName(deployment[app])
    const actual = [...metrics.keys()].map((name) => [
      name,
      [...(exportedLabels.get(name) ?? ['(absent)'])].sort(),
    ])
    expect(actual).toEqual([...metrics].map(([name, labels]) => [name, [...labels].sort()]))
    const unknownMetrics = [...exportedLabels.keys()].filter(
      (name) => /^(worker|queue|db|http|dead|outbox)_/.test(name) && !metrics.has(name),
    )
    expect(unknownMetrics).toEqual(['queue_service_info'])
  })

  test('have the attempts by kind and outcome of the history', async () => {
    const counted = attemptsCounted(deployment.worker)
    expect(counted).toEqual(await attemptsRecorded())
    // The ids decide which jobs fail at first. Some do almost certainly, but not necessarily some of each kind.
    const outcomes = Object.keys(counted).map((attempts) => attempts.split(' ')[1])
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(4)
    expect(outcomes).toContain('failed')
  })

  test('count started attempts, waits and durations once per attempt', () => {
    const { worker } = deployment
    const ended = sumOf(worker, 'worker_jobs_completed_total')
    expect(ended).toBeGreaterThan(4 * jobsOfEachKind)
    for (const name of [
      'worker_jobs_started_total',
      'worker_job_wait_seconds_count',
      'worker_job_duration_seconds_count',
      'worker_dequeue_wait_seconds_count',
    ]) {
      expect([name, sumOf(worker, name)]).toEqual([name, ended])
    }
    expect(sumOf(worker, 'worker_active_jobs')).toBe(0)
    expect(sumOf(worker, 'worker_concurrency')).toBe(4)
  })

  test('have the number of claimed jobs of the lease tokens', async () => {
    // The two inserted jobs had tokens before, which are no claims of this worker.
    const tokens = await count('SELECT sum(lease_token)::int - 4 AS count FROM all_jobs')
    expect(sumOf(deployment.worker, 'worker_claim_batch_size_sum')).toBe(tokens)
  })

  test('have the dead letters by kind of the table', async () => {
    const { rows } = await query<{ kind: string; count: number }>(
      'SELECT kind, count(*)::int AS count FROM dead_letter_jobs GROUP BY kind',
    )
    expect(rows.length).toBeGreaterThan(0)
    const counted = rows.map(({ kind }) => ({
      kind,
      count: sumOf(deployment.worker, 'dead_letter_jobs_total', { kind }),
    }))
    expect(counted).toEqual(rows)
  })

  test('count recovered jobs and lost workers', async () => {
    const { worker } = deployment
    expect(sumOf(worker, 'worker_recovered_jobs_total')).toBe(
      await count("SELECT count(*)::int FROM job_executions WHERE outcome = 'lost'"),
    )
    expect(sumOf(worker, 'worker_lost_workers_total')).toBe(
      await count("SELECT count(*)::int FROM workers WHERE state = 'lost'"),
    )
  })

  test('start every counter of a kind at 0, so that its first increase is seen', () => {
    const kinds = new Set(
      deployment.worker
        .filter(({ name }) => name === 'dead_letter_jobs_total')
        .map(({ labels }) => labels['kind'] ?? ''),
    )
    expect([...kinds].sort()).toEqual(['resize_image', 'send_email', 'summarize_text', 'webhook_delivery'])
  })

  test('have the deliveries, failures and dead letters of the outbox tables', async () => {
    const { worker } = deployment
    const delivered = await query<{ topic: string; count: number }>(
      'SELECT topic, count(*)::int AS count FROM outbox.outbox_messages WHERE delivered_at IS NOT NULL GROUP BY 1 ORDER BY 1',
    )
    expect(delivered.rows).toHaveLength(4)
    for (const { topic, count: rows } of delivered.rows) {
      expect([topic, sumOf(worker, 'outbox_delivered_total', { topic })]).toEqual([topic, rows])
      expect(sumOf(worker, 'outbox_dispatch_seconds_count', { topic, outcome: 'delivered' })).toBe(rows)
    }
    // One could not be delivered. The relay of the other was lost, which is not a failed dispatch.
    const deadLetters = await count('SELECT count(*)::int FROM outbox.outbox_dead_letters')
    expect(deadLetters).toBe(2)
    expect(sumOf(worker, 'outbox_dead_letters_total', { topic: 'send_email' })).toBe(deadLetters)
    expect(sumOf(worker, 'outbox_failed_total')).toBe(1)
    expect(sumOf(worker, 'outbox_dead_letters_total', { topic: 'resize_image' })).toBe(0)
    expect(sumOf(worker, 'outbox_claim_seconds_count')).toBeGreaterThan(0)
  })

  test('have the backlog of the outbox table', async () => {
    const { worker } = deployment
    const waiting = 'FROM outbox.outbox_messages WHERE delivered_at IS NULL'
    expect(sumOf(worker, 'outbox_pending')).toBe(await count(`SELECT count(*)::int ${waiting}`))
    const now = await count(`SELECT extract(epoch FROM now() - min(created_at))::float8 AS count ${waiting}`)
    expect(sumOf(worker, 'outbox_oldest_seconds')).toBeGreaterThan(0)
    expect(sumOf(worker, 'outbox_oldest_seconds')).toBeLessThanOrEqual(now)
    expect(sumOf(worker, 'outbox_listener_healthy')).toBe(1)
  })

  test('have the depth of each queue of the table', async () => {
    const { rows } = await query<{ queue: string; status: string; count: number }>(
      `SELECT queue, status::text, count(*)::int AS count FROM jobs WHERE finished_at IS NULL GROUP BY 1, 2`,
    )
    expect(rows).toHaveLength(1)
    const depths = deployment.api
      .filter(({ name, value }) => name === 'queue_jobs' && value > 0)
      .map(({ labels, value }) => ({ ...labels, count: value }))
    expect(depths).toEqual(rows)
    expect(sumOf(deployment.api, 'queue_oldest_ready_seconds')).toBe(0)
    expect(sumOf(deployment.api, 'queue_active_workers', { queue: 'default' })).toBe(1)
    expect(sumOf(deployment.api, 'db_up')).toBe(1)
  })

  test('have the kind and version of a job that no worker of its queue runs', () => {
    const unserved = deployment.api.filter(({ name }) => name === 'queue_unserved_seconds')
    expect(unserved.map(({ labels }) => labels)).toEqual([
      { queue: 'default', kind: 'nobody_runs_this', version: '1' },
    ])
    expect(unserved[0]?.value).toBeGreaterThanOrEqual(120)
  })

  test('count requests by route template', () => {
    const requests = (labels: Record<string, string>) =>
      sumOf(deployment.api, 'http_request_duration_seconds_count', labels)
    expect(requests({ method: 'POST', route: '/jobs', status: '201' })).toBe(4 * jobsOfEachKind + 1)
    expect(requests({ method: 'POST', route: '/jobs', status: '422' })).toBe(1)
    expect(requests({ method: 'POST', route: '/queues/{name}/pause', status: '200' })).toBe(1)
  })
})

describe('the rules', () => {
  test('read nothing that no process exports', () => {
    const known = new Map([...exported, ...recordedLabels(recordings)])
    const faults = [...recordings, ...alerts].flatMap((rule) =>
      unknownNames(rule.expr, known).map((name) => [rule.expr, name]),
    )
    expect(faults).toEqual([])
  })
})

describe('the dashboard', () => {
  test('uses only metrics that a process exports', () => {
    const known = new Map([...exported, ...recordedLabels(recordings)])
    const expressions = readDashboard()
    expect(expressions.length).toBeGreaterThan(25)
    expect(
      expressions.flatMap(({ usedBy, expr }) => unknownNames(expr, known).map((name) => [usedBy, name])),
    ).toEqual([])
  })

  test('uses every documented metric', () => {
    const shownMetrics = new Set(
      readDashboard()
        .flatMap(({ expr }) => readsOf(expr).selectors)
        .flatMap(({ metric }) => [metric, ...sourcesOf(metric)]),
    )
    const families = [...workerMetrics.keys(), ...outboxMetrics.keys(), ...apiMetrics.keys()].map(familyOf)
    expect(families.filter((name) => ![...shownMetrics].some((metric) => familyOf(metric) === name))).toEqual(
      [],
    )
  })
})

describe('the runbooks', () => {
  test.each(runbooks)('%s uses only existing tables and columns', async (page) => {
    expect(inlineSql(page)).toEqual([])
    for (const { role, text } of runbookSql(page)) {
      expect([role, text]).toEqual([expect.any(String), text])
      const rows = await runRunbookSql(deployment.database, role ?? 'readonly', text)
      expect(JSON.stringify(rows)).not.toContain('insufficient privilege')
    }
    const samples = [...exported.keys()]
    const known = new Set([...samples, ...samples.map(familyOf), ...recordings.map(({ record }) => record)])
    const strange = metricsNamedIn(runbookText(page)).filter((name) => !known.has(name))
    expect(strange).toEqual([])
  })
})

test('the SQL about an old snapshot shows its owner to the readonly role', async () => {
  const holder = new pg.Client({ connectionString: deployment.database.directUrl })
  await holder.connect()
  try {
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const [block] = runbookSql('queue-old-snapshot.md')
    const snapshotRows = await runRunbookSql(deployment.database, 'readonly', block?.text ?? '')
    expect(snapshotRows).toContainEqual(
      expect.objectContaining({
        pid: rows[0]?.pid,
        state: 'idle in transaction',
        open_for: expect.anything(),
      }),
    )
  } finally {
    await holder.end()
  }
})

describe('a real Prometheus', () => {
  const tested = hasPrometheus ? test : test.skip
  tested(
    `scrapes the processes and evaluates every rule on them (needs prometheus${hasPrometheus ? '' : ', which is not installed: apt install prometheus'})`,
    async () => {
      const { api, worker } = deployment.urls
      const runbooksUrl = 'https://wiki.example.org/queue'
      const server = await startPrometheus({
        targets: { 'queue-api': api, 'queue-worker': worker },
        runbooksUrl,
      })
      try {
        await eventually(
          async () => {
            const { activeTargets } = await server.get<{ activeTargets: ScrapedTarget[] }>('targets')
            const targets = activeTargets.map(
              ({ labels, health, lastError }) => `${labels['job']} ${health} ${lastError}`,
            )
            return targets.includes('queue-api up ') && targets.includes('queue-worker up ')
          },
          { what: 'the scrape of both targets' },
        )
        const evaluated = await eventually(
          async () => {
            const { groups } = await server.get<{ groups: { rules: EvaluatedRule[] }[] }>('rules')
            const rules = groups.flatMap((group) => group.rules)
            return rules.length > 0 && rules.every(({ health }) => health !== 'unknown') && rules
          },
          { what: 'the evaluation of every rule' },
        )
        expect(evaluated).toHaveLength(alerts.length + recordings.length)
        expect(evaluated.filter(({ health, lastError }) => health !== 'ok' || lastError)).toEqual([])
        // The sum of two series, each of which only one of the processes exports.
        await eventually(async () => {
          const depth = await server.get<{ result: { value: [number, string] }[] }>(
            `query?query=${encodeURIComponent('sum(queue_jobs) + 1000 * max(outbox_pending)')}`,
          )
          expect(depth.result.map(({ value }) => value[1])).toEqual(['1001'])
          return true
        })
        const { yaml } = await server.get<{ yaml: string }>('status/config')
        expect(yaml).toContain(`runbooks: ${runbooksUrl}`)
      } finally {
        await server.stop()
      }
    },
  )
})

interface ScrapedTarget {
  readonly labels: Readonly<Record<string, string>>
  readonly health: string
  readonly lastError: string
}

interface EvaluatedRule {
  readonly health: string
  readonly lastError?: string
}

/** The registered name of a metric, without the suffix of a histogram's series. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '')
}

/** Every name in a page that can only be a metric or a recording rule. */
function metricsNamedIn(page: string): string[] {
  const metric =
    /(?<![\w./-])(?:\w+:\w+(?::\w+)?|(?:worker|queue|db|nodejs|process|http|dead_letter)_\w+|outbox_(?!(?:messages|dead_letters|migrations)\b)\w+)/g
  return [...page.matchAll(metric)].map(([name]) => name).filter((name) => name !== 'worker_id')
}

/** The metrics that a recording rule reads. */
function sourcesOf(metric: string): string[] {
  const rule = recordings.find(({ record }) => record === metric)
  return rule === undefined ? [] : readsOf(rule.expr).selectors.map((selector) => selector.metric)
}

function query<Row extends object>(text: string) {
  const { database } = deployment
  return database.pool.query<Row>(
    text.replaceAll(/\b(FROM|JOIN) (?=\w+\b(?!\.))(?!now\b)/g, `$1 ${database.schema}.`),
  )
}

async function count(text: string): Promise<number> {
  return (await query<{ count: number }>(text)).rows[0]?.count ?? Number.NaN
}

/** The number of attempts by kind and outcome. The history has one name for a failed attempt, whatever happened to its job. */
type Attempts = Record<string, number>

async function attemptsRecorded(): Promise<Attempts> {
  const { rows } = await query<{ attempts: string; count: number }>(
    `SELECT j.kind || ' ' || x.outcome AS attempts, count(*)::int AS count
       FROM ${endedAttempts('queue')} AS x JOIN all_jobs AS j ON j.id = x.job_id
      WHERE x.worker_id LIKE 'worker-%' GROUP BY 1`,
  )
  return Object.fromEntries(rows.map((row) => [row.attempts, row.count]))
}

function attemptsCounted(samples: readonly Sample[]): Attempts {
  const counted: Attempts = {}
  for (const { name, labels, value } of samples) {
    if (name !== 'worker_jobs_completed_total' || value === 0) continue
    const failed = ['retrying', 'failed_permanent'].includes(labels['outcome'] ?? '')
    const attempts = `${labels['kind']} ${failed ? 'failed' : labels['outcome']}`
    counted[attempts] = (counted[attempts] ?? 0) + value
  }
  return counted
}
