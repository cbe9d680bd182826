/**
 * Parameters with each array as the text that PostgreSQL parses. Libraries write arrays in different ways, and mistake
 * an array of bytes for bytes. Casts in the statements give the types of the parameters.
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
