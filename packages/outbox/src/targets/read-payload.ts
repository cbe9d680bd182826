import type { z } from 'zod'
import { Undeliverable } from '../domain/dispatch-errors.ts'
import type { ClaimedMessage } from '../domain/message.ts'

/** A message whose payload its definition has parsed, defaults and transforms included. */
export type ReadMessage<Payload extends z.ZodType = z.ZodType> = Omit<ClaimedMessage, 'payload'> & {
  readonly payload: z.output<Payload>
}

/** Throws `Undeliverable` when the payload no longer parses: no further attempt would change that. */
export function readMessage<Payload extends z.ZodType>(
  definition: { readonly payload: Payload },
  message: ClaimedMessage,
): ReadMessage<Payload> {
  const parsed = definition.payload.safeParse(message.payload)
  if (parsed.success) return { ...message, payload: parsed.data }
  const issues = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new Undeliverable(`the payload does not parse: ${issues.join('; ')}`)
}
