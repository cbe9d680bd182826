import { randomBytes } from 'node:crypto'
import { databaseRule } from './database-rule.ts'
import { assertArguments, assertKnownOptions } from '@queue/loop/arguments'
import pg from 'pg'
import type { TestDatabase } from './create-test-database.ts'

export interface WorkerOverrides {
  readonly id?: string
  readonly state?: 'active' | 'stopped' | 'lost'
  /** When its lease ends, in milliseconds from now by the database's clock; negative when it has expired. */
  readonly leaseMs?: number
  readonly queues?: readonly string[]
  readonly kinds?: readonly string[]
  readonly concurrency?: number
  /** The version of its time zone data. */
  readonly zoneVersion?: string
}

const workerFields = {
  id: true,
  state: true,
  leaseMs: true,
  queues: true,
  kinds: true,
  concurrency: true,
  zoneVersion: true,
} as const satisfies { readonly [Name in keyof WorkerOverrides]-?: true }

/** Adds a worker to the registry and returns its id. By default it is active, and its lease lasts for a minute. */
export async function insertWorker(database: TestDatabase, overrides: WorkerOverrides = {}): Promise<string> {
  assertArguments('insertWorker', { database: databaseRule }, [database])
  assertKnownOptions('insertWorker', overrides, workerFields)
  const worker = {
    id: `test-worker-${randomBytes(6).toString('hex')}`,
    state: 'active',
    leaseMs: 60_000,
    queues: ['default'],
    kinds: ['test_job'],
    concurrency: 1,
    zoneVersion: '2026a',
    ...overrides,
  }
  const { id, state, leaseMs, queues, kinds, concurrency, zoneVersion } = worker
  await database.pool.query(
    `INSERT INTO ${pg.escapeIdentifier(database.schema)}.workers
       (id, state, lease_expires_at, queues, kinds, concurrency, pid, hostname, version, zone_version)
     VALUES ($1, $2, now() + $3::float8 * interval '1 millisecond', $4, $5, $6, 1, 'test-host', '0.0.0', $7)`,
    [id, state, leaseMs, queues, kinds, concurrency, zoneVersion],
  )
  return id
}
