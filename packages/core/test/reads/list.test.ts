import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { smallestJobIdAt } from '../../src/domain/job-id.ts'
import { type Job, jobStatuses } from '../../src/domain/job.ts'
import { listPageBytesMax, listScanRowsMax, payloadBytesMax } from '../../src/domain/limits.ts'
import { type JobPage, type ListFilter, listJobs } from '../../src/reads/list-jobs.ts'
import { claim, enqueueProbes, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { queue } = world
const newestFirst = (a: string, b: string): number => (a < b ? 1 : -1)
const idsOf = (jobs: readonly Job[]): string[] => jobs.map((job) => job.id)

/** All pages of a filter, in their order. */
async function pagesOf(filter: ListFilter): Promise<JobPage[]> {
  const pages: JobPage[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: JobPage = await queue.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page)
    cursor = page.nextCursor
  }
  return pages
}

async function listIds(filter: ListFilter): Promise<string[]> {
  return (await pagesOf(filter)).flatMap((page) => idsOf(page.jobs))
}

describe('over jobs of every state, kind, queue and tenant', () => {
  const firstMs = 1_750_000_000_000
  const stepMs = 1_000
  const total = 240
  /** One of seven jobs was created with its id, and the others up to almost an hour later. */
  const waitMs = 590_000

  async function seedEverything(): Promise<void> {
    await world.reset()
    await world.sql(
      `INSERT INTO queue.jobs (id, created_at, queue, kind, tenant_id, key, payload, status, locked_by, locked_at, finished_at)
       SELECT (left(s.id, 24) || lpad(to_hex(s.n), 12, '0'))::uuid, to_timestamp($2::float8 / 1000) + (s.n * $3 + s.n % 7 * $4) * interval '1 millisecond',
              (ARRAY['default', 'mail'])[1 + s.n % 2], (ARRAY['probe', 'other', 'third'])[1 + s.n % 3],
              (ARRAY[NULL, 'acme', 'evil', 'zoo'])[1 + (s.n / 2) % 4], (ARRAY[NULL, 'k', 'l'])[1 + (s.n / 5) % 3], '{}', s.status::queue.job_status,
              CASE WHEN s.status = 'running' THEN 'w' END, CASE WHEN s.status = 'running' THEN now() END,
              CASE WHEN s.status IN ('succeeded', 'failed_permanent', 'cancelled') THEN now() END
         FROM (SELECT n, ids.id, (ARRAY[${jobStatuses.map((status) => `'${status}'`).join(', ')}])[1 + (n / 3) % 6] AS status
                 FROM unnest($1::text[]) WITH ORDINALITY AS ids (id, n)) AS s`,
      [
        Array.from({ length: total }, (_, n) => smallestJobIdAt(firstMs + (n + 1) * stepMs)),
        firstMs,
        stepMs,
        waitMs,
      ],
    )
  }

  interface Seeded {
    readonly id: string
    readonly created_at: Date
    readonly status: Job['status']
    readonly kind: string
    readonly queue: string
    readonly tenant_id: string | null
    readonly key: string | null
  }

  const instant = fc
    .tuple(fc.integer({ min: -2, max: total + 2 }), fc.integer({ min: 0, max: 7 }))
    .map(([n, waits]) => new Date(firstMs + n * stepMs + waits * waitMs))
  const filters: fc.Arbitrary<ListFilter> = fc.record(
    {
      status: fc.constantFrom(...jobStatuses),
      kind: fc.constantFrom('probe', 'other', 'nothing'),
      queue: fc.constantFrom('default', 'mail', 'nowhere'),
      tenantId: fc.constantFrom('acme', 'evil', 'nobody'),
      key: fc.constantFrom('k', 'l', 'none'),
      createdAfter: instant,
      createdBefore: instant,
      limit: fc.constantFrom(13, 40, 200),
    },
    { requiredKeys: [] },
  )

  function expected(rows: readonly Seeded[], filter: ListFilter): string[] {
    return rows
      .filter(
        (row) =>
          (filter.status === undefined || row.status === filter.status) &&
          (filter.kind === undefined || row.kind === filter.kind) &&
          (filter.queue === undefined || row.queue === filter.queue) &&
          (filter.tenantId === undefined || row.tenant_id === filter.tenantId) &&
          (filter.key === undefined || row.key === filter.key) &&
          (filter.createdAfter === undefined || row.created_at >= filter.createdAfter) &&
          (filter.createdBefore === undefined || row.created_at < filter.createdBefore),
      )
      .map((row) => row.id)
      .toSorted(newestFirst)
  }

  test('any combination of filters gives exactly the matching jobs, newest first, whatever the page size', async () => {
    await seedEverything()
    const rows = await world.sql<Seeded>(
      'SELECT id, created_at, status::text, kind, queue, tenant_id, key FROM queue.all_jobs',
    )
    expect(rows).toHaveLength(total)
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expectedIds = expected(rows, filter)
        const limit = filter.limit ?? 50
        const pages = await pagesOf(filter)
        expect(pages.flatMap((page) => idsOf(page.jobs))).toEqual(expectedIds)
        expect(pages.slice(0, -1).every((page) => page.jobs.length === limit)).toBe(true)
      }),
      seeded('list filters', { numRuns: 120 }),
    )
  })

  test('each filter, and each pair of filters, gives exactly the matching jobs', async () => {
    await seedEverything()
    const rows = await world.sql<Seeded>(
      'SELECT id, created_at, status::text, kind, queue, tenant_id, key FROM queue.all_jobs',
    )
    const singles: ListFilter[] = [
      ...jobStatuses.map((status) => ({ status })),
      { kind: 'probe' },
      { queue: 'mail' },
      { tenantId: 'acme' },
      { key: 'k' },
      { createdAfter: new Date(firstMs + 100 * stepMs + 3 * waitMs) },
      { createdBefore: new Date(firstMs + 150 * stepMs + 4 * waitMs) },
    ]
    for (const first of singles) {
      for (const second of singles) {
        const filter = { ...first, ...second, limit: 11 }
        expect(await listIds(filter)).toEqual(expected(rows, filter))
      }
    }
  })
})

describe('pages', () => {
  beforeEach(() => world.reset())

  test('have 50 jobs by default, and a null cursor on the last one', async () => {
    await enqueueProbes(world, 60)
    const first = await queue.list()
    expect([first.jobs.length, first.nextCursor === null]).toEqual([50, false])
    const exact = await queue.list({ limit: 60 })
    expect([exact.jobs.length, exact.nextCursor]).toEqual([60, null])
    expect(await queue.list({ status: 'cancelled' })).toEqual({ jobs: [], nextCursor: null, scanned: null })
  })

  test('miss no job and repeat none while jobs are written', async () => {
    const before = await enqueueProbes(world, 40)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: JobPage = await queue.list({ limit: 7, ...(cursor === null ? {} : { cursor }) })
      seen.push(...idsOf(page.jobs))
      await enqueueProbes(world, 5)
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(before.map((job) => job.id).toSorted(newestFirst))
  })

  test('show each job as a single read does', async () => {
    const jobs = await enqueueProbes(world, 3, { tenantId: 'acme' })
    await claim(world, await newWorker(world), { limit: 1 })
    const page = await queue.list()
    expect(page.jobs).toEqual(await Promise.all(jobs.toReversed().map((job) => queue.get(job.id))))
  })
})

describe('jobs with large documents', () => {
  const count = 7

  /** Jobs of a tenant with the largest payloads allowed, which compress well. */
  async function seedLarge(): Promise<string[]> {
    await world.reset()
    const jobs = await enqueueProbes(world, count, { tenantId: 'acme' })
    await world.sql(`UPDATE queue.jobs SET payload = jsonb_build_object('text', repeat('x', $1))`, [
      payloadBytesMax - 100,
    ])
    return jobs.map((job) => job.id).toSorted(newestFirst)
  }

  test.each<[string, ListFilter]>([
    ['by id', {}],
    ['of a tenant', { tenantId: 'acme' }],
    ['of a state and a kind', { status: 'queued', kind: 'probe' }],
    ['with a limit', { limit: 3 }],
  ])('%s come in pages of a bounded size, each job once', async (_what, filter) => {
    const ids = await seedLarge()
    const pages = await pagesOf({ limit: 200, ...filter })
    const perPage = Math.min(filter.limit ?? Number.POSITIVE_INFINITY, listPageBytesMax / payloadBytesMax + 1)
    expect(pages.map((page) => page.jobs.length)).toEqual(
      Array.from({ length: Math.ceil(count / perPage) }, (_, n) => Math.min(perPage, count - n * perPage)),
    )
    expect(pages.flatMap((page) => idsOf(page.jobs))).toEqual(ids)
  })
})

describe('a filter without an index', () => {
  const rareCount = 7

  /** More jobs than two scans read, with a few jobs of the kind `rare` among the oldest. */
  async function seedMany(): Promise<void> {
    await world.reset()
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload)
       SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
              CASE WHEN n <= $2 THEN 'rare' ELSE 'probe' END, '{}' FROM generate_series(1, $1::int) AS n`,
      [2 * listScanRowsMax + 500, rareCount],
    )
  }

  test('reads a bounded number of rows for each page, and still reaches the end', async () => {
    await seedMany()
    const pages = await pagesOf({ kind: 'rare', limit: 5 })
    expect(pages.map((page) => page.jobs.length)).toEqual([0, 0, 5, 2])
    expect(pages.map((page) => page.nextCursor === null)).toEqual([false, false, false, true])
    expect(pages.flatMap((page) => idsOf(page.jobs))).toHaveLength(rareCount)
  })

  test('continues after the last row that it has read, all in one snapshot', async () => {
    await seedMany()
    let statements = 0
    const counting: QueueDatabase = {
      ...world.database,
      run: (statement) => {
        statements += 1
        return world.database.run(statement)
      },
    }
    const { nextCursor } = await listJobs(counting, { kind: 'rare' })
    const [row] = await world.sql<{ id: string }>(
      'SELECT id FROM queue.all_jobs ORDER BY id DESC OFFSET $1 LIMIT 1',
      [listScanRowsMax - 1],
    )
    expect(nextCursor).toBe(Buffer.from((row?.id ?? '').replaceAll('-', ''), 'hex').toString('base64url'))
    // Between two statements rows could come or go, and the second would see another end.
    expect(statements).toBe(1)
  })
})

describe('an invalid filter', () => {
  test.each<[string, object]>([
    ['a limit of 0', { limit: 0 }],
    ['a limit of 201', { limit: 201 }],
    ['a fraction', { limit: 1.5 }],
    ['a state that does not exist', { status: 'done' }],
    ['a kind that cannot be', { kind: 'Send E-Mail' }],
    ['a tenant without a name', { tenantId: '' }],
    ['an instant that is none', { createdAfter: new Date(Number.NaN) }],
    ['a filter that does not exist', { priority: 1 }],
  ])('%s is invalid_options', async (_what, filter) => {
    await expect(queue.list(filter as ListFilter)).rejects.toMatchObject({ code: 'invalid_options' })
  })

  test.each([
    '',
    ' ',
    'x',
    'AAAA',
    'a'.repeat(22),
    `${'a'.repeat(21)}=`,
    '../../etc',
    'é'.repeat(11),
    'A'.repeat(500),
  ])('the cursor %j is invalid_cursor, or one that a list could have returned', async (cursor) => {
    const answer = await queue.list({ cursor }).catch((error: unknown) => error)
    if (answer instanceof Error) expect(answer).toMatchObject({ code: 'invalid_cursor' })
    else expect(cursor).toMatch(/^[\w-]{22}$/)
  })

  test('instants at the ends of what a Date can hold are accepted', async () => {
    await world.reset()
    await enqueueProbes(world, 1)
    const [first, last] = [new Date(-8.64e15), new Date(8.64e15)]
    expect((await queue.list({ createdAfter: first, createdBefore: last })).jobs).toHaveLength(1)
    expect((await queue.list({ createdAfter: last })).jobs).toEqual([])
    expect((await queue.list({ createdBefore: first })).jobs).toEqual([])
  })
})
