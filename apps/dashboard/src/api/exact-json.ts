// Reads JSON and numbers that a user has typed. JavaScript would round some of these numbers without a word, and the API,
// which refuses such numbers, would see only what they became.

/** The strings and the numbers of a JSON text. A string is matched as a whole, because it can contain digits. */
const stringsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Parses JSON. Throws, with what to do, if it is not JSON, or has a number that would be sent as another one. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  for (const [token] of text.matchAll(stringsAndNumbers)) {
    if (!token.startsWith('"')) parseExactNumber(token)
  }
  return value
}

/** Parses a number. Throws, with what to do, if it would be sent as another one. */
export function parseExactNumber(text: string): number {
  const value = Number(text)
  if (isKept(text, value)) return value
  throw new Error(`The number ${shown(text)} would be rounded. Write it as a text, in double quotes.`)
}

/** From here on JavaScript writes a number with an exponent. */
const exponentFrom = 1e21

/** By the rules of the API: beyond 2^53, several integers are read as one. */
function isKept(text: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  const magnitude = Math.abs(value)
  if (magnitude > 2 ** 53 && magnitude < exponentFrom) return false
  return decimalOf(text) === decimalOf(String(value))
}

/** A number as its significant digits and a power of ten: the same text for each notation of a value. */
function decimalOf(text: string): string {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  const exponent = Number(power) - fraction.length + (digits.length - length)
  return length === 0 ? '0' : `${digits.slice(0, length)}e${exponent}`
}

const shownLengthMax = 40

function shown(text: string): string {
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text
}
