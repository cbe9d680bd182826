import { describe, expect, test } from '@jest/globals'
import { defineJob, type JsonValue } from '@queue/core'
import { kindVersionsOf, registrationsOf } from '@queue/core/internal'
import fc from 'fast-check'
import { z } from 'zod'
import { createSchemaCompiler, findSchemaFaults, linearPattern } from '../src/payload-schemas.ts'
import { testScale } from './support/scale.ts'

describe('zod and JSON Schema find the same faults:', () => {
  const text = fc.constantFrom(
    z.string(),
    z.string().min(2).max(4),
    z.email(),
    z.uuid(),
    z.iso.datetime(),
    z.string().regex(/^\S+$/),
    z.string().regex(/^[a-z]+(?:-\d{2,})?$/),
    z.string().startsWith('a'),
  )
  const leaf: fc.Arbitrary<z.ZodType> = fc.oneof(
    text,
    fc.constantFrom<z.ZodType>(
      z.boolean(),
      z.null(),
      z.int(),
      z.number(),
      z.int().min(1).max(9),
      z.number().gt(0).lt(1.5),
      z.int().multipleOf(3),
      z.literal('on'),
      z.literal(7),
      z.enum(['red', 'green']),
      z.unknown(),
    ),
  )
  const names = ['a', 'b', 'c'] as const
  const { schema } = fc.letrec<{ schema: z.ZodType; object: z.ZodType }>((tie) => ({
    object: fc
      .tuple(
        fc.array(fc.tuple(tie('schema'), fc.constantFrom('plain', 'optional', 'default')), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.constantFrom('strict', 'strip', 'loose'),
      )
      .map(([members, mode]) => {
        const shape = Object.fromEntries(
          members.map(([member, way], index) => [
            names[index] ?? 'a',
            way === 'plain' ? member : way === 'optional' ? member.optional() : member.default(null as never),
          ]),
        )
        if (mode === 'strict') return z.strictObject(shape)
        return mode === 'loose' ? z.looseObject(shape) : z.object(shape)
      }),
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      tie('object'),
      fc
        .tuple(tie('schema'), fc.nat(2), fc.integer({ min: 2, max: 4 }))
        .map(([element, min, max]) => z.array(element).min(min).max(max)),
      tie('schema').map((inner) => inner.nullable()),
      tie('schema').map((value) => z.record(z.string().min(1), value)),
      // Of a union of objects that nothing tells apart, either points where it thinks best.
      fc.tuple(leaf, leaf).map(([one, other]) => z.union([one, other])),
      fc
        .tuple(tie('object'), tie('object'))
        .map(([one, other]) =>
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('one'), inner: one }),
            z.object({ type: z.literal('other'), inner: other }),
          ]),
        ),
    ),
  }))
  const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<JsonValue>(
        null,
        true,
        0,
        1,
        3,
        7,
        9,
        12,
        1.5,
        0.5,
        -2,
        '',
        'a',
        'on',
        'red',
        'ab-12',
        'a b',
        'abcde',
        '😀',
        '😀😀😀',
        'a\u00a0b',
        'ada@example.com',
        '2026-01-15T09:30:00Z',
        '0b0d6a1c-9a39-4b7c-8a55-0b6c1b2f2a10',
      ),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'type', 'inner', ''), tie('value'), { maxKeys: 4 }),
      fc.record({ type: fc.constantFrom('one', 'other', 'none'), inner: tie('value') }),
    ),
  })).value

  const compiler = createSchemaCompiler()
  const pointersOf = (issues: readonly { readonly path: readonly (string | number)[] }[]): string[] =>
    [...new Set(issues.map(({ path }) => path.map((part) => `/${part}`).join('')))].toSorted()

  test('the same pointers where an array has too few elements, and one of them too many', () => {
    const payload = z.array(z.array(z.boolean()).max(1)).min(2)
    const [registration] = registrationsOf(defineJob({ kind: 'any', payload }))
    const faultsOf = compiler.compile(registration?.payloadSchema ?? {})
    compiler.grantSteps()
    const refused = payload.safeParse([[true, true]]).error?.issues ?? []
    expect(refused.map(({ path }) => path)).toEqual([[0]])
    expect(pointersOf(faultsOf([[true, true]]))).toEqual(['/0'])
  })

  test('the same pointers for the same payload', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 20 }), (payload, values) => {
        const definition = defineJob({ kind: 'any', payload })
        const [registration] = registrationsOf(definition)
        const [own] = kindVersionsOf(definition)
        if (registration === undefined || own === undefined) throw new Error('a definition has a version')
        expect(registration.unsaid).toEqual([])
        const faultsOf = compiler.compile(registration.payloadSchema)
        for (const one of values) {
          compiler.grantSteps()
          const found = { value: one, schema: registration.payloadSchema, faults: pointersOf(faultsOf(one)) }
          expect(found).toEqual({ ...found, faults: pointersOf(own.faultsOf(one)) })
        }
      }),
      { numRuns: 300 * testScale },
    )
  })
})

describe('the check of a payload ends,', () => {
  const compiler = createSchemaCompiler()
  const tooLong = [{ path: [], message: expect.stringContaining('too long') }]
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  )
  test.each<[string, object, JsonValue]>([
    ['a schema that is its own part', { allOf: [{ $ref: '#' }] }, {}],
    ['a schema that doubles forty times', { $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }, {}],
    [
      'many constants for many elements',
      { items: { enum: Array.from({ length: 1_900 }, (_, n) => n) } },
      Array.from({ length: 50_000 }, () => -1),
    ],
    ['a large pattern on a large text', { pattern: '^(?:a?){500}a{500}$' }, 'a'.repeat(1_000_000)],
  ])('whatever they are: %s', (_name, schema, payload) => {
    const faultsOf = compiler.compile(schema as never)
    compiler.grantSteps()
    const startedAt = process.cpuUsage()
    expect(faultsOf(payload)).toEqual(tooLong)
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(10_000)
  })

  test.each<[string, object]>([
    ['beside its subschemas', { $ref: '#/x/d0', x: doubling }],
    ['that only has an anchor', { $ref: '#d0', x: { d0: { $anchor: 'd0' } } }],
  ])('because no schema refers to a place %s, where no steps are counted', (_name, schema) => {
    expect(findSchemaFaults(schema as never)).toEqual([{ path: ['$ref'], message: 'must refer to a schema' }])
    expect(() => compiler.compile(schema as never)).toThrow('must refer to a schema')
  })

  test('and counts steps in the dependencies of older drafts', () => {
    const dependent = { allOf: Array.from({ length: 1_000 }, () => ({})) }
    const faultsOf = compiler.compile({ items: { dependencies: { a: dependent } } })
    compiler.grantSteps()
    expect(faultsOf(Array.from({ length: 40_000 }, () => ({ a: 0 })))).toEqual(tooLong)
  })

  test('and few of many faults are compared', () => {
    const faultsOf = compiler.compile({ items: { maxItems: 0, items: { type: 'string' } } })
    compiler.grantSteps()
    const startedAt = process.cpuUsage()
    expect(faultsOf(Array.from({ length: 45_000 }, () => [1]))[0]?.message).toContain('0 items')
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000)
  })

  test('and all versions of a kind share its steps', () => {
    const versions = Array.from({ length: 100 }, () => compiler.compile({ items: { type: 'string' } }))
    const payload = Array.from({ length: 50_000 }, () => 'a')
    compiler.grantSteps()
    expect(versions.filter((faultsOf) => faultsOf(payload).length === 0).length).toBeLessThan(20)
  })

  test('and unique elements are found in linear time', () => {
    const faultsOf = compiler.compile({ uniqueItems: true })
    compiler.grantSteps()
    const items = Array.from({ length: 90_000 }, (_, n) => ({ n }))
    expect(faultsOf(items)).toEqual([])
    compiler.grantSteps()
    expect(faultsOf([...items, { n: 0 }]).length).toBe(1)
  })
})

describe('a pattern', () => {
  test.each(['(?=a)b', '(?<!a)b', String.raw`(a)\1`, '(', 'a{2000}'])(
    '%s is none that is matched in linear time',
    (source) => {
      expect(linearPattern(source)).toBeUndefined()
      expect(findSchemaFaults({ properties: { a: { pattern: source } } })).toEqual([
        { path: ['properties', 'a', 'pattern'], message: expect.any(String) },
      ])
    },
  )

  test('means what it means in JavaScript', () => {
    const sources = [
      String.raw`^\s+$`,
      String.raw`^\S+$`,
      String.raw`[^\s]`,
      String.raw`^\w+\b`,
      '^.$',
      '^[^]$',
      String.raw`\d{2,3}x?`,
      String.raw`^[\w.-]+$`,
      String.raw`(?:ab|c)*d`,
      String.raw`^\p{Lu}`,
      String.raw`[\S]`,
      String.raw`^\/a\$`,
      'a$',
    ]
    const texts = [
      '',
      ' ',
      '\u00a0',
      '\u2028',
      '\n',
      'a',
      'ab',
      'abab',
      'cd',
      '12x',
      '1',
      'Ä',
      '/a$',
      'a\n',
      'a.b-c',
      '\ufeff',
    ]
    for (const source of sources) {
      const expected = new RegExp(source, 'u')
      const pattern = linearPattern(source)
      for (const one of texts)
        expect([source, one, pattern?.test(one)]).toEqual([source, one, expected.test(one)])
    }
  })
})

describe('a schema of another dialect', () => {
  const faultAt = (...path: string[]) => [{ path, message: expect.stringContaining('2020-12') }]

  test.each<[object, ReturnType<typeof faultAt>]>([
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, faultAt('$schema')],
    [{ $schema: 'x' }, faultAt('$schema')],
    [{ $schema: 5 }, faultAt('$schema')],
    [{ properties: { a: { $schema: 'x' } } }, faultAt('properties', 'a', '$schema')],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, []],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema#' }, []],
    [{ const: { $schema: 'x' } }, []],
  ])('is refused where it is named: %j', (schema, faults) => {
    expect(findSchemaFaults(schema as never)).toEqual(faults)
  })
})
