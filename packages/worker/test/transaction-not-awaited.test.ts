import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { PgClient } from '@queue/core'
import { type ExecutionContext, Snooze } from '@queue/executor'
import { eventually, startDatabaseProxy } from '@queue/test-database'
import type pg from 'pg'
import { type TestHandler, useWorld } from './support/world.ts'

const world = useWorld()
const commitLock = 4_712

beforeAll(async () => {
  await world.database.pool.query(`
    CREATE TABLE effects (job_id uuid NOT NULL, attempt int NOT NULL, refused boolean NOT NULL DEFAULT false);
    GRANT ALL ON effects TO PUBLIC;
    CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${commitLock});
      IF NEW.refused THEN RAISE 'refused at the commit'; END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON effects
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`)
})

beforeEach(async () => {
  await world.database.pool.query('TRUNCATE effects')
})

async function effects(): Promise<number[]> {
  const { rows } = await world.database.pool.query('SELECT attempt FROM effects ORDER BY attempt')
  return rows.map((row) => row.attempt)
}

/** The table to which handlers write in the transaction of their job. */
async function writeEffect(
  tx: PgClient,
  job: { readonly id: string },
  { attempt }: ExecutionContext<PgClient>,
): Promise<void> {
  await tx.query('INSERT INTO effects VALUES ($1, $2)', [job.id, attempt])
}

/** A write that is refused at the COMMIT. */
async function writeRefused(
  tx: PgClient,
  job: { readonly id: string },
  { attempt }: ExecutionContext<PgClient>,
): Promise<void> {
  await tx.query('INSERT INTO effects VALUES ($1, $2, true)', [job.id, attempt])
}

const never = new Promise<never>(() => undefined)

/** Runs `act` while a session holds the locks of the statement `text`. `awaited` resolves when another session waits for them. */
async function whileHeld(
  text: string,
  act: (awaited: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const holder = await world.database.pool.connect()
  try {
    const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
    await holder.query('BEGIN')
    await holder.query(text)
    const isAwaited = async (): Promise<boolean> => {
      const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))'
      return ((await world.database.pool.query(waiting, [rows[0].pid])).rowCount ?? 0) > 0
    }
    await act(() => eventually(isAwaited, { what: `that somebody waits for: ${text}` }))
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

/** Runs one job with this handler until it has ended. */
async function runOnce(handler: TestHandler): Promise<string> {
  await world.work(handler)
  return world.enqueue({ maxAttempts: 1 })
}

async function expectNotAwaited(id: string): Promise<void> {
  expect(await world.reached(id, 'failed_permanent')).toMatchObject({
    lastError: expect.stringContaining('await ctx.transaction'),
  })
  expect(await world.history(id)).toEqual(['failed'])
  expect(await effects()).toEqual([])
}

describe('a transaction that is open when its handler ends is rolled back, and the attempt fails:', () => {
  test('before it has begun', async () => {
    const id = await runOnce((job, ctx) => {
      void ctx.transaction((tx) => writeEffect(tx, job, ctx))
    })
    await expectNotAwaited(id)
  })

  test('while its BEGIN is on its way', async () => {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const silent = proxy.silenceAt('before', 'BEGIN')
      const settings = { connectionString: proxy.url, queryTimeoutMs: 2_000 }
      await world.work(async (job, ctx) => {
        void ctx.transaction((tx) => writeEffect(tx, job, ctx))
        await silent
      }, settings)
      await expectNotAwaited(await world.enqueue({ maxAttempts: 1 }))
    } finally {
      proxy.cut()
      proxy.restore()
      await proxy.close()
    }
  })

  test('between two statements', async () => {
    const written = Promise.withResolvers<void>()
    const id = await runOnce(async (job, ctx) => {
      void ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        written.resolve()
        await never
      })
      await written.promise
    })
    await expectNotAwaited(id)
  })

  test('in a statement', () =>
    whileHeld('LOCK TABLE effects', async (awaited) => {
      const id = await runOnce(async (job, ctx) => {
        void ctx.transaction((tx) => writeEffect(tx, job, ctx))
        await awaited()
      })
      await world.reached(id, 'failed_permanent')
    }).then(async () => expect(await effects()).toEqual([])))

  test('in the statement that ends the attempt', async () => {
    const started = Promise.withResolvers<string>()
    const gate = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const worker = await world.work(async (job, ctx) => {
      started.resolve(job.id)
      await gate.promise
      void ctx.transaction((tx) => writeEffect(tx, job, ctx))
      await left.promise
    })
    const id = await world.enqueue({ maxAttempts: 1 })
    await started.promise
    await whileHeld(`SELECT FROM queue.jobs WHERE id = '${id}' FOR UPDATE`, async (awaited) => {
      gate.resolve()
      await awaited()
      left.resolve()
      await eventually(() => worker.running === 0)
    })
    await expectNotAwaited(id)
  })

  test('at its COMMIT, where that is refused', async () => {
    await expectNotAwaited(await endAmidCommit(writeRefused))
  })
})

/** Runs a job whose handler ends while the COMMIT of its transaction is in flight. */
async function endAmidCommit(write: typeof writeEffect): Promise<string> {
  const called = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  let id = ''
  await whileHeld(`SELECT pg_advisory_xact_lock(${commitLock})`, async (awaited) => {
    id = await runOnce(async (job, ctx) => {
      void ctx.transaction((tx) => write(tx, job, ctx))
      called.resolve()
      await left.promise
    })
    await called.promise
    await awaited()
    left.resolve()
    await eventually(() => world.observer.reports('activeJobs').at(-1) === 0)
  })
  return id
}

test('a transaction whose COMMIT is on its way when its handler ends, and takes effect, has ended the attempt', async () => {
  const id = await endAmidCommit(writeEffect)
  await world.reached(id, 'succeeded')
  expect(await world.history(id)).toEqual(['succeeded'])
  expect(await effects()).toEqual([1])
})

describe('a transaction that has failed before its handler ends', () => {
  const statements: [string, (tx: PgClient) => Promise<unknown>][] = [
    ['its SQL', (tx) => tx.query('SELECT 1 / 0')],
    ['its backend', (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())')],
    ['its function', () => Promise.reject(new Error('not this time'))],
  ]

  test.each(statements)('because of %s fails the attempt, if nobody has awaited it', async (_what, fail) => {
    const id = await runOnce(async (job, ctx) => {
      const over = Promise.withResolvers<void>()
      void ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        await fail(tx).finally(() => over.resolve())
      })
      await over.promise
      await new Promise((resolve) => setImmediate(resolve))
    })
    await expectNotAwaited(id)
  })

  test.each(statements)(
    'because of %s leaves it to the handler that has heard of it',
    async (_what, fail) => {
      const id = await runOnce(async (job, ctx) => {
        try {
          await ctx.transaction(async (tx) => {
            await writeEffect(tx, job, ctx)
            await fail(tx)
          })
          return 'written'
        } catch {
          return 'not needed'
        }
      })
      expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'not needed' })
      expect(await effects()).toEqual([])
    },
  )
})

describe('a handler that does not succeed while its transaction is open ends as it says, and nothing is written:', () => {
  test.each<[string, () => Promise<never>, object]>([
    [
      'it throws',
      () => Promise.reject(new Error('its own error')),
      { status: 'failed_permanent', lastError: expect.stringContaining('its own error') },
    ],
    ['it is put off', () => Promise.reject(new Snooze(60_000)), { status: 'retrying', attempts: 0 }],
  ])('%s', async (_what, end, state) => {
    const id = await runOnce(async (job, ctx) => {
      const written = Promise.withResolvers<void>()
      const writing = ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        written.resolve()
        await never
      })
      await Promise.all([writing, written.promise.then(end)])
    })
    await world.reached(id, 'failed_permanent', 'retrying')
    expect(await world.job(id)).toMatchObject(state)
    expect(await effects()).toEqual([])
  })
})

describe('ctx.transaction after the end of the attempt', () => {
  async function lateContext(handler: TestHandler = () => 'done') {
    const given = Promise.withResolvers<Parameters<TestHandler>>()
    const id = await runOnce(async (job, ctx) => {
      given.resolve([job, ctx])
      return handler(job, ctx)
    })
    await world.reached(id, 'succeeded', 'failed_permanent')
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    return given.promise
  }

  test('is refused, and nothing is written', async () => {
    const [job, ctx] = await lateContext()
    await expect(ctx.transaction((tx) => writeEffect(tx, job, ctx))).rejects.toThrow(/await ctx\.transaction/)
    expect(await effects()).toEqual([])
    expect(await world.job(job.id)).toMatchObject({ status: 'succeeded', result: 'done' })
    expect(await world.history(job.id)).toEqual(['succeeded'])
  })

  test('is in the log, and leaves the process alone, where nobody awaits it', async () => {
    const [job, ctx] = await lateContext()
    void ctx.transaction((tx) => writeEffect(tx, job, ctx))
    await eventually(() => world.logger.lines.some(({ message }) => message.includes('ctx.transaction')))
    expect(await effects()).toEqual([])
  })
})

describe('the client of a transaction', () => {
  test('is of no use any more after its end, so that nothing is written beside it', async () => {
    const late = Promise.withResolvers<unknown>()
    const id = await runOnce(async (job, ctx) => {
      let kept: PgClient | undefined
      await ctx.transaction(async (tx) => {
        kept = tx
      })
      await writeEffect(kept as PgClient, job, ctx).catch(late.resolve)
    })
    expect(await late.promise).toMatchObject({ message: expect.stringContaining('await every statement') })
    await world.reached(id, 'succeeded')
    expect(await effects()).toEqual([])
  })

  test('tells a callback too, and a statement that nobody waits for leaves the process alone', async () => {
    const late = Promise.withResolvers<unknown>()
    await runOnce(async (_job, ctx) => {
      let kept: PgClient | undefined
      await ctx.transaction(async (tx) => {
        kept = tx
      })
      void kept?.query('SELECT 1')
      ;(kept as pg.ClientBase).query('SELECT 1', (error) => late.resolve(error))
    })
    expect(await late.promise).toMatchObject({ message: expect.stringContaining('await every statement') })
  })

  test('takes a statement that nobody waits for as a part of it, if it comes before the end', async () => {
    const id = await runOnce((job, ctx) =>
      ctx.transaction(async (tx) => {
        void writeEffect(tx, job, ctx)
      }),
    )
    await world.reached(id, 'succeeded')
    expect(await effects()).toEqual([1])
  })

  test('of a handler that never comes back to it does not use up the connections', async () => {
    await world.work(
      async (job, ctx) => {
        if (job.priority === 0) void ctx.transaction(() => never)
        else await ctx.transaction((tx) => writeEffect(tx, job, ctx))
      },
      { concurrency: 1 },
    )
    for (let n = 0; n < 3; n += 1)
      await world.reached(await world.enqueue({ priority: 0, maxAttempts: 1 }), 'failed_permanent')
    await world.reached(await world.enqueue(), 'succeeded')
    expect(await effects()).toEqual([1])
  })
})
