import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@queue/client'
import { createGroupedEnqueue, createQueue, sendEmail, scopeQueue } from '@queue/core'
import { createOutbox, createOutboxWorker, migrateOutbox } from '@queue/outbox'
import { buildContext, createTestDatabase, drain, type TestDatabase } from '@queue/testing'
import { createWorker, handle } from '@queue/worker'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Entry, load, publishedEntries } from '../refusals/entries.ts'
import { factories, handler, job, message, target, furtherFactories } from '../refusals/factories.ts'
import { findRawErrors, functionsOf, rawErrorOf, unknownId } from '../refusals/find-raw-errors.ts'
import { wrongValues } from '../refusals/wrong-values.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The entries for applications (docs/packages.md). Whatever they refuse, they refuse with a code. */
const forApplications = [
  '@queue/client',
  '@queue/core',
  '@queue/core/drizzle',
  '@queue/core/postgres-js',
  '@queue/core/prisma',
  '@queue/handlers',
  '@queue/handlers/settings',
  '@queue/outbox',
  '@queue/telemetry',
  '@queue/testing',
  '@queue/worker',
  '@queue/worker/drain',
]

/** Building blocks that only our own packages call, which the compiler checks. They change without notice. */
const forOwnPackages = [
  '@queue/admin',
  '@queue/admin/payload-schemas',
  '@queue/commands',
  '@queue/core/internal',
  '@queue/core/plain',
  '@queue/dev-postgres',
  '@queue/executor',
  '@queue/loop',
  '@queue/loop/arguments',
  '@queue/loop/describe-error',
  '@queue/loop/queue-error',
  '@queue/loop/timers',
  '@queue/outbox/settings',
  '@queue/postgres',
  '@queue/postgres/connection',
  '@queue/postgres/errors',
  '@queue/service',
  '@queue/service/health-check',
  '@queue/service/ops-thread',
  '@queue/test-database',
  '@queue/worker/lease-thread',
]

/** These take nothing, or start a server, so that a wrong argument has nothing to break. */
const withoutArguments = ['createTestDatabase', 'startDatabaseProxy', 'eventually']

const codes = new Set(
  [...readFileSync(path.join(root, 'docs/errors.md'), 'utf8').matchAll(/^(?:\||-) `([a-z_]+)`/gm)].map(
    ([, code]) => code,
  ),
)

/** The messages of an engine, which say nothing to somebody who does not know our code. */
const engineMessages =
  /^Cannot |Cannot (?:read|convert|destructure)|is not (?:a function|iterable)|Invalid value used/

/** Whether it is an error of ours: its code is documented, and its message is ours. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, error: problem } = error as { readonly code?: unknown; readonly error?: unknown }
  return codes.has(String(problem ?? code)) && error.message.length > 0 && !engineMessages.test(error.message)
}

/** What the handler's own function throws reaches the handler as it is. */
function isRefusalOrOwn(error: unknown): boolean {
  return isRefusal(error) || (error instanceof Error && error.message === 'the function was called')
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrateOutbox({ connectionString: database.url })
})
afterAll(() => database.close())

const entries = publishedEntries(root)
const makers = Object.entries(factories(() => database.queue))
const furtherMakers = Object.entries(furtherFactories(() => database))

test('each published entry is for applications or for our own packages', () => {
  const named = [...forApplications, ...forOwnPackages].toSorted()
  expect(entries.map(({ specifier }) => specifier).toSorted()).toEqual(named)
})

describe('an error of ours answers every wrong argument', () => {
  const swept = entries.filter(({ specifier }) => forApplications.includes(specifier))

  test.each(swept.map((entry): [string, Entry] => [entry.specifier, entry]))(
    'of each function of %s',
    async (_, entry) => {
      const raw = await Promise.all(
        Object.entries(await load(entry)).map(async ([name, value]) => {
          if (typeof value !== 'function' || withoutArguments.includes(name)) return []
          if (isErrorClass(value) && !isThrownByHandlers(name)) return []
          return findRawErrors(name, callable(value), isRefusal)
        }),
      )
      expect(raw.flat()).toEqual([])
    },
  )

  test('of each method of what these functions return', async () => {
    const owners = openOwners()
    const methods = Object.entries(owners).flatMap(([name, owner]) => functionsOf(name, owner, notCalled))
    const raw: string[] = []
    // One method at a time: all at once would wait for connections.
    for (const [name, call] of methods) raw.push(...(await findRawErrors(name, call, isRefusal)))
    expect(raw).toEqual([])
  })

  test('of each method of what is closed or stopped', async () => {
    const raw: string[] = []
    for (const [name, owner] of Object.entries(await closedOwners())) {
      for (const [method, call] of functionsOf(name, owner, notCalled)) {
        const errors = [[], [unknownId], [{}], ['all', {}]].map((args) =>
          rawErrorOf(() => call(...args), isRefusal),
        )
        raw.push(
          ...(await Promise.all(errors)).flatMap((error) =>
            error === undefined ? [] : [`${method}: ${error}`],
          ),
        )
      }
    }
    expect(raw).toEqual([])
  })

  test('of each call on the context of a handler', async () => {
    const raw: string[] = []
    const calling = handle(job, async (_, ctx) => {
      for (const name of ['progress', 'log', 'transaction'] as const)
        raw.push(...(await findRawErrors(`ctx.${name}`, ctx[name] as never, isRefusalOrOwn)))
    })
    await database.queue.enqueue(job, { id: '1' })
    await drain(database, { handlers: [calling] })
    expect(raw).toEqual([])
  })

  test.each(makers)('of each option of %s', async (name, { make, options }) => {
    const attempts = Object.keys(options).flatMap((option) =>
      Object.entries(wrongValues()).map(async ([label, value]) => {
        const error = await rawErrorOf(() => make({ ...options, [option]: value } as never), isRefusal)
        return error === undefined ? [] : [`${name}, ${option} is ${label}: ${error}`]
      }),
    )
    expect((await Promise.all(attempts)).flat()).toEqual([])
  })
})

test.each([...makers, ...furtherMakers])(
  'a misspelt option of %s is refused, and the error names the right one',
  async (_name, { make, options }) => {
    for (const option of Object.keys(options)) {
      const misspelt = option.slice(0, -1)
      const { [option]: value, ...others } = options
      const made = Promise.resolve().then(() => make({ ...others, [misspelt]: value } as never))
      await expect(made).rejects.toThrow(`did you mean ${option}?`)
    }
  },
)

/** Members that belong to our own packages, or that a test of their own needs. */
const notCalled = ['database', 'counter', 'full', 'close', 'signal', 'logger', 'payload', 'abort']

function openOwners() {
  const { queue } = database
  const scoped = scopeQueue(queue, { queues: ['default'] })
  const outbox = createOutbox({ pool: database.pool })
  const notFound = {
    type: 'urn:queue:problem:not_found',
    error: 'not_found',
    detail: 'there is nothing',
    status: 404,
  }
  const answer = async () =>
    Response.json(notFound, { status: 404, headers: { 'content-type': 'application/problem+json' } })
  return {
    queue,
    'queue.actAs()': queue.actAs({ type: 'token', id: 'token' }),
    scopedQueue: scoped,
    'scopedQueue.actAs()': scoped.actAs({ type: 'token', id: 'token' }),
    grouped: createGroupedEnqueue(queue),
    definition: sendEmail,
    message,
    outbox,
    client: createClient({ baseUrl: 'http://queue.test', retries: 0, fetch: answer }),
    context: buildContext(),
  }
}

/** What has been closed or stopped. */
async function closedOwners() {
  const connection = { connectionString: database.url }
  const queue = createQueue(connection)
  const outbox = createOutbox(connection)
  const worker = createWorker({ ...connection, handlers: [handler] })
  const relay = createOutboxWorker({ ...connection, target: target() })
  await Promise.all([queue.close(), outbox.close(), worker.stop(), relay.stop()])
  return { closedQueue: queue, closedOutbox: outbox, stoppedWorker: worker, stoppedRelay: relay }
}

function isErrorClass(value: object): boolean {
  return Object.prototype.isPrototypeOf.call(Error, value)
}

/** The other classes of errors are for `instanceof` only. */
function isThrownByHandlers(name: string): boolean {
  return name === 'RetryAfter' || name === 'Snooze'
}

function callable(value: object): (...args: readonly unknown[]) => unknown {
  if (!Function.prototype.toString.call(value).startsWith('class')) return value as () => unknown
  return (...args) => Reflect.construct(value as new () => unknown, args)
}
