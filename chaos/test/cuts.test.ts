import { describe, expect, test } from '@jest/globals'
import { createRandom } from '../src/nemesis/random.ts'
import { createCuts } from '../src/proxy/cuts.ts'

const kindOf = (statement: string): string | undefined =>
  ['claim', 'finish', 'renewal'].find((kind) => kind === statement)

function cutsOf({ count = 20, share = 1, seed = 7 }) {
  return createCuts({ random: createRandom(seed), count, share, kindOf, needed: ['claim', 'finish'] })
}

describe('cuts', () => {
  test('affect only statements of known kinds', () => {
    const { decide } = cutsOf({})
    expect(decide('SELECT 1')).toBe('pass')
    expect(decide('renewal')).toMatch(/^cut /)
  })

  test('of a kind are before and after the server in equal numbers', () => {
    const { decide } = cutsOf({})
    const pairs = Array.from({ length: 5 }, () => [decide('claim'), decide('claim')].sort())
    expect(pairs).toEqual(pairs.map(() => ['cut after', 'cut before']))
  })

  test('end when their number is reached and each needed kind was cut before and after the server', () => {
    const cuts = cutsOf({ count: 4 })
    for (const statement of ['claim', 'finish', 'claim', 'finish']) cuts.decide(statement)
    expect(cuts.done).toBe(true)
    expect(['claim', 'finish', 'renewal'].map(cuts.decide)).toEqual(['pass', 'pass', 'pass'])
  })

  test('continue after their number for a needed kind that was cut too rarely', () => {
    const cuts = cutsOf({ count: 4 })
    for (let n = 0; n < 10; n += 1) cuts.decide('finish')
    expect(cuts).toMatchObject({ total: 4, done: false })
    expect(cuts.decide('finish')).toBe('pass')
    cuts.decide('claim')
    cuts.decide('claim')
    expect(cuts).toMatchObject({ total: 6, done: true })
    expect(Object.values(cuts.minimums).every(({ count, min }) => count >= min)).toBe(true)
  })
})
