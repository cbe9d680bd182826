import { issuerAnswerBytesMax, issuerAnswerMsMax } from '../../http/limits.ts'

/**
 * Reads a JSON document of the issuer. Throws on any status but 200, on a redirect, and if it takes too long or is too large.
 */
export async function readDocument(url: string, init: RequestInit = {}): Promise<unknown> {
  const signal = AbortSignal.timeout(issuerAnswerMsMax)
  const headers = { accept: 'application/json', ...(init.headers as Readonly<Record<string, string>>) }
  const response = await fetch(url, { ...init, signal, redirect: 'error', headers })
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`${url} answered with status ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    // Leaving the loop cancels the rest of the response.
    if (bytes > issuerAnswerBytesMax)
      throw new Error(`${url} answered with more than ${issuerAnswerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
