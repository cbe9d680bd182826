/** A message of PostgreSQL's protocol (its documentation, chapter "Frontend/Backend Protocol"). */
export interface ProtocolMessage {
  /** Its letter; empty for the first message of a client, which has none. */
  readonly type: string
  /** What follows its length. */
  readonly body: Buffer
  /** All of it, as it was sent. */
  readonly bytes: Buffer
}

/** The length counts itself and what follows, but not the letter before it. */
const lengthBytes = 4

/**
 * Cuts a stream into its messages, however the chunks of it fall. `untyped` is the number of messages without a letter
 * at its beginning: one from a client (its startup), none from a server.
 */
export function createMessageReader(untyped: number): (chunk: Buffer) => ProtocolMessage[] {
  let left = untyped
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const messages: ProtocolMessage[] = []
    for (;;) {
      const message = firstMessage(rest, left > 0 ? 0 : 1)
      if (message === undefined) return messages
      messages.push(message)
      rest = rest.subarray(message.bytes.length)
      left = Math.max(0, left - 1)
    }
  }
}

/** The message at the beginning of `bytes`, or undefined while it has not come whole. */
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

/** Whether this is the only message of a client that asks for the end of what another connection is at. */
export function isCancelRequest({ type, body }: ProtocolMessage): boolean {
  return type === '' && body.length >= lengthBytes && body.readUInt32BE(0) === cancelRequestCode
}

/** Tells the statement that a client's message sends off, if it does: `read` sees every message of one connection. */
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

/** A text that ends with a zero byte. */
function textAt(body: Buffer, start: number): string {
  return body.toString('utf8', start, body.indexOf(0, start))
}
