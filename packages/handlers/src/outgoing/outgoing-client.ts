import { Agent, type Dispatcher, request } from 'undici'
import type { OutgoingSettings } from '../settings.ts'
import { type ConnectorOptions, createCheckedConnector } from './checked-connector.ts'
import { checkOutgoingUrl, NoPublicAddress, RefusedRequest } from './outgoing-url.ts'

/** Connecting takes two round trips; what needs longer is away. */
const connectTimeoutMs = 10_000
/** How long a connection is kept for a further request to its host. */
const idleMs = 10_000

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** The answer, whose body has to be read or destroyed. */
export type OutgoingResponse = Dispatcher.ResponseData

/** Requests to hosts that payloads name. */
export interface OutgoingClient {
  /**
   * Sends one request and gives its answer; a redirect is an answer, and is not followed. Variables such as HTTP_PROXY are not
   * looked at, because a proxy would resolve the name again. Throws `RefusedRequest` where a rule forbids the request, and
   * `NoPublicAddress`.
   */
  send(outgoing: OutgoingRequest): Promise<OutgoingResponse>
  /** Ends all connections. */
  close(): Promise<void>
}

/** What tests put in place of the network. */
export type OutgoingSeams = Pick<ConnectorOptions, 'lookup' | 'refusalOf'>

export function createOutgoingClient(settings: OutgoingSettings, seams: OutgoingSeams = {}): OutgoingClient {
  const agent = new Agent({
    connect: createCheckedConnector({ allow: settings.allow, timeoutMs: connectTimeoutMs, ...seams }),
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The signal of each request ends it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    send: async ({ url, ...rest }) => {
      const checked = checkOutgoingUrl(url, settings)
      try {
        const response = await request(checked, { ...rest, dispatcher: agent })
        // Whoever reads the body gets its errors; one that is given up is none.
        response.body.on('error', () => undefined)
        return response
      } catch (error) {
        throw refusalIn(error) ?? error
      }
    },
    close: () => agent.destroy(),
  }
}

/** Sockets may wrap the error of their name resolution: one for each address that was tried. */
function refusalIn(error: unknown): RefusedRequest | NoPublicAddress | undefined {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  return errors.find((one) => one instanceof RefusedRequest || one instanceof NoPublicAddress)
}
