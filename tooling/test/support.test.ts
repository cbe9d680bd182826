import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'

const page = path.resolve(import.meta.dirname, '..', '..', 'docs/support.md')

test('the statement of docs/support.md removes the queue and leaves the tables of the application', async () => {
  const statement = /^```sql\n(?<sql>.*?)^```/ms.exec(await readFile(page, 'utf8'))?.groups?.['sql'] ?? ''
  expect(statement).toContain('DROP SCHEMA queue')
  const database = await createTestDatabase()
  try {
    const objects = `SELECT nspname AS schema, count(*)::int AS objects FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' GROUP BY 1`
    await database.pool.query('CREATE TABLE public.invoices (id text)')
    expect((await database.pool.query(objects)).rows).toHaveLength(2)
    await database.pool.query(statement)
    expect((await database.pool.query(objects)).rows).toEqual([{ schema: 'public', objects: 1 }])
    const functions = `SELECT proname FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname = 'public'`
    expect((await database.pool.query(functions)).rows).toEqual([])
  } finally {
    await database.close()
  }
})
