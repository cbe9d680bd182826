import path from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { migrateOutbox } from '@queue/outbox'
import { isPooled } from '@queue/dev-postgres'
import { createTestDatabase } from '@queue/testing'
import { findForeignCalls } from '../sql/find-foreign-calls.ts'
import { packages, readSentStatements } from '../sql/read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const database = await createTestDatabase()
afterAll(() => database.close())

// Prepared statements and settings belong to a session.
const testSession = isPooled() ? test.skip : test

testSession(
  'no statement calls a function or an operator that others have created in the search path of its session',
  async () => {
    await migrateOutbox({ connectionString: database.url })
    // The impostors work: these are not written as the statements are.
    const reaching: [name: string, text: string][] = [
      ['a conversion', 'SELECT 2::float8 * 3'],
      ['an unknown literal', `SELECT $1::jsonb ->> 'n'`],
      ['arrays', 'SELECT $1::text[] || $2::text[]'],
      ['a function', `SELECT unnest('{1,2}'::smallint[])`],
    ]
    const texts = await Promise.all(packages.map((folder) => readSentStatements(root, folder)))
    const statements = texts.flatMap((ofPackage) => [...ofPackage])
    expect(statements.length).toBeGreaterThan(300)
    expect(await findForeignCalls(database, [...reaching, ...statements])).toEqual([
      'a conversion: error: permission denied for function double precision * integer',
      'an unknown literal: error: invalid input syntax for type json',
      'arrays: error: permission denied for function text[] || text[]',
      'a function: error: permission denied for function unnest',
    ])
  },
  120_000,
)
