/**
 * Parameters with each array as the text that PostgreSQL reads: libraries write arrays in ways of their own, and take that
 * of an array of bytes for bytes. The statements say by casts what their parameters are.
 */
export function plainValues(values: readonly unknown[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? arrayText(value) : value))
}

type Element = string | number | Uint8Array | null

function arrayText(elements: readonly Element[]): string {
  return `{${elements.map(elementText).join(',')}}`
}

function elementText(element: Element): string {
  if (element === null) return 'NULL'
  const text = element instanceof Uint8Array ? `\\x${Buffer.from(element).toString('hex')}` : String(element)
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
