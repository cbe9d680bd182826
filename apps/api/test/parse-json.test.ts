import { describe, expect, test } from '@jest/globals'
import { isExactNumber } from '../src/http/exact-number.ts'
import { isNestedDeeper } from '../src/http/json-depth.ts'
import { parseJson } from '../src/http/parse-json.ts'
import { Problem } from '../src/http/problem.ts'
import { createRandom, randomJson } from './support/random-json.ts'

const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

describe('isExactNumber', () => {
  test('accepts what JSON.stringify writes, and every other spelling of it', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 2_000; round += 1) {
      const value = new Float64Array(new BigUint64Array([random.bits64()]).buffer)[0] ?? 0
      if (!Number.isFinite(value) || Object.is(value, -0)) continue
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
    const startedAt = performance.now()
    for (const source of [`1${'0'.repeat(digits)}1`, `0.${'0'.repeat(digits)}1`, '10'.repeat(digits / 2)]) {
      isExactNumber(source, Number(source))
      isExactNumber(source, 1)
    }
    expect(performance.now() - startedAt).toBeLessThan(2_000)
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

describe('isNestedDeeper', () => {
  test('agrees with a count by hand on random documents', () => {
    const random = createRandom(seed)
    for (let round = 0; round < 500; round += 1) {
      const value = randomJson(random, 8)
      const depth = depthOf(value)
      const text = JSON.stringify(value, null, random.below(3))
      for (const bound of [depth - 1, depth, depth + 1].filter((one) => one >= 0)) {
        expect({ seed, text, bound, deeper: isNestedDeeper(text, bound) }).toEqual({
          seed,
          text,
          bound,
          deeper: depth > bound,
        })
      }
    }
  })
})

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
    const startedAt = performance.now()
    expect(() => parseJson(`[${'[1e999],'.repeat(120_000)}0]`)).toThrow(Problem)
    expect(() => parseJson(`{${'"__proto__":[-0],'.repeat(50_000)}"a":0}`)).toThrow(Problem)
    expect(() => parseJson(` ${'1'.repeat(1_000_000)}`)).toThrow(Problem)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
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
