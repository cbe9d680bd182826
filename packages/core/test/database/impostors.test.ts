import { afterAll, expect, test } from '@jest/globals'
import { createQueue } from '../../src/facade/queue.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())

test('no session of the queue calls a function that others have created in the search path', async () => {
  for (const type of ['text', 'uuid', 'integer', 'smallint', 'bigint', 'double precision', 'jsonb']) {
    await world.sql(`CREATE FUNCTION public.unnest(${type}[]) RETURNS SETOF ${type} LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'an impostor was called'; END $$`)
  }
  // They work: an unqualified call reaches them.
  await expect(world.sql(`SELECT unnest('{a}'::text[])`)).rejects.toThrow('an impostor was called')
  await world.sql(`CREATE FUNCTION public.times(double precision, integer) RETURNS double precision LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'an impostor was called'; END $$;
    CREATE OPERATOR public.* (LEFTARG = double precision, RIGHTARG = integer, FUNCTION = public.times)`)
  await expect(world.sql('SELECT 2::float8 * 3')).rejects.toThrow('an impostor was called')
  const queue = createQueue({ connectionString: world.url })
  // In a caller's session the impostors stay in the search path.
  const client = await world.session()
  try {
    const jobs = await queue.enqueueMany([
      probe.create({ n: 1 }),
      probe.create({ n: 2 }, { key: 'k', idempotencyKey: 'i', metadata: { of: 'a' } }),
      probe.create({ n: 3 }, { unique: { key: 'u', scope: 'live', onConflict: 'refuse' } }),
    ])
    const ids = jobs.map(({ job }) => job.id)
    expect(await queue.states(ids)).toHaveLength(3)
    await client.query('BEGIN')
    await queue.enqueueMany(
      [
        probe.create({ n: 4 }, { delayMs: 1_000, expiresInMs: 60_000 }),
        probe.create({ n: 5 }, { key: 'k', idempotencyKey: 'j', metadata: { of: 'a' } }),
        probe.create({ n: 6 }, { unique: { key: 'w', scope: 'live', onConflict: 'refuse' } }),
      ],
      { transaction: client },
    )
    await client.query('COMMIT')
    expect((await queue.list({})).jobs).toHaveLength(6)
    await queue.cancel(ids[0] ?? '')
    const worker = await newWorker({ database: databaseOf(queue) })
    expect(await claim({ database: databaseOf(queue) }, worker, { limit: 6 })).not.toEqual([])
  } finally {
    await queue.close()
    await world.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  }
})
