import { setImmediate } from 'node:timers/promises'

/** Characters of rows that are decoded in one turn of the event loop. Those of JSON with many names take some 25 ms. */
const charactersPerTurn = 262_144

/** Decodes rows that may be large, and lets other events happen after every so many. */
export async function decodeInTurns<Row extends object, Decoded>(
  rows: readonly Row[],
  decode: (row: Row) => Decoded,
): Promise<Decoded[]> {
  const decoded: Decoded[] = []
  let characters = 0
  for (const row of rows) {
    if (characters > charactersPerTurn) {
      await setImmediate()
      characters = 0
    }
    decoded.push(decode(row))
    characters += lengthOf(row)
  }
  return decoded
}

function lengthOf(row: object): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
}
