/** Length (4 bytes) of every message of PostgreSQL's protocol, which counts itself, after a type of 1 byte. */
const lengthBytes = 4
const typeBytes = 1
/** A statement is sent as Query, or in parts of which each has one Execute; one that stays prepared has no Parse. */
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
