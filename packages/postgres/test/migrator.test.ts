import { afterAll, describe, expect, test } from '@jest/globals'
import {
  connectClient,
  elapsedMs,
  pooledUrl,
  skippedBehindPooler,
  until,
  untilSomeoneWaitsFor,
} from '@queue/dev-postgres'
import type pg from 'pg'
import { conflict, lockModes } from '../src/migrator/lock-mode.ts'
import type { MigrationEvent } from '../src/migrator/step.ts'
import { nameIndex, statements, touchAll, toySchema } from './support/toy-schema.ts'
import { emptyDatabases } from './support/databases.ts'

const databases = await emptyDatabases()
afterAll(() => databases.close())

/** A database at version 1, and a session to inspect it. Runners use the pooler if the tests run behind one. */
async function openToy(): Promise<{
  readonly connectionString: string
  readonly directUrl: string
  readonly session: pg.Client
}> {
  const directUrl = await databases.create()
  const connectionString = pooledUrl(directUrl)
  await toySchema().up({ connectionString })
  return { connectionString, directUrl, session: await connectClient(directUrl) }
}

const withOwnSession = skippedBehindPooler('the time-outs of a role are for the pooler to keep')
  ? test.skip
  : test

async function rowsOf(session: pg.Client, text: string): Promise<Record<string, unknown>[]> {
  return (await session.query<Record<string, unknown>>(text)).rows
}

const versionsIn = async (session: pg.Client): Promise<unknown[]> =>
  (await rowsOf(session, 'SELECT version FROM toy.history ORDER BY version')).map(({ version }) => version)

const readIndex = (session: pg.Client) =>
  rowsOf(
    session,
    `SELECT indexrelid::int AS id, indisvalid AS valid, indisunique AS "unique" FROM pg_index
      WHERE indexrelid = to_regclass('toy.things_name_idx')`,
  )

/** Runs `work` while an open transaction prevents every index build from finishing. */
async function whileNoBuildEnds<Result>(
  directUrl: string,
  work: (builder: () => Promise<number>) => Promise<Result>,
): Promise<Result> {
  const holder = await connectClient(directUrl)
  const observer = await connectClient(directUrl)
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await holder.query('SELECT FROM toy.things LIMIT 1')
  let pid = 0
  const builder = async (): Promise<number> => {
    await until('an index is being built', async () => {
      const [row] = await rowsOf(
        observer,
        `SELECT pid FROM pg_stat_progress_create_index
          WHERE datname = current_database() AND phase LIKE 'waiting for%'`,
      )
      pid = Number(row?.['pid'] ?? 0)
      return pid > 0
    })
    return pid
  }
  try {
    return await work(builder)
  } finally {
    await holder.query('ROLLBACK')
    await holder.end()
    await observer.end()
  }
}

describe('a concurrent step', () => {
  const migrator = toySchema(nameIndex(2))

  test('builds its index, and is recorded with it; down drops it', async () => {
    const { connectionString, session } = await openToy()
    expect(await migrator.up({ connectionString })).toMatchObject({ from: 1, to: 2 })
    expect(await readIndex(session)).toMatchObject([{ valid: true, unique: false }])
    expect(await versionsIn(session)).toEqual([1, 2])
    await migrator.down({ connectionString })
    expect(await readIndex(session)).toEqual([])
    expect(await versionsIn(session)).toEqual([1])
    await session.end()
  })

  test('stands in the way of no write, however long the build has to wait', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const up = await whileNoBuildEnds(directUrl, async (builder) => {
      const running = migrator.up({ connectionString })
      await builder()
      await session.query(`SET lock_timeout = '1s'`)
      await session.query(`INSERT INTO toy.things (id, name) VALUES (1000, 'new')`)
      return { running }
    })
    expect(await up.running).toMatchObject({ to: 2 })
    await session.end()
  })

  test('whose build was killed leaves an invalid index, which the next run drops and builds anew', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const failure = await whileNoBuildEnds(directUrl, async (builder) => {
      const running = migrator.up({ connectionString }).catch((error: unknown) => error)
      await session.query('SELECT pg_terminate_backend($1)', [await builder()])
      return running
    })
    expect(failure).toMatchObject({ code: 'database_unavailable' })
    const [index] = await readIndex(session)
    expect(index).toMatchObject({ valid: false })
    expect(await versionsIn(session)).toEqual([1])
    await migrator.up({ connectionString })
    const [built] = await readIndex(session)
    expect(built).toMatchObject({ valid: true })
    expect(built?.['id']).not.toBe(index?.['id'])
    await session.end()
  })

  test('is applied once by eight runners, which wait for each other', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const events: MigrationEvent[] = []
    const onProgress = (event: MigrationEvent): void => void events.push(event)
    const runs = await whileNoBuildEnds(directUrl, async (builder) => {
      const first = migrator.up({ connectionString, onProgress })
      const pid = await builder()
      const runners = Array.from({ length: 7 }, () => migrator.up({ connectionString, onProgress }))
      await until('another runner waits', async () =>
        events.some((event) => event.type === 'waiting' && event.waitsFor === 'runner'),
      )
      // The other runners wait and do not interrupt the build.
      expect(await builder()).toBe(pid)
      return { done: Promise.all([first, ...runners]) }
    })
    expect((await runs.done).map(({ to }) => to)).toEqual(Array(8).fill(2))
    expect(events.filter(({ type }) => type === 'applied')).toHaveLength(1)
    expect(await readIndex(session)).toMatchObject([{ valid: true }])
    await session.end()
  })

  test('drops no index that another runner is about to mark as valid', async () => {
    const { connectionString, directUrl, session } = await openToy()
    await session.query('CREATE INDEX things_name_idx ON toy.things (name) WHERE name IS NOT NULL')
    const mark = (isValid: boolean) =>
      session.query(
        `UPDATE pg_index SET indisvalid = ${isValid} WHERE indexrelid = 'toy.things_name_idx'::regclass`,
      )
    const built = await readIndex(session)
    await mark(false)
    // The last transaction of a build has let go of the lock on its table before it commits.
    await session.query('BEGIN')
    await mark(true)
    const running = migrator.up({ connectionString })
    const observer = await connectClient(directUrl)
    await untilSomeoneWaitsFor(session, observer)
    await session.query('COMMIT')
    await running
    expect(await readIndex(session)).toEqual(built)
    await Promise.all([session.end(), observer.end()])
  })

  test('records an existing index with the same definition', async () => {
    const { connectionString, session } = await openToy()
    await session.query('CREATE INDEX things_name_idx ON toy.things (name) WHERE name IS NOT NULL')
    const before = await readIndex(session)
    await migrator.up({ connectionString })
    expect(await readIndex(session)).toEqual(before)
    await session.end()
  })

  test.each(['INDEX things_name_idx ON toy.things (touched)', 'TABLE toy.things_name_idx ()'])(
    'refuses another object with its name, and names both: %s',
    async (made) => {
      const { connectionString, session } = await openToy()
      await session.query(`CREATE ${made}`)
      await expect(migrator.up({ connectionString })).rejects.toMatchObject({
        code: 'migration_failed',
        message: expect.stringMatching(
          /^step 2 name-index .*things_name_idx already exists, but differs from the index/,
        ),
      })
      expect(await versionsIn(session)).toEqual([1])
      await session.end()
    },
  )

  test('that fails because of the rows is named with its statement, and leaves no index', async () => {
    const { connectionString, session } = await openToy()
    await session.query(`UPDATE toy.things SET name = 'same' WHERE id < 3`)
    await expect(toySchema(nameIndex(2, true)).up({ connectionString })).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        /^step 2 name-index has failed: could not create unique index .*23505.*CREATE UNIQUE INDEX CONCURRENTLY things_name_idx/,
      ),
    })
    expect(await readIndex(session)).toEqual([])
    await session.end()
  })

  withOwnSession('is not held to the time-outs of the role', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const url = new URL(connectionString)
    url.searchParams.set('options', '-c lock_timeout=50 -c statement_timeout=50')
    const up = await whileNoBuildEnds(directUrl, async (builder) => {
      const running = migrator.up({ connectionString: url.href })
      const pid = await builder()
      await session.query('SELECT pg_sleep(0.2)')
      expect(await builder()).toBe(pid)
      return { running }
    })
    expect(await up.running).toMatchObject({ to: 2 })
    await session.end()
  })
})

describe('a batched step', () => {
  const touchedOnce = [{ touched: 1, count: 100 }]
  const countTouched = (session: pg.Client) =>
    rowsOf(session, 'SELECT touched, count(*)::int AS count FROM toy.things GROUP BY touched')

  test('processes every row once, in transactions of limited size, and leaves no other changes', async () => {
    const { connectionString, session } = await openToy()
    const events: MigrationEvent[] = []
    await toySchema(touchAll(2, 30)).up({ connectionString, onProgress: (event) => events.push(event) })
    expect(events).toEqual([
      ...[30, 60, 90, 100].map((rows) => ({ type: 'batch', version: 2, name: 'touch-all', rows })),
      { type: 'applied', version: 2, name: 'touch-all' },
    ])
    expect(await countTouched(session)).toEqual(touchedOnce)
    expect(await rowsOf(session, `SELECT to_regclass('toy.history_progress') AS found`)).toEqual([
      { found: null },
    ])
    await session.end()
  })

  test('that was killed is gone on with behind its last batch', async () => {
    const { connectionString, session } = await openToy()
    const migrator = toySchema(touchAll(2, 10))
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE application_name = 'toy-migrate' AND datname = current_database()`
    // On a busy machine the kill may come late: without this lock the step could end before it.
    await session.query('BEGIN')
    await session.query('SELECT FROM toy.things WHERE id = 50 FOR UPDATE')
    const events: MigrationEvent[] = []
    const onProgress = (event: MigrationEvent): void => {
      events.push(event)
      if (events.length === 3) void session.query(kill)
    }
    await expect(migrator.up({ connectionString, onProgress })).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    await session.query('ROLLBACK')
    expect(await versionsIn(session)).toEqual([1])
    await migrator.up({ connectionString, onProgress })
    expect(await countTouched(session)).toEqual(touchedOnce)
    await session.end()
  })

  test('is applied by runners in turns, and no batch twice', async () => {
    const { connectionString, session } = await openToy()
    const migrator = toySchema(touchAll(2, 5))
    const events: MigrationEvent[] = []
    const onProgress = (event: MigrationEvent): void => void events.push(event)
    await Promise.all(Array.from({ length: 4 }, () => migrator.up({ connectionString, onProgress })))
    expect(await countTouched(session)).toEqual(touchedOnce)
    expect(events.filter(({ type }) => type === 'applied')).toHaveLength(1)
    await session.end()
  })

  test('waits for a transaction that has locked a row, and continues after it', async () => {
    const { connectionString, session } = await openToy()
    await session.query('BEGIN')
    await session.query('SELECT FROM toy.things WHERE id = 50 FOR UPDATE')
    const events: MigrationEvent[] = []
    const running = toySchema(touchAll(2, 10)).up({
      connectionString,
      onProgress: (event) => events.push(event),
    })
    await until('the step has given way', async () => events.some(({ type }) => type === 'waiting'))
    // It may have given way again by now.
    const givenWayAt = events.findIndex(({ type }) => type === 'waiting')
    expect(events[givenWayAt - 1]).toMatchObject({ type: 'batch', rows: 40 })
    await session.query('COMMIT')
    await running
    expect(await countTouched(session)).toEqual(touchedOnce)
    await session.end()
  })

  test('that is applied in part does not prevent reverting the step before it', async () => {
    const { connectionString, session } = await openToy()
    const failing = toySchema(statements(2), {
      ...touchAll(3),
      batch: () => 'SELECT $1::text AS cursor, $2::integer / 0 AS rows',
    } as ReturnType<typeof touchAll>)
    await expect(failing.up({ connectionString })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^step 3 touch-all has failed: division by zero.*in: SELECT \$1::text AS cursor/,
      ),
    })
    expect(await failing.down({ connectionString })).toMatchObject({ from: 2, to: 1 })
    await toySchema(statements(2), touchAll(3)).up({ connectionString })
    expect(await countTouched(session)).toEqual(touchedOnce)
    await session.end()
  })
})

describe('a transactional step', () => {
  test('that fails is named with its statement, and is not applied in part', async () => {
    const { connectionString, session } = await openToy()
    const migrator = toySchema(
      statements(
        2,
        'ALTER TABLE toy.things ADD COLUMN note text',
        'ALTER TABLE toy.things ADD COLUMN note text',
      ),
    )
    await expect(migrator.up({ connectionString })).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        /^step 2 statements has failed: column "note" .*already exists \(SQLSTATE 42701\), in: ALTER TABLE toy.things/,
      ),
    })
    expect(await versionsIn(session)).toEqual([1])
    await session.end()
  })

  test('waits for vacuum without blocking others', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const otherClient = await connectClient(directUrl)
    await session.query('BEGIN')
    // The lock of vacuum.
    await session.query('LOCK TABLE toy.things IN SHARE UPDATE EXCLUSIVE MODE')
    const running = toySchema(statements(2, 'ALTER TABLE toy.things ADD COLUMN note text')).up({
      connectionString,
    })
    await until('the step waits', async () => {
      const waiting = await rowsOf(
        otherClient,
        `SELECT mode FROM pg_locks WHERE relation = 'toy.things'::regclass AND NOT granted`,
      )
      expect(waiting.every(({ mode }) => mode === 'ShareUpdateExclusiveLock')).toBe(true)
      return waiting.length > 0
    })
    await otherClient.query(`SET lock_timeout = 1`)
    await otherClient.query(`UPDATE toy.things SET name = 'written'`)
    await session.query('COMMIT')
    expect(await running).toMatchObject({ to: 2 })
    await Promise.all([session.end(), otherClient.end()])
  })

  test('blocks others for less than half a second while it waits for a transaction', async () => {
    const { connectionString, directUrl, session } = await openToy()
    const otherClient = await connectClient(directUrl)
    await session.query('BEGIN')
    await session.query('SELECT FROM toy.things LIMIT 1')
    const running = toySchema(statements(2, 'ALTER TABLE toy.things ADD COLUMN note text')).up({
      connectionString,
    })
    const stoodMs: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      await until('the step waits for the table', async () => {
        const { rowCount } = await otherClient.query(
          `SELECT FROM pg_locks WHERE relation = 'toy.things'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`,
        )
        return rowCount === 1
      })
      stoodMs.push(
        await elapsedMs(() => otherClient.query(`UPDATE toy.things SET name = 'written' WHERE id = 1`)),
      )
    }
    await session.query('COMMIT')
    await running
    // On a busy machine some of them are later for other reasons.
    expect(Math.min(...stoodMs)).toBeLessThan(500)
    await Promise.all([session.end(), otherClient.end()])
  })
})

describe('a schema of a newer release', () => {
  const newer = toySchema(statements(2), statements(3))

  test('is left unchanged by an older release that can run on it', async () => {
    const { connectionString, session } = await openToy()
    await newer.up({ connectionString })
    const older = toySchema(statements(2))
    expect(await older.up({ connectionString })).toEqual({ schema: 'toy', from: 3, to: 3, codeVersion: 2 })
    expect(await older.status({ connectionString })).toMatchObject({ status: 'compatible' })
    expect(await older.plan({ connectionString })).toMatchObject({ steps: [], sql: '' })
    await expect(older.down({ connectionString })).rejects.toMatchObject({ code: 'schema_mismatch' })
    expect(await versionsIn(session)).toEqual([1, 2, 3])
    await session.end()
  })

  test('is refused by an older release that cannot', async () => {
    const { connectionString, session } = await openToy()
    await toySchema(statements(2), { ...statements(3), minCode: 3 }).up({ connectionString })
    const older = toySchema(statements(2))
    await expect(older.up({ connectionString })).rejects.toMatchObject({ code: 'schema_mismatch' })
    expect(await older.status({ connectionString })).toMatchObject({ status: 'newer' })
    await session.end()
  })
})

describe('the plan', () => {
  const migrator = toySchema(
    statements(2, 'ALTER TABLE toy.things ADD COLUMN note text'),
    nameIndex(3),
    touchAll(4, 30),
  )

  test('has the locks, the work and the waiting processes of each statement', async () => {
    const { connectionString, session } = await openToy()
    await session.query('ANALYZE toy.things')
    const { steps, sql } = await migrator.plan({ connectionString })
    const uses = steps.map(({ statements: all }) => all.flatMap((one) => one.uses))
    const size = { table: 'things', rows: 100, bytes: expect.any(Number) }
    expect(uses).toEqual([
      [
        {
          ...size,
          lock: 'ACCESS EXCLUSIVE',
          work: 'catalog',
          estimateMs: null,
          waits: ['writers', 'readers'],
        },
      ],
      [
        {
          ...size,
          lock: 'SHARE UPDATE EXCLUSIVE',
          work: 'concurrent index',
          estimateMs: expect.any(Number),
          waits: [],
        },
      ],
      [{ ...size, lock: 'ROW EXCLUSIVE', work: 'batches', estimateMs: expect.any(Number), waits: [] }],
    ])
    for (const part of [
      '-- 2 statements (transactional)',
      '-- ACCESS EXCLUSIVE on things (about 100 rows',
      'until the transaction ends, these wait: writers, readers',
      'SET LOCAL lock_timeout = 300',
      `pg_advisory_xact_lock(hashtextextended('toy.migrate.toy', 0))`,
      'nothing waits for it',
    ])
      expect(sql).toContain(part)
    await session.end()
  })

  test('run by hand, statement by statement, has the same result as up', async () => {
    const { connectionString, session } = await openToy()
    const { steps, sql } = await migrator.plan({ connectionString })
    const texts = steps.flatMap(({ statements: all }) => all.map((one) => one.sql))
    // The text consists of these statements in order, and comments.
    let at = 0
    for (const text of texts) {
      at = sql.indexOf(`${text.trim()};`, at)
      expect(at).toBeGreaterThanOrEqual(0)
      await session.query(text)
    }
    expect(await versionsIn(session)).toEqual([1, 2, 3, 4])
    expect(await readIndex(session)).toMatchObject([{ valid: true }])
    expect(await rowsOf(session, 'SELECT min(touched), max(touched) FROM toy.things')).toEqual([
      { min: 1, max: 1 },
    ])
    expect((await migrator.plan({ connectionString })).sql).toBe('')
    await session.end()
  })

  test('drops invalid indexes of interrupted builds, and no valid ones', async () => {
    const { connectionString, session } = await openToy()
    await session.query(`UPDATE toy.things SET name = 'same'`)
    await session
      .query('CREATE UNIQUE INDEX CONCURRENTLY things_name_idx ON toy.things (name)')
      .catch(() => undefined)
    expect(await readIndex(session)).toMatchObject([{ valid: false }])
    const toyWithIndex = toySchema(nameIndex(2))
    const { steps } = await toyWithIndex.plan({ connectionString })
    for (const { sql } of steps.flatMap(({ statements: all }) => all)) await session.query(sql)
    expect(await readIndex(session)).toMatchObject([{ valid: true, unique: false }])
    await session.end()
  })
})

test('the table of conflicting locks is that of PostgreSQL', async () => {
  const { directUrl, session } = await openToy()
  const otherClient = await connectClient(directUrl)
  for (const heldLock of lockModes) {
    await session.query('BEGIN')
    await session.query(`LOCK TABLE toy.things IN ${heldLock} MODE`)
    for (const wantedLock of lockModes) {
      await otherClient.query('BEGIN')
      const refused = await otherClient.query(`LOCK TABLE toy.things IN ${wantedLock} MODE NOWAIT`).then(
        () => false,
        () => true,
      )
      await otherClient.query('ROLLBACK')
      expect([heldLock, wantedLock, refused]).toEqual([heldLock, wantedLock, conflict(heldLock, wantedLock)])
    }
    await session.query('ROLLBACK')
  }
  await Promise.all([session.end(), otherClient.end()])
})
