import createFetchClient, { type Client as FetchClient, defaultPathSerializer } from 'openapi-fetch'
import type { paths } from './generated/api.ts'
import { retriesDefault, timeoutMsDefault } from './limits.ts'
import type { ClientOptions } from './options.ts'
import { providedToken } from './request/provided-token.ts'
import { type Answer, type Call, send } from './request/send.ts'

/** What the calls are made with. */
export interface Transport {
  /** Typed requests, each of which is one attempt. */
  readonly http: FetchClient<paths>
  readonly timeoutMs: number
  /** How often a call may be sent again. */
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Sends a call, again where that is safe. */
  send<Data>(call: Call<Data>): Promise<Answer<Data>>
}

/** Of a path without its id, or with one that URLs resolve, another operation would be called. */
function serializePath(path: string, parameters: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
      throw new TypeError(`${name} is none that a path could name: ${JSON.stringify(value)}`)
    }
  }
  return defaultPathSerializer(path, parameters)
}

/** @throws TypeError if `baseUrl` is no http(s) URL, RangeError if a number is out of range. */
export function createTransport(options: ClientOptions): Transport {
  const { baseUrl, token, tenant, fetch, signal } = options
  const { retries = retriesDefault, timeoutMs = timeoutMsDefault } = options
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(`baseUrl is no http(s) URL: ${baseUrl}`)
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError(`retries is no count: ${retries}`)
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs is no duration: ${timeoutMs}`)
  const http = createFetchClient<paths>({
    baseUrl,
    // A redirected POST would become a GET: a redirect is an answer, and none that the API gives.
    redirect: 'manual',
    pathSerializer: serializePath,
    querySerializer: { array: { style: 'form', explode: false } },
    ...(fetch === undefined ? {} : { fetch }),
    headers: {
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      ...(tenant !== undefined && { 'queue-tenant': encodeURIComponent(tenant) }),
    },
  })
  if (typeof token === 'function') {
    http.use({
      onRequest: async ({ request }) => {
        request.headers.set('authorization', `Bearer ${await providedToken(token, request.signal)}`)
      },
    })
  }
  const settings = { retries, timeoutMs, signal, random: Math.random }
  return { http, timeoutMs, retries, signal, send: (call) => send(call, settings) }
}
