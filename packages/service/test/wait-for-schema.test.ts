import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect } from '@queue/core/schema'
import { createTestDatabase, recordLogger, type TestDatabase } from '@queue/testing'
import { z } from 'zod'
import {
  createReadiness,
  databaseVariables,
  parseConfig,
  SchemaVersionError,
  waitForSchema,
} from '../src/index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** A schema that holds nothing but the record of one applied step. */
async function recordStep(schema: string, step: { version: number; minCode: number }): Promise<void> {
  await database.pool.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.migrations (version integer, name text, min_code integer);
    INSERT INTO ${schema}.migrations VALUES (${step.version}, 'a step', ${step.minCode})`)
}

function wait(schema: string): ReturnType<typeof waitForSchema> {
  const logger = recordLogger()
  const { signal } = new AbortController()
  return waitForSchema({ database: connect({ pool: database.pool, schema }), logger, signal })
}

describe('waitForSchema', () => {
  test('goes on when the schema is the one of this code', async () => {
    await expect(wait(database.schema)).resolves.toMatchObject({ status: 'compatible' })
  })

  test('goes on when a newer schema still accepts this code, as during a rolling upgrade', async () => {
    const { codeVersion } = await database.queue.checkSchema()
    await recordStep('rolling', { version: codeVersion + 3, minCode: codeVersion })
    await expect(wait('rolling')).resolves.toMatchObject({ status: 'compatible' })
  })

  test('says what to run when the schema is missing or older, exit code 3', async () => {
    await recordStep('old', { version: 0, minCode: 0 })
    for (const schema of ['nothing', 'old']) {
      const refused = wait(schema)
      await expect(refused).rejects.toThrow(SchemaVersionError)
      await expect(refused).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(new RegExp(`schema "${schema}".*run migrate up`)),
      })
    }
  })

  test('refuses a schema on which this code cannot run any more, exit code 3', async () => {
    await recordStep('ahead', { version: 1_000, minCode: 1_000 })
    await expect(wait('ahead')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/newer release/),
    })
  })
})

test('readiness on a real database knows a schema that fits from one that is missing', async () => {
  const fits = createReadiness({ database: connect({ pool: database.pool }) })
  expect(await fits()).toMatchObject({ status: 'ready' })
  const missing = createReadiness({ database: connect({ pool: database.pool, schema: 'nothing' }) })
  expect(await missing()).toMatchObject({
    status: 'not_ready',
    checks: { database: 'up', schema: 'missing' },
  })
})

test.each([
  'queue',
  '_q',
  'q1',
  'Queue',
  '1q',
  'q-1',
  '',
  'pg_q',
  'information_schema',
  'q'.repeat(58),
  'q'.repeat(59),
])('QUEUE_SCHEMA accepts %j just when core does', (schema) => {
  // An empty variable counts as unset, and then the default holds.
  const name = schema === '' ? 'queue' : schema
  const config = z.object({ QUEUE_SCHEMA: databaseVariables.QUEUE_SCHEMA })
  const accepts = (use: () => unknown): boolean => {
    try {
      use()
      return true
    } catch {
      return false
    }
  }
  expect(accepts(() => parseConfig(config, { QUEUE_SCHEMA: schema }))).toBe(
    accepts(() => connect({ connectionString: 'postgres://nowhere/none', schema: name })),
  )
})
