import { describe, expect, test } from '@jest/globals'
import { keyLineReadsPerSecond } from '../../src/http/limits.ts'
import { anonymous, type Principal } from '../../src/http/principal.ts'
import { createLineReads } from '../../src/watch/line-reads.ts'

/** Reads that wait on a clock of the test, and what was read when. */
function world() {
  let nowMs = 0
  const waiting: { readonly atMs: number; readonly proceed: () => void }[] = []
  const reads: { readonly id: string; readonly atMs: number }[] = []
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { read, withLogs } = createLineReads({
    nowMs: () => nowMs,
    wait: (ms) => new Promise((proceed) => waiting.push({ atMs: nowMs + ms, proceed })),
    readLogs: async (id) => {
      reads.push({ id, atMs: nowMs })
      await answered
      return { lines: [], nextCursor: null }
    },
  })
  return {
    reads,
    answer,
    withLogs,
    read: (name: string, id: string) =>
      read(id, { level: 'debug', cursor: undefined }, { principal: keyOf(name), admit: (_, work) => work() }),
    passSecond: async (): Promise<void> => {
      nowMs += 1_000
      const due = waiting.filter(({ atMs }) => atMs <= nowMs)
      for (const { proceed } of due) proceed()
      await settled()
    },
  }
}

const keyOf = (id: string): Principal => ({ ...anonymous, who: { type: 'key', id } })

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('event streams with log lines', () => {
  test('of one job share one read, of whomever they are', async () => {
    const { read, reads, answer } = world()
    const pages = Array.from({ length: 200 }, (_, n) => read(`key${n % 3}`, 'job'))
    await settled()
    expect(reads).toHaveLength(1)
    answer()
    expect(new Set(await Promise.all(pages)).size).toBe(1)
    void read('another', 'job')
    await settled()
    expect(reads).toHaveLength(2)
  })

  test('of many jobs read at the pace of their key, and delay no other key', async () => {
    const { read, reads, passSecond } = world()
    for (let n = 0; n < 200; n += 1) void read('many', `job${n}`)
    void read('one', 'another')
    await settled()
    expect(reads.map(({ id }) => id)).toEqual(['job0', 'another'])
    await passSecond()
    expect(reads.length).toBeLessThanOrEqual(keyLineReadsPerSecond + 2)
    for (let second = 0; second < 4; second += 1) await passSecond()
    expect(reads).toHaveLength(201)
  })
})
