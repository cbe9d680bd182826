import { describe, expect, test } from '@jest/globals'
import { Gauge } from 'prom-client'
import {
  createBoundedLabel,
  createHttpMetrics,
  createMetricsRegistry,
  createWorkerMetrics,
  durationBucketsSeconds,
  observePools,
  renderMetrics,
} from '../src/index.ts'

/** The metrics that a worker process must have, with their labels. */
const workerMetricNames = [
  'worker_jobs_started_total{kind,queue}',
  'worker_jobs_completed_total{kind,outcome,queue}',
  'worker_job_duration_seconds{kind,outcome}',
  'worker_job_wait_seconds{kind,queue}',
  'dead_letter_jobs_total{kind}',
  'worker_jobs_expired_total{kind}',
  'worker_active_jobs',
  'worker_concurrency',
  'worker_dequeue_wait_seconds',
  'worker_recovered_jobs_total',
  'worker_lost_workers_total',
  'worker_stale_writes_refused_total',
  'worker_stats_dropped_total',
  'worker_log_lines_dropped_total',
  'worker_claim_seconds',
  'worker_claim_errors_total',
  'worker_claim_batch_size',
  'worker_zombie_handlers',
  'worker_refused_ends',
  'worker_limit_repairs_total{what}',
  'worker_listener_healthy',
  'worker_zone_data{version}',
  'worker_schedule_late_seconds',
  'worker_schedule_runs_missed_total{policy}',
  'worker_schedule_runs_refused_total',
  'worker_schedule_runs_skipped_total',
]

function reportOneOfEach(): ReturnType<typeof createMetricsRegistry> {
  const registry = createMetricsRegistry({ service: 'worker' })
  const metrics = createWorkerMetrics(registry)
  metrics.jobStarted({ kind: 'send_email', queue: 'mail', waitSeconds: 0.2 })
  metrics.jobCompleted({ kind: 'send_email', queue: 'mail', outcome: 'succeeded', seconds: 0.002 })
  metrics.jobDeadLettered({ kind: 'send_email' })
  metrics.jobExpired({ kind: 'send_email' })
  metrics.claimFinished({ seconds: 0.001, jobs: 7 })
  metrics.slotFilled({ waitSeconds: 0.05 })
  metrics.claimFailed()
  metrics.jobsRecovered(3)
  metrics.workersLost(1)
  metrics.staleWriteRefused()
  metrics.countsDropped(1)
  metrics.logLinesDropped(1)
  metrics.limitsRepaired({ counters: 1, lanes: 2, turns: 3 })
  metrics.activeJobs(2)
  metrics.concurrency(4)
  metrics.zombieHandlers(1)
  metrics.refusedEnds(1)
  metrics.listenerHealthy('healthy')
  metrics.schedulesFired({ lateSeconds: [0.1], missed: { skip: 1, once: 2, all: 3 }, skipped: 4, refused: 5 })
  return registry
}

describe('worker metrics', () => {
  test('have the names and labels of the contract', async () => {
    const metrics = await reportOneOfEach().getMetricsAsJSON()
    const shown = metrics
      .filter((metric) => /^(worker|dead)_/.test(metric.name))
      .map((metric) => {
        const labels = Object.keys(metric.values[0]?.labels ?? {}).filter((label) => label !== 'le')
        return labels.length === 0 ? metric.name : `${metric.name}{${labels.sort().join()}}`
      })
    expect(shown.sort()).toEqual([...workerMetricNames].sort())
  })

  test('start at 0 for the kinds that will run, so that the first event of each is an increase', async () => {
    const registry = createMetricsRegistry({ service: 'worker' })
    createWorkerMetrics(registry).kinds(['send_email'], ['mail'])
    const { body } = await renderMetrics(registry)
    expect(body).toContain('worker_jobs_started_total{kind="send_email",queue="mail"} 0\n')
    expect(body).toContain('worker_jobs_completed_total{kind="send_email",queue="mail",outcome="error"} 0\n')
    expect(body).toContain('dead_letter_jobs_total{kind="send_email"} 0\n')
  })

  test('of very many queues start with their first job, and not with all pairs at once', async () => {
    const registry = createMetricsRegistry({ service: 'worker' })
    const queues = Array.from({ length: 101 }, (_, index) => `q${index}`)
    createWorkerMetrics(registry).kinds(['send_email'], queues)
    const { body } = await renderMetrics(registry)
    expect(body).not.toContain('queue="q0"')
    expect(body).toContain('dead_letter_jobs_total{kind="send_email"} 0\n')
  })

  test('have no sample of the listener if a worker only polls', async () => {
    const registry = createMetricsRegistry({ service: 'worker' })
    const metrics = createWorkerMetrics(registry)
    expect((await renderMetrics(registry)).body).not.toContain('worker_listener_healthy')
    metrics.listenerHealthy('unhealthy')
    expect((await renderMetrics(registry)).body).toContain('worker_listener_healthy 0\n')
  })

  test('are rendered once for all scrapes at a time, and again for the next one', async () => {
    const registry = createMetricsRegistry({ service: 'worker' })
    let collected = 0
    registry.registerMetric(
      new Gauge({
        name: 'collected',
        help: 'How often it was collected',
        registers: [],
        collect() {
          collected += 1
          this.set(collected)
        },
      }),
    )
    const together = await Promise.all(Array.from({ length: 200 }, () => renderMetrics(registry)))
    expect(new Set(together.map(({ body }) => /^collected\S* (\d+)$/m.exec(body)?.[1]))).toEqual(
      new Set(['1']),
    )
    expect((await renderMetrics(registry)).body).toMatch(/^collected\S* 2$/m)
  })

  test('are rendered for at most a tenth of the time, however fast scrapes follow each other', async () => {
    const registry = createMetricsRegistry({ service: 'worker' })
    const busyMs = 20
    let rendered = 0
    registry.registerMetric(
      new Gauge({
        name: 'busy',
        help: 'Occupies the processor',
        registers: [],
        collect() {
          rendered += 1
          const untilMs = performance.now() + busyMs
          while (performance.now() < untilMs);
        },
      }),
    )
    const startedAtMs = performance.now()
    for (let scrape = 0; scrape < 4; scrape += 1) await renderMetrics(registry)
    expect(rendered).toBe(4)
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(3 * 10 * busyMs)
  })

  test('are rendered as Prometheus text', async () => {
    const { contentType, body } = await renderMetrics(reportOneOfEach())
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(body).toContain(
      'worker_jobs_completed_total{kind="send_email",queue="mail",outcome="succeeded"} 1\n',
    )
    expect(body).toContain('worker_recovered_jobs_total 3\n')
    expect(body).toContain('worker_claim_batch_size_sum 7\n')
    expect(body.endsWith('\n')).toBe(true)
  })
})

describe('the registry', () => {
  test('shows the process, the lag of its event loop, and the service', async () => {
    const { body } = await renderMetrics(createMetricsRegistry({ service: 'api' }))
    expect(body).toContain('process_cpu_seconds_total')
    expect(body).toContain('nodejs_eventloop_lag_p99_seconds')
    expect(body).toContain('queue_service_info{service="api",version="unknown"} 1')
  })

  test('two registries in one process are independent', () => {
    createWorkerMetrics(createMetricsRegistry({ service: 'a' }))
    expect(() => createWorkerMetrics(createMetricsRegistry({ service: 'b' }))).not.toThrow()
  })

  test('a metric that cannot be collected does not affect the others', async () => {
    const registry = createMetricsRegistry({ service: 'api' })
    const collect = (): never => {
      throw new Error('the database is down')
    }
    new Gauge({ name: 'broken', help: 'Fails.', registers: [registry], collect })
    const { body } = await renderMetrics(registry)
    expect(body).toContain('# broken could not be collected')
    expect(body).toContain('process_cpu_seconds_total')
  })

  test('duration buckets reach from 1 ms to 1 h', () => {
    expect(durationBucketsSeconds[0]).toBe(0.001)
    expect(durationBucketsSeconds.at(-1)).toBe(3_600)
    expect([...durationBucketsSeconds].sort((a, b) => a - b)).toEqual(durationBucketsSeconds)
  })
})

describe('labels are bounded', () => {
  test('after the maximum number of values every new one becomes other, and existing ones remain', () => {
    const bound = createBoundedLabel(2)
    expect(['a', 'b', 'c', 'a', 'd'].map(bound)).toEqual(['a', 'b', 'other', 'a', 'other'])
  })

  test('unknown methods and status codes get no separate series', async () => {
    const registry = createMetricsRegistry({ service: 'api' })
    const metrics = createHttpMetrics(registry)
    metrics.requestFinished({ method: 'POST', route: '/jobs/{id}', status: 201, seconds: 0.01 })
    metrics.requestFinished({ method: 'BREW', route: '/jobs/{id}', status: 70_000, seconds: 0.01 })
    const { body } = await renderMetrics(registry)
    expect(body).toContain(
      'http_request_duration_seconds_count{method="POST",route="/jobs/{id}",status="201"} 1',
    )
    expect(body).toContain('{method="other",route="/jobs/{id}",status="other"} 1')
    expect(body).not.toContain('BREW')
  })
})

test('each pool is read at every scrape', async () => {
  const registry = createMetricsRegistry({ service: 'api' })
  const main = { totalCount: 5, idleCount: 2, waitingCount: 1, timeouts: 0 }
  const tenants = { totalCount: 1, idleCount: 1, waitingCount: 0, timeouts: 7 }
  observePools(registry, { pools: { main, tenants }, acquireTimeouts: ({ timeouts }) => timeouts })
  const { body: before } = await renderMetrics(registry)
  expect(before).toContain('db_pool_connections{pool="main",state="active"} 3')
  expect(before).toContain('db_pool_acquire_timeouts_total{pool="main"} 0\n')
  main.idleCount = 5
  main.timeouts = 3
  const { body } = await renderMetrics(registry)
  expect(body).toContain('db_pool_connections{pool="main",state="active"} 0')
  expect(body).toContain('db_pool_connections{pool="main",state="idle"} 5')
  expect(body).toContain('db_pool_connections{pool="main",state="waiting"} 1')
  expect(body).toContain('db_pool_connections{pool="tenants",state="idle"} 1')
  expect(body).toContain('db_pool_acquire_timeouts_total{pool="main"} 3\n')
  expect(body).toContain('db_pool_acquire_timeouts_total{pool="tenants"} 7\n')
})
