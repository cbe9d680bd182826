import { type PlainSql, plainSqlOn } from '@queue/test-database'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import pg from 'pg'
import { z } from 'zod'
import {
  applyOutboxRoles,
  type ClaimedMessage,
  createOutbox,
  createOutboxWorker,
  defineMessage,
  type DispatchContext,
  type MessageOptions,
  migrateOutbox,
  type OutboxProcess,
  type Outbox,
  type OutboxTarget,
  type OutboxWorker,
  type OutboxWorkerOptions,
} from '../../src/index.ts'
import type { OutboxDatabase } from '../../src/database/outbox-database.ts'
import { type Claim, type ClaimInput, claimMessages } from '../../src/transitions/claim-messages.ts'

export const probe = defineMessage({ topic: 'probe', payload: z.object({ n: z.number() }).loose() })

/** The database of a test file with an outbox, and functions to use and inspect it. */
export interface World {
  readonly database: TestDatabase
  /** Connections of the owner, with which a test reads or prepares data. */
  readonly url: string
  /** Connections of a process with its role. */
  urlAs(process: OutboxProcess): string
  /** The connections of the service, and its outbox. */
  readonly service: pg.Pool
  readonly outbox: Outbox
  /** The outbox as a relay sees it. */
  readonly relayed: OutboxDatabase
  readonly sql: PlainSql
  /** Publishes messages of `probe` in a separate transaction. Resolves with their ids. */
  publish(count: number, options?: MessageOptions): Promise<string[]>
  claim(input?: Partial<ClaimInput>): Promise<Claim>
  /** Starts a relay on this database. It is stopped at the next reset. */
  relay(options: Omit<OutboxWorkerOptions, 'connectionString' | 'pool'>): Promise<OutboxWorker>
  /** Makes every message due now, and expires its lease. */
  makeDue(): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export async function openWorld(): Promise<World> {
  const database = await createTestDatabase()
  const urlAs = await setUpProcesses(database)
  const service = new pg.Pool({ connectionString: urlAs('publisher'), max: 10 })
  const outbox = createOutbox({ pool: service })
  const { database: relayed, close: closeRelayed } = createOutbox({ connectionString: urlAs('relay') })
  const relays: OutboxWorker[] = []
  const sql = plainSqlOn(database.pool)
  const reset = async (): Promise<void> => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()))
    await sql('TRUNCATE outbox.outbox_messages, outbox.outbox_dead_letters')
  }
  return {
    database,
    url: database.url,
    urlAs,
    service,
    outbox,
    relayed,
    sql,
    publish: (count, options) =>
      inTransaction(service, (transaction) =>
        outbox.publishMany(
          Array.from({ length: count }, (_, n) => probe.create({ n }, options)),
          { transaction },
        ),
      ),
    claim: (input = {}) =>
      claimMessages(relayed, {
        workerId: 'relay',
        topics: ['probe'],
        limit: 10,
        leaseMs: 60_000,
        maxAttempts: 5,
        first: 'keyless',
        walk: new Map(),
        ...input,
      }),
    relay: async (options) => {
      const relay = createOutboxWorker({ connectionString: urlAs('relay'), logger: quiet, ...options })
      relays.push(relay)
      await relay.start()
      return relay
    },
    makeDue: async () => {
      await sql('UPDATE outbox.outbox_messages SET next_retry_at = now()')
    },
    reset,
    close: async () => {
      await reset()
      await closeRelayed()
      await service.end()
      await database.close()
    },
  }
}

/** The roles that every test database has for the queue's processes are also used for those of the outbox. */
export const roles: Readonly<Record<OutboxProcess, string>> = {
  publisher: 'queue_test_api',
  relay: 'queue_test_worker',
  readonly: 'queue_test_readonly',
}

/** Creates an outbox whose processes have their own roles. Resolves with the URL of each role. */
async function setUpProcesses(database: TestDatabase): Promise<World['urlAs']> {
  const options = { connectionString: database.url, roles }
  await migrateOutbox(options)
  await applyOutboxRoles(options, 'set_up')
  const namesake = { publisher: 'api', relay: 'worker', readonly: 'readonly' } as const
  return (process) => database.urlAs(namesake[process])
}

/** Runs `work` between BEGIN and COMMIT on one connection of the pool, and rolls back if it throws. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

/** A target whose answers a test determines. It records the messages that it gets. */
export interface RecordingTarget extends OutboxTarget {
  readonly received: ClaimedMessage[]
}

export function recordingTarget(
  work: (message: ClaimedMessage, context: DispatchContext) => unknown = () => undefined,
  topics: readonly string[] = ['probe'],
): RecordingTarget {
  const received: ClaimedMessage[] = []
  return {
    topics,
    received,
    dispatch: async (message, context) => {
      received.push(message)
      await work(message, context)
    },
  }
}
