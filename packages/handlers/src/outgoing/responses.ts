import type { OutgoingResponse } from './outgoing-client.ts'

/** All bytes of the response; undefined if there are more than `bytesMax`, in which case the rest is not received. */
export async function readBody({ body }: OutgoingResponse, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

/** A receiver may ask for a wait of up to a day; a longer wait counts as a mistake and is shortened. */
const retryAfterMsMax = 86_400_000

/**
 * The wait of a Retry-After field in milliseconds, at most a day. The field has seconds or a date (RFC 9110, section 10.2.3).
 * Undefined if the field is absent or invalid.
 */
export function retryAfterMs(field: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(field) ? field[0] : field)?.trim()
  if (text === undefined || text === '') return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), retryAfterMsMax)
}
