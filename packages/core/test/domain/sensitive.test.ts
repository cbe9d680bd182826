import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { defineJob } from '../../src/domain/job-definition.ts'
import { keptPointersMax } from '../../src/domain/limits.ts'
import { upgradeFrom } from '../../src/domain/payload-upgrade.ts'
import { hidePayload } from '../../src/domain/sensitive-parts.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const payload = z.looseObject({})
const kind = 'pay'
const hidesMail = defineJob({ kind, payload, sensitive: ['/mail'], openResults: true })
const hidesCard = defineJob({ kind, version: 2, payload, sensitive: ['/card'] })
const hidesNothing = defineJob({ kind, version: 3, payload, sensitive: [], openResults: true })
const hidesAll = defineJob({ kind, version: 4, payload })
const later = { delayMs: 3_600_000 }

const hidden = async (id: string) => {
  const { sensitive, openResults } = (await world.queue.get(id)) ?? {}
  return [sensitive, openResults]
}

describe('what a job hides is stored with it', () => {
  test('as its definition declares it, for each job of a call', async () => {
    const odd = ['/a"b\\c', '/{,}', '/NULL', '/ü\n/*']
    const oddest = defineJob({ kind: 'odd', payload, sensitive: odd })
    const definitions = [hidesMail, hidesNothing, hidesAll, oddest]
    const enqueued = await world.queue.enqueueMany(definitions.map((definition) => definition.create({})))
    expect(enqueued.map(({ job }) => [job.sensitive, job.openResults])).toEqual([
      [['/mail'], true],
      [[], true],
      [null, false],
      [odd, false],
    ])
    const alone = await world.queue.enqueue(oddest, {}, { unique: { key: 'u', scope: 'live' } })
    for (const { job } of [...enqueued, alone]) {
      expect(await hidden(job.id)).toEqual([job.sensitive, job.openResults])
    }
    expect(
      await world.sql('SELECT FROM queue.all_jobs WHERE sensitive IS NULL AND open_results IS NULL'),
    ).toHaveLength(1)
  })

  test('as everything, where the whole payload is declared, or more than a job keeps', async () => {
    const whole = defineJob({ kind, payload, sensitive: ['/mail', ''] })
    expect(whole.create({}).sensitive).toBeNull()
    const { job } = await world.queue.enqueue(hidesMail, {}, later)
    for (const start of [0, 100]) {
      const sensitive = Array.from({ length: keptPointersMax / 2 }, (_, n) => `/${start + n}`)
      await world.queue.edit(job.id, {
        work: { definition: defineJob({ kind, payload, sensitive }), payload: {} },
      })
    }
    expect(await hidden(job.id)).toEqual([null, false])
  })

  test('as everything, for an older version of which the definition does not say it', async () => {
    const first = z.strictObject({ name: z.string() })
    const upgrade = (options?: { sensitive: string[] }) =>
      defineJob({
        kind,
        version: 2,
        payload: z.strictObject({ first: z.string() }),
        sensitive: [],
        upgrade: { 1: upgradeFrom(first, ({ name }) => ({ first: name }), options) },
      })
    const older = { name: 'Ada' } as never
    expect(upgrade().create(older)).toMatchObject({ kindVersion: 1, sensitive: null })
    expect(upgrade({ sensitive: ['/name'] }).create(older)).toMatchObject({ sensitive: ['/name'] })
    await world.queue.register([upgrade({ sensitive: ['/name'] })])
    const versions = await world.queue.kinds.list(kind)
    expect(versions.map(({ sensitive }) => sensitive)).toEqual([['/name'], []])
  })

  test('as the registry declares it, for a job of the SQL function', async () => {
    const enqueue = async () => {
      const [row] = await world.sql<{ id: string }>(`SELECT queue.enqueue('${kind}', '{}') AS id`)
      return hidden(row?.id ?? '')
    }
    expect(await enqueue()).toEqual([null, false])
    await world.queue.register([hidesMail])
    expect(await enqueue()).toEqual([['/mail'], true])
    await world.queue.register([hidesNothing])
    expect(await enqueue()).toEqual([null, false])
  })
})

describe('a job never hides less:', () => {
  test('an edit adds what the new version hides', async () => {
    const { job } = await world.queue.enqueue(hidesMail, {}, later)
    const edit = async (definition: typeof hidesMail) => {
      await world.queue.edit(job.id, { work: { definition, payload: {} } })
      return hidden(job.id)
    }
    expect(await edit(hidesNothing)).toEqual([['/mail'], true])
    expect(await edit(hidesCard)).toEqual([['/card', '/mail'], false])
    expect(await edit(hidesMail)).toEqual([['/card', '/mail'], false])
    await world.queue.edit(job.id, { priority: 1 })
    expect(await hidden(job.id)).toEqual([['/card', '/mail'], false])
    expect(await edit(hidesAll)).toEqual([null, false])
    expect(await edit(hidesNothing)).toEqual([null, false])
  })

  test('a copy, a dead letter and its requeue hide the same', async () => {
    const { job } = await world.queue.enqueue(hidesMail, {}, { maxAttempts: 1 })
    expect(await hidden((await world.queue.duplicate(job.id)).id)).toEqual([['/mail'], true])
    const claimed = await claim(world, await newWorker(world, { kinds: [kind] }), { kinds: [kind] })
    const original = claimed.find(({ id }) => id === job.id)
    expect(original?.sensitive).toEqual(['/mail'])
    const failure = { error: 'e', waitMs: 0, permanent: true }
    await retryOrDeadLetterJobs(
      world.database,
      original === undefined ? [] : [{ ...failure, lease: original.lease }],
    )
    await world.sql(`DELETE FROM queue.jobs WHERE id = '${job.id}'`)
    expect((await world.queue.deadLetters.list()).deadLetters).toMatchObject([{ sensitive: ['/mail'] }])
    const [requeued] = await world.queue.deadLetters.requeueMany({}, { all: true })
    expect(await hidden(requeued?.id ?? '')).toEqual([['/mail'], true])
  })

  test('a schedule keeps what its payload hid, and gives it to its jobs', async () => {
    const { schedules } = world.queue
    await schedules.create({ name: 's', everyMs: 3_600_000, definition: hidesMail, payload: {} })
    await schedules.update('s', { definition: hidesNothing, payload: {} })
    expect(await schedules.get('s')).toMatchObject({ sensitive: ['/mail'], openResults: true })
    await schedules.update('s', { definition: hidesCard, payload: {} })
    expect(await schedules.get('s')).toMatchObject({ sensitive: ['/mail', '/card'], openResults: false })
    const { job } = await schedules.runNow('s')
    expect(await hidden(job.id)).toEqual([['/mail', '/card'], false])
  })
})

test('a request that replaces a waiting job brings its payload, and what that hides', async () => {
  const unique = { key: 'u', scope: 'waiting', onConflict: 'replace' } as const
  const { job } = await world.queue.enqueue(hidesMail, {}, { ...later, unique })
  await world.queue.enqueue(hidesCard, {}, { ...later, unique })
  expect(await hidden(job.id)).toEqual([['/card'], false])
})

describe('a payload is hidden at its pointers', () => {
  const document = {
    card: { number: '4111', 'a/b~c': 1 },
    to: [{ email: 'ada@example.com', id: 1 }, { email: null }],
    '*': 'star',
  }

  test.each<[string[], unknown]>([
    [[], document],
    [[''], '***'],
    [['/card', '/nothing/there', '/to/7'], { ...document, card: '***' }],
    [['/to/*/email'], { ...document, to: [{ email: '***', id: 1 }, { email: null }] }],
    [['/to/0', '/to/*/email'], { ...document, to: ['***', { email: null }] }],
    [['/card/a~1b~0c'], { ...document, card: { number: '4111', 'a/b~c': '***' } }],
    [['/*'], { card: '***', to: '***', '*': '***' }],
    [
      ['/*/number', '/*/0/id'],
      {
        ...document,
        card: { ...document.card, number: '***' },
        to: [{ email: 'ada@example.com', id: '***' }, { email: null }],
      },
    ],
  ])('%j', (pointers, shown) => {
    expect(hidePayload(document, pointers)).toEqual(shown)
  })
})
