import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { createLogger, flushLogger, type Logger } from '../src/index.ts'
import { createCapture } from './capture.ts'

interface JsonLogger {
  readonly logger: Logger
  readonly lines: () => Promise<Record<string, unknown>[]>
}

function createJsonLogger(): JsonLogger {
  const capture = createCapture()
  const logger = createLogger({ service: 'test', level: 'info', format: 'json', stream: capture.stream })
  const lines = async (): Promise<Record<string, unknown>[]> => {
    await flushLogger(logger)
    return capture.lines().map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  return { logger, lines }
}

async function onlyLine(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { logger, lines } = createJsonLogger()
  logger.info('line', fields)
  const written = await lines()
  expect(written).toHaveLength(1)
  return written[0] ?? {}
}

describe('a JSON line', () => {
  test('has the time in UTC, level, service, message and the fields', async () => {
    const line = await onlyLine({ job_id: 'j', attempt: 2 })
    expect(line).toMatchObject({ level: 'info', service: 'test', message: 'line', job_id: 'j', attempt: 2 })
    expect(line['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test("a field cannot overwrite the line's own members", async () => {
    const line = await onlyLine({ message: 'mine', level: 'fatal', service: 'x', timestamp: 0 })
    expect(line).toMatchObject({ level: 'info', service: 'test', message: 'line', field_message: 'mine' })
  })

  test('an error has name, message, code, stack and cause, but not the members that a driver adds', async () => {
    const cause = new Error('the cause')
    const error = Object.assign(new TypeError('broken', { cause }), {
      code: 'E_BROKEN',
      detail: 'Failing row contains (payload)',
    })
    const line = await onlyLine({ error })
    expect(line['error']).toMatchObject({
      name: 'TypeError',
      message: 'broken',
      code: 'E_BROKEN',
      stack: expect.stringContaining('create-logger.test.ts'),
      cause: { message: 'the cause' },
    })
    expect(JSON.stringify(line)).not.toContain('payload')
  })

  test('an error instead of the fields is written as an error', async () => {
    const { logger, lines } = createJsonLogger()
    logger.error('failed', new Error('why') as never)
    expect((await lines())[0]).toMatchObject({ message: 'failed', error: { message: 'why' } })
  })

  test('lines below the level are not written', async () => {
    const { logger, lines } = createJsonLogger()
    logger.debug('no')
    logger.warn('yes')
    expect((await lines()).map((line) => line['message'])).toEqual(['yes'])
  })
})

describe('no value breaks a line', () => {
  const cyclic: Record<string, unknown> = { name: 'loop' }
  cyclic['self'] = cyclic
  const throwing = {
    get bad(): never {
      throw new Error('getter')
    },
    good: 1,
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()

  test.each<[string, unknown, unknown]>([
    ['a cycle', cyclic, { name: 'loop', self: '[circular]' }],
    ['a BigInt', 2n ** 64n, '18446744073709551616'],
    ['a BigInt of a million bits', 2n ** 1_000_000n, '[bigint]'],
    ['a getter that throws', throwing, { bad: '[unreadable]', good: 1 }],
    ['a revoked proxy', revoked.proxy, '[unreadable]'],
    ['a toJSON that throws', { toJSON: () => JSON.parse('{') as never }, '[unreadable]'],
    ['NaN', Number.NaN, 'NaN'],
    ['an invalid date', new Date(Number.NaN), '[invalid date]'],
    ['a buffer', Buffer.alloc(5), '[5 bytes]'],
    ['a map and a set', new Map([['k', new Set([1, 2])]]), { k: [1, 2] }],
    ['a function', () => 1, '[function]'],
    ['a symbol', Symbol('s'), '[symbol]'],
    ['a URL', new URL('http://h/'), 'http://h/'],
  ])('%s', async (_name, value, shown) => {
    expect((await onlyLine({ value }))['value']).toEqual(shown)
  })

  test('megabytes are truncated, and the line contains how much is missing', async () => {
    const line = await onlyLine({
      text: 'x'.repeat(5_000_000),
      list: Array.from({ length: 100_000 }, (_, index) => index),
      wide: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 'v'])),
    })
    expect(JSON.stringify(line).length).toBeLessThan(200_000)
    expect(line['text']).toMatch(/… \[\d+ more characters\]$/)
  })

  test('deep nesting is truncated', async () => {
    let deep: unknown = 'bottom'
    for (let level = 0; level < 100_000; level += 1) deep = { deep }
    expect(JSON.stringify(await onlyLine({ deep }))).toContain('[too deep]')
  })

  test('a field named __proto__ is data', async () => {
    const line = await onlyLine(JSON.parse('{"nested":{"__proto__":{"polluted":true}}}'))
    expect(JSON.stringify(line)).toContain('"__proto__":{"polluted":true}')
    expect({}).not.toHaveProperty('polluted')
  })

  test('lone surrogates and U+0000 leave one line of valid JSON', async () => {
    const text = 'a\u0000\ud800b\nc\u007f\u009b31m\u202e'
    expect(await onlyLine({ text })).toMatchObject({ text })
  })

  test('a message that is not a string is written too', async () => {
    const { logger, lines } = createJsonLogger()
    logger.info(undefined as never)
    logger.info({ a: 1n } as never, null as never)
    expect((await lines()).map((line) => line['message'])).toEqual(['[undefined]', '{"a":"1"}'])
  })
})

describe('secrets', () => {
  test('passwords are masked in messages, fields, keys, errors and stacks', async () => {
    const url = 'postgres://app:hunter2@db/queue'
    const { logger, lines } = createJsonLogger()
    const error = new Error(`cannot reach ${url}`)
    logger.error(`connecting to ${url}`, { url, [url]: 1, nested: [{ url }], error })
    expect(JSON.stringify(await lines())).not.toContain('hunter2')
  })

  test('fields with names of secrets are masked, but not a lease token', async () => {
    const line = await onlyLine({ password: 'x', api_token: 'x', Authorization: 'x', lease_token: '7' })
    expect(line).toMatchObject({ password: '***', api_token: '***', Authorization: '***', lease_token: '7' })
  })

  test('truncation does not separate a password from its address', async () => {
    for (const lead of [16_300, 16_384, 32_700]) {
      const url = `postgres://app:${'hunter2'.repeat(50)}@db/queue`
      const line = await onlyLine({ text: `${'x'.repeat(lead - 100)} ${url} ${'y'.repeat(20_000)}` })
      expect(JSON.stringify(line)).not.toContain('hunter2')
    }
  })
})

describe('a readable line', () => {
  async function pretty(message: string, fields: Record<string, unknown>): Promise<string[]> {
    const capture = createCapture()
    const logger = createLogger({ service: 'api', level: 'info', format: 'pretty', stream: capture.stream })
    logger.warn(message, fields)
    await flushLogger(logger)
    return capture.lines()
  }

  test('is time, level, service, message and key=value', async () => {
    const [line] = await pretty('slow query', { ms: 12, table: 'jobs', note: 'two words' })
    expect(line).toMatch(/^\S+Z warn {2}api: slow query ms=12 table=jobs note="two words"$/)
  })

  test('is followed by the stacks of its error and of the cause, indented', async () => {
    const lines = await pretty('failed', { error: new Error('outer', { cause: new Error('inner') }) })
    expect(lines[0]).toContain('error="outer"')
    expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true)
    expect(lines.join('\n')).toMatch(/Error: outer[^]*caused by[^]*Error: inner/)
  })

  test('control characters can neither forge a second line nor drive a terminal', async () => {
    const lines = await pretty('a\nforged \u001b[31m', { text: 'b\u009b\u2028\u202e\u2066', 'k\n': 1 })
    expect(lines).toHaveLength(1)
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
  })
})

describe('flushing', () => {
  test('every line logged before the exit of a process reaches a slow reader', async () => {
    const count = 5_000
    const program = fileURLToPath(new URL('flushing-process.ts', import.meta.url))
    const child = spawn(process.execPath, [program, `${count}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const chunks: string[] = []
    for await (const chunk of child.stdout) chunks.push(String(chunk))
    expect(await exited).toEqual([0, null])
    expect(chunks.join('').split('\n').filter(Boolean)).toHaveLength(count)
  })

  test('a stream whose reader is closed causes no error and flushes', async () => {
    const stream = new PassThrough()
    const logger = createLogger({ service: 'test', level: 'info', format: 'json', stream })
    stream.destroy(new Error('EPIPE'))
    logger.info('into the void')
    await expect(flushLogger(logger)).resolves.toBeUndefined()
  })

  test('a stream that throws causes no error', async () => {
    const stream = createCapture().stream
    stream.write = () => {
      throw new Error('no')
    }
    const logger = createLogger({ service: 'test', level: 'info', format: 'json', stream })
    logger.info('lost')
    await expect(flushLogger(logger)).resolves.toBeUndefined()
  })

  test('another logger has nothing to flush', async () => {
    const foreign = { debug() {}, info() {}, warn() {}, error() {} }
    await expect(flushLogger(foreign)).resolves.toBeUndefined()
  })
})
