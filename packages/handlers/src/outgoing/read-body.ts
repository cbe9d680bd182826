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
