import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { PgClient } from '@queue/core'
import type pg from 'pg'
import type { ExecutionContext } from '@queue/executor'
import { type DatabaseProxy, eventually, startDatabaseProxy } from '@queue/test-database'
import { type Settings, testRoles, useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  await world.database.pool.query(`CREATE TABLE effects (job_id uuid NOT NULL, attempt int NOT NULL);
    GRANT ALL ON effects TO PUBLIC`)
})

beforeEach(async () => {
  await world.database.pool.query('TRUNCATE effects')
})

async function effects(): Promise<number[]> {
  const { rows } = await world.database.pool.query('SELECT attempt FROM effects ORDER BY attempt')
  return rows.map((row) => row.attempt)
}

/** The table to which handlers write in the transaction of their job. */
async function writeEffect(tx: PgClient, job: { readonly id: string }, ctx: ExecutionContext): Promise<void> {
  await tx.query('INSERT INTO effects VALUES ($1, $2)', [job.id, ctx.attempt])
}

async function isLockAwaited(observer: pg.PoolClient): Promise<boolean> {
  const { rows } = await observer.query(
    "SELECT FROM pg_locks WHERE NOT granted AND relation = 'effects'::regclass",
  )
  return rows.length > 0
}

async function takeOver(id: string): Promise<void> {
  await world.database.pool.query(`UPDATE queue.jobs SET lease_token = lease_token + 1 WHERE id = $1`, [id])
}

describe("a handler's transaction", () => {
  test('commits its writes and the end of the attempt together, with what it returned', async () => {
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        return { written: 1 }
      }),
    )
    const id = await world.enqueue()
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: { written: 1 }, attempts: 1 })
    expect(await effects()).toEqual([1])
    expect(await world.history(id)).toEqual(['succeeded'])
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    expect(world.observer.reports('jobCompleted')[0]?.outcome).toBe('succeeded')
  })

  test.each<[string, unknown, unknown, object]>([
    ['nothing, and the handler another value', undefined, { late: 1 }, { result: null, lastError: null }],
    ['a value, and the handler another one', 1, 2, { result: 1, lastError: null }],
    [
      'what is not JSON',
      1n,
      undefined,
      {
        result: null,
        lastError: 'the job succeeded; its result cannot be written as JSON, and was not kept',
      },
    ],
  ])('stores what its function returned: %s', async (...[, inside, after, stored]) => {
    await world.work(async (_job, ctx) => {
      await ctx.transaction(async () => inside)
      return after
    })
    const id = await world.enqueue()
    expect(await world.reached(id, 'succeeded')).toMatchObject({ ...stored, attempts: 1 })
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    const warnings = world.logger.lines.filter(({ fields }) => fields['code'] === 'result_after_transaction')
    expect(warnings).toHaveLength(after === undefined ? 0 : 1)
  })

  test('names the tenant of its job to the transaction, and none where it has none', async () => {
    await world.work((_job, ctx) =>
      ctx.transaction(async (tx) => {
        const { rows } = await tx.query(`SELECT nullif(current_setting('queue.tenant', true), '') AS tenant`)
        return rows[0]
      }),
    )
    for (const tenantId of [`a "tenant's" \\ name`, null]) {
      const id = await world.enqueue(tenantId === null ? {} : { tenantId })
      expect(await world.reached(id, 'succeeded')).toMatchObject({ result: { tenant: tenantId } })
    }
  })

  testRoles('lets policies of your own go by the tenant of its job', async () => {
    await world.database.pool.query(`CREATE TABLE notes (tenant text NOT NULL);
      ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON notes USING (tenant = current_setting('queue.tenant', true));
      GRANT ALL ON notes TO PUBLIC`)
    await world.work((job, ctx) =>
      ctx.transaction((tx) => tx.query('INSERT INTO notes VALUES ($1)', [job.tenantId ?? 'nobody'])),
    )
    await world.reached(await world.enqueue({ tenantId: 'acme' }), 'succeeded')
    // With these policies, a job without a tenant cannot write.
    const none = await world.enqueue({ maxAttempts: 1 })
    expect(await world.reached(none, 'failed_permanent')).toMatchObject({
      lastError: expect.stringContaining('row-level security'),
    })
  })

  test('ends the attempt at the instant of its end, and not of its beginning', async () => {
    const before = Promise.withResolvers<number>()
    await world.work((_job, ctx) =>
      ctx.transaction(async (tx) => {
        await tx.query('SELECT pg_sleep(0.005)')
        const { rows } = await tx.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms')
        before.resolve(Math.floor(rows[0].ms))
      }),
    )
    const { id, finishedAt, updatedAt } = await world.reached(await world.enqueue(), 'succeeded')
    expect(finishedAt?.getTime()).toBeGreaterThanOrEqual(await before.promise)
    expect(updatedAt).toEqual(finishedAt)
    const [execution] = (await world.database.queue.executions(id)) ?? []
    expect(execution?.finishedAt).toEqual(finishedAt)
  })

  test('is rolled back when it throws, and the job is retried', async () => {
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        if (ctx.attempt === 1) throw new Error('not this time')
      }),
    )
    const id = await world.enqueue()
    await world.reached(id, 'succeeded')
    expect(await effects()).toEqual([2])
    expect(await world.history(id)).toEqual(['failed', 'succeeded'])
  })

  test.each([
    'BEGIN',
    ' start  transaction isolation level serializable',
    'COMMIT',
    'end',
    'ABORT',
    'rollback;',
    'ROLLBACK TRANSACTION',
    "PREPARE TRANSACTION 'x'",
    '/* by a library */ -- and\n COMMIT',
    'SELECT 1; COMMIT; BEGIN',
    '/* a /* nested */ comment */ COMMIT',
    ';;commit',
    `SELECT 'it''s; ' AS ";" /* ; */; -- ;\n end`,
    "SELECT E'\\'; ', $a$;'$a$, $$;$$; rollback",
  ])('refuses a statement that begins or ends a transaction, and writes nothing: %s', async (text) => {
    const statements: readonly (string | pg.QueryConfig)[] = [text, { text }]
    for (const statement of statements) {
      await world.work((job, ctx) =>
        ctx.transaction(async (tx) => {
          await writeEffect(tx, job, ctx)
          await tx.query(statement as string)
        }),
      )
      const id = await world.enqueue({ maxAttempts: 1 })
      const { lastError } = await world.reached(id, 'failed_permanent')
      expect(lastError).toContain('send no BEGIN, COMMIT or ROLLBACK')
      expect(await effects()).toEqual([])
    }
  })

  test('sends savepoints, and is not ended by a release of its client', async () => {
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        await tx.query('SAVEPOINT a')
        await writeEffect(tx, job, ctx)
        await tx.query('ROLLBACK TO a')
        await tx.query('ROLLBACK TRANSACTION TO SAVEPOINT a')
        await tx.query('RELEASE a')
        await tx.query(
          'SELECT \'; COMMIT\', $a$ ; COMMIT $a$, 1 AS "; COMMIT" -- ; COMMIT\n; /* ; COMMIT */ SELECT 2;',
        )
        await tx.query('/* ends nothing */ SAVEPOINT commit; ROLLBACK /* not all */ TO commit')
        tx.release()
        await tx.query({ text: 'UPDATE effects SET attempt = 5' })
      }),
    )
    const id = await world.enqueue({ maxAttempts: 1 })
    await world.reached(id, 'succeeded')
    expect(await effects()).toEqual([5])
  })

  test('refuses that its client becomes the configuration of a pool', async () => {
    await world.work((_job, ctx) => ctx.transaction(async (tx) => Object.keys({ ...tx })))
    const id = await world.enqueue({ maxAttempts: 1 })
    const { lastError } = await world.reached(id, 'failed_permanent')
    expect(lastError).toContain('cannot be the configuration of a pool')
  })

  test('is READ COMMITTED, whatever the default of the database is', async () => {
    await world.database.pool.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()); END $$`,
    )
    try {
      await world.work((_job, ctx) =>
        ctx.transaction(async (tx) => (await tx.query('SHOW transaction_isolation')).rows[0]),
      )
      const id = await world.enqueue()
      expect(await world.reached(id, 'succeeded')).toMatchObject({
        result: { transaction_isolation: 'read committed' },
      })
    } finally {
      await world.database.pool.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_isolation', current_database()); END $$`,
      )
    }
  })

  test('that PostgreSQL cannot serialize is done once more, without a charge', async () => {
    let runs = 0
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        runs += 1
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
        await tx.query('SELECT FROM effects')
        // Another transaction changes the row after the snapshot of the first run.
        if (runs === 1) await world.database.pool.query('UPDATE effects SET attempt = attempt + 1')
        await tx.query('UPDATE effects SET attempt = attempt + 10')
        return { runs, id: job.id }
      }),
    )
    await world.database.pool.query('INSERT INTO effects VALUES (gen_random_uuid(), 100)')
    const id = await world.enqueue({ maxAttempts: 1 })
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: { runs: 2, id }, attempts: 1 })
    expect(await effects()).toEqual([111])
    expect(await world.history(id)).toEqual(['succeeded'])
  })

  test('that PostgreSQL can never serialize fails the attempt at last', async () => {
    let runs = 0
    await world.work((_job, ctx) =>
      ctx.transaction(async (tx) => {
        runs += 1
        await tx.query(`DO $$ BEGIN RAISE serialization_failure; END $$`)
      }),
    )
    const id = await world.enqueue({ maxAttempts: 1 })
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({ attempts: 1 })
    expect(runs).toBe(8)
  })

  test('is rolled back when its SQL fails, although the handler hides the error', async () => {
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        await tx.query('SELECT 1 / 0').catch(() => undefined)
      }),
    )
    const id = await world.enqueue({ maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    expect(await effects()).toEqual([])
  })

  test('is rolled back when the job was taken over meanwhile', async () => {
    const written = Promise.withResolvers<string>()
    const gate = Promise.withResolvers<void>()
    const rejected = Promise.withResolvers<unknown>()
    await world.work(
      (job, ctx) =>
        ctx
          .transaction(async (tx) => {
            await writeEffect(tx, job, ctx)
            written.resolve(job.id)
            await gate.promise
          })
          .catch((error: unknown) => {
            rejected.resolve(error)
            throw error
          }),
      { watchIntervalMs: 3_600_000 },
    )
    const id = await world.enqueue()
    await takeOver(await written.promise)
    gate.resolve()
    expect(await rejected.promise).toMatchObject({ name: 'AttemptAborted', reason: 'lease_lost' })
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    expect(world.observer.reports('jobCompleted')[0]?.outcome).toBe('lost')
    expect(await effects()).toEqual([])
    expect((await world.job(id)).status).toBe('running')
  })

  test('is rolled back when the attempt was told to stop before its end', async () => {
    await world.work(async (job, ctx) => {
      await ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        await world.database.queue.cancel(job.id)
        await eventually(() => ctx.signal.aborted)
      })
    })
    await world.reached(await world.enqueue(), 'cancelled')
    expect(await effects()).toEqual([])
  })

  test('whose statement waits does not keep the handler when the attempt is told to stop', async () => {
    const blocker = await world.database.pool.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE effects')
      const heard = Promise.withResolvers<unknown>()
      const worker = await world.work(async (job, ctx) => {
        await ctx
          .transaction((tx) => writeEffect(tx, job, ctx))
          .catch((error: unknown) => {
            heard.resolve(error)
            throw error
          })
      })
      const id = await world.enqueue()
      await eventually(() => isLockAwaited(blocker))
      await world.database.queue.cancel(id)
      expect(await heard.promise).toMatchObject({ name: 'AttemptAborted', reason: 'cancelled' })
      await world.reached(id, 'cancelled')
      await eventually(() => worker.running === 0)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
    expect(await effects()).toEqual([])
  })

  test('can be had once in an attempt', async () => {
    const second = Promise.withResolvers<unknown>()
    await world.work(async (job, ctx) => {
      await ctx.transaction((tx) => writeEffect(tx, job, ctx))
      await ctx.transaction((tx) => writeEffect(tx, job, ctx)).catch(second.resolve)
    })
    await world.reached(await world.enqueue(), 'succeeded')
    expect(await second.promise).toMatchObject({ message: expect.stringContaining('once per attempt') })
    expect(await effects()).toEqual([1])
  })

  test('has ended the job: what the handler throws afterwards changes nothing', async () => {
    await world.work(async (job, ctx) => {
      await ctx.transaction((tx) => writeEffect(tx, job, ctx))
      throw new Error('too late to fail')
    })
    const id = await world.enqueue()
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    expect(world.observer.reports('jobCompleted')[0]?.outcome).toBe('succeeded')
    const warnings = world.logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
    expect(warnings).toEqual(['the job has succeeded, and its handler failed afterwards'])
    expect(await world.job(id)).toMatchObject({ status: 'succeeded', attempts: 1, lastError: null })
    expect(await world.history(id)).toEqual(['succeeded'])
  })

  test('does not make the handler that goes on afterwards hear that it has lost its job', async () => {
    const committed = Promise.withResolvers<AbortSignal>()
    const gate = Promise.withResolvers<void>()
    await world.work(async (job, ctx) => {
      if (job.priority === 0) {
        await eventually(() => ctx.signal.aborted)
        throw ctx.signal.reason
      }
      await ctx.transaction((tx) => writeEffect(tx, job, ctx))
      committed.resolve(ctx.signal)
      await gate.promise
    })
    await world.enqueue()
    const signal = await committed.promise
    // All running jobs are checked together. When this one gets its cancellation, the first was checked too.
    const cancelled = await world.enqueue({ priority: 0 })
    await world.reached(cancelled, 'running')
    await world.database.queue.cancel(cancelled)
    await world.reached(cancelled, 'cancelled')
    expect(signal.aborted).toBe(false)
    gate.resolve()
  })

  test('is refused to a handler whose attempt has ended', async () => {
    const late = Promise.withResolvers<unknown>()
    const gate = Promise.withResolvers<void>()
    await world.work(async (job, ctx) => {
      await gate.promise
      await ctx.transaction((tx) => writeEffect(tx, job, ctx)).then(late.resolve, late.resolve)
    })
    const id = await world.enqueue({ timeoutMs: 20, maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    gate.resolve()
    expect(await late.promise).toMatchObject({ name: 'AttemptAborted' })
    expect(await effects()).toEqual([])
  })

  test('of a handler that lost its connection is rolled back, and the job is retried', async () => {
    await world.work((job, ctx) =>
      ctx.transaction(async (tx) => {
        await writeEffect(tx, job, ctx)
        if (ctx.attempt > 1) return
        const { rows } = await tx.query('SELECT pg_backend_pid() AS pid')
        await world.database.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
      }),
    )
    const id = await world.enqueue()
    await world.reached(id, 'succeeded')
    expect(await effects()).toEqual([2])
  })

  test('of every handler at once leaves the runtime its connections', async () => {
    const all = Promise.withResolvers<void>()
    let open = 0
    const concurrency = 6
    await world.work(
      (job, ctx) =>
        ctx.transaction(async (tx) => {
          await writeEffect(tx, job, ctx)
          open += 1
          if (open === concurrency) all.resolve()
          await all.promise
        }),
      { concurrency, poolMax: 2 },
    )
    const ids = await Promise.all(Array.from({ length: concurrency }, () => world.enqueue()))
    for (const id of ids) await world.reached(id, 'succeeded')
    expect(await effects()).toHaveLength(concurrency)
  })
})

describe("the connection of a handler's transaction", () => {
  const quick = { queryTimeoutMs: 1_000, leaseMs: 30_000, heartbeatMs: 300 } as const
  /** The point at which the test waits. */
  const shortLease = { leaseMs: 6_000 } as const

  async function throughProxy(
    act: (proxy: DatabaseProxy, settings: Settings) => Promise<void>,
  ): Promise<void> {
    const proxy = await startDatabaseProxy(world.database.url)
    try {
      await act(proxy, { ...quick, connectionString: proxy.url })
    } finally {
      proxy.cut()
      proxy.restore()
      await proxy.close()
    }
  }

  async function outcomes(count: number): Promise<string[]> {
    await eventually(() => world.observer.reports('jobCompleted').length === count)
    return world.observer.reports('jobCompleted').map((report) => report.outcome)
  }

  test.each(['falls silent', 'breaks'])(
    'that %s after the COMMIT was sent changes nothing of it: the attempt is recorded as succeeded',
    (how) =>
      throughProxy(async (proxy, settings) => {
        const heard = Promise.withResolvers<unknown>()
        await world.work(
          (job, ctx) =>
            ctx
              .transaction((tx) => writeEffect(tx, job, ctx))
              .catch((error: unknown) => {
                heard.resolve(error)
                throw error
              }),
          settings,
        )
        const silent = proxy.silenceAt('after', 'COMMIT\0')
        const id = await world.enqueue()
        await silent
        await world.reached(id, 'succeeded')
        if (how === 'breaks') proxy.cut()
        expect(await heard.promise).toMatchObject({ code: 'database_unavailable' })
        expect(await outcomes(1)).toEqual(['succeeded'])
        expect(await effects()).toEqual([1])
        expect(await world.history(id)).toEqual(['succeeded'])
      }),
  )

  test.each([
    ['tells', true],
    ['hides', false],
  ] as const)(
    'that falls silent before the COMMIT is sent fails the attempt, once its lease is over, if the handler %s it or not',
    (_what, tells) =>
      throughProxy(async (proxy, settings) => {
        await world.work(
          (job, ctx) =>
            ctx
              .transaction((tx) => writeEffect(tx, job, ctx))
              .catch((error: unknown) => {
                if (tells) throw error
              }),
          { ...settings, ...shortLease },
        )
        const silent = proxy.silenceAt('before', 'COMMIT\0')
        const id = await world.enqueue()
        await silent
        await world.reached(id, 'succeeded')
        // Waiting for the reply of the failure may take longer than the next attempt.
        expect((await outcomes(2)).toSorted()).toEqual(['retrying', 'succeeded'])
        expect(await effects()).toEqual([2])
        expect(await world.history(id)).toEqual(['failed', 'succeeded'])
      }),
  )

  test('that falls silent before the fence fails the attempt', () =>
    throughProxy(async (proxy, settings) => {
      await world.work(
        (job, ctx) =>
          ctx.transaction(async (tx) => {
            await writeEffect(tx, job, ctx)
            if (ctx.attempt === 1) proxy.freeze()
          }),
        settings,
      )
      const id = await world.enqueue()
      await world.reached(id, 'succeeded')
      expect(await world.history(id)).toEqual(['failed', 'succeeded'])
      expect(await effects()).toEqual([2])
    }))

  test('that has died while it was idle is replaced, and so are its neighbours: no attempt is charged', () =>
    throughProxy(async (proxy, settings) => {
      const concurrency = 3
      let open = 0
      let all = Promise.withResolvers<void>()
      await world.work(
        (job, ctx) =>
          ctx.transaction(async (tx) => {
            await writeEffect(tx, job, ctx)
            open += 1
            if (open === concurrency) all.resolve()
            await all.promise
          }),
        { ...settings, concurrency },
      )
      const inAll = async (): Promise<void> => {
        const ids = await Promise.all(Array.from({ length: concurrency }, () => world.enqueue()))
        for (const id of ids) await world.reached(id, 'succeeded')
      }
      await inAll()
      open = 0
      all = Promise.withResolvers<void>()
      proxy.freeze()
      await inAll()
      expect(await effects()).toEqual([1, 1, 1, 1, 1, 1])
    }))

  test('is not cut off from a statement of the handler, however long that takes', async () => {
    await world.work(
      (job, ctx) =>
        ctx.transaction(async (tx) => {
          await tx.query('SELECT pg_sleep(1.2)')
          await writeEffect(tx, job, ctx)
          await new Promise((resolve) => setTimeout(resolve, 1_200))
        }),
      quick,
    )
    const id = await world.enqueue()
    expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1 })
    expect(await effects()).toEqual([1])
  })

  test('that a statement nobody waited for has spoilt after the fence fails the attempt', async () => {
    await world.work(
      (job, ctx) =>
        ctx.transaction(async (tx) => {
          await writeEffect(tx, job, ctx)
          if (ctx.attempt > 1) return
          // Twice before the COMMIT the client has nothing to send: after the limit of its wait, and after the fence. The
          // client of the handler no longer sends statements by then, but the connection itself does.
          let drained = 0
          ;(tx as pg.ClientBase).on('drain', function (this: pg.ClientBase) {
            drained += 1
            if (drained === 2) this.query('SELECT 1 / 0').catch(() => undefined)
          })
        }),
      quick,
    )
    const id = await world.enqueue()
    expect(await world.reached(id, 'succeeded')).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining('a statement in it has failed'),
    })
    expect(await effects()).toEqual([2])
  })
})
