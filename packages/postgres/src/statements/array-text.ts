/**
 * Arrays as the text that PostgreSQL reads, for elements whose form is known. node-postgres searches each element for
 * characters to quote, which took a sixth of Node's time for an insert of a thousand jobs (docs/decisions/0024).
 */

/** An array of elements that need no quotes: ids and numbers, also infinite ones. */
export function plainArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`
}

/**
 * An array of names, or of texts that `JSON.stringify` has made. Such a text has neither control characters nor lone
 * surrogates, and everything else JSON quotes as an array does: with a backslash before quotes and backslashes.
 */
export function jsonTextArray(texts: readonly string[]): string {
  return `{${JSON.stringify(texts).slice(1, -1)}}`
}
