import { answerFaults, bodyOf, type EncodedRequest } from '@queue/test-http'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from '../fleet/api-process.ts'

/** A request with its body before it is encoded. A text is sent as it is. */
export interface ApiRequest extends Omit<EncodedRequest, 'headers' | 'body'> {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  /** The number of the process that gets it; default: each in turn. */
  readonly process?: number
  /** Cuts the connection. */
  readonly signal?: AbortSignal | undefined
}

export type Members = Readonly<Record<string, unknown>>

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /** An empty object unless the answer is JSON. */
  readonly body: Members
}

/** Two processes of the API. Every answer is checked against the document. */
export interface CheckedApi {
  /** How many requests were sent. */
  readonly sent: number
  /** How many answers were a success. */
  readonly accepted: number
  /** What was wrong with answers. */
  readonly faults: readonly string[]
  /** Where the first process is, for a caller that sends its requests itself. */
  readonly url: string
  /** Rejects if there is no answer. */
  send(request: ApiRequest): Promise<ApiAnswer>
  /** Resolves with undefined if there is no answer, because the connection or the process was cut. */
  trySend(request: ApiRequest): Promise<ApiAnswer | undefined>
  /** Kills a process, and starts another one in its place. */
  replace(process: number): Promise<void>
  /** Stops both gracefully, which ends the requests that they have begun. Idempotent. */
  stop(): Promise<void>
}

const processes = 2
const shownLengthMax = 2_000

export async function startCheckedApi(options: ApiProcessOptions): Promise<CheckedApi> {
  const start = (): Promise<ApiProcess> => startApiProcess(options)
  const started = await Promise.all(Array.from({ length: processes }, start))
  const faults: string[] = []
  let sent = 0
  let accepted = 0

  const send = async (request: ApiRequest): Promise<ApiAnswer> => {
    const { url = '' } = started[(request.process ?? sent) % processes] ?? {}
    sent += 1
    const { target, method, signal } = request
    const body = encodeBody(request.body)
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    const response = await fetch(url + target, {
      method,
      headers: { ...type, ...request.headers },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    })
    const { status, headers } = response
    const answer = { status, headers, text: await textOf(response) }
    const found = answerFaults({ method, path: new URL(url + target).pathname }, answer)
    if (status >= 500) found.push('it is an error of the server')
    if (found.length > 0) faults.push(describeFaults(request, answer, found))
    if (response.ok) accepted += 1
    return { status, headers, body: bodyOf(answer) }
  }
  return {
    get sent() {
      return sent
    },
    get accepted() {
      return accepted
    },
    faults,
    get url() {
      return started[0]?.url ?? ''
    },
    send,
    trySend: (request) =>
      send(request).catch((error: unknown) => {
        if (error instanceof TypeError || request.signal?.aborted === true) return undefined
        throw error
      }),
    replace: async (index) => {
      await started[index]?.kill()
      started[index] = await start()
    },
    stop: async () => {
      await Promise.all(started.splice(0).map((one) => one.stop()))
    },
  }
}

function encodeBody(body: unknown): string | undefined {
  return typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
}

/** A stream of events ends with its job only, so its content is not read. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body?.cancel()
  return ''
}

function describeFaults(
  { method, target, headers, body }: ApiRequest,
  { status, text }: { readonly status: number; readonly text: string },
  found: readonly string[],
): string {
  const shown = [headers, body, text].map((part) => (JSON.stringify(part) ?? '').slice(0, shownLengthMax))
  return `${method} ${target} was answered ${status}, against the document: ${found.join('; ')} (headers, body, answer: ${shown.join(' ')})`
}
