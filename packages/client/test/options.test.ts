import { expect, test } from '@jest/globals'
import { type Client, createClient, InvalidCall } from '../src/index.ts'

const sent: Request[] = []
const client = createClient({
  baseUrl: 'http://queue.test',
  retries: 0,
  fetch: async (request) => {
    sent.push(request)
    const problem = {
      type: 'urn:queue:problem:not_found',
      error: 'not_found',
      detail: 'nothing',
      status: 404,
    }
    return Response.json(problem, {
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
    })
  },
})

type Call = (...args: readonly unknown[]) => unknown
const calls = Object.entries(client as Client & Readonly<Record<string, unknown>>) as [string, Call][]

/** What a call throws. An iterable is read, because its call begins with its first step. */
async function thrownBy(call: Call, ...args: readonly unknown[]): Promise<unknown> {
  const result = call(...args)
  const isIterable = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
  const answer = isIterable ? (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next() : result
  return Promise.resolve(answer).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** Calls that send the members that are no options of their own. The API refuses those that it does not know. */
const sendingCalls = ['enqueue', 'requeue']

test.each(calls.filter(([name]) => !sendingCalls.includes(name)))(
  '%s refuses an option that it does not have, and a value that none of its options has',
  async (name, call) => {
    sent.length = 0
    const misspelt = { misspelt: 1 }
    const error = await thrownBy(call, misspelt, misspelt, misspelt)
    expect(error).toBeInstanceOf(InvalidCall)
    expect(error).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(`^${name} has no option "misspelt": It takes signal`),
    })
    const options = /It takes (.*)$/.exec((error as Error).message)?.[1]?.split(', ') ?? []
    for (const option of options) {
      const wrong = { [option]: 5n }
      const message = expect.stringMatching(`^${option} of ${name} must be`)
      expect(await thrownBy(call, wrong, wrong, wrong)).toMatchObject({ name: 'InvalidCall', message })
    }
    expect(await thrownBy(call, 'text', 'text', 'text')).toBeInstanceOf(InvalidCall)
    expect(sent).toEqual([])
  },
)

test.each(calls.filter(([name]) => sendingCalls.includes(name)))(
  '%s sends what is no option of its own, and refuses a wrong value of those',
  async (_name, call) => {
    sent.length = 0
    const options = { misspelt: 1 }
    await thrownBy(call, 'id', options, options)
    const [request] = sent
    expect([request?.url, await request?.text()].join(' ')).toContain('misspelt')
    const wrong = { signal: 5 }
    expect(await thrownBy(call, 'id', wrong, wrong)).toBeInstanceOf(InvalidCall)
    expect(sent).toHaveLength(1)
  },
)

const limit = { queue: 'mail', scope: 'queue', max_running: 1 }

test.each<[string, readonly unknown[], string]>([
  ['edit', ['id', { priority: 2 }, { ifmatch: 'a' }], 'did you mean ifMatch?'],
  ['edit', ['id', { priority: 2 }, { if_match: 'a' }], 'did you mean ifMatch?'],
  ['edit', ['id', { priority: 2 }, 'a'], 'takes an object, not this text'],
  [
    'enqueue',
    ['send_email', {}, { onMismatch: 'rejct' }],
    'onMismatch of enqueue must be one of replay, reject',
  ],
  ['enqueueMany', [[], { onMissmatch: 'reject' }], 'did you mean onMismatch?'],
  ['enqueueMany', [[], { on_mismatch: 'reject' }], 'did you mean onMismatch?'],
  ['enqueueMany', [[], { onMismatch: 'REJECT' }], 'must be one of replay, reject'],
  ['runScheduleNow', ['s', { idempotency_key: 'r1' }], 'did you mean idempotencyKey?'],
  ['waitFor', ['id', { timeout: 100 }], 'did you mean timeoutMs?'],
  ['setLimit', [limit, { if_updated_at: null }], 'did you mean ifUpdatedAt?'],
  ['deleteLimit', [limit, { ifUpdatedAt: null }], 'ifUpdatedAt of deleteLimit must be a text; it is null'],
  ['followLogs', ['id', { levl: 'warn' }], 'did you mean level?'],
  ['followLogs', ['id', { level: 'warning' }], 'must be one of debug, info, warn, error'],
])('%s(%j) is answered with what was meant', async (name, args, message) => {
  const [, call] = calls.find(([one]) => one === name) ?? []
  expect(await thrownBy(call as Call, ...args)).toMatchObject({
    name: 'InvalidCall',
    message: expect.stringContaining(message),
  })
})

test('a misspelt option of createClient is answered with the right one', () => {
  const options = { baseUrl: 'http://queue.test', tokn: 'a' }
  expect(() => createClient(options as never)).toThrow('did you mean token?')
})
