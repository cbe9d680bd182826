import { Agent, type Dispatcher, request } from 'undici'
import type { OutgoingSettings } from '../settings.ts'
import { type ConnectorOptions, createCheckedConnector } from './checked-connector.ts'
import { checkOutgoingUrl, NoPublicAddress, RefusedRequest } from './outgoing-url.ts'

/** Connecting takes two round trips; a host that needs longer is unreachable. */
const connectTimeoutMs = 10_000
/** How long an idle connection is kept for another request to its host. */
const idleMs = 10_000

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** The response. The caller must read or destroy its body. */
export type OutgoingResponse = Dispatcher.ResponseData

/** Requests to hosts that payloads name. */
export interface OutgoingClient {
  /**
   * Sends one request and resolves with the response. A redirect is a response like any other, and is not followed. Variables
   * such as HTTP_PROXY are ignored, because a proxy would resolve the name again. Throws `RefusedRequest` if a rule forbids the
   * request, and `NoPublicAddress`.
   */
  send(outgoing: OutgoingRequest): Promise<OutgoingResponse>
  /** Closes all connections. */
  close(): Promise<void>
}

/** Replacements for the network in tests. */
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
        // The reader of the body gets its errors. Without this listener, an error of an abandoned body would end the process.
        response.body.on('error', () => undefined)
        return response
      } catch (error) {
        throw refusalIn(error) ?? error
      }
    },
    close: () => agent.destroy(),
  }
}

/** The refusal within an error. A socket may wrap it in an AggregateError, with one error for each address that it tried. */
function refusalIn(error: unknown): RefusedRequest | NoPublicAddress | undefined {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  return errors.find((inner) => inner instanceof RefusedRequest || inner instanceof NoPublicAddress)
}
