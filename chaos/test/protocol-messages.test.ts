import { expect, test } from '@jest/globals'
import {
  createMessageReader,
  createStatementReader,
  isCancelRequest,
} from '../src/proxy/protocol-messages.ts'

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(type.length + 4)
  head.write(type, 'latin1')
  head.writeUInt32BE(Buffer.byteLength(body) + 4, type.length)
  return Buffer.concat([head, Buffer.from(body)])
}

const startup = message('', '\u0000\u0003\u0000\u0000user\u0000me\u0000\u0000')
const stream = Buffer.concat([
  startup,
  message('P', 'named\u0000SELECT $1\u0000\u0000\u0000'),
  message('B', '\u0000named\u0000rest'),
  message('Q', 'COMMIT\u0000'),
  message('P', '\u0000INSERT INTO größe\u0000\u0000\u0000'),
  message('B', '\u0000\u0000rest'),
  message('S', ''),
])

test.each([1, 2, 3, 7, 1_000])(
  'statements are read when they are executed, from chunks of %i bytes',
  (size) => {
    const read = createMessageReader(1)
    const statementOf = createStatementReader()
    const statements: string[] = []
    const forwarded: Buffer[] = []
    for (let start = 0; start < stream.length; start += size) {
      for (const received of read(stream.subarray(start, start + size))) {
        forwarded.push(received.bytes)
        const statement = statementOf(received)
        if (statement !== undefined) statements.push(statement)
      }
    }
    expect(statements).toEqual(['SELECT $1', 'COMMIT', 'INSERT INTO größe'])
    expect(Buffer.concat(forwarded).equals(stream)).toBe(true)
  },
)

test('a cancel request is distinguished from the start of a session', () => {
  const isCancel = (bytes: Buffer) => createMessageReader(1)(bytes).map(isCancelRequest)
  expect(isCancel(Buffer.from('0000001004d2162e0000000100000002', 'hex'))).toEqual([true])
  expect(isCancel(startup)).toEqual([false])
})
