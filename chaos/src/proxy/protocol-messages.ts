/** A message of PostgreSQL's protocol (PostgreSQL documentation, chapter "Frontend/Backend Protocol"). */
export interface ProtocolMessage {
  /** The letter of its type; empty for the first message of a client, which has none. */
  readonly type: string
  /** The bytes after the length. */
  readonly body: Buffer
  /** The whole message as it was sent. */
  readonly bytes: Buffer
}

/** The length includes itself and the body, but not the letter before it. */
const lengthBytes = 4

/**
 * Splits a stream of chunks into its messages. `untyped` is the number of messages without a letter at the beginning of the
 * stream: one from a client (its startup), none from a server.
 */
export function createMessageReader(untyped: number): (chunk: Buffer) => ProtocolMessage[] {
  let untypedLeft = untyped
  let unparsed: Buffer = Buffer.alloc(0)
  return (chunk) => {
    unparsed = unparsed.length === 0 ? chunk : Buffer.concat([unparsed, chunk])
    const messages: ProtocolMessage[] = []
    for (;;) {
      const message = firstMessage(unparsed, untypedLeft > 0 ? 0 : 1)
      if (message === undefined) return messages
      messages.push(message)
      unparsed = unparsed.subarray(message.bytes.length)
      untypedLeft = Math.max(0, untypedLeft - 1)
    }
  }
}

/** The message at the beginning of `bytes`; undefined while it is incomplete. */
function firstMessage(bytes: Buffer, typeBytes: 0 | 1): ProtocolMessage | undefined {
  if (bytes.length < typeBytes + lengthBytes) return undefined
  const end = typeBytes + bytes.readUInt32BE(typeBytes)
  if (bytes.length < end) return undefined
  return {
    type: bytes.toString('latin1', 0, typeBytes),
    body: bytes.subarray(typeBytes + lengthBytes, end),
    bytes: bytes.subarray(0, end),
  }
}

const cancelRequestCode = 80_877_102

/** Whether this is a request to cancel the current statement of another connection. */
export function isCancelRequest({ type, body }: ProtocolMessage): boolean {
  return type === '' && body.length >= lengthBytes && body.readUInt32BE(0) === cancelRequestCode
}

/**
 * Creates a function that returns the statement that a client's message runs, if any. It must see every message of a connection.
 */
export function createStatementReader(): (message: ProtocolMessage) => string | undefined {
  const prepared = new Map<string, string>()
  return ({ type, body }) => {
    switch (type) {
      case 'Q':
        return textAt(body, 0)
      case 'P': {
        const name = textAt(body, 0)
        prepared.set(name, textAt(body, Buffer.byteLength(name) + 1))
        return undefined
      }
      case 'B': {
        const portal = textAt(body, 0)
        return prepared.get(textAt(body, Buffer.byteLength(portal) + 1))
      }
      default:
        return undefined
    }
  }
}

/** The text at `start` that ends with a zero byte. */
function textAt(body: Buffer, start: number): string {
  return body.toString('utf8', start, body.indexOf(0, start))
}
