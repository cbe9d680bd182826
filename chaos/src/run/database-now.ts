import type { TestDatabase } from '@queue/testing'

/** The database's clock, in milliseconds since 1970 with their fraction. */
export async function databaseNowMs({ pool }: Pick<TestDatabase, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  )
  return rows[0]?.ms ?? Number.NaN
}
