import { storableText } from './json.ts'
import { errorLengthMax } from './limits.ts'

/**
 * What a thrown value says, as text that PostgreSQL can always store: the message with the stack, U+0000 and lone
 * surrogates replaced, cut to `errorLengthMax` UTF-16 units. Never throws, whatever was thrown.
 */
export function describeError(thrown: unknown): string {
  return storableText(rawDescription(thrown), errorLengthMax)
}

function rawDescription(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return withStack(thrown)
    if (typeof thrown === 'string') return thrown
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    // A getter or toString of the thrown value threw in its turn: its type is all that can be said of it.
    return `a thrown ${typeof thrown} that cannot be described`
  }
}

function withStack(error: Error): string {
  const headline = `${error.name}: ${error.message}`
  const stack = error.stack ?? ''
  const frames = stack.indexOf('\n    at ')
  const text = frames === -1 ? headline : `${headline.slice(0, errorLengthMax / 2)}${stack.slice(frames)}`
  return error.cause === undefined ? text : `${text}\ncaused by ${rawDescription(error.cause)}`
}
