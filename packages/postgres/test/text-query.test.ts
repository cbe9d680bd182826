import type { EventEmitter } from 'node:events'
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../src/database.ts'
import { emptyDatabases } from './support/databases.ts'

const databases = await emptyDatabases()
afterAll(() => databases.close())

let database: Database
/** The messages of the server on the only connection of `database`, by name. */
let messages: string[]

beforeEach(async () => {
  database = openDatabase({
    connectionString: await databases.create(),
    preparedStatements: true,
    poolMax: 1,
  })
  messages = []
  database.pool.on('connect', (client) => {
    const { connection } = client as unknown as { readonly connection: EventEmitter }
    for (const name of ['rowDescription', 'noData', 'parseComplete'])
      connection.on(name, () => messages.push(name))
  })
  await database.run(
    sql`CREATE TEMPORARY TABLE things (id int, name text, amount bigint, tags text[], isReady bool, at timestamptz)`,
  )
  messages.length = 0
})
afterEach(() => database.close())

const insert = (id: number) => sql`
  INSERT INTO pg_temp.things VALUES (${id}, ${`thing ${id}`}, ${2 ** 40}, ${'{a,"b c",NULL}'}, ${id % 2 === 0}, ${'2026-01-02T03:04:05Z'})`
const select = (id: number) => sql<Record<string, unknown>>`
  SELECT id, name, amount, tags, isready AS "isReady", at::date::text AS day, null AS nothing FROM pg_temp.things WHERE id >= ${id} ORDER BY id`
const row = (id: number) => ({
  id,
  name: `thing ${id}`,
  amount: 2 ** 40,
  tags: ['a', 'b c', null],
  isReady: id % 2 === 0,
  day: '2026-01-02',
  nothing: null,
})

describe('a prepared statement', () => {
  test('is parsed and described once per connection, and every answer has the same rows', async () => {
    for (const id of [1, 2]) expect(await database.run(insert(id), 'frequent')).toEqual([])
    expect(messages).toEqual(['parseComplete', 'noData'])
    messages.length = 0
    for (let round = 0; round < 3; round += 1) {
      expect(await database.run(select(1), 'frequent')).toEqual([row(1), row(2)])
      expect(await database.run(select(2), 'frequent')).toEqual([row(2)])
      expect(await database.run(select(3), 'frequent')).toEqual([])
    }
    expect(messages).toEqual(['parseComplete', 'rowDescription'])
  })

  test('has the right rows if it is sent again before its first answer', async () => {
    await database.run(insert(1))
    const answers = [1, 2, 1].map((id) => database.run(select(id), 'frequent'))
    expect(await Promise.all(answers)).toEqual([[row(1)], [], [row(1)]])
  })

  test('has the right rows and its error after the answer to it, or to another one, was an error', async () => {
    const inverse = (n: number) => sql<{ inverse: number }>`SELECT 1 / ${n}::int AS inverse`
    await expect(database.run(inverse(0), 'frequent')).rejects.toMatchObject({ code: '22012' })
    expect(await database.run(inverse(1), 'frequent')).toEqual([{ inverse: 1 }])
    await expect(database.run(inverse(0), 'frequent')).rejects.toMatchObject({ code: '22012' })
    expect(await database.run(inverse(1), 'frequent')).toEqual([{ inverse: 1 }])
  })

  test('is parsed and described again after it was discarded', async () => {
    await database.run(insert(1))
    expect(await database.run(select(1), 'frequent')).toEqual([row(1)])
    await database.run(sql`DEALLOCATE ALL`)
    messages.length = 0
    expect(await database.run(select(1), 'frequent')).toEqual([row(1)])
    expect(await database.run(select(1), 'frequent')).toEqual([row(1)])
    expect(messages).toEqual(['parseComplete', 'rowDescription'])
  })

  test('is refused by PostgreSQL, and not read wrongly, if its columns have changed', async () => {
    const all = sql<Record<string, unknown>>`SELECT * FROM pg_temp.things`
    await database.run(all, 'frequent')
    await database.run(sql`ALTER TABLE pg_temp.things ALTER id TYPE text`)
    await expect(database.run(all, 'frequent')).rejects.toMatchObject({ code: '0A000' })
  })
})

test('a statement that is not prepared has the same rows, and several statements have those of the last', async () => {
  await database.run(insert(1))
  expect(await database.run(select(1))).toEqual([row(1)])
  expect(await database.run(sql`SELECT 1 AS first; SELECT 2 AS second`)).toEqual([{ second: 2 }])
})

test('a copy of a statement with another text, as instrumentation sends it, has the same rows', async () => {
  await database.run(insert(1))
  database.pool.on('acquire', (client) => {
    const query = client.query.bind(client) as (config: object, answer: unknown) => unknown
    const commented = (config: { readonly text: string }, answer: unknown): unknown =>
      query({ ...config, text: `${config.text} /* commented */` }, answer)
    Object.assign(client, { query: commented })
  })
  expect(await database.run(select(1))).toEqual([row(1)])
  expect(await database.run(select(1), 'frequent')).toEqual([row(1)])
})
