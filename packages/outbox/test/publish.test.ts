import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { z } from 'zod'
import {
  createOutbox,
  defineMessage,
  InvalidMessage,
  type MessageRequest,
  outboxLimits,
} from '../src/index.ts'
import { inTransaction, openWorld, probe } from './support/world.ts'

const world = await openWorld()
beforeEach(() => world.reset())
afterAll(() => world.close())

const stored = () =>
  world.sql<{ id: string; topic: string; key: string | null; payload: unknown; headers: unknown }>(
    'SELECT id, topic, key, payload, headers FROM outbox.outbox_messages ORDER BY sequence',
  )

describe('a message', () => {
  test('exists when its pg transaction commits, and not when it rolls back', async () => {
    const id = await inTransaction(world.service, (transaction) =>
      world.outbox.publish(probe.create({ n: 1 }, { key: 'k', headers: { a: 'b' } }), { transaction }),
    )
    const refused = inTransaction(world.service, async (transaction) => {
      await world.outbox.publish(probe.create({ n: 2 }), { transaction })
      throw new Error('changed my mind')
    })
    await expect(refused).rejects.toThrow('changed my mind')
    expect(await stored()).toEqual([{ id, topic: 'probe', key: 'k', payload: { n: 1 }, headers: { a: 'b' } }])
    expect(await world.outbox.get(id)).toMatchObject({ topic: 'probe', attempts: 0, deliveredAt: null })
  })

  test('is what it says, whatever the session of its transaction is set to', async () => {
    const ids = await inTransaction(world.service, async (transaction) => {
      await transaction.query(
        `SET array_nulls = off; SET extra_float_digits = -15; SET bytea_output = escape`,
      )
      const messages = [probe.create({ n: 1 }), probe.create({ n: 2 }, { key: 'k' })]
      return world.outbox.publishMany(messages, { transaction })
    })
    expect(await stored()).toMatchObject([
      { id: ids[0], key: null },
      { id: ids[1], key: 'k' },
    ])
  })

  test('exists when its Kysely transaction commits, and not when it rolls back', async () => {
    const pool = new pg.Pool({ connectionString: world.urlAs('publisher'), max: 2 })
    const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) })
    try {
      const id = await db
        .transaction()
        .execute((transaction) => world.outbox.publish(probe.create({ n: 1 }), { transaction }))
      const refused = db.transaction().execute(async (transaction) => {
        await world.outbox.publish(probe.create({ n: 2 }), { transaction })
        throw new Error('changed my mind')
      })
      await expect(refused).rejects.toThrow('changed my mind')
      expect((await stored()).map((row) => row.id)).toEqual([id])
    } finally {
      await db.destroy()
    }
  })

  test.each<[string, (client: pg.PoolClient) => unknown]>([
    ['a pool', () => world.service],
    ['a client that has not said BEGIN', (client) => client],
    ['a wrapper around a client that has not said BEGIN', (client) => ({ query: client.query.bind(client) })],
    ['null', () => null],
    ['nothing', () => undefined],
    ['an empty object', () => ({})],
  ])('is not published through %s', async (_what, make) => {
    const client = await world.service.connect()
    try {
      const transaction = make(client) as pg.PoolClient
      for (const notify of [true, false]) {
        await expect(
          world.outbox.publish(probe.create({ n: 1 }), { transaction, notify }),
        ).rejects.toMatchObject({
          code: 'invalid_options',
          message: expect.stringMatching(/a Kysely transaction, or a node-postgres client after its BEGIN/),
        })
      }
      expect(await stored()).toEqual([])
    } finally {
      client.release()
    }
  })

  test('is not published without a target', async () => {
    const publish = world.outbox.publish as (message: MessageRequest) => Promise<string>
    await expect(publish(probe.create({ n: 1 }))).rejects.toMatchObject({ code: 'invalid_options' })
  })

  test('is not written if its publish was not awaited and the transaction has ended', async () => {
    const client = await world.service.connect()
    try {
      await client.query('BEGIN')
      const refused = expect(
        world.outbox.publish(probe.create({ n: 1 }), { transaction: client }),
      ).rejects.toMatchObject({ code: 'invalid_options' })
      await client.query('COMMIT')
      await refused
      expect(await stored()).toEqual([])
    } finally {
      client.release()
    }
  })

  test('has the time of its publish, and not that of the start of its transaction', async () => {
    const before = await inTransaction(world.service, async (transaction) => {
      const { rows } = await transaction.query('SELECT pg_sleep(0.001), clock_timestamp()::text AS instant')
      await world.outbox.publish(probe.create({ n: 1 }), { transaction })
      return rows[0].instant as string
    })
    const late = await world.sql(
      'SELECT FROM outbox.outbox_messages WHERE created_at >= $1 AND next_retry_at = created_at',
      [before],
    )
    expect(late).toHaveLength(1)
  })

  test('is written in the order of the call, with increasing ids', async () => {
    const ids = await world.publish(500)
    expect((await stored()).map((row) => row.id)).toEqual(ids)
    expect(ids.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(ids)
  })

  test('notifies the relays at the commit, once per topic, unless `notify` is false', async () => {
    const notifications: string[] = []
    const listener = new pg.Client({ connectionString: world.database.directUrl })
    await listener.connect()
    const last = Promise.withResolvers<void>()
    listener.on('notification', ({ payload = '' }) => {
      if (payload === 'the end') last.resolve()
      else notifications.push(payload)
    })
    await listener.query('LISTEN "outbox.outbox"')
    try {
      await inTransaction(world.service, async (transaction) => {
        await world.outbox.publishMany([probe.create({ n: 1 }), probe.create({ n: 2 })], { transaction })
        await world.outbox.publish(probe.create({ n: 3 }), { transaction, notify: false })
      })
      await world.sql(`SELECT pg_notify('outbox.outbox', 'the end')`)
      await last.promise
      expect(notifications).toEqual(['probe'])
    } finally {
      await listener.end()
    }
  })

  test('that is invalid is refused with every issue before anything is written', () => {
    const fault = (make: () => unknown): readonly (readonly (string | number)[])[] => {
      try {
        make()
      } catch (error) {
        if (error instanceof InvalidMessage) return error.issues.map((issue) => issue.path)
        throw error
      }
      return []
    }
    const strict = defineMessage({ topic: 'strict', payload: z.strictObject({ n: z.int() }) })
    expect(fault(() => strict.create({ n: 0.5 }, { key: '', headers: { x: '\u0000' } }))).toEqual([
      ['payload', 'n'],
      ['key'],
      ['headers', 'x'],
    ])
    expect(fault(() => probe.create({ n: 1, text: 'a\u0000b' }))).toEqual([['payload', 'text']])
    expect(fault(() => probe.create({ n: 1, text: '\ud800' }))).toEqual([['payload', 'text']])
    expect(fault(() => defineMessage({ topic: 'No Name', payload: z.unknown() }))).toEqual([['topic']])
    expect(fault(() => strict.create({ n: 1 }, { key: 'k' }))).toEqual([])
  })

  test.each([
    ['2^53+1 as text', '9007199254740993'],
    ['an emoji', '\u{1f980}'],
    ['a quote', `'"\\`],
  ])('preserves %s', async (_what, text) => {
    await inTransaction(world.service, (transaction) =>
      world.outbox.publish(probe.create({ n: -0.5, text }, { key: text, headers: { text } }), {
        transaction,
      }),
    )
    const { messages } = await world.claim()
    expect(messages).toMatchObject([{ payload: { n: -0.5, text }, key: text, headers: { text } }])
  })

  test('is refused in a call with more messages than the maximum', async () => {
    const messages = Array.from({ length: 1_001 }, () => probe.create({ n: 1 }))
    const call = inTransaction(world.service, (transaction) =>
      world.outbox.publishMany(messages, { transaction }),
    )
    await expect(call).rejects.toThrow(InvalidMessage)
    expect(await world.publish(0)).toEqual([])
  })

  test('is refused in a call with more bytes than the maximum, which the error names', async () => {
    const large = probe.create({ n: 1, text: 'x'.repeat(1_048_000) })
    const publish = (count: number): Promise<string[]> =>
      inTransaction(world.service, (transaction) =>
        world.outbox.publishMany(
          Array.from({ length: count }, () => large),
          { transaction },
        ),
      )
    expect(await publish(64)).toHaveLength(64)
    for (const tooMany of [65, 600]) {
      const refused = publish(tooMany)
      await expect(refused).rejects.toThrow(InvalidMessage)
      await expect(refused).rejects.toThrow(`at most ${outboxLimits.publishBatchBytesMax} bytes`)
    }
    expect(await stored()).toHaveLength(64)
  })

  test('without the schema names the command to run', async () => {
    const elsewhere = createOutbox({ pool: world.service, schema: 'nowhere' })
    const call = inTransaction(world.service, (transaction) =>
      elsewhere.publish(probe.create({ n: 1 }), { transaction }),
    )
    await expect(call).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('migrateOutbox'),
    })
    expect(await elsewhere.checkSchema()).toMatchObject({ status: 'missing' })
    expect(await world.outbox.checkSchema()).toMatchObject({ status: 'compatible' })
  })
})
