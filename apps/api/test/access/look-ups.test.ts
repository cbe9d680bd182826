import { expect, test } from '@jest/globals'
import { createLookUpCache } from '../../src/access/look-up-cache.ts'
import { createLookUps } from '../../src/access/look-ups.ts'
import { lookUpIdsMax, lookUpsWaitingMax } from '../../src/http/limits.ts'

/** A reading that ends when the test says so. */
function heldReading() {
  const statements: { ids: readonly string[]; answer: PromiseWithResolvers<ReadonlyMap<string, string>> }[] =
    []
  const begun: (() => void)[] = []
  const read = (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const answer = Promise.withResolvers<ReadonlyMap<string, string>>()
    statements.push({ ids, answer })
    begun.shift()?.()
    return answer.promise
  }
  const next = (): Promise<void> => new Promise((resolve) => begun.push(resolve))
  return { read, statements, next }
}

const idsFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `id${first + n}`)

test('ids that come while a statement runs are looked up in the next one, each once, up to its maximum', async () => {
  const { read, statements, next } = heldReading()
  const lookUps = createLookUps(read)
  const first = lookUps.find('first')
  const ids = idsFrom(0, lookUpIdsMax + 1)
  const others = Promise.all([...ids, 'id0'].map((id) => lookUps.find(id)))
  expect(statements.map(({ ids: of }) => of)).toEqual([['first']])
  for (const count of [lookUpIdsMax, 1]) {
    const begun = next()
    statements.at(-1)?.answer.resolve(new Map([['id0', 'found']]))
    await begun
    expect(statements.at(-1)?.ids).toHaveLength(count)
  }
  statements.at(-1)?.answer.resolve(new Map())
  expect(await first).toBe(undefined)
  expect(await others).toEqual(['found', ...ids.slice(1).map(() => undefined), 'found'])
})

test('a bounded number waits, and further ones are refused', async () => {
  const { read, statements } = heldReading()
  const lookUps = createLookUps(read)
  const first = lookUps.find('first')
  const waiting = idsFrom(0, lookUpsWaitingMax).map((id) => lookUps.find(id))
  await expect(lookUps.find('another')).rejects.toMatchObject({ slug: 'overloaded' })
  expect(statements).toHaveLength(1)
  for (const id of waiting) id.catch(() => undefined)
  statements[0]?.answer.resolve(new Map([['first', 'found']]))
  expect(await first).toBe('found')
})

test('an error of a statement is that of its look-ups alone', async () => {
  const { read, statements, next } = heldReading()
  const lookUps = createLookUps(read)
  const first = lookUps.find('first')
  const begun = next()
  const second = lookUps.find('second')
  statements[0]?.answer.reject(new Error('no connection'))
  await expect(first).rejects.toThrow('no connection')
  await begun
  statements[1]?.answer.resolve(new Map([['second', 'found']]))
  expect(await second).toBe('found')
})

test('ids of nothing do not displace what was found', async () => {
  const cache = createLookUpCache<string>(2)
  const keep = (id: string, found: string | undefined): Promise<unknown> => {
    const looking = Promise.resolve(found)
    cache.keep(id, `entry of ${id}`, looking)
    return looking
  }
  await keep('key', 'found')
  for (const id of ['a', 'b', 'c']) await keep(id, undefined)
  expect(['key', 'a', 'b', 'c'].map((id) => cache.get(id))).toEqual([
    'entry of key',
    undefined,
    'entry of b',
    'entry of c',
  ])
  expect([cache.isFound('key'), cache.isFound('c')]).toEqual([true, false])
})

test('what was removed while it was looked up is not kept', async () => {
  const cache = createLookUpCache<string>(2)
  const looking = Promise.withResolvers<string>()
  cache.keep('key', 'entry', looking.promise)
  cache.clear()
  looking.resolve('found')
  await looking.promise
  expect(cache.get('key')).toBe(undefined)
})
