import { getEventListeners } from 'node:events'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { QueueError } from '../src/errors.ts'
import { createGroupCommit } from '../src/group-commit.ts'

interface SentGroup {
  readonly writes: readonly number[]
  answer(): void
  fail(error: unknown): void
}

/** A group commit whose statements the test answers. The answer to a write is its negative. */
function build(groupMax = 100) {
  const sent: SentGroup[] = []
  const giveUp = new AbortController()
  const outages: unknown[] = []
  const waiting = { weight: 0 }
  const commit = createGroupCommit<number, number>({
    apply: (writes) =>
      new Promise((resolve, reject) => {
        sent.push({
          writes,
          answer: () => resolve(writes.map((write) => -write)),
          fail: (error) => reject(error),
        })
      }),
    groupMax,
    giveUp: giveUp.signal,
    onOutage: (error) => outages.push(error),
    weigh: (write) => write,
    onWaiting: (weight) => void (waiting.weight += weight),
  })
  /** Resolves with the n-th group when it was sent. */
  const group = (n: number): Promise<SentGroup> => eventually(() => sent[n], { intervalMs: 1 })
  return { commit, sent, group, giveUp, outages, waiting }
}

const outage = new QueueError('database_unavailable', 'gone')
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01', severity: 'ERROR' })

describe('a group commit', () => {
  test('sends writes that come together as one group, and those that come meanwhile as the next', async () => {
    const { commit, sent, group } = build()
    const first = [1, 2, 3].map((write) => commit.add(write))
    expect((await group(0)).writes).toEqual([1, 2, 3])
    const second = [4, 5].map((write) => commit.add(write))
    expect(sent).toHaveLength(1)
    sent[0]?.answer()
    expect(await Promise.all(first)).toEqual([-1, -2, -3])
    expect((await group(1)).writes).toEqual([4, 5])
    sent[1]?.answer()
    expect(await Promise.all(second)).toEqual([-4, -5])
    await commit.drained()
  })

  test('splits groups that are too large for one statement', async () => {
    const { commit, group } = build(2)
    const answers = Promise.all([1, 2, 3, 4, 5].map((write) => commit.add(write)))
    for (const [n, writes] of [[1, 2], [3, 4], [5]].entries()) {
      const one = await group(n)
      expect(one.writes).toEqual(writes)
      one.answer()
    }
    expect(await answers).toEqual([-1, -2, -3, -4, -5])
  })

  test('tells of the weight of the writes that wait for an answer', async () => {
    const { commit, group, waiting } = build(2)
    const answers = Promise.allSettled([1, 2, 4].map((write) => commit.add(write)))
    expect(waiting.weight).toBe(7)
    ;(await group(0)).answer()
    const last = await group(1)
    expect(waiting.weight).toBe(4)
    last.fail(new Error('refused'))
    await answers
    await commit.drained()
    expect(waiting.weight).toBe(0)
  })

  test.each([
    { what: 'an outage', error: outage },
    { what: 'a deadlock with a stranger', error: deadlock },
  ])('sends the same group again after $what', async ({ error }) => {
    const { commit, group, outages, giveUp } = build()
    const answers = Promise.all([commit.add(1), commit.add(2)])
    ;(await group(0)).fail(error)
    ;(await group(1)).fail(error)
    const third = await group(2)
    expect(third.writes).toEqual([1, 2])
    third.answer()
    expect(await answers).toEqual([-1, -2])
    expect(outages).toEqual([error, error])
    expect(getEventListeners(giveUp.signal, 'abort')).toHaveLength(0)
  })

  test('sends each write of a refused group alone, so that only the refused write fails', async () => {
    const { commit, group } = build()
    const refusal = new Error('refused')
    const answers = Promise.all([1, 2, 3].map((write) => commit.add(write).catch((error: unknown) => error)))
    ;(await group(0)).fail(refusal)
    for (const n of [1, 2, 3]) {
      const one = await group(n)
      expect(one.writes).toEqual([n])
      if (n === 2) one.fail(refusal)
      else one.answer()
    }
    expect(await answers).toEqual([-1, refusal, -3])
    await commit.drained()
  })

  test('continues with the next group after a refusal', async () => {
    const { commit, group } = build(1)
    const first = commit.add(1).catch((error: unknown) => error)
    const second = commit.add(2)
    const refusal = new Error('refused')
    ;(await group(0)).fail(refusal)
    expect(await first).toBe(refusal)
    ;(await group(1)).answer()
    expect(await second).toBe(-2)
    await commit.drained()
  })

  test('does not wait for the database after its signal to give up', async () => {
    const { commit, group, giveUp, outages } = build()
    const answer = commit.add(1).catch((error: unknown) => error)
    ;(await group(0)).fail(outage)
    await eventually(() => outages.length === 1, { intervalMs: 1 })
    giveUp.abort()
    ;(await group(1)).fail(outage)
    expect(await answer).toBe(outage)
    await commit.drained()
  })
})
