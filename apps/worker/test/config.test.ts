import { describe, expect, test } from '@jest/globals'
import { outboxWorkerConfigSchema } from '@queue/outbox'
import { ConfigError, type Environment, parseConfig } from '@queue/service'
import { workerConfig } from '../src/config.ts'

const dayMs = 86_400_000
const required = { DATABASE_URL: 'postgres://user@localhost/queue' }

describe('the configuration of a worker', () => {
  test('its defaults are those of the contract', () => {
    expect(parse({})).toMatchObject({
      QUEUE_SCHEMA: 'queue',
      DATABASE_POOL_MAX: 10,
      DATABASE_ACQUIRE_TIMEOUT_MS: 5_000,
      DATABASE_IDLE_TIMEOUT_MS: 300_000,
      DATABASE_POOLER: 'none',
      WORKER_CONCURRENCY: 4,
      WORKER_QUEUES: ['default'],
      WORKER_POLL_INTERVAL_MS: 500,
      WORKER_MAX_POLL_INTERVAL_MS: 2_000,
      WORKER_SHUTDOWN_GRACE_MS: 30_000,
      WORKER_LEASE_MS: 30_000,
      WORKER_HEARTBEAT_MS: 10_000,
      WORKER_RECOVERY_INTERVAL_MS: 5_000,
      WORKER_NOTIFY: undefined,
      WORKER_PREFETCH: 'auto',
      WORKER_STALL_MS: 300_000,
      WORKER_JOB_TIMEOUT_MS: 0,
      RETENTION_SUCCEEDED: 7 * dayMs,
      RETENTION_CANCELLED: 7 * dayMs,
      RETENTION_FAILED: 30 * dayMs,
      WORKER_ID_PREFIX: 'worker',
      WORKER_METRICS_BIND_ADDR: { host: '127.0.0.1', port: 9091 },
      WORKER_SIMULATION_SPEED: 1,
      WORKER_OUTBOX: false,
      OUTBOX_DATABASE_URL: undefined,
      OUTBOX_SCHEMA: 'outbox',
    })
  })

  test('its defaults for an outbox are those of the relay', () => {
    const config = parse({})
    const defaults = outboxWorkerConfigSchema.parse({})
    expect(config).toMatchObject({
      OUTBOX_CONCURRENCY: defaults.concurrency,
      OUTBOX_BATCH_SIZE: defaults.batchSize,
      OUTBOX_POLL_INTERVAL_MS: defaults.pollInterval,
      OUTBOX_MIN_CYCLE_DELAY_MS: defaults.minCycleDelay,
      OUTBOX_DISPATCH_TIMEOUT_MS: defaults.dispatchTimeout,
      OUTBOX_MAX_ATTEMPTS: defaults.maxAttempts,
      OUTBOX_RETRY_BASE_DELAY_MS: defaults.retryBaseDelay,
      OUTBOX_RETRY_MAX_DELAY_MS: defaults.retryMaxDelay,
      OUTBOX_JITTER: defaults.jitter,
      OUTBOX_RETENTION: defaults.retention,
    })
  })

  test('queues are a list', () => {
    expect(parse({ WORKER_QUEUES: ' default, mail ,a.b-c_1' }).WORKER_QUEUES).toStrictEqual([
      'default',
      'mail',
      'a.b-c_1',
    ])
  })

  test('a renewal may take exactly a third of the lease', () => {
    const env = { WORKER_LEASE_MS: '3000', WORKER_HEARTBEAT_MS: '1000' }

    expect(parse(env)).toMatchObject({ WORKER_LEASE_MS: 3_000, WORKER_HEARTBEAT_MS: 1_000 })
  })

  test('a stall of 0 never kills, and a retention of 0 keeps for ever', () => {
    expect(parse({ WORKER_STALL_MS: '0', RETENTION_FAILED: '0' })).toMatchObject({
      WORKER_STALL_MS: 0,
      RETENTION_FAILED: 0,
    })
  })

  test('a prefetch is a number, or auto', () => {
    expect(parse({ WORKER_PREFETCH: '0' }).WORKER_PREFETCH).toBe(0)
    expect(parse({ WORKER_PREFETCH: '1000' }).WORKER_PREFETCH).toBe(1_000)
    expect(parse({ WORKER_PREFETCH: 'AUTO' }).WORKER_PREFETCH).toBe('auto')
  })

  test('a pooler in transaction mode goes with notifications that are off, or not asked for', () => {
    for (const env of [{}, { WORKER_NOTIFY: 'off' }]) {
      expect(parse({ DATABASE_POOLER: 'transaction', ...env }).DATABASE_POOLER).toBe('transaction')
    }
    expect(parse({ WORKER_NOTIFY: 'on' }).WORKER_NOTIFY).toBe(true)
  })

  test.each<[string, Environment, string]>([
    [
      'listening through a pooler in transaction mode',
      { WORKER_NOTIFY: 'on', DATABASE_POOLER: 'transaction' },
      'WORKER_NOTIFY is on, and DATABASE_POOLER is transaction',
    ],
    ['a switch in other words', { WORKER_NOTIFY: 'maybe' }, 'WORKER_NOTIFY "maybe" is neither on nor off'],
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
      'more than a third of WORKER_LEASE_MS',
    ],
    ['a lease below three renewals', { WORKER_LEASE_MS: '29999' }, 'more than a third of WORKER_LEASE_MS'],
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
      'below WORKER_POLL_INTERVAL_MS',
    ],
    ['a queue with a bad name', { WORKER_QUEUES: 'mail,Ärger' }, 'names the queue "Ärger"'],
    [
      'more queues than a process serves',
      { WORKER_QUEUES: Array.from({ length: 1_001 }, (_, index) => `q${index}`).join(',') },
      'names 1001 queues, and one process serves 1000 at most',
    ],
    ['an empty name among the queues', { WORKER_QUEUES: 'mail,,default' }, 'names the queue ""'],
    ['a queue named twice', { WORKER_QUEUES: 'mail,mail' }, 'names a queue twice'],
    [
      'a prefix with a space',
      { WORKER_ID_PREFIX: 'my worker' },
      'WORKER_ID_PREFIX "my worker" is not such a prefix',
    ],
    ['a speed of nothing', { WORKER_SIMULATION_SPEED: '0' }, 'WORKER_SIMULATION_SPEED "0" is too small'],
    ['a speed in words', { WORKER_SIMULATION_SPEED: 'fast' }, 'is not a plain decimal number'],
    ['a speed in hexadecimal', { WORKER_SIMULATION_SPEED: '0x10' }, 'is not a plain decimal number'],
    ['an address without a port', { WORKER_METRICS_BIND_ADDR: 'localhost' }, 'is not of the form host:port'],
  ])('%s is refused in one line that names it and says what is accepted', (_, env, fault) => {
    const lines = refusalOf(env)

    expect(lines).toStrictEqual([expect.stringContaining(fault)])
    expect(lines[0]).toMatch(/^(WORKER|DATABASE|RETENTION)_[A-Z_]+ .*; accepted: ./)
  })

  test('every fault is told at once', () => {
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
