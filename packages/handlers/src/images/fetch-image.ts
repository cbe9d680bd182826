import { PermanentFailure, RetryAfter } from '@queue/executor'
import type { OutgoingClient, OutgoingResponse } from '../outgoing/outgoing-client.ts'
import { readBody, retryAfterMs } from '../outgoing/responses.ts'

/** The source did not give the image; a later attempt may succeed. */
class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable'
}

/** Client errors that may be temporary: request timeout, conflict, too early, too many requests. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** The bytes of the image at `url`. Throws `PermanentFailure` if a repeated request would get the same answer. */
export async function fetchImage(
  client: OutgoingClient,
  {
    url,
    bytesMax,
    signal,
  }: { readonly url: string; readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  const headers = { accept: 'image/*', 'user-agent': 'queue-images' }
  const response = await client.send({ method: 'GET', url, headers, signal })
  if (response.statusCode !== 200) {
    response.body.destroy()
    throw failureOf(response)
  }
  const image = await readBody(response, bytesMax)
  if (image === undefined) throw new PermanentFailure(`the source has more than ${bytesMax} bytes`)
  return image
}

function failureOf({ statusCode, headers }: OutgoingResponse): Error {
  const message = `the source answered ${statusCode}`
  if (temporaryStatuses.has(statusCode) || statusCode >= 500) {
    const waitMs = retryAfterMs(headers['retry-after'], Date.now())
    return waitMs === undefined ? new SourceUnavailable(message) : new RetryAfter(waitMs, message)
  }
  const isRedirect = statusCode >= 300 && statusCode < 400
  return new PermanentFailure(isRedirect ? `${message}: redirects are not followed` : message)
}
