import type { Answer } from './protocol.ts'

export function jsonAnswer(status: number, body: object): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` }
}
