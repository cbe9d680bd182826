import { types } from 'node:util'

/** The length of an error's description in UTF-16 units: enough for a stack and its causes, and small compared with a payload. */
export const errorLengthMax = 16_384

/** How many causes are described, because a chain of causes may be circular. */
const causesMax = 5

/**
 * A thrown value as text that PostgreSQL can always store: the message with the stack and the causes, U+0000 and lone surrogates
 * replaced, cut to `errorLengthMax` UTF-16 units. The text is never empty. Never throws, whatever was thrown.
 */
export function describeError(thrown: unknown): string {
  return storableText(rawDescription(thrown, causesMax) || 'an empty text was thrown', errorLengthMax)
}

function rawDescription(thrown: unknown, causesLeft: number): string {
  try {
    if (isError(thrown)) return describeErrorObject(thrown, causesLeft)
    const text = typeof thrown === 'object' ? JSON.stringify(thrown) : undefined
    return text ?? String(thrown)
  } catch {
    // A getter or toString of the thrown value throws, so only its type is described.
    return `a thrown ${typeof thrown} that cannot be described`
  }
}

/** Includes errors of another realm (a vm context, a test runner), which `instanceof` does not recognize. */
function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error
}

function describeErrorObject(error: Error, causesLeft: number): string {
  const text = withStack(error)
  const { cause } = error
  if (cause === undefined || causesLeft === 0) return text
  return `${text}\ncaused by ${rawDescription(cause, causesLeft - 1)}`
}

/** The headline is rebuilt, because a stack keeps the message that the error was created with. */
function withStack(error: Error): string {
  const headline = `${error.name}: ${error.message}`
  const stack: unknown = error.stack
  if (typeof stack !== 'string') return headline
  const frames = stack.indexOf('\n    at ')
  return frames === -1 ? headline : `${headline.slice(0, errorLengthMax / 2)}${stack.slice(frames)}`
}

/** `text` as PostgreSQL can store it: U+0000 and lone surrogates become U+FFFD, and it is cut to `lengthMax` UTF-16 units. */
export function storableText(text: string, lengthMax: number): string {
  const cut = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`
  return cut.replaceAll('\u0000', '\uFFFD').toWellFormed()
}
