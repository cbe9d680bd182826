import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createQueue, defineJob, type Queue } from '@queue/core'
import { skippedBehindPooler } from '@queue/test-database'
import { createTestDatabase, eventually } from '@queue/testing'
import { z } from 'zod'
import { asJob, defineMessage, TargetUnavailable, toQueue, Undeliverable } from '../src/index.ts'
import { recordOutcomes } from './support/outcomes.ts'
import { openWorld, probe } from './support/world.ts'

const world = await openWorld()
const elsewhere = await createTestDatabase()
beforeEach(() => world.reset())
afterAll(async () => {
  await elsewhere.close()
  await world.close()
})

const testRoles = skippedBehindPooler('a pooler connects as one user') ? test.skip : test

const job = defineJob({ kind: 'probe_job', payload: z.object({ n: z.number() }) })
const context = { signal: new AbortController().signal, leaseToken: 1 }
const routes = [asJob(probe, job)]
/** Starts a relay that would dead-letter a message at its second failure, within milliseconds. */
const hasty = { retryBaseDelay: 1, retryMaxDelay: 1, pollInterval: 5, maxAttempts: 2, concurrency: 8 }

/** Relays `count` messages into `queue` while it is broken, until it was called that often, and then repairs it. */
async function expectNothingCharged(queue: Queue, mend: () => Promise<unknown>): Promise<void> {
  const ids = await world.publish(20)
  let refused = 0
  const target = toQueue(queue, routes)
  await world.relay({
    config: hasty,
    target: {
      ...target,
      dispatch: async (message, given) => {
        await target.dispatch(message, given).catch((error: unknown) => {
          refused += 1
          throw error
        })
      },
    },
  })
  // All slots, and some single calls after that.
  await eventually(
    async () => refused >= 10 || (await world.outbox.deadLetters.list()).deadLetters.length > 0,
  )
  expect((await world.outbox.deadLetters.list()).deadLetters).toEqual([])
  await mend()
  await eventually(async () => {
    const stored = await Promise.all(ids.map((id) => world.outbox.get(id)))
    return stored.every((message) => message?.deliveredAt instanceof Date)
  })
  const delivered = await world.sql<{ attempts: number; history: unknown }>(
    'SELECT attempts, history FROM outbox.outbox_messages',
  )
  expect(delivered).toHaveLength(20)
  for (const { attempts, history } of delivered) {
    expect({ attempts, history }).toEqual({ attempts: 1, history: null })
  }
}

describe('an unavailable queue costs no message an attempt, and gets all of them when it is available again:', () => {
  testRoles('a missing GRANT', async () => {
    const queue = createQueue({ connectionString: elsewhere.urlAs('api') })
    await elsewhere.pool.query('REVOKE INSERT ON queue.jobs FROM queue_test_api')
    await expectNothingCharged(queue, () =>
      elsewhere.pool.query('GRANT INSERT ON queue.jobs TO queue_test_api'),
    )
    await queue.close()
  })

  test('a table of another version', async () => {
    await elsewhere.pool.query('ALTER TABLE queue.jobs RENAME COLUMN max_attempts TO tries_max')
    await expectNothingCharged(elsewhere.queue, () =>
      elsewhere.pool.query('ALTER TABLE queue.jobs RENAME COLUMN tries_max TO max_attempts'),
    )
  })
})

test('a queue that gives no answer in time charges no message', async () => {
  const [id = ''] = await world.publish(1)
  const { metrics, outcomes } = recordOutcomes()
  const holder = await elsewhere.pool.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE queue.jobs')
    const config = { ...hasty, dispatchTimeout: 50 }
    await world.relay({ target: toQueue(elsewhere.queue, routes), metrics, config })
    await eventually(() => outcomes.length >= 3)
    expect(new Set(outcomes)).toEqual(new Set(['unavailable']))
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  await eventually(async () => (await world.outbox.get(id))?.deliveredAt instanceof Date)
  const { jobs } = await elsewhere.queue.list({ kind: 'probe_job', limit: 200 })
  expect(jobs.filter((one) => one.idempotencyKey === id)).toHaveLength(1)
})

test('a queue that its application has closed is unavailable', async () => {
  await world.publish(1)
  const { messages } = await world.claim()
  const closed = createQueue({ connectionString: elsewhere.url })
  await closed.close()
  for (const message of messages) {
    const dispatched = toQueue(closed, routes).dispatch(message, context)
    await expect(dispatched).rejects.toBeInstanceOf(TargetUnavailable)
  }
  expect(messages).toHaveLength(1)
})

describe('the database error of an insert', () => {
  const raising = defineMessage({ topic: 'probe', payload: z.object({ state: z.string() }) })
  const stateful = defineJob({ kind: 'stateful', payload: z.object({ state: z.string() }) })

  beforeAll(async () => {
    await elsewhere.pool.query(`
      CREATE FUNCTION public.raise_state() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = NEW.payload->>'state'; END $$;
      CREATE TRIGGER raise_state BEFORE INSERT ON queue.jobs FOR EACH ROW EXECUTE FUNCTION public.raise_state()`)
  })
  afterAll(() => elsewhere.pool.query('DROP TRIGGER raise_state ON queue.jobs'))

  async function thrownFor(state: string): Promise<unknown> {
    await world.publish(1)
    const { messages } = await world.claim()
    const [message] = messages
    if (message === undefined) throw new Error('nothing was claimed')
    return toQueue(elsewhere.queue, [asJob(raising, stateful)])
      .dispatch({ ...message, payload: { state } }, context)
      .catch((error: unknown) => error)
  }

  test.each([
    ['08006', 'connection failure'],
    ['0A000', 'feature not supported'],
    ['25006', 'read-only transaction'],
    ['25P03', 'idle in transaction timeout'],
    ['25P04', 'transaction timeout'],
    ['26000', 'no such prepared statement'],
    ['28000', 'not let in'],
    ['3D000', 'no such database'],
    ['3F000', 'no such schema'],
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock'],
    ['42501', 'insufficient privilege'],
    ['42703', 'no such column'],
    ['42883', 'no such function'],
    ['42P01', 'no such table'],
    ['42804', 'another type'],
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['55000', 'not in the right state'],
    ['55P03', 'lock not available'],
    ['57014', 'cancelled'],
    ['57P01', 'shut down by an administrator'],
    ['58030', 'input or output error'],
    ['F0000', 'a fault of its configuration'],
    ['XX000', 'internal error'],
    ['XX001', 'corrupted data'],
  ])('%s (%s) is no fault of the message', async (state) => {
    expect(await thrownFor(state)).toBeInstanceOf(TargetUnavailable)
  })

  test.each([
    ['09000', 'a trigger does not want it'],
    ['22003', 'a number out of range'],
    ['22P02', 'a malformed value'],
    ['23502', 'a missing value'],
    ['23514', 'a violated check'],
    ['27000', 'a trigger that it would change twice'],
    ['44000', 'a violated view'],
    ['54000', 'too large'],
    ['P0001', 'an exception of a trigger'],
  ])('%s (%s) makes the message undeliverable', async (state) => {
    expect(await thrownFor(state)).toBeInstanceOf(Undeliverable)
  })
})
