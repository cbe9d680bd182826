/** Every message of PostgreSQL's protocol has a type of 1 byte and a length of 4 bytes, which includes itself. */
const lengthBytes = 4
const typeBytes = 1
/** A statement is sent as Query, or as several messages with one Execute. A prepared statement has no Parse. */
const statementTypes = new Set(['Q', 'E'])

/** Reads what a client sends, and calls `onStatement` for each statement in it. The first message has no type. */
export function countStatements(onStatement: () => void): (chunk: Buffer) => void {
  let unparsed = Buffer.alloc(0)
  let headBytes = 0
  return (chunk) => {
    unparsed = Buffer.concat([unparsed, chunk])
    while (unparsed.length >= headBytes + lengthBytes) {
      const end = headBytes + unparsed.readInt32BE(headBytes)
      if (unparsed.length < end) return
      if (headBytes > 0 && statementTypes.has(String.fromCharCode(unparsed[0] ?? 0))) onStatement()
      unparsed = unparsed.subarray(end)
      headBytes = typeBytes
    }
  }
}
