import { types } from 'node:util'
import { redactText } from '@queue/telemetry'

const causesMax = 5

/**
 * An error in one line: its message and the messages of its causes. If all addresses of a name refuse a connection, Node's error
 * has no message, but contains one error per address, whose messages are used instead.
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

/** The code of an error of Node or PostgreSQL (`EADDRINUSE`, `28P01`); undefined if it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Includes errors of another realm (a vm context, a worker), which are not instances of this realm's Error. */
function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error)
}
