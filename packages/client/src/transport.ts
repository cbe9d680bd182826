import createFetchClient, { type Client as FetchClient, defaultPathSerializer } from 'openapi-fetch'
import type { paths } from './generated/api.ts'
import { describeValue, InvalidCall } from './invalid-call.ts'
import { retriesDefault, timeoutMsDefault } from './limits.ts'
import type { ClientOptions } from './options.ts'
import { fetchToken } from './request/fetch-token.ts'
import { type ApiResponse, type Call, send } from './request/send.ts'

/** Sends the requests of all calls. */
export interface Transport {
  /** Typed requests. Each is one attempt of a call. */
  readonly http: FetchClient<paths>
  /** How long one attempt may take. */
  readonly timeoutMs: number
  /** How many times a call may be retried. */
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Sends a call, retries it if that is safe, and resolves with the body and the headers of the response. */
  send<Data>(call: Call<Data>): Promise<ApiResponse<Data>>
  /** The same, but resolves with the body alone. */
  fetchData<Data>(call: Call<Data>): Promise<Data>
}

/**
 * Fills the parameters into a path. An empty one, or one that URLs resolve, would lead to the path of another operation.
 */
function serializePath(path: string, parameters: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
      throw new InvalidCall(
        `${name} must be a non-empty string other than "." and "..", because it becomes part of the path; ` +
          `it is ${describeValue(value)}`,
      )
    }
  }
  return defaultPathSerializer(path, parameters)
}

/** @throws InvalidCall if `baseUrl` is not an http or https URL, or a number is out of range. */
export function createTransport(options: ClientOptions): Transport {
  const { baseUrl, token, tenant, fetch, signal } = options
  const { retries = retriesDefault, timeoutMs = timeoutMsDefault } = options
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new InvalidCall(`baseUrl must be an http or https URL; it is ${describeValue(baseUrl)}`)
  if (tenant !== undefined && (typeof tenant !== 'string' || !tenant.isWellFormed()))
    throw new InvalidCall(`tenant must be the name of a tenant; it is ${describeValue(tenant)}`)
  if (!Number.isInteger(retries) || retries < 0)
    throw new InvalidCall(`retries must be a whole number, 0 or more; it is ${describeValue(retries)}`)
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new InvalidCall(`timeoutMs must be a number greater than 0; it is ${describeValue(timeoutMs)}`)
  const http = createFetchClient<paths>({
    baseUrl,
    // The API never redirects, and a redirected POST would become a GET. So a redirect is an error.
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
        request.headers.set('authorization', `Bearer ${await fetchToken(token, request.signal)}`)
      },
    })
  }
  const settings = { retries, timeoutMs, signal, random: Math.random }
  return {
    http,
    timeoutMs,
    retries,
    signal,
    send: (call) => send(call, settings),
    fetchData: async (call) => (await send(call, settings)).data,
  }
}
