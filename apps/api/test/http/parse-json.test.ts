import { describe, expect, test } from '@jest/globals'
import { isExactNumber } from '@queue/core/plain'
import { processorMs } from '@queue/test-database'
import { parseJson } from '../../src/http/json-body.ts'
import { Problem } from '../../src/http/problem.ts'
import { scanJson } from '../../src/http/scan-json.ts'
import { createRandom, type Random, randomJson } from '../support/random-json.ts'

const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

describe('isExactNumber', () => {
  test('accepts what JSON.stringify writes, and every other spelling of it', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 2_000; round += 1) {
      const value = new Float64Array(new BigUint64Array([random.bits64()]).buffer)[0] ?? 0
      if (!Number.isFinite(value)) continue
      for (const source of spellings(value)) {
        expect({ seed, source, exact: isExactNumber(source, JSON.parse(source)) }).toEqual({
          seed,
          source,
          exact: true,
        })
      }
    }
  })

  test('refuses an integer exactly when a double would be written with other digits', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 2_000; round += 1) {
      const integer = random.bits64() * (random.below(2) === 0 ? 1n : -1n) * 10n ** BigInt(random.below(3))
      if (integer === 0n) continue
      const source = integer.toString()
      const exact = source === plain(Number(source))
      expect({ seed, source, exact: isExactNumber(source, Number(source)) }).toEqual({ seed, source, exact })
    }
  })

  test('takes time in proportion to the digits, however they are arranged', () => {
    const digits = 500_000
    const tookMs = processorMs(() => {
      for (const source of [`1${'0'.repeat(digits)}1`, `0.${'0'.repeat(digits)}1`, '10'.repeat(digits / 2)]) {
        isExactNumber(source, Number(source))
        isExactNumber(source, 1)
      }
    })
    expect(tookMs).toBeLessThan(2_000)
  })
})

/** The shortest text, one with an exponent, and one with zeros at both ends of the mantissa. */
function spellings(value: number): string[] {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const padded = mantissa.includes('.') ? `${mantissa}00` : `${mantissa}.00`
  return [
    JSON.stringify(value),
    value.toExponential(),
    `${padded}E${exponent}`,
    `${mantissa}e${exponent.replace('+', '+00')}`,
  ]
}

/** The digits that are kept: what is written of a double is its shortest text, padded with zeros. */
function plain(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const digits = mantissa.replace('-', '').replace('.', '')
  return (value < 0 ? '-' : '') + digits.padEnd(Number(exponent) + 1, '0')
}

describe('scanJson', () => {
  const most = { depthMax: 1_000, nodesMax: 1_000_000, membersMax: 1_000_000, trapsMax: 1_000 }
  const scan = (text: string, bounds: Partial<typeof most> = {}) => scanJson(text, { ...most, ...bounds })

  test('agrees with a count by hand on random documents', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 1_000; round += 1) {
      const value = randomJson(random, 8)
      const [depth, nodes] = [depthOf(value), nodesOf(value)]
      const text = JSON.stringify(value, null, random.below(3))
      const counted = {
        deepEnough: scan(text, { depthMax: depth }),
        manyEnough: scan(text, { nodesMax: nodes }),
        tooDeep: depth === 0 ? { exceeds: 'depth' } : scan(text, { depthMax: depth - 1 }),
        tooMany: scan(text, { nodesMax: nodes - 1 }),
      }
      expect({ seed, text, counted }).toEqual({
        seed,
        text,
        counted: {
          deepEnough: { values: nodes + membersOf(value), traps: [] },
          manyEnough: { values: nodes + membersOf(value), traps: [] },
          tooDeep: { exceeds: 'depth' },
          tooMany: { exceeds: 'nodes' },
        },
      })
    }
  })

  test('finds every trap of a random document where it was laid, and no other', () => {
    const random = createRandom(seed)
    let laid = 0
    for (let round = 0; round < 2_000; round += 1) {
      const { text, traps } = trappedJson(random, { depth: 6, path: [] })
      JSON.parse(text)
      const found = scan(text)
      const paths = 'traps' in found ? found.traps.map(({ path }) => JSON.stringify(path)) : []
      expect({ seed, text, paths }).toEqual({ seed, text, paths: traps.map((path) => JSON.stringify(path)) })
      laid += traps.length
    }
    expect(laid).toBeGreaterThan(500)
  })

  test('says no more than it is asked for', () => {
    expect(scan('[1e999,1e999,1e999]', { trapsMax: 2 })).toMatchObject({
      traps: [{ path: [0] }, { path: [1] }],
    })
  })

  test('counts the members of all objects', () => {
    const text = '[{"a":{"b":"c"},"a":[":"]},{"\\"":{}}]'
    expect(scan(text, { membersMax: 4 })).toEqual({ values: 12, traps: [] })
    expect(scan(text, { membersMax: 3 })).toEqual({ exceeds: 'members' })
  })
})

type Path = readonly (string | number)[]

interface Trapped {
  readonly text: string
  readonly traps: readonly Path[]
}

/** A JSON text with traps in it, and where they are, in the order of the text. */
function trappedJson(random: Random, { depth, path }: { depth: number; path: Path }): Trapped {
  const draw = random.below(depth > 0 ? 10 : 6)
  if (draw < 6) return trappedLeaf(random, path)
  const space = pick(random, ['', ' ', '\n\t'])
  const isArray = random.below(2) === 0
  const parts = Array.from({ length: random.below(5) }, (_, index) => {
    if (isArray) return trappedJson(random, { depth: depth - 1, path: [...path, index] })
    const [nameText, name] = nameOf(random, index)
    const own = [...path, name]
    const { text, traps } = trappedJson(random, { depth: depth - 1, path: own })
    return {
      text: `${nameText}${space}:${space}${text}`,
      traps: name === '__proto__' ? [own, ...traps] : traps,
    }
  })
  const inside = parts.map(({ text }) => space + text + space).join(',')
  return {
    text: isArray ? `[${inside}${space}]` : `{${inside}${space}}`,
    traps: parts.flatMap(({ traps }) => traps),
  }
}

function nameOf(random: Random, index: number): [text: string, name: string] {
  if (random.below(8) === 0)
    return [pick(random, ['"__proto__"', '"\\u005f_proto__"', '"__pr\\u006fto__"']), '__proto__']
  const name = `${pick(random, ['a', '__proto', 'x__proto__', '"', '\\', '{[:,', '\\"', 'é'])}${index}`
  return [JSON.stringify(name), name]
}

function trappedLeaf(random: Random, path: Path): Trapped {
  if (random.below(6) === 0) {
    const trap = pick(random, ['1e400', '12345678901234567', '0.1234567890123456789', '-1E-400'])
    return { text: trap, traps: [path] }
  }
  const numbers = [
    '0',
    '-0',
    '-0.0e5',
    '-1',
    '1e3',
    '1.5E-7',
    '123456789012345',
    '-0.5',
    '1000000000000000000',
  ]
  const strings = ['""', '"-0"', '"\\\\"', '"\\""', '"[,:-0"', '"__proto__"', '"\\u005f_proto__:"']
  return { text: pick(random, [...numbers, 'true', 'null', ...strings]), traps: [] }
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item
}

function nodesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, one) => sum + nodesOf(one), 1)
}

/** The members of all objects, and not the items of arrays. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, one) => sum + membersOf(one), own)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('parseJson', () => {
  test('gives what JSON.parse gives, or a problem, for any document', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 2_000; round += 1) {
      const value = randomJson(random, 6)
      const text = JSON.stringify(value, null, random.below(2))
      expect({ seed, value: parseJson(text) }).toEqual({ seed, value })
    }
  })

  test('never throws anything but a problem, whatever bytes a text is changed in', () => {
    const random = createRandom(seed)
    const alphabet = '{}[]",:\\u0123456789eE+-._prot truefalsn\u0000\ud800é'
    for (let round = 0; round < 3_000; round += 1) {
      const text = JSON.stringify(randomJson(random, 4)).split('')
      for (let change = 0; change <= random.below(4); change += 1) {
        text[random.below(text.length)] = alphabet[random.below(alphabet.length)] ?? ''
      }
      expect({ seed, fault: faultOf(text.join('')) }).toEqual({ seed, fault: undefined })
    }
  })

  test('finds traps in a large document in a time that is bounded', () => {
    const tookMs = processorMs(() => {
      expect(() => parseJson(`[${'[1e999],'.repeat(49_000)}0]`)).toThrow(/represented exactly/)
      expect(() => parseJson(`{${'"__proto__":[-0],'.repeat(29_000)}"a":0}`)).toThrow(
        /must not be a member name/,
      )
      expect(() => parseJson(`[${'[1e999],'.repeat(120_000)}0]`)).toThrow(/more than 100000 values/)
      expect(() => parseJson(`{${'"a":0,'.repeat(40_000)}"a":0}`)).toThrow(/more than 30000 members/)
      expect(() => parseJson(` ${'1'.repeat(1_000_000)}`)).toThrow(Problem)
    })
    expect(tookMs).toBeLessThan(5_000)
  })
})

function faultOf(text: string): unknown {
  try {
    const value = parseJson(text)
    // What was accepted is what JSON.parse makes of it, to the last bit of every number.
    return JSON.stringify(value) === JSON.stringify(JSON.parse(text)) ? undefined : text
  } catch (error) {
    return error instanceof Problem && error.status < 500 ? undefined : error
  }
}
