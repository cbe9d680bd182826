import { expect, test } from '@jest/globals'
import { type LogFields, type Logger, withFields } from '../src/index.ts'

test("the fields of a logger are only on its lines, and a line's own fields take precedence", () => {
  const lines: (LogFields | undefined)[] = []
  const write = (_message: string, fields?: LogFields) => void lines.push(fields)
  const logger: Logger = { debug: write, info: write, warn: write, error: write }
  const inner = withFields(withFields(logger, { worker_id: 'w', kind: 'a' }), { attempt: 1 })
  inner.info('one', { kind: 'b' })
  inner.warn('two')
  logger.error('three')
  expect(lines).toEqual([
    { worker_id: 'w', kind: 'b', attempt: 1 },
    { worker_id: 'w', kind: 'a', attempt: 1 },
    undefined,
  ])
})

test('fields that cannot be read do not lose the line, and do not throw', () => {
  const lines: unknown[] = []
  const write = (message: string, fields?: LogFields) => void lines.push({ message, ...fields })
  const logger = withFields({ debug: write, info: write, warn: write, error: write }, { attempt: 1 })
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const throwing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => {
      throw new Error('getter')
    },
  })
  logger.info('a proxy', proxy)
  logger.info('a getter', throwing)
  expect(lines).toEqual([
    { message: 'a proxy', attempt: 1, fields: '[unreadable]' },
    { message: 'a getter', attempt: 1, fields: '[unreadable]' },
  ])
})
