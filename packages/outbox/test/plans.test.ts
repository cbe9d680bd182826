import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import type { OutboxDatabase } from '../src/database/outbox-database.ts'
import type { MessageLease } from '../src/domain/message.ts'
import { listDeadLetters } from '../src/reads/dead-letters.ts'
import { outboxStats } from '../src/reads/outbox-stats.ts'
import { deadLetterLostMessages } from '../src/transitions/dead-letter-lost-messages.ts'
import { type ClaimInput, claimMessages } from '../src/transitions/claim-messages.ts'
import { deliverMessages } from '../src/transitions/deliver-messages.ts'
import { pruneMessages } from '../src/transitions/prune-messages.ts'
import { releaseMessages } from '../src/transitions/release-messages.ts'
import { retryOrDeadLetterMessages } from '../src/transitions/retry-or-dead-letter-messages.ts'
import { explain } from './support/plans.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
const client = new pg.Client({ connectionString: world.url })
afterAll(async () => {
  await client.end()
  await world.close()
})

/** Enough messages for a plan that reads all of them to show in its pages. */
const delivered = 200_000
const pending = 50_000

const idAt = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const leases = (count: number): MessageLease[] =>
  Array.from({ length: count }, (_, n) => ({ id: idAt(n + 1), token: 1 }))

const claim = (input: Partial<ClaimInput>) => (database: OutboxDatabase) =>
  claimMessages(database, {
    workerId: 'relay',
    topics: ['probe'],
    limit: 10,
    leaseMs: 60_000,
    maxAttempts: 5,
    first: 'keyless',
    walk: new Map(),
    ...input,
  })

async function plant(count: number, row: string): Promise<void> {
  await client.query(
    `INSERT INTO outbox.outbox_messages (id, topic, key, payload, next_retry_at, delivered_at)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(nextval('ids')), 12, '0'))::uuid, ${row}
       FROM generate_series(1, ${count}) AS n`,
  )
}

beforeAll(async () => {
  await client.connect()
  await client.query('ALTER TABLE outbox.outbox_messages SET (autovacuum_enabled = false)')
  await client.query('CREATE TEMPORARY SEQUENCE ids')
  await plant(delivered, `'probe', NULL, '{}', now(), now()`)
})

/** The cost of a poll that finds nothing, and the cost of the index scans that it must not do. */
const idle = { pages: 60, ms: 2 }

describe.each([
  ['right after a bulk load, without statistics', ''],
  ['with statistics', 'ANALYZE outbox.outbox_messages'],
])('behind 200 000 delivered messages, %s', (...[, analyze]) => {
  beforeAll(() => client.query(analyze))

  const statements: readonly (readonly [string, (database: OutboxDatabase) => Promise<unknown>, string])[] = [
    ['poll with nothing to deliver', claim({}), 'outbox_messages_due_idx'],
    ['poll of keys with nothing to deliver', claim({}), 'outbox_messages_key_idx'],
    ['poll of keys of which some are under way', claim({}), 'outbox_messages_held_key_idx'],
    ['look for lost messages', deadLetterLostMessages, 'outbox_messages_last_idx'],
  ]
  test.each(statements)('a %s uses its index and takes less than 2 ms', async (...[, act, index]) => {
    const { plan, pages, ms } = await explain(client, world.outbox.database, act)
    expect(plan).toContain(index)
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    expect(pages).toBeLessThan(idle.pages)
    expect(ms).toBeLessThan(idle.ms)
  })

  test.each([1, 50, 500])('the ends of %d attempts use the primary key', async (count) => {
    const held = leases(count)
    const acts: ((database: OutboxDatabase) => Promise<unknown>)[] = [
      (db) => deliverMessages(db, held),
      (db) =>
        releaseMessages(
          db,
          held.map((lease) => ({ lease, waitMs: 1, error: null })),
        ),
      (db) =>
        retryOrDeadLetterMessages(
          db,
          held.map((lease) => ({ lease, error: 'e', waitMs: 1, undeliverable: true })),
        ),
    ]
    for (const act of acts) {
      const { plan } = await explain(client, world.outbox.database, act)
      expect(plan).toContain('outbox_messages_pkey')
      expect(plan).not.toContain('Seq Scan on outbox_messages')
    }
  })

  test('the statistics use the indexes of undelivered messages', async () => {
    const { plan, pages } = await explain(client, world.outbox.database, outboxStats)
    for (const name of ['due', 'key', 'last']) expect(plan).toContain(`outbox_messages_${name}_idx`)
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    expect(pages).toBeLessThan(idle.pages)
  })

  test('a prune uses the primary key, and reads only its batch', async () => {
    const { plan, pages } = await explain(client, world.outbox.database, (db) => pruneMessages(db, 1, null))
    expect(plan).toContain('outbox_messages_pkey')
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    expect(pages).toBeLessThan(20_000)
  })
})

describe('behind 200 000 delivered messages, a poll is as cheap', () => {
  /** Measures the same poll with this backlog in addition to the delivered messages. The backlog is removed afterwards. */
  async function behind(row: string, input: Partial<ClaimInput>, prepare = '') {
    await plant(pending, row)
    await client.query(prepare)
    await client.query('ANALYZE outbox.outbox_messages')
    try {
      return await explain(client, world.outbox.database, claim(input))
    } finally {
      await client.query('DELETE FROM outbox.outbox_messages WHERE delivered_at IS NULL')
      await client.query('VACUUM outbox.outbox_messages')
    }
  }

  test('with 50 000 pending messages of which it claims some', async () => {
    const { plan, pages } = await behind(`'probe', NULL, '{}', now() - interval '1 minute', NULL`, {})
    expect(plan).toContain('outbox_messages_due_idx')
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    // Each claimed row writes a new version, with its entries in two indexes.
    expect(pages).toBeLessThan(400)
  })

  test.each([
    ['that wait for their next attempt', `'probe', NULL, '{}', now() + interval '1 hour', NULL`],
    ['of a topic that it does not have', `'other', NULL, '{}', now() - interval '1 minute', NULL`],
    [
      'behind one key whose first message fails',
      `'probe', 'k', '{}', now() + CASE WHEN n = 1 THEN interval '1 hour' ELSE interval '0' END, NULL`,
    ],
  ])('with 50 000 pending messages %s, and takes less than 2 ms', async (...[, row]) => {
    const { plan, pages, ms } = await behind(row, {})
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    expect(pages).toBeLessThan(idle.pages)
    expect(ms).toBeLessThan(idle.ms)
  })

  test('with 50 000 pending messages of one key, the last of which is in delivery', async () => {
    const { plan, pages, ms } = await behind(
      `'probe', 'k', '{}', now() - interval '1 minute', NULL`,
      {},
      `UPDATE outbox.outbox_messages
          SET leased_by = 'relay', leased_at = now(), next_retry_at = now() + interval '1 hour'
        WHERE sequence = (SELECT max(sequence) FROM outbox.outbox_messages)`,
    )
    expect(plan).toContain('outbox_messages_held_key_idx')
    expect(plan).not.toContain('Seq Scan on outbox_messages')
    expect(pages).toBeLessThan(idle.pages)
    expect(ms).toBeLessThan(idle.ms)
  })

  test('with 50 000 failing keys, of which it examines some', async () => {
    const { pages, ms } = await behind(`'probe', 'k' || n, '{}', now() + interval '1 hour', NULL`, {})
    expect(pages).toBeLessThan(2_000)
    expect(ms).toBeLessThan(5 * idle.ms)
  })
})

test('every index of the schema is named by a query that needs it', async () => {
  await client.query('SET enable_seqscan = off')
  const acts: readonly (readonly [(database: OutboxDatabase) => Promise<unknown>, string])[] = [
    [claim({}), 'outbox_messages_due_idx'],
    [claim({}), 'outbox_messages_key_idx'],
    [claim({}), 'outbox_messages_held_key_idx'],
    [deadLetterLostMessages, 'outbox_messages_last_idx'],
    [(db) => deliverMessages(db, leases(1)), 'outbox_messages_pkey'],
    [(db) => deliverMessages(db, leases(1)), 'outbox_dead_letters_pkey'],
    [(db) => listDeadLetters(db, {}), 'outbox_dead_letters_dead_lettered_at_idx'],
  ]
  for (const [act, index] of acts) {
    expect((await explain(client, world.outbox.database, act)).plan).toContain(index)
  }
  const { rows } = await client.query<{ indexname: string }>(
    `SELECT indexname FROM pg_indexes WHERE schemaname = 'outbox' AND tablename <> 'outbox_migrations'`,
  )
  expect(new Set(rows.map((row) => row.indexname))).toEqual(new Set(acts.map(([, index]) => index)))
})
