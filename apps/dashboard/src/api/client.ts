import { type CallOptions, createClient, type Job, type Limit, type LimitTarget } from '@queue/client'
import { setClockBy } from '../shell/clock.ts'
import { tenantSetting } from '../shell/live.ts'

/** The kinds are known only at run time. The API validates their payloads. */
export type AnyKinds = Readonly<Record<string, unknown>>

/** The address of the API: the parent of the base URL that the server has written into the page. */
export const apiUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** The API accepts the session cookie only with this header. */
const sessionHeader = 'x-queue-session'

/** Paths that are polled every ten seconds (`queries.ts`) … */
const slowPaths = /\/(attention|stats|errors|dead-letters|operations|kinds)$/
/** … and every thirty. */
const rarePaths = /\/(schedules|queues\/[^/]+\/keys)$/

/** The maximum age of a response that is shared with other viewers: at most half of the polling interval. */
function sharedSeconds(url: string): number {
  const { pathname } = new URL(url)
  if (rarePaths.test(pathname)) return 10
  return slowPaths.test(pathname) ? 5 : 2
}

let changedAtMs = Number.NEGATIVE_INFINITY

/** Accepts a shared response, unless this page has just changed something: it must not show older data after that. */
function acceptSharedResponse({ method, url, headers }: Request): void {
  if (method !== 'GET') changedAtMs = performance.now()
  else if (performance.now() - changedAtMs > sharedSeconds(url) * 1_000) {
    headers.set('cache-control', `max-age=${sharedSeconds(url)}`)
  }
}

/** A network failure is a TypeError without a cause, which the client would take for a programming error. */
async function fetchAsPage(request: Request): Promise<Response> {
  request.headers.set(sessionHeader, 'yes')
  const tenant = tenantSetting.get()
  if (tenant !== '') request.headers.set('queue-tenant', encodeURIComponent(tenant))
  acceptSharedResponse(request)
  const sentAtMs = Date.now()
  try {
    const response = await fetch(request)
    setClockBy(response, sentAtMs)
    if (request.method !== 'GET') {
      isActRefused = response.status === 401
      // A response that was read while the action ran can be older than its effect.
      changedAtMs = performance.now()
    }
    return response
  } catch (cause) {
    if (request.signal.aborted) throw cause
    throw new TypeError('the API cannot be reached', { cause })
  }
}

export const client = createClient<AnyKinds>({
  baseUrl: apiUrl,
  fetch: fetchAsPage,
  retries: 1,
  timeoutMs: 15_000,
})

/** Whether the last action of this page was refused because the session had ended. */
let isActRefused = false

/** Whether the user must sign in again to repeat a refused action. */
export const wasActRefused = (): boolean => isActRefused

/** The state of this browser's session. */
export interface SessionState {
  /** Whether the API requires a sign-in. */
  readonly required: boolean
  readonly signed_in: boolean
  readonly expires_at: string | null
  /** The name of the OpenID Connect issuer; null if there is none. */
  readonly issuer: string | null
}

async function callSession(init: RequestInit): Promise<Response> {
  return fetchAsPage(new Request(`${apiUrl}/dashboard/session`, init))
}

export async function readSession(): Promise<SessionState> {
  const response = await callSession({})
  if (!response.ok) throw new Error(`The API answered ${response.status}.`)
  return (await response.json()) as SessionState
}

/** Returns an error message; undefined once signed in. */
export async function signIn(key: string): Promise<string | undefined> {
  const response = await callSession({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  })
  if (response.ok) {
    tenantSetting.set('')
    return undefined
  }
  if (response.status === 401) return 'This key is not valid. It may be mistyped, expired or revoked.'
  return faultOf(response)
}

async function faultOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as { readonly detail?: string }
  return problem.detail ?? `The API answered ${response.status}.`
}

/** Redirects to the issuer, which redirects back to the requested page. Returns an error message if that fails. */
export async function signInAtIssuer(): Promise<string | undefined> {
  const next = `/${location.href.slice(document.baseURI.length)}`
  const response = await fetchAsPage(
    new Request(`${apiUrl}/dashboard/session/issuer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ next }),
    }),
  )
  if (!response.ok) return faultOf(response)
  const { url } = (await response.json()) as { readonly url: string }
  tenantSetting.set('')
  location.assign(url)
  return undefined
}

export async function signOut(): Promise<void> {
  tenantSetting.set('')
  await callSession({ method: 'DELETE' })
}

export interface TaggedJob {
  readonly job: Job
  /** An edit sends it, so that it does not overwrite a newer state. */
  readonly etag: string
}

export async function readTaggedJob(id: string, signal: AbortSignal | null = null): Promise<TaggedJob> {
  const response = await fetchAsPage(new Request(`${apiUrl}/jobs/${encodeURIComponent(id)}`, { signal }))
  if (!response.ok) throw new Error(await faultOf(response))
  return { job: (await response.json()) as Job, etag: response.headers.get('etag') ?? '*' }
}

/** The limit of one target; undefined if there is none. */
export async function readLimit(
  { queue, scope, name }: LimitTarget,
  options?: CallOptions,
): Promise<Limit | undefined> {
  const named = name === undefined ? {} : { name }
  const { data } = await client.limitsPage({ queue, scope, ...named, limit: 1 }, options)
  return data[0]
}

export interface Health {
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
  readonly uptime_seconds?: number
}

/** The health checks of the API, also if they fail. */
export async function readHealth(signal: AbortSignal): Promise<Health> {
  const response = await fetchAsPage(new Request(`${apiUrl}/health`, { signal }))
  const body = (await response.json()) as Partial<Health>
  return { ...body, status: response.ok ? 'ready' : 'not ready', checks: body.checks ?? {} }
}
