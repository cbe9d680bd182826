import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ClaimedMessage, MessageLease } from '../src/domain/message.ts'
import { deadLetterLostMessages } from '../src/transitions/dead-letter-lost-messages.ts'
import { deliverMessages } from '../src/transitions/deliver-messages.ts'
import { pruneMessages } from '../src/transitions/prune-messages.ts'
import { releaseMessages } from '../src/transitions/release-messages.ts'
import { retryOrDeadLetterMessages } from '../src/transitions/retry-or-dead-letter-messages.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
beforeEach(() => world.reset())
afterAll(() => world.close())

const database = world.relayed

async function claimOne(input: Parameters<typeof world.claim>[0] = {}): Promise<ClaimedMessage> {
  const [message] = (await world.claim({ limit: 1, ...input })).messages
  if (message === undefined) throw new Error('nothing was claimed')
  return message
}

const failure = (lease: MessageLease, undeliverable = false) => ({
  lease,
  error: 'refused',
  waitMs: 60_000,
  undeliverable,
})
const release = (lease: MessageLease) => ({ lease, waitMs: 0, error: null })

/** Every write that ends a lease. */
const ends: readonly (readonly [string, (lease: MessageLease) => Promise<string[]>])[] = [
  ['delivery', (lease) => deliverMessages(database, [lease])],
  ['failure', (lease) => retryOrDeadLetterMessages(database, [failure(lease)])],
  ['dead letter', (lease) => retryOrDeadLetterMessages(database, [failure(lease, true)])],
  ['release', (lease) => releaseMessages(database, [release(lease)])],
]

describe('a claim', () => {
  test('counts the attempt, raises the token, and leases the message', async () => {
    const [id] = await world.publish(1)
    const first = await claimOne()
    expect(first).toMatchObject({ id, attempt: 1, lastAttempt: false, lease: { id, token: 1 } })
    expect((await world.claim()).messages).toEqual([])
    await world.makeDue()
    expect(await claimOne()).toMatchObject({ id, attempt: 2, lease: { id, token: 2 } })
  })

  test('leases by the clock of the database', async () => {
    await world.publish(1)
    await claimOne({ leaseMs: 60_000 })
    const [row] = await world.sql<{ ok: boolean }>(
      `SELECT next_retry_at = leased_at + interval '60 s' AND leased_at <= now() AS ok FROM outbox.outbox_messages`,
    )
    expect(row?.ok).toBe(true)
  })

  test('by many relays at the same time gives each message to one of them', async () => {
    const ids = await world.publish(200)
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, n) => world.claim({ workerId: `r${n}`, limit: 20 })),
    )
    const claimed = claims.flatMap(({ messages }) => messages.map((message) => message.id))
    expect(claimed.toSorted()).toEqual(ids.toSorted())
  })

  test('does not change messages of other topics, however many there are', async () => {
    const ids = await world.publish(50)
    expect((await world.claim({ topics: ['other'] })).messages).toEqual([])
    const stored = await Promise.all(ids.map((id) => world.outbox.get(id)))
    expect(stored.every((message) => message?.attempts === 0 && message.leasedBy === null)).toBe(true)
    expect((await world.claim({ topics: ['other', 'probe'] })).messages).toHaveLength(10)
  })

  test('does not claim messages that wait for their next attempt', async () => {
    await world.publish(1)
    const { lease } = await claimOne()
    await retryOrDeadLetterMessages(database, [failure(lease)])
    expect((await world.claim()).messages).toEqual([])
  })

  test('records the attempt of a lost relay in the history', async () => {
    const [id = ''] = await world.publish(1)
    await claimOne({ workerId: 'gone' })
    await world.makeDue()
    await claimOne()
    expect(await world.outbox.get(id)).toMatchObject({
      history: [{ attempt: 1, leaseToken: 1, workerId: 'gone', outcome: 'lost' }],
      lastError: expect.stringContaining('gone'),
    })
  })
})

describe.each(ends)('a %s', (...[, end]) => {
  test('of a message that was claimed again changes nothing', async () => {
    await world.publish(1)
    const stale = await claimOne()
    await world.makeDue()
    await claimOne()
    const before = await world.sql('SELECT * FROM outbox.outbox_messages')
    expect(await end(stale.lease)).toEqual(['lease_lost'])
    expect(await world.sql('SELECT * FROM outbox.outbox_messages')).toEqual(before)
    expect((await world.outbox.deadLetters.list()).deadLetters).toEqual([])
  })

  test('whose reply was lost may be sent again, and changes nothing more', async () => {
    await world.publish(1)
    const { lease } = await claimOne()
    expect(await end(lease)).toEqual(['completed'])
    const readAll = () =>
      Promise.all([
        world.sql('SELECT * FROM outbox.outbox_messages'),
        world.sql('SELECT * FROM outbox.outbox_dead_letters'),
      ])
    const before = await readAll()
    expect(await end(lease)).toEqual(['completed'])
    expect(await readAll()).toEqual(before)
  })

  test('of a missing message is a lost lease', async () => {
    expect(await end({ id: '01900000-0000-7000-8000-000000000000', token: 1 })).toEqual(['lease_lost'])
  })
})

describe('the ends of attempts', () => {
  test('a delivered message is never claimed again, and no attempt is charged for a release', async () => {
    await world.publish(2)
    const { messages } = await world.claim()
    const [first, second] = messages.map((message) => message.lease)
    if (first === undefined || second === undefined) throw new Error('two were published')
    await deliverMessages(database, [first])
    await releaseMessages(database, [release(second)])
    expect(await claimOne()).toMatchObject({ id: second.id, attempt: 1, lease: { token: 2 } })
    await world.makeDue()
    expect((await world.claim()).messages.map((message) => message.id)).toEqual([second.id])
  })

  test('the answers of a group have the order of its writes, even if some are stale', async () => {
    await world.publish(3)
    const { messages } = await world.claim()
    const leases = messages.map((message) => message.lease).toReversed()
    const mixed = leases.map((lease, n) => (n === 1 ? { ...lease, token: 9 } : lease))
    expect(await deliverMessages(database, mixed)).toEqual(['completed', 'lease_lost', 'completed'])
  })

  test('a failure waits by the clock of the database, and keeps its error and its history', async () => {
    const [id = ''] = await world.publish(1)
    const { lease } = await claimOne()
    await retryOrDeadLetterMessages(database, [failure(lease)])
    const stored = await world.outbox.get(id)
    expect(stored).toMatchObject({
      attempts: 1,
      leasedBy: null,
      lastError: 'refused',
      history: [{ attempt: 1, outcome: 'failed', error: 'refused', workerId: 'relay' }],
    })
    const [row] = await world.sql<{ ok: boolean }>(
      `SELECT next_retry_at BETWEEN now() + interval '55 s' AND now() + interval '60 s' AS ok FROM outbox.outbox_messages`,
    )
    expect(row?.ok).toBe(true)
  })

  test('a message whose last attempt fails becomes a dead letter with the whole history in the same statement', async () => {
    const [id = ''] = await world.publish(1, { key: 'k', headers: { a: 'b' } })
    for (const attempt of [1, 2]) {
      const message = await claimOne({ maxAttempts: 2 })
      expect(message.lastAttempt).toBe(attempt === 2)
      await retryOrDeadLetterMessages(database, [{ ...failure(message.lease), waitMs: 0 }])
    }
    expect(await world.outbox.get(id)).toBeUndefined()
    expect(await world.outbox.deadLetters.get(id)).toMatchObject({
      id,
      topic: 'probe',
      key: 'k',
      payload: { n: 0 },
      headers: { a: 'b' },
      attempts: 2,
      reason: 'exhausted',
      lastError: 'refused',
      history: [
        { attempt: 1, outcome: 'failed' },
        { attempt: 2, outcome: 'failed' },
      ],
    })
  })

  test('an undeliverable message is a dead letter at its first attempt', async () => {
    const [id = ''] = await world.publish(1)
    const { lease } = await claimOne()
    await retryOrDeadLetterMessages(database, [failure(lease, true)])
    expect(await world.outbox.deadLetters.get(id)).toMatchObject({ attempts: 1, reason: 'undeliverable' })
  })

  test('the history keeps the latest attempts, each with an error of limited length', async () => {
    const [id = ''] = await world.publish(1)
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      const { lease } = await claimOne({ maxAttempts: 100 })
      await retryOrDeadLetterMessages(database, [{ ...failure(lease), error: 'e'.repeat(16_000), waitMs: 0 }])
    }
    const stored = await world.outbox.get(id)
    expect(stored?.history.map((entry) => entry.attempt)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6))
    expect(stored?.history[0]?.error).toHaveLength(2_000)
    expect(stored?.lastError).toHaveLength(16_000)
  })
})

describe('a relay that dies on the last attempt', () => {
  test('does not strand the message: it becomes a dead letter when its lease has ended', async () => {
    const [id = ''] = await world.publish(1)
    await claimOne({ maxAttempts: 1, workerId: 'gone' })
    expect(await deadLetterLostMessages(database)).toEqual([])
    await world.makeDue()
    expect((await world.claim()).messages).toEqual([])
    expect(await deadLetterLostMessages(database)).toEqual([{ id, topic: 'probe' }])
    expect(await world.outbox.deadLetters.get(id)).toMatchObject({
      reason: 'lost',
      attempts: 1,
      history: [{ outcome: 'lost', workerId: 'gone' }],
      lastError: expect.stringContaining('gone'),
    })
  })

  test('and returns later can change nothing', async () => {
    await world.publish(1)
    const { lease } = await claimOne({ maxAttempts: 1 })
    await world.makeDue()
    await deadLetterLostMessages(database)
    await world.outbox.deadLetters.requeue(lease.id)
    const secondClaim = await claimOne({ maxAttempts: 1 })
    expect(secondClaim.lease.token).toBe(2)
    expect(await deliverMessages(database, [lease])).toEqual(['lease_lost'])
  })

  test('is not dead-lettered if its end was recorded first', async () => {
    await world.publish(1)
    const { lease } = await claimOne({ maxAttempts: 1 })
    await world.makeDue()
    const [completed] = await deliverMessages(database, [lease])
    expect(completed).toBe('completed')
    expect(await deadLetterLostMessages(database)).toEqual([])
  })
})

describe('messages with a key', () => {
  const leaseOf = ({ messages }: { readonly messages: readonly ClaimedMessage[] }) =>
    messages.map((message) => message.lease)

  test('are claimed one after the other, in the order of their publication', async () => {
    const ids = await world.publish(3, { key: 'k' })
    const order: string[] = []
    for (let round = 0; round < 3; round += 1) {
      const claim = await world.claim()
      expect(claim.messages).toHaveLength(1)
      order.push(...claim.messages.map((message) => message.id))
      await deliverMessages(database, leaseOf(claim))
    }
    expect(order).toEqual(ids)
  })

  test('that fail hold back only their own key', async () => {
    await world.publish(3, { key: 'a' })
    await world.publish(3, { key: 'b' })
    const claim = await world.claim()
    expect(claim.messages.map((message) => message.key)).toEqual(['a', 'b'])
    const [a, b] = leaseOf(claim)
    if (a === undefined || b === undefined) throw new Error('two keys were published')
    await retryOrDeadLetterMessages(database, [failure(a)])
    await deliverMessages(database, [b])
    expect((await world.claim()).messages.map((message) => message.key)).toEqual(['b'])
  })

  test('that are held on the last attempt hold back their key until they are dead-lettered', async () => {
    const [first, second] = await world.publish(2, { key: 'k' })
    await claimOne({ maxAttempts: 1 })
    await world.makeDue()
    expect((await world.claim()).messages).toEqual([])
    await deadLetterLostMessages(database)
    expect((await claimOne()).id).toBe(second)
    expect(await world.outbox.deadLetters.get(first ?? '')).toBeDefined()
  })

  test('have no order with other topics or with messages without a key', async () => {
    await world.sql(
      `INSERT INTO outbox.outbox_messages (id, topic, key, payload)
       VALUES (gen_random_uuid(), 'other', 'k', '{}'), (gen_random_uuid(), 'probe', 'k', '{}'),
              (gen_random_uuid(), 'probe', NULL, '{}'), (gen_random_uuid(), 'probe', NULL, '{}')`,
    )
    const { messages } = await world.claim({ topics: ['probe', 'other'] })
    expect(messages).toHaveLength(4)
  })

  test('are examined in limited steps, and each of them is reached', async () => {
    await world.sql(
      `INSERT INTO outbox.outbox_messages (id, topic, key, payload, next_retry_at)
       SELECT gen_random_uuid(), 'probe', 'k' || lpad(n::text, 4, '0'), '{}',
              now() + CASE WHEN n IN (1, 450, 999) THEN interval '0' ELSE interval '1 hour' END
         FROM generate_series(0, 999) AS n`,
    )
    const keys: (string | null)[] = []
    let walk: ReadonlyMap<string, string> = new Map()
    for (let claims = 0; claims < 6; claims += 1) {
      const claim = await world.claim({ walk })
      keys.push(...claim.messages.map((message) => message.key))
      walk = claim.walk
    }
    expect(keys).toEqual(['k0001', 'k0450', 'k0999'])
    expect(walk.size).toBe(0)
  })

  test('continue after the last claimed key if a claim has reached its limit', async () => {
    for (const key of ['a', 'b', 'c']) await world.publish(1, { key })
    const first = await world.claim({ limit: 2 })
    expect(first.messages.map((message) => message.key)).toEqual(['a', 'b'])
    await releaseMessages(
      database,
      leaseOf(first).map((lease) => release(lease)),
    )
    const second = await world.claim({ limit: 2, walk: first.walk })
    expect(second.messages.map((message) => message.key)).toEqual(['c'])
  })
})

describe('dead letters', () => {
  async function deadLettered(count: number, key?: string): Promise<string[]> {
    const ids = await world.publish(count, key === undefined ? {} : { key })
    for (let remaining = count; remaining > 0; remaining -= 1) {
      const { lease } = await claimOne()
      await retryOrDeadLetterMessages(database, [failure(lease, true)])
    }
    return ids
  }

  test('are listed by pages, the latest first, and each exactly once', async () => {
    const ids = await deadLettered(7)
    const claimedIds: string[] = []
    let cursor: string | undefined
    do {
      const page = await world.outbox.deadLetters.list({
        limit: 3,
        ...(cursor === undefined ? {} : { cursor }),
      })
      claimedIds.push(...page.deadLetters.map((deadLetter) => deadLetter.id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(claimedIds).toEqual(ids.toReversed())
    await expect(world.outbox.deadLetters.list({ cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  test('are requeued with their id, their position in their key, their history, and new attempts', async () => {
    const [id = ''] = await deadLettered(1, 'k')
    await world.publish(1, { key: 'k' })
    const message = await world.outbox.deadLetters.requeue(id)
    expect(message).toMatchObject({ id, attempts: 0, key: 'k', history: [{ outcome: 'failed' }] })
    expect(await world.outbox.deadLetters.get(id)).toBeUndefined()
    expect(await claimOne()).toMatchObject({ id, attempt: 1, lease: { token: 2 } })
    await expect(world.outbox.deadLetters.requeue(id)).rejects.toMatchObject({
      code: 'dead_letter_not_found',
    })
    await expect(world.outbox.deadLetters.requeue('no id')).rejects.toMatchObject({
      code: 'dead_letter_not_found',
    })
  })

  test('are requeued by a filter, each once even with two callers', async () => {
    const ids = await deadLettered(5)
    expect(await world.outbox.deadLetters.requeueMany({ topic: 'other' })).toEqual([])
    expect(await world.outbox.deadLetters.requeueMany({ reason: 'exhausted' })).toEqual([])
    expect(await world.outbox.deadLetters.requeueMany({ deadLetteredBefore: new Date(0) })).toEqual([])
    const outcomes = await Promise.all([
      world.outbox.deadLetters.requeueMany({ topic: 'probe' }),
      world.outbox.deadLetters.requeueMany({}, { all: true }),
    ])
    const requeued = outcomes.flat().map((message) => message.id)
    expect(requeued.toSorted()).toEqual(ids.toSorted())
    expect((await world.outbox.deadLetters.list()).deadLetters).toEqual([])
  })

  test('are all requeued only if everything is asked for by name', async () => {
    const [id = ''] = await deadLettered(1)
    const { deadLetters } = world.outbox
    await expect(deadLetters.requeueMany({})).rejects.toMatchObject({ code: 'selects_everything' })
    for (const selection of [{ topic: undefined }, { topics: 'probe' }]) {
      const mistyped = selection as Parameters<typeof deadLetters.requeueMany>[0]
      await expect(deadLetters.requeueMany(mistyped)).rejects.toMatchObject({ code: 'invalid_options' })
      const everything = deadLetters.requeueMany(mistyped, { all: true })
      await expect(everything).rejects.toMatchObject({ code: 'invalid_options' })
    }
    expect(await deadLetters.get(id)).toBeDefined()
    expect(await deadLetters.requeueMany({}, { all: true })).toMatchObject([{ id }])
  })

  test('are deleted one at a time', async () => {
    const [id = ''] = await deadLettered(1)
    await world.outbox.deadLetters.delete(id)
    await expect(world.outbox.deadLetters.delete(id)).rejects.toMatchObject({ code: 'dead_letter_not_found' })
    expect(await world.outbox.get(id)).toBeUndefined()
  })
})

describe('retention', () => {
  test('removes only messages that were delivered before the cutoff, in limited steps', async () => {
    await world.sql(
      `INSERT INTO outbox.outbox_messages (id, topic, payload, delivered_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'probe', '{}',
              CASE WHEN n % 3 = 0 THEN NULL WHEN n % 3 = 1 THEN now() ELSE now() - interval '2 days' END
         FROM generate_series(1, 3000) AS n`,
    )
    let cursor: string | null = null
    let pruned = 0
    do {
      const result = await pruneMessages(database, 86_400_000, cursor)
      pruned += result.pruned
      cursor = result.cursor
    } while (cursor !== null)
    expect(pruned).toBe(1_000)
    const [row] = await world.sql('SELECT count(*)::int AS left FROM outbox.outbox_messages')
    expect(row).toEqual({ left: 2_000 })
  })
})

test('the statistics count every undelivered message once, and contain the oldest one', async () => {
  expect(await world.outbox.stats()).toEqual({ pending: 0, oldestSeconds: 0 })
  await world.publish(2)
  await world.publish(2, { key: 'k' })
  await world.publish(1)
  await claimOne({ maxAttempts: 1, first: 'keyed' })
  await claimOne({ maxAttempts: 1, first: 'keyless' })
  const { lease } = await claimOne()
  await deliverMessages(database, [lease])
  await world.sql(
    `UPDATE outbox.outbox_messages SET created_at = now() - interval '1 hour' WHERE key IS NOT NULL`,
  )
  const { pending, oldestSeconds } = await world.outbox.stats()
  expect(pending).toBe(4)
  expect(Math.round(oldestSeconds / 60)).toBe(60)
})
