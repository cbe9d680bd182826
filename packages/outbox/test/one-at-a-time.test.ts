import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { callerSession } from '@queue/postgres'
import { skippedBehindPooler } from '@queue/test-database'
import { eventually } from '@queue/testing'
import pg from 'pg'
import { outboxOn } from '../src/database/outbox-database.ts'
import type { ClaimedMessage } from '../src/domain/message.ts'
import { deadLetterLostMessages } from '../src/transitions/dead-letter-lost-messages.ts'
import { type ClaimInput, claimMessages } from '../src/transitions/claim-messages.ts'
import { deliverMessages } from '../src/transitions/deliver-messages.ts'
import { releaseMessages } from '../src/transitions/release-messages.ts'
import { retryOrDeadLetterMessages } from '../src/transitions/retry-or-dead-letter-messages.ts'
import { inTransaction, openWorld, probe, recordingTarget } from './support/world.ts'

const world = await openWorld()
beforeEach(() => world.reset())
afterAll(() => world.close())

const testSessions = skippedBehindPooler('what a session waits for is seen by its backend') ? test.skip : test

/** Publishes two messages of one key in concurrent transactions. The one that was published first commits last. */
interface SideBySide {
  readonly first: string
  readonly second: string
  /** Commits the transaction of the first one. */
  commitFirst(): Promise<void>
}

async function sideBySide(): Promise<SideBySide> {
  const slow = await world.service.connect()
  await slow.query('BEGIN')
  const first = await world.outbox.publish(probe.create({ n: 1 }, { key: 'k' }), { transaction: slow })
  const [second = ''] = await world.publish(1, { key: 'k' })
  return {
    first,
    second,
    commitFirst: async () => {
      await slow.query('COMMIT')
      slow.release()
    },
  }
}

const claimedIds = async (): Promise<string[]> => (await world.claim()).messages.map(({ id }) => id)

/** Claims the second message, and commits the first one. Resolves with the claimed message. */
async function underWay({ second, commitFirst }: SideBySide, input: Partial<ClaimInput> = {}) {
  const { messages } = await world.claim(input)
  const [heldMessage] = messages
  if (heldMessage === undefined || messages.length !== 1) throw new Error('one message was to be claimed')
  expect(heldMessage.id).toBe(second)
  await commitFirst()
  return heldMessage
}

describe('a message whose transaction ran beside that of one of its key, and which is under way when it commits,', () => {
  test('waits until that one is delivered', async () => {
    const claims = await sideBySide()
    const heldMessage = await underWay(claims)
    expect(await claimedIds()).toEqual([])
    await deliverMessages(world.relayed, [heldMessage.lease])
    expect(await claimedIds()).toEqual([claims.first])
  })

  test('goes first when that one has failed', async () => {
    const claims = await sideBySide()
    const { lease } = await underWay(claims)
    await retryOrDeadLetterMessages(world.relayed, [{ lease, error: 'no', waitMs: 0, undeliverable: false }])
    expect(await claimedIds()).toEqual([claims.first])
    expect(await claimedIds()).toEqual([])
  })

  test('goes first when that one was returned', async () => {
    const claims = await sideBySide()
    const { lease } = await underWay(claims)
    await releaseMessages(world.relayed, [{ lease, waitMs: 0, error: null }])
    expect(await claimedIds()).toEqual([claims.first])
  })

  test('waits for another relay to deliver that one when its own was lost', async () => {
    const claims = await sideBySide()
    await underWay(claims)
    await world.makeDue()
    const { messages } = await world.claim()
    expect(messages.map(({ id, attempt }) => ({ id, attempt }))).toEqual([{ id: claims.second, attempt: 2 }])
    await deliverMessages(
      world.relayed,
      messages.map(({ lease }) => lease),
    )
    expect(await claimedIds()).toEqual([claims.first])
  })

  test('waits until that one is a dead letter when its relay was lost during the last attempt', async () => {
    const claims = await sideBySide()
    await underWay(claims, { maxAttempts: 1 })
    await world.makeDue()
    expect(await claimedIds()).toEqual([])
    await deadLetterLostMessages(world.relayed)
    expect(await claimedIds()).toEqual([claims.first])
  })
})

describe('of two relays that claim at the same time', () => {
  /** Lets one relay claim the second message, and the other one claim before that claim has committed. */
  async function claimBeside(
    { commitFirst }: SideBySide,
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<readonly ClaimedMessage[]> {
    const firstClient = new pg.Client({ connectionString: world.urlAs('relay') })
    const secondClient = new pg.Client({ connectionString: world.urlAs('relay') })
    await Promise.all([firstClient.connect(), secondClient.connect()])
    try {
      const { rows } = await secondClient.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await firstClient.query('BEGIN')
      const claimOn = (client: pg.Client) =>
        claimMessages(outboxOn(callerSession(client), 'outbox'), claimInput)
      expect((await claimOn(firstClient)).messages).toHaveLength(1)
      await commitFirst()
      const secondClaim = claimOn(secondClient)
      await eventually(async () => {
        const waiting = await world.sql(
          `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`,
          [rows[0]?.pid],
        )
        return waiting.length === 1
      })
      await firstClient.query(end)
      return (await secondClaim).messages
    } finally {
      await Promise.all([firstClient.end(), secondClient.end()])
    }
  }

  const claimInput: ClaimInput = {
    workerId: 'relay',
    topics: ['probe'],
    limit: 10,
    leaseMs: 60_000,
    maxAttempts: 5,
    first: 'keyed',
    walk: new Map(),
  }

  testSessions('messages of one key, one gets one, and the other nothing', async () => {
    expect(await claimBeside(await sideBySide(), 'COMMIT')).toEqual([])
  })

  testSessions('and of which the first one rolls back, the other one gets its message', async () => {
    const claims = await sideBySide()
    const messages = await claimBeside(claims, 'ROLLBACK')
    expect(messages.map(({ id }) => id)).toEqual([claims.first])
  })
})

test('no two messages of a key are under way at once, however their transactions overlap', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const transactions = 70
  const running = new Map<string | null, number>()
  let maxRunning = 0
  const target = recordingTarget(async ({ key }) => {
    const atOnce = (running.get(key) ?? 0) + 1
    running.set(key, atOnce)
    maxRunning = Math.max(maxRunning, atOnce)
    await new Promise((resolve) => setTimeout(resolve, 10))
    running.set(key, atOnce - 1)
  })
  const config = { pollInterval: 1, minCycleDelay: 0, concurrency: 8, batchSize: 8 }
  await Promise.all([world.relay({ target, config }), world.relay({ target, config })])
  // Every other transaction publishes early and commits late.
  await Promise.all(
    Array.from({ length: transactions }, async (_, n) => {
      await inTransaction(world.service, async (transaction) => {
        const message = probe.create({ n }, { key: keys[n % keys.length] ?? '' })
        await world.outbox.publish(message, { transaction })
        if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 4 * (n % 5) + 4))
      })
    }),
  )
  await eventually(async () => (await world.outbox.stats()).pending === 0)
  expect(target.received).toHaveLength(transactions)
  expect(maxRunning).toBe(1)
})
