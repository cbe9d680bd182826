import { describe, expect, test } from '@jest/globals'
import { ConfigError, type Environment, parseConfig } from '@queue/service'
import { workerConfig } from '../src/config.ts'

const dayMs = 86_400_000
const required = { DATABASE_URL: 'postgres://user@localhost/queue', EXECUTOR: 'simulated' }

describe('the configuration of a worker', () => {
  test('has the documented defaults', () => {
    expect(parse({})).toMatchObject({
      QUEUE_SCHEMA: 'queue',
      pool: { poolMax: 10, acquireTimeoutMs: 5_000, idleTimeoutMs: 300_000 },
      DATABASE_POOLER: 'none',
      worker: {
        concurrency: 4,
        queues: ['default'],
        pollIntervalMs: 500,
        maxPollIntervalMs: 2_000,
        shutdownGraceMs: 30_000,
        leaseMs: 30_000,
        heartbeatMs: 10_000,
        recoveryIntervalMs: 5_000,
        prefetch: 'auto',
        stallMs: 300_000,
        jobTimeoutMs: 0,
        retentionSucceededMs: 7 * dayMs,
        retentionCancelledMs: 7 * dayMs,
        retentionFailedMs: 30 * dayMs,
        idempotencyTtlMs: 0,
        idPrefix: 'worker',
      },
      WORKER_METRICS_BIND_ADDR: { host: '127.0.0.1', port: 9091 },
      simulation: { speed: 1 },
      WORKER_OUTBOX: false,
      OUTBOX_SCHEMA: 'outbox',
    })
    expect(parse({}).WORKER_NOTIFY).toBeUndefined()
    expect(parse({}).OUTBOX_DATABASE_URL).toBeUndefined()
  })

  test('each variable of a setting sets it', () => {
    const env = {
      DATABASE_POOL_MAX: '11',
      DATABASE_ACQUIRE_TIMEOUT_MS: '12',
      DATABASE_IDLE_TIMEOUT_MS: '13',
      WORKER_CONCURRENCY: '14',
      WORKER_QUEUES: 'mail',
      WORKER_POLL_INTERVAL_MS: '15',
      WORKER_MAX_POLL_INTERVAL_MS: '16',
      WORKER_SHUTDOWN_GRACE_MS: '17',
      WORKER_LEASE_MS: '1800',
      WORKER_HEARTBEAT_MS: '19',
      WORKER_RECOVERY_INTERVAL_MS: '20',
      WORKER_STALL_MS: '2100',
      WORKER_JOB_TIMEOUT_MS: '22',
      WORKER_PREFETCH: '23',
      WORKER_ID_PREFIX: 'w24',
      RETENTION_SUCCEEDED: '25ms',
      RETENTION_CANCELLED: '26ms',
      RETENTION_FAILED: '27ms',
      IDEMPOTENCY_TTL: '38ms',
      WORKER_SIMULATION_SPEED: '28.5',
      OUTBOX_CONCURRENCY: '29',
      OUTBOX_BATCH_SIZE: '30',
      OUTBOX_POLL_INTERVAL_MS: '31',
      OUTBOX_MIN_CYCLE_DELAY_MS: '32',
      OUTBOX_DISPATCH_TIMEOUT_MS: '33',
      OUTBOX_MAX_ATTEMPTS: '34',
      OUTBOX_RETRY_BASE_DELAY_MS: '35',
      OUTBOX_RETRY_MAX_DELAY_MS: '36',
      OUTBOX_JITTER: 'off',
      OUTBOX_RETENTION: '37ms',
    }
    expect(parse(env)).toMatchObject({
      pool: { poolMax: 11, acquireTimeoutMs: 12, idleTimeoutMs: 13 },
      worker: {
        concurrency: 14,
        queues: ['mail'],
        pollIntervalMs: 15,
        maxPollIntervalMs: 16,
        shutdownGraceMs: 17,
        leaseMs: 1_800,
        heartbeatMs: 19,
        recoveryIntervalMs: 20,
        stallMs: 2_100,
        jobTimeoutMs: 22,
        prefetch: 23,
        idPrefix: 'w24',
        retentionSucceededMs: 25,
        retentionCancelledMs: 26,
        retentionFailedMs: 27,
        idempotencyTtlMs: 38,
      },
      simulation: { speed: 28.5 },
      relay: {
        concurrency: 29,
        batchSize: 30,
        pollInterval: 31,
        minCycleDelay: 32,
        dispatchTimeout: 33,
        maxAttempts: 34,
        retryBaseDelay: 35,
        retryMaxDelay: 36,
        jitter: false,
        retention: 37,
      },
    })
  })

  test('queues are a list', () => {
    expect(parse({ WORKER_QUEUES: ' default, mail ,a.b-c_1' }).worker.queues).toStrictEqual([
      'default',
      'mail',
      'a.b-c_1',
    ])
  })

  test('a renewal may take exactly a third of the lease', () => {
    const env = { WORKER_LEASE_MS: '3000', WORKER_HEARTBEAT_MS: '1000' }

    expect(parse(env)).toMatchObject({ worker: { leaseMs: 3_000, heartbeatMs: 1_000 } })
  })

  test('a stall of 0 never kills, and a retention of 0 keeps jobs forever', () => {
    expect(parse({ WORKER_STALL_MS: '0', RETENTION_FAILED: '0' })).toMatchObject({
      worker: { stallMs: 0, retentionFailedMs: 0 },
    })
  })

  test('a prefetch is a number, or auto', () => {
    expect(parse({ WORKER_PREFETCH: '0' }).worker.prefetch).toBe(0)
    expect(parse({ WORKER_PREFETCH: '1000' }).worker.prefetch).toBe(1_000)
    expect(parse({ WORKER_PREFETCH: 'AUTO' }).worker.prefetch).toBe('auto')
  })

  test('a simulation needs no settings of handlers, and real work only those of its kinds', () => {
    expect(parse({}).EXECUTOR).toBe('simulated')
    // It counts as unset, and the default is real.
    const real = { EXECUTOR: '' }
    expect(parse({ ...real, EXECUTOR_KINDS: 'summarize_text,webhook_delivery' })).toMatchObject({
      EXECUTOR: 'real',
      EXECUTOR_KINDS: ['summarize_text', 'webhook_delivery'],
      outgoing: { allow: [], ports: [80, 443, 8_080, 8_443] },
    })
    const mail = { SMTP_URL: 'smtp://mail', EMAIL_FROM: 'a@example.org', OUTGOING_PORTS: '443' }
    expect(parse({ ...real, ...mail, IMAGE_RESULTS: 's3://images' })).toMatchObject({
      email: { smtpUrl: 'smtp://mail', from: 'a@example.org', tls: 'required' },
      outgoing: { ports: [443] },
    })
    const lines = ['SMTP_URL', 'EMAIL_FROM', 'IMAGE_RESULTS'].map((name) =>
      expect.stringMatching(new RegExp(`^${name} is not set, and \\w+ needs it: set it, leave`)),
    )
    expect(() => parse(real)).toThrow(expect.objectContaining({ lines }))
  })

  test('a pooler in transaction mode is accepted if notifications are off or not configured', () => {
    for (const env of [{}, { WORKER_NOTIFY: 'off' }]) {
      expect(parse({ DATABASE_POOLER: 'transaction', ...env }).DATABASE_POOLER).toBe('transaction')
    }
    expect(parse({ WORKER_NOTIFY: 'on' }).WORKER_NOTIFY).toBe(true)
  })

  test.each<[string, Environment, string]>([
    [
      'listening through a pooler in transaction mode',
      { WORKER_NOTIFY: 'on', DATABASE_POOLER: 'transaction' },
      'WORKER_NOTIFY "on" cannot be on with DATABASE_POOLER=transaction',
    ],
    ['a switch in other words', { WORKER_NOTIFY: 'maybe' }, 'WORKER_NOTIFY "maybe" is neither on nor off'],
    [
      'a kind that is not built in',
      { EXECUTOR_KINDS: 'send_fax' },
      'names "send_fax", which is not a built-in kind',
    ],
    [
      'a password in an address',
      { SMTP_URL: 'http://u:hunter2@mail' },
      'SMTP_URL is not a URL that begins with',
    ],
    ['a port beyond all', { OUTGOING_PORTS: '80,70000' }, 'names "70000", which is not a port number'],
    ['a prefetch in words', { WORKER_PREFETCH: 'many' }, 'WORKER_PREFETCH "many" is neither auto nor'],
    ['a prefetch beyond a claim', { WORKER_PREFETCH: '1001' }, 'WORKER_PREFETCH "1001" is too large'],
    ['a stall that no loop could avoid', { WORKER_STALL_MS: '1999' }, 'WORKER_STALL_MS "1999" is too small'],
    ['a retention without a unit', { RETENTION_SUCCEEDED: '7' }, 'RETENTION_SUCCEEDED "7" has no unit'],
    [
      'a retention in months',
      { RETENTION_CANCELLED: '3mo' },
      'RETENTION_CANCELLED "3mo" has an unknown unit',
    ],
    [
      'a negative retention',
      { RETENTION_FAILED: '-1d' },
      'RETENTION_FAILED "-1d" is not a whole number with',
    ],
    [
      'no patience at all',
      { DATABASE_ACQUIRE_TIMEOUT_MS: '0' },
      'DATABASE_ACQUIRE_TIMEOUT_MS "0" is too small',
    ],
    [
      'a renewal above a third of the lease',
      { WORKER_HEARTBEAT_MS: '10001' },
      'must be at most a third of WORKER_LEASE_MS',
    ],
    [
      'a lease below three renewals',
      { WORKER_LEASE_MS: '29999' },
      'must be at most a third of WORKER_LEASE_MS',
    ],
    ['a lease below a second', { WORKER_LEASE_MS: '999' }, 'WORKER_LEASE_MS "999" is too small'],
    ['no slot at all', { WORKER_CONCURRENCY: '0' }, 'WORKER_CONCURRENCY "0" is too small'],
    [
      'a number with a unit',
      { WORKER_POLL_INTERVAL_MS: '1s' },
      'WORKER_POLL_INTERVAL_MS "1s" is not a whole number',
    ],
    [
      'a poll ceiling below the interval',
      { WORKER_MAX_POLL_INTERVAL_MS: '499' },
      'must not be below WORKER_POLL_INTERVAL_MS',
    ],
    ['a queue with a bad name', { WORKER_QUEUES: 'mail,Ärger' }, 'names "Ärger", which must match'],
    [
      'more queues than a process serves',
      { WORKER_QUEUES: Array.from({ length: 1_001 }, (_, index) => `q${index}`).join(',') },
      'must be at most 1000: start more workers for the others',
    ],
    ['an empty name among the queues', { WORKER_QUEUES: 'mail,,default' }, 'names "", which'],
    ['a queue named twice', { WORKER_QUEUES: 'mail,mail' }, 'has an item twice'],
    [
      'a prefix with a space',
      { WORKER_ID_PREFIX: 'my worker' },
      'WORKER_ID_PREFIX "my worker" must be 1 to 100 letters',
    ],
    [
      'a longest wait after a failure below the first',
      { OUTBOX_RETRY_MAX_DELAY_MS: '999' },
      'must not be below OUTBOX_RETRY_BASE_DELAY_MS',
    ],
    ['a speed of nothing', { WORKER_SIMULATION_SPEED: '0' }, 'WORKER_SIMULATION_SPEED "0" is too small'],
    ['a speed in words', { WORKER_SIMULATION_SPEED: 'fast' }, 'is not a plain decimal number'],
    ['a speed in hexadecimal', { WORKER_SIMULATION_SPEED: '0x10' }, 'is not a plain decimal number'],
    ['an address without a port', { WORKER_METRICS_BIND_ADDR: 'localhost' }, 'is not of the form host:port'],
  ])('%s is refused in one line that names it and the accepted values', (_, env, fault) => {
    const lines = refusalOf(env)

    expect(lines).toStrictEqual([expect.stringContaining(fault)])
    expect(lines[0]).toMatch(/^[A-Z]+_[A-Z_]+ .*; accepted: ./)
  })

  test('all faults are reported at once', () => {
    expect(
      refusalOf({ WORKER_CONCURRENCY: 'x', WORKER_LEASE_MS: 'y', DATABASE_URL: undefined }),
    ).toHaveLength(3)
  })
})

function parse(env: Environment) {
  return parseConfig(workerConfig, { ...required, ...env })
}

function refusalOf(env: Environment): readonly string[] {
  try {
    parse(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.lines
    throw error
  }
  throw new Error('the configuration was accepted')
}
