// How JSON numbers are kept, for whatever reads JSON text. Imports nothing.

/**
 * Whether the JSON number `source` keeps its value as a double, so that storage returns it unchanged. 2^53 + 1, 1e400 and 0.1
 * with twenty more digits do not. A zero below zero is a zero, as JSON writers write it.
 */
export function isExactNumber(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  const written = toDecimal(source)
  const kept = toDecimal(String(value))
  return (
    written.negative === kept.negative && written.digits === kept.digits && written.exponent === kept.exponent
  )
}

/** A number as sign, significant digits and power of ten, so that different notations of one value are equal. */
interface Decimal {
  /** False for zero. */
  readonly negative: boolean
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string
  readonly exponent: number
}

function toDecimal(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const withoutLead = (whole + fraction).replace(/^0+/, '')
  const digits = withoutTrailingZeros(withoutLead)
  const exponent = Number(power) - fraction.length + (withoutLead.length - digits.length)
  return {
    negative: digits !== '' && text.startsWith('-'),
    digits,
    exponent: digits === '' ? 0 : exponent,
  }
}

/** A regular expression with an end anchor would take quadratic time for a long run of zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end -= 1
  return digits.slice(0, end)
}
