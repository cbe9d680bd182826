import type { z } from 'zod'
import { Undeliverable } from '../domain/dispatch-errors.ts'
import type { ClaimedMessage } from '../domain/message.ts'

/** A message whose payload its definition has parsed, with defaults and transforms applied. */
export type ReadMessage<Payload extends z.ZodType = z.ZodType> = Omit<ClaimedMessage, 'payload'> & {
  readonly payload: z.output<Payload>
}

/** Parses the payload. Throws `Undeliverable` if it no longer parses, because no further attempt would change that. */
export function readMessage<Payload extends z.ZodType>(
  definition: { readonly payload: Payload },
  message: ClaimedMessage,
): ReadMessage<Payload> {
  const parsed = definition.payload.safeParse(message.payload)
  if (parsed.success) return { ...message, payload: parsed.data }
  const issues = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new Undeliverable(`the payload does not match the schema of its topic: ${issues.join('; ')}`)
}
