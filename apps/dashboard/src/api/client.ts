import { type CallOptions, createClient, type Job, type Limit } from '@queue/client'
import { setClockBy } from '../shell/clock.ts'
import { tenantSetting } from '../shell/live.ts'

/** Kinds that this page learns of at run time: the API checks their payloads. */
export type AnyKinds = Readonly<Record<string, unknown>>

/** Where the API is: above the page, whose base the server has written. */
export const apiUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** Without it the cookie of the session opens nothing. */
const sessionHeader = 'x-queue-session'

/** What is read every ten seconds or less often (`queries.ts`). */
const slowPaths = /\/(attention|stats|schedules|errors|dead-letters|operations|kinds|queues\/[^/]+\/keys)$/

/** How old an answer may be that this page is given with others who look: no more than half the time until it is read again. */
function sharedSeconds(url: string): number {
  return slowPaths.test(new URL(url).pathname) ? 5 : 2
}

let actedAtMs = Number.NEGATIVE_INFINITY

/** After an act of this page nothing is shown that was read before it. */
function letBeShared({ method, url, headers }: Request): void {
  if (method !== 'GET') actedAtMs = performance.now()
  else if (performance.now() - actedAtMs > sharedSeconds(url) * 1_000) {
    headers.set('cache-control', `max-age=${sharedSeconds(url)}`)
  }
}

/** A failure of the network is a TypeError without a cause, which the client would take for a mistake of its caller. */
async function fetchAsPage(request: Request): Promise<Response> {
  request.headers.set(sessionHeader, 'yes')
  const tenant = tenantSetting.get()
  if (tenant !== '') request.headers.set('queue-tenant', encodeURIComponent(tenant))
  letBeShared(request)
  const askedAtMs = Date.now()
  try {
    const response = await fetch(request)
    setClockBy(response, askedAtMs)
    if (request.method !== 'GET') {
      isActRefused = response.status === 401
      // What was read while it was carried out may be of before.
      actedAtMs = performance.now()
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

/** Whether the last act of this page was refused because nobody is signed in any more. */
let isActRefused = false

/** Whether somebody who has to sign in again has asked for something that was not done. */
export const wasActRefused = (): boolean => isActRefused

/** What the server says of this browser. */
export interface SessionState {
  /** Whether anybody has to sign in. */
  readonly required: boolean
  readonly signed_in: boolean
  readonly expires_at: string | null
  /** Where people sign in without a key; null: nowhere. */
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

/** Gives why it was refused; undefined once signed in. */
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

/** Leaves for the issuer, which leads back to the page that was asked for. Gives why that was refused. */
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
  /** What an edit names, so that it changes nothing that nobody has read. */
  readonly etag: string
}

export async function readTaggedJob(id: string, signal: AbortSignal): Promise<TaggedJob> {
  const response = await fetchAsPage(new Request(`${apiUrl}/jobs/${encodeURIComponent(id)}`, { signal }))
  if (!response.ok) throw new Error(await faultOf(response))
  return { job: (await response.json()) as Job, etag: response.headers.get('etag') ?? '*' }
}

/** The limit of a key by name; undefined where there is none. */
export async function readKeyLimit(
  { queue, name }: Pick<Limit, 'queue'> & { readonly name: string },
  options?: CallOptions,
): Promise<Limit | undefined> {
  const { data } = await client.limitsPage({ queue, scope: 'key', name, limit: 1 }, options)
  return data[0]
}

export interface Health {
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
  readonly uptime_seconds?: number
}

/** The checks of the API, also where they have failed. */
export async function readHealth(signal: AbortSignal): Promise<Health> {
  const response = await fetchAsPage(new Request(`${apiUrl}/health`, { signal }))
  const body = (await response.json()) as Partial<Health>
  return { ...body, status: response.ok ? 'ready' : 'not ready', checks: body.checks ?? {} }
}
