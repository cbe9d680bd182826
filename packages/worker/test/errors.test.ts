import { describe, expect, test } from '@jest/globals'
import { retryOrDeadLetterJobs, databaseOf } from '@queue/core/internal'
import { describeError } from '@queue/loop'
import { elapsedMs, eventually, leastOfTries } from '@queue/test-database'
import { causeOf } from '../src/fingerprint.ts'
import {
  failures,
  failureTables,
  type Endpoints,
  startClosingServer,
  type Values,
} from './programs/failures.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

/** The number of failures of each cause. `QUEUE_TEST_SCALE=10` causes more than ten thousand failures. */
const failuresOfEach = 10 * Number(process.env['QUEUE_TEST_SCALE'] ?? 1)

const letters = 'abcdefghijklmnopqrstuvwxyz'
const word = (): string => Array.from({ length: 9 }, () => letters[Math.floor(Math.random() * 26)]).join('')

async function failureOf(
  fail: (values: Values, endpoints: Endpoints) => unknown,
  endpoints: Endpoints,
): Promise<unknown> {
  const values = { n: Math.floor(Math.random() * 1_000), id: crypto.randomUUID(), word: word() }
  try {
    await fail(values, endpoints)
  } catch (error) {
    return error
  }
  throw new Error(`nothing has failed: ${String(fail)}`)
}

describe('a fingerprint', () => {
  const pumps = [' (', '(', ' ', 'a', '0', ':', '-', '.', '@', 'a:', '0-', '"', "'", '/', 'https://']
  test.each(pumps)('takes time in proportion to the length of the thrown value: %j', async (pump) => {
    const long = pump.repeat(40_000 / pump.length)
    const thrown = Object.assign(new Error(long), { stack: `Error: ${long}\n    at ${long}` })
    const framesOnly = Object.assign(new Error('x'), { stack: `    at ${long}\n` })
    const take = () => elapsedMs(() => [causeOf('k', thrown), causeOf('k', framesOnly)])
    expect(await leastOfTries(20, take)).toBeLessThan(20)
  })

  test('is the same for one cause, and another for another, of 98 in 100 failures of twelve programs', async () => {
    const { pool, url: databaseUrl } = world.database
    const closing = await startClosingServer()
    await pool.query(`CREATE SCHEMA shop; SET search_path = shop; ${failureTables}; RESET search_path`)
    const shop = await pool.connect()
    await shop.query('SET search_path = shop')
    const endpoints = { databaseUrl, pool: shop as never, closingPort: closing.port }
    const groupedFailures: { cause: string; fingerprint: string; sample: unknown }[] = []
    try {
      for (const [program, ways] of Object.entries(failures)) {
        for (const [index, fail] of ways.entries()) {
          for (let count = 0; count < failuresOfEach; count += 1) {
            const sample = await failureOf(fail, endpoints)
            groupedFailures.push({
              cause: `${program} ${index}`,
              fingerprint: causeOf(program, sample).fingerprint,
              sample,
            })
          }
        }
      }
    } finally {
      shop.release(true)
      await closing.stop()
      await pool.query('DROP SCHEMA shop CASCADE')
    }
    const misgrouped = findMisgrouped(groupedFailures)
    const descriptions = misgrouped.map(
      ({ cause, sample }) => `${cause}: ${describeError(sample).slice(0, 80)}`,
    )
    expect(new Set(groupedFailures.map(({ cause }) => cause)).size).toBeGreaterThanOrEqual(100)
    expect(misgrouped.length / groupedFailures.length <= 0.02 ? [] : [...new Set(descriptions)]).toEqual([])
  })

  test('exists for any thrown value', () => {
    const throwingProxy = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    )
    for (const thrown of [
      undefined,
      null,
      1n,
      Symbol('s'),
      throwingProxy,
      { stack: 1, message: 2 },
      Object.create(null),
    ]) {
      expect(causeOf('kind', thrown).fingerprint).toMatch(/^[0-9a-f]{16}$/)
    }
    const own = new Error('itself')
    own.cause = own
    expect(causeOf('kind', own)).toEqual(causeOf('kind', own))
    expect(causeOf('another', own)).not.toEqual(causeOf('kind', own))
  })
})

/** The failures outside of the main group of their cause, and those in a group whose main cause is another one. */
function findMisgrouped<GroupedFailure extends { cause: string; fingerprint: string }>(
  grouped: readonly GroupedFailure[],
): GroupedFailure[] {
  const mostOf = (name: 'cause' | 'fingerprint', of: 'cause' | 'fingerprint') => {
    const counts = new Map<string, Map<string, number>>()
    for (const failure of grouped) {
      const inner = counts.get(failure[name]) ?? new Map<string, number>()
      counts.set(failure[name], inner.set(failure[of], (inner.get(failure[of]) ?? 0) + 1))
    }
    return new Map(
      [...counts].map(([key, inner]) => [key, [...inner].toSorted((a, b) => b[1] - a[1])[0]?.[0]]),
    )
  }
  const groupOf = mostOf('cause', 'fingerprint')
  const causeOfGroup = mostOf('fingerprint', 'cause')
  return grouped.filter(
    ({ cause, fingerprint }) => groupOf.get(cause) !== fingerprint || causeOfGroup.get(fingerprint) !== cause,
  )
}

describe('failures', () => {
  test('are counted by their cause, with the version and a sample, and requeued by it', async () => {
    const { queue } = world.database
    await world.work(
      (job) => {
        if (job.queue === 'default') throw new TypeError(`row ${job.id} is odd`)
        throw new RangeError('another')
      },
      { queues: ['default', 'other'] },
    )
    for (let count = 0; count < 5; count += 1) await world.enqueue({ maxAttempts: 1, tenantId: 'acme' })
    const retried = await world.enqueue({ maxAttempts: 2, queue: 'other' })
    await world.reached(retried, 'failed_permanent')
    await eventually(async () => (await queue.deadLetters.list()).deadLetters.length === 6)
    const { groups } = await queue.errors()
    expect(
      groups
        .map(({ queue: of, tenantId, errorClass, count }) => ({ of, tenantId, errorClass, count }))
        .toSorted((a, b) => a.of.localeCompare(b.of)),
    ).toEqual([
      { of: 'default', tenantId: 'acme', errorClass: 'TypeError', count: 5 },
      { of: 'other', tenantId: null, errorClass: 'RangeError', count: 2 },
    ])
    const group = groups.find(({ queue: of }) => of === 'default')
    expect(group).toMatchObject({
      kind: 'test_job',
      sampleError: expect.stringMatching(/^TypeError: row .* is odd\n {4}at /),
      workerVersions: [expect.any(String)],
    })
    expect(await queue.executions(group?.sampleJobId ?? '')).toMatchObject([
      { fingerprint: group?.fingerprint, errorClass: 'TypeError' },
    ])
    const page = await queue.errors({ limit: 1 })
    const rest = await queue.errors({ limit: 1, cursor: page.nextCursor ?? '' })
    expect([...page.groups, ...rest.groups]).toEqual(groups)
    expect(rest.nextCursor).toBeNull()
    const selection = { fingerprint: group?.fingerprint }
    expect(await queue.deadLetters.count(selection)).toBe(5)
    const { deadLetters } = await queue.deadLetters.list(selection)
    expect(deadLetters.map(({ fingerprint }) => fingerprint)).toEqual(Array(5).fill(group?.fingerprint))
    expect(await queue.deadLetters.requeueMany(selection)).toHaveLength(5)
    expect((await queue.deadLetters.list({ queue: 'other' })).deadLetters).toHaveLength(1)
  })

  test('of a lost lease are not counted, and those that are sent again once', async () => {
    const { queue } = world.database
    const id = await world.enqueue()
    const token = 1
    await world.database.pool.query(
      `UPDATE queue.jobs SET status = 'running', attempts = 1, lease_token = 1, locked_by = 'w', locked_at = now() WHERE id = $1`,
      [id],
    )
    const cause = { errorClass: 'Error', fingerprint: '0123456789abcdef' }
    const write = (leaseToken: number) => ({
      lease: { jobId: id, token: leaseToken },
      error: 'e',
      cause,
      waitMs: 0,
      permanent: false,
    })
    for (const leaseToken of [0, token, token])
      await retryOrDeadLetterJobs(databaseOf(queue), [write(leaseToken)])
    expect((await queue.errors()).groups).toMatchObject([{ count: 1, workerVersions: [], sampleJobId: id }])
  })
})
