import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { z } from 'zod'
import { queueParameters } from '../../src/facade/parameters.ts'
import { createTenantQueues, defineJob, scopeQueue } from '../../src/index.ts'
import { openWorld, type World } from '../support/world.ts'

const definition = defineJob({ kind: 'any', payload: z.unknown() })
const id = '0199b4a0-0000-7000-8000-000000000000'
const registration = {
  kind: 'any',
  version: 1,
  payloadSchema: {},
  defaults: {},
  description: null,
  sensitive: null,
  unsaid: [],
}
const limit = { queue: 'mail', scope: 'queue', maxRunning: 1 }
const target = { queue: 'mail', scope: 'queue' }
const changed = { id, changedAt: new Date() }

/** What each parameter of a call takes, by its name. Where calls differ, the name of the call is before it. */
const samples: Readonly<Record<string, unknown>> = {
  act: 'cancel',
  cancelled: [{ ...changed, status: 'queued' }],
  change: limit,
  changes: { priority: 1 },
  definition,
  definitions: [definition],
  filter: {},
  id,
  ids: [id],
  job: id,
  kind: 'any',
  name: 'any',
  nameOrTiming: { everyMs: 60_000 },
  options: {},
  payload: null,
  policy: { by: 'test', changes: 'refuse' },
  previous: [{ ...changed, runAt: new Date() }],
  query: {},
  queue: 'mail',
  registrations: [registration],
  requeued: [changed],
  rule: limit,
  schedule: { name: 'any', everyMs: 60_000, definition, payload: null },
  schedules: [{ name: 'any', everyMs: 60_000, definition, payload: null }],
  selection: {},
  target,
  versions: [1],
  'many.reschedule.options': { runAt: new Date() },
  'schedules.sync.options': { source: 'tests', revision: 1 },
  'schedules.update.changes': { jitterMs: 1 },
}

interface Call {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly takes: (value: unknown) => unknown }[]
}

type Rules = (value: unknown) => unknown

/** Each call of the queue with its parameters. A call that is added has its line in `queueParameters`. */
function callsOf(rules: object, parent: readonly string[] = []): Call[] {
  return Object.entries(rules).flatMap(([member, inner]: [string, object]): Call[] => {
    const path = [...parent, member]
    const entries = Object.entries(inner) as [string, object | Rules][]
    if (entries.some(([, rule]) => typeof rule !== 'function')) return callsOf(inner, path)
    const parameters = entries.map(([name, takes]) => ({ name, takes: takes as Rules }))
    return [{ name: path.join('.'), parameters }]
  })
}

function sampleOf(call: string, parameter: string): unknown {
  return samples[`${call}.${parameter}`] ?? samples[parameter]
}

interface Place {
  readonly call: string
  readonly parameter: string
  /** The arguments of the call, in which the object or the list of objects there has these members too. */
  readonly argumentsWith: (members: object) => readonly unknown[]
}

/** Each parameter that takes an object or a list of objects. */
const places = callsOf({
  ...queueParameters,
  enqueue: { definition: () => 'a kind', payload: () => 'anything', options: () => undefined },
}).flatMap(({ name: call, parameters }) =>
  parameters.flatMap(({ name: parameter, takes }, index): [string, Place][] => {
    const takesOne = takes({}) === undefined
    if (!takesOne && takes([{}]) !== undefined) return []
    const args = parameters.map((other) => sampleOf(call, other.name))
    const sample = args[index] as object
    const argumentsWith = (members: object) =>
      args.with(index, takesOne ? { ...sample, ...members } : [{ ...(sample as object[])[0], ...members }])
    return [[`${call}, ${parameter}`, { call, parameter, argumentsWith }]]
  }),
)

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.queue.schedules.create(samples['schedule'] as never)
})
afterAll(() => world.close())

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** The method of this path; undefined where an owner has none. */
function methodOf(owner: object, path: string): Method | undefined {
  let found: unknown = owner
  for (const member of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[member]
  return found as Method | undefined
}

/** The queue for applications, for a caller with bounds, and on behalf of an actor. */
function methodsOf(path: string): Method[] {
  const scoped = scopeQueue(world.queue, { queues: ['mail'] })
  const actor = { type: 'token', id: 'token' } as const
  const owners = [world.queue, world.queue.actAs(actor), scoped, scoped.actAs(actor)]
  return owners.flatMap((owner) => methodOf(owner, path) ?? [])
}

const refusal = { code: expect.stringMatching(/^invalid_/) }
const namesOptions = /no option is called "misspelt": (?:The options are|There are none)/

test('all calls of the queue that take options are called', () => {
  expect(places.length).toBeGreaterThan(50)
})

test.each(places)('an option that does not exist is refused with those that do: %s', async (_, place) => {
  const methods = methodsOf(place.call)
  expect(methods.length).toBeGreaterThan(0)
  for (const method of methods) {
    const message = expect.stringMatching(namesOptions)
    await expect(method(...place.argumentsWith({ misspelt: 1 }))).rejects.toMatchObject({
      ...refusal,
      message,
    })
  }
})

/** Options that take any object. */
const open = ['payload', 'payloadSchema', 'metadata']

test.each(places)('a value that no option has is refused: %s', async (_, { call, argumentsWith }) => {
  const [method] = methodsOf(call)
  const error: unknown = await method?.(...argumentsWith({ misspelt: 1 })).catch((thrown: unknown) => thrown)
  const names = /The options are (.*)$/.exec(String(error))?.[1]?.split(', ') ?? []
  for (const name of names.filter((one) => !open.includes(one))) {
    const wrong = argumentsWith({ [name]: { misspelt: 1 } })
    const outcome = await method?.(...wrong).catch(refusalOf)
    expect({ name, outcome }).toEqual({ name, outcome: refusal })
  }
})

function refusalOf(error: unknown): object {
  const { code } = error as { readonly code?: unknown }
  return { code }
}

test.each([
  [{}, /runAt/],
  [{ runAt: undefined }, /runAt/],
  [new Date(), /runAt/],
  [{ runat: new Date() }, /called "runat": did you mean runAt\?/],
])('a reschedule to no instant moves nothing: %j', async (options, message) => {
  const { queue } = world
  const { job } = await queue.enqueue(definition, null, { queue: 'later', delayMs: 100_000 })
  const moved = queue.many.reschedule({ queue: 'later' }, options as never)
  await expect(moved).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringMatching(message),
  })
  expect(await queue.get(job.id)).toMatchObject({ runAt: job.runAt })
})

test.each([{ changes: 'Refuse' }, { changes: null }, { restore: 'false' }, { changs: 'replace' }])(
  'a registration by a wrong policy replaces nothing: %j',
  async (options) => {
    const registered = world.queue.register([definition], options as never)
    await expect(registered).rejects.toMatchObject({ code: 'invalid_options' })
  },
)

test('a policy that is undefined is the one that refuses', async () => {
  const { queue } = world
  const versionOf = (payload: z.ZodType) => defineJob({ kind: 'changing', payload })
  await queue.register([versionOf(z.object({ a: z.string() }))])
  await queue.enqueue(versionOf(z.object({ a: z.string() })), { a: 'x' }, { delayMs: 100_000 })
  const registered = queue.register([versionOf(z.object({ a: z.number() }))], { changes: undefined })
  await expect(registered).rejects.toMatchObject({ code: 'kind_conflict' })
})

test.each([
  { work: {} },
  { work: null },
  { work: 'x' },
  { work: { definition, payload: null, priority: 1 } },
  { priority: undefined },
])('an edit of nothing, or of no work, is refused: %j', async (changes) => {
  const { queue } = world
  const { job } = await queue.enqueue(definition, null, { delayMs: 100_000 })
  await expect(queue.edit(job.id, changes as never)).rejects.toMatchObject({ code: 'invalid_job' })
  expect(await queue.get(job.id)).toMatchObject({ updatedAt: job.updatedAt })
})

test('a copy of a request may have other values, but no further members', async () => {
  const { queue } = world
  const request = definition.create(null)
  const [written] = await queue.enqueueMany([{ ...request, priority: 1 }])
  expect(written?.job.priority).toBe(1)
  const copy = { ...request, priorty: 1 }
  await expect(queue.enqueueMany([copy])).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining('did you mean priority?'),
  })
})

test.each([
  [
    'retryPolicy',
    { retryPolicy: { type: 'fixed', basMs: 5 } },
    'did you mean baseMs? The options are type, baseMs',
  ],
  ['unique', { unique: { key: 'a', scope: 'live', onConflikt: 'return' } }, 'did you mean onConflict?'],
])('a misspelt member of %s is answered with the right one', async (_, options, hint) => {
  const schedule = { name: 'nested', everyMs: 60_000, definition, payload: null, options }
  const refused = { message: expect.stringContaining(hint) }
  await expect(world.queue.enqueue(definition, null, options as never)).rejects.toMatchObject(refused)
  await expect(world.queue.schedules.create(schedule as never)).rejects.toMatchObject(refused)
})

test('a misspelt default of a kind is answered with the right one', async () => {
  const { retryPolicy } = { retryPolicy: { type: 'fixed', basMs: 5 } }
  const define = () => defineJob({ kind: 'any', payload: z.unknown(), retryPolicy: retryPolicy as never })
  expect(define).toThrow('did you mean baseMs?')
  const registered = world.queue.kinds.register([{ ...registration, defaults: { priorty: 1 } as never }], {
    by: 'test',
    changes: 'refuse',
  })
  await expect(registered).rejects.toThrow('did you mean priority?')
})

test('the tenant and the groups of a caller with bounds are checked too', async () => {
  const tenants = createTenantQueues({ connectionString: world.url, queue: world.queue })
  try {
    expect(() => tenants.of({ tenantID: 'acme' } as never)).toThrow('did you mean tenantId?')
    expect(() => tenants.of({} as never)).toThrow('tenantId must be a text')
  } finally {
    await tenants.close()
  }
  const scoped = scopeQueue(world.queue, { queues: ['mail'] })
  expect(() => scoped.grouped({ waitingMx: 1 } as never)).toThrow('did you mean waitingMax?')
})
