import { types } from 'node:util'
import { redactText } from '@queue/telemetry'

const causesMax = 5

/**
 * An error in one line: its message and those of its causes. When a connection to a name with several addresses is
 * refused, Node's error has no message, but holds one error per address; their messages are shown then.
 */
export function explainError(error: unknown): string {
  const parts: string[] = []
  let current = error
  for (let depth = 0; depth < causesMax && current !== undefined && current !== null; depth += 1) {
    const message = messageOf(current)
    if (message !== '' && !parts.some((part) => part.includes(message))) parts.push(message)
    current = isError(current) ? current.cause : undefined
  }
  return redactText(parts.join(': ') || 'unknown error').replaceAll(/\s+/g, ' ')
}

function messageOf(error: unknown): string {
  if (!isError(error)) return typeof error === 'string' ? error : 'unknown error'
  if (error.message === '' && 'errors' in error && Array.isArray(error.errors)) {
    return error.errors.map(messageOf).join(', ')
  }
  return error.message || error.name
}

/** The code that Node or PostgreSQL gave an error (`EADDRINUSE`, `28P01`), if it has one. */
export function errorCodeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Errors of another realm (a vm context, a worker) are no instances of this one's Error. */
function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error)
}
