import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import { z } from 'zod'
import { InvalidInput, KindConflictError } from '../../src/domain/errors.ts'
import { defineJob } from '../../src/domain/job-definition.ts'
import * as limits from '../../src/domain/limits.ts'
import { describePayload } from '../../src/domain/payload-schema.ts'
import { parsePayload, upgradeFrom } from '../../src/domain/payload-upgrade.ts'
import { claim, deadLettersOfJob, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const firstSchema = z.strictObject({ name: z.string() })
const secondSchema = z.strictObject({ first_name: z.string(), last_name: z.string() })

const greetV1 = defineJob({ kind: 'greet', payload: firstSchema })
const greetV2 = defineJob({ kind: 'greet', version: 2, payload: secondSchema })
const greetV1AndV2 = defineJob({
  kind: 'greet',
  version: 2,
  payload: secondSchema,
  upgrade: { 1: upgradeFrom(firstSchema, ({ name }) => ({ first_name: name, last_name: '' })) },
})

describe('a job of a definition with versions', () => {
  test('has the newest version whose schema accepts its payload', () => {
    expect(greetV1AndV2.create({ first_name: 'Ada', last_name: 'L' }).kindVersion).toBe(2)
    expect(
      (greetV1AndV2.create as (payload: unknown) => { kindVersion: number })({ name: 'Ada' }).kindVersion,
    ).toBe(1)
  })

  test('has the version that its options name, or is refused', () => {
    expect(greetV1.create({ name: 'Ada' }, { version: 1 }).kindVersion).toBe(1)
    expect(() => greetV1.create({ name: 'Ada' }, { version: 2 })).toThrow(
      /version: is not a known version.*known versions: 1/,
    )
    expect(() => greetV1AndV2.create({ first_name: 'Ada', last_name: 'L' }, { version: 1 })).toThrow(
      /payload.name/,
    )
  })

  test('that no version accepts is refused with the issues of the newest', () => {
    const create = greetV1AndV2.create as (payload: unknown) => unknown
    expect(() => create({ first_name: 'Ada' })).toThrow(/^payload.last_name: [^;]*$/)
  })

  test('reaches its handler as the newest version, through the schema and the upgrade of its own', () => {
    const parsed = parsePayload(greetV1AndV2, { payload: { name: 'Ada' }, kindVersion: 1 })
    expect(parsed).toEqual({ success: true, data: { first_name: 'Ada', last_name: '' } })
    expect(parsePayload(greetV1AndV2, { payload: { name: 7 }, kindVersion: 1 })?.success).toBe(false)
    expect(parsePayload(greetV1AndV2, { payload: {}, kindVersion: 3 })).toBeUndefined()
  })

  test.each([
    [{ version: 0 }, 'version'],
    [{ version: limits.kindVersionMax + 1 }, 'version'],
    [{ aliases: ['greet'] }, 'aliases'],
    [{ aliases: ['hello', 'hello'] }, 'aliases'],
    [{ sensitive: ['name'] }, 'sensitive.0'],
    [{ sensitive: ['/a~2'] }, 'sensitive.0'],
    [{ upgrade: { 1: upgradeFrom(firstSchema, () => ({ name: '' })) } }, 'upgrade.1'],
  ])('%j is refused at %s', (options, path) => {
    const define = (): unknown => defineJob({ kind: 'greet', payload: firstSchema, ...options })
    expect(define).toThrow(InvalidInput)
    expect(define).toThrow(new RegExp(`^${path.replace('.', '\\.')}:`))
  })
})

describe('a claim', () => {
  const claimVersions = async (kinds: readonly string[]): Promise<number[]> => {
    const claimed = await claim(world, await newWorker(world, { kinds }), { kinds })
    return claimed.map((job) => job.kindVersion).toSorted((a, b) => a - b)
  }

  test.each([
    [['greet'], [1]],
    [['greet/2'], [2]],
    [
      ['greet', 'greet/2'],
      [1, 2],
    ],
    [['greet/3'], []],
    [['other', 'greet/2'], [2]],
    [['other/2', 'greet'], [1]],
  ])(
    'for %j takes the versions %j and leaves the others without an attempt',
    async (kinds, claimedVersions) => {
      await world.queue.enqueue(greetV1, { name: 'Ada' })
      await world.queue.enqueue(greetV2, { first_name: 'Ada', last_name: 'L' })
      expect(await claimVersions(kinds)).toEqual(claimedVersions)
      const queued = await world.queue.list({ status: 'queued' })
      expect(queued.jobs.map((job) => job.attempts)).toEqual(queued.jobs.map(() => 0))
      expect(queued.jobs.length).toBe(2 - claimedVersions.length)
    },
  )

  test('a version survives its dead letter, the prune of its job, and the requeue', async () => {
    const { job } = await world.queue.enqueue(
      greetV2,
      { first_name: 'Ada', last_name: 'L' },
      { maxAttempts: 1 },
    )
    await world.sql(`INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts,
      max_attempts, priority, crashes, queue, kind, kind_version, payload, execution_history)
      SELECT id, 1, created_at, now(), 1, 1, priority, 0, queue, kind, kind_version, payload, '[]' FROM queue.all_jobs`)
    await world.sql('DELETE FROM queue.jobs')
    expect((await deadLettersOfJob(world, job.id)).length).toBe(1)
    const [requeued] = await world.queue.deadLetters.requeueMany({}, { all: true })
    expect(requeued).toMatchObject({ id: job.id, kind: 'greet', kindVersion: 2, status: 'queued' })
  })
})

describe('a registration', () => {
  const schemaWithNote = z.strictObject({ name: z.string(), note: z.string() })
  const changed = defineJob({ kind: 'greet', payload: schemaWithNote, sensitive: ['/note'] })
  const outcomes = async (
    ...[definitions, options]: Parameters<typeof world.queue.register>
  ): Promise<string[]> => (await world.queue.register(definitions, options)).map(({ outcome }) => outcome)
  const readSchema = async (): Promise<object | undefined> =>
    (await world.queue.kinds.list('greet'))[0]?.payloadSchema

  test('stores each version once, and writes nothing for a known one', async () => {
    expect(await outcomes([greetV1AndV2])).toEqual(['new', 'new'])
    expect(await outcomes([greetV1AndV2])).toEqual(['unchanged', 'kept'])
    expect((await world.queue.kinds.list()).map(({ kind, version }) => [kind, version])).toEqual([
      ['greet', 1],
      ['greet', 2],
    ])
  })

  test('of another schema replaces the previous one, and names the differences', async () => {
    await world.queue.register([greetV1])
    const [replaced] = await world.queue.register([changed])
    expect(replaced).toMatchObject({ outcome: 'replaced', changedPaths: ['/properties/note', '/required/1'] })
    expect(await readSchema()).toHaveProperty('properties.note')
  })

  test('of an older release never puts its schema back, but a deliberate one does', async () => {
    await world.queue.register([greetV1])
    await world.queue.register([changed])
    expect(await outcomes([greetV1])).toEqual(['kept'])
    expect(await readSchema()).toHaveProperty('properties.note')
    expect(await outcomes([greetV1], { restore: true })).toEqual(['replaced'])
    expect(await readSchema()).not.toHaveProperty('properties.note')
  })

  test('is refused once a job has the version, and names the next version; all or none', async () => {
    await world.queue.register([greetV1AndV2])
    await world.queue.enqueue(greetV1, { name: 'Ada' })
    const otherJob = defineJob({ kind: 'other', payload: firstSchema })
    const refused = world.queue.register([otherJob, changed])
    await expect(refused).rejects.toThrow(KindConflictError)
    await expect(refused).rejects.toThrow(/differs at \/properties\/note, \/required\/1.*as version 3/)
    expect(await world.queue.kinds.list('other')).toEqual([])
    expect(await outcomes([otherJob, changed], { onConflict: 'skip' })).toEqual(['new', 'refused'])
    expect(await outcomes([changed], { changes: 'replace' })).toEqual(['replaced'])
  })

  test.each([
    ['ends', 'COMMIT', 'refused'],
    ['rolls back', 'ROLLBACK', 'replaced'],
    ['stays open', null, 'refused'],
  ] as const)(
    'waits for a transaction that may have made a job of the version, which then %s',
    async (...[, end, outcome]) => {
      await world.queue.register([greetV1])
      const session = await world.session()
      await session.query('BEGIN')
      await world.queue.enqueue(greetV1, { name: 'Ada' }, { transaction: session })
      const registered = outcomes([changed], { onConflict: 'skip' })
      if (end !== null) {
        await until('the registration waits', async () => {
          const waiting = await world.sql(
            `SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
            WHERE l.locktype = 'advisory' AND d.datname = current_database()`,
          )
          return waiting.length > 0
        })
        await session.query(end)
      }
      expect(await registered).toEqual([outcome])
      await session.query('ROLLBACK')
    },
  )

  test('side by side with others never makes more versions than the registry may hold', async () => {
    await world.sql(
      `INSERT INTO queue.job_kinds (kind, version, payload_schema, defaults, digest, registered_by)
       SELECT 'f' || n, 1, '{}', '{}', repeat('0', 64), 'x' FROM generate_series(1, $1::int) AS n`,
      [limits.registeredKindsMax - 1],
    )
    const registered = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((kind) => world.queue.register([defineJob({ kind, payload: firstSchema })])),
    )
    expect(registered.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await world.sql('SELECT FROM queue.job_kinds')).toHaveLength(limits.registeredKindsMax)
  })

  test('never makes less of a version sensitive', async () => {
    const readSensitive = async () => (await world.queue.kinds.list('greet'))[0]?.sensitive
    const say = (sensitive?: string[]) =>
      world.queue.register([
        defineJob({ kind: 'greet', payload: firstSchema, ...(sensitive && { sensitive }) }),
      ])
    await say()
    expect(await readSensitive()).toBeNull()
    await say(['/name'])
    await say(['/other'])
    await say([])
    await say()
    expect(await readSensitive()).toEqual(['/name', '/other'])
  })

  test('of a retired kind does not restore it, but a deliberate one does', async () => {
    const isRetired = async () =>
      (await world.queue.kinds.list('greet')).map(({ retiredAt }) => retiredAt !== null)
    await world.queue.register([greetV1AndV2])
    await world.queue.kinds.retire('greet')
    await world.queue.register([greetV1AndV2])
    expect(await isRetired()).toEqual([true, true])
    await world.queue.register([greetV1AndV2], { restore: true })
    expect(await isRetired()).toEqual([false, false])
    await expect(world.queue.kinds.retire('nobody')).rejects.toThrow(/no kind named "nobody"/)
    await expect(world.queue.kinds.retire('\u0000')).rejects.toMatchObject({ code: 'kind_not_found' })
  })

  test('by fifty processes at once happens once', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => world.queue.register([greetV1AndV2])))
    expect(results.flat().filter(({ outcome }) => outcome === 'new').length).toBe(2)
  })

  const registration = {
    kind: 'k',
    version: 1,
    payloadSchema: {},
    defaults: {},
    description: null,
    sensitive: null,
    unsaid: [],
  }
  test.each([
    [{ payloadSchema: { $ref: 'https://example.com/a' } }, 'payloadSchema.$ref'],
    [{ payloadSchema: { properties: { $ref: { $ref: 'b.json' } } } }, 'payloadSchema.properties.$ref.$ref'],
    [{ payloadSchema: { $id: 'https://example.com/a' } }, 'payloadSchema.$id'],
    [{ payloadSchema: { description: 'x'.repeat(limits.kindSchemaBytesMax) } }, 'payloadSchema'],
    [{ version: 0 }, 'version'],
    [{ kind: 'No' }, 'kind'],
    [{ defaults: { priority: 10 } }, 'defaults.priority'],
  ])('%j is refused at %s', async (over, path) => {
    const policy = { by: 'test', changes: 'refuse' } as const
    const refused = world.queue.kinds.register([{ ...registration, ...over }], policy)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_kind',
      issues: [{ path: [0, ...path.split('.')] }],
    })
  })
})

test('a registration is refused for a schema with too many values', async () => {
  const payloadSchema = { enum: Array.from({ length: limits.kindSchemaNodesMax - 1 }, () => 0) }
  const registration = {
    kind: 'k',
    version: 1,
    payloadSchema,
    defaults: {},
    description: null,
    sensitive: null,
    unsaid: [],
  }
  const refused = world.queue.kinds.register([registration], { by: 'test', changes: 'refuse' })
  const path = [0, 'payloadSchema', 'enum', limits.kindSchemaNodesMax - 2]
  await expect(refused).rejects.toMatchObject({ code: 'invalid_kind', issues: [{ path }] })
})

describe('JSON Schema says of a zod schema', () => {
  test.each([
    ['an instant', z.object({ at: z.date() }), ['/at']],
    ['a refinement', z.object({ a: z.string().refine(() => true) }), ['/a']],
    ['of the whole', z.object({ a: z.string() }).refine(() => true), ['']],
    ['a flag of a pattern', z.array(z.string().regex(/a/i)), ['/*']],
    ['a text that is trimmed first', z.object({ a: z.string().trim().max(1) }), ['/a']],
    ['a value that is made another first', z.object({ a: z.coerce.number() }), ['/a']],
    ['a URL', z.object({ a: z.url() }), ['/a']],
    ['a multiple of a fraction', z.number().multipleOf(0.1), ['']],
  ])('what it can, and where that is not all: %s', (_name, schema, unsaid) => {
    expect(describePayload(schema).unsaid).toEqual(unsaid)
  })

  test('never more than the schema checks', () => {
    const transformingSchema = z.object({
      trimmed: z.string().trim().max(1),
      flagged: z.string().regex(/^a$/i),
      coerced: z.coerce.number(),
      caught: z.number().catch(1),
      made: z.preprocess(Number, z.number()),
    })
    expect(describePayload(transformingSchema).schema['properties']).toEqual({
      trimmed: { type: 'string' },
      flagged: { type: 'string' },
      coerced: {},
      caught: {},
      made: {},
    })
  })

  test('everything that a plain schema checks', () => {
    const plainSchema = z.strictObject({
      email: z.email(),
      tags: z.array(z.string().min(1)).max(3).optional(),
      size: z.int().min(1).default(1),
      state: z.enum(['a', 'b']).nullable(),
    })
    expect(describePayload(plainSchema).unsaid).toEqual([])
  })
})
