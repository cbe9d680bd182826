import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue, type Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { eventually } from '@queue/testing'
import { startDashboard, type TestDashboard, token } from '../support/dashboard-server.ts'
import { makeKey } from '../support/dashboard-world.ts'
import { rawRequest } from '../support/raw-request.ts'

let dashboard: TestDashboard

beforeAll(async () => {
  dashboard = await startDashboard()
})

afterAll(() => dashboard.close())

describe('over HTTP', () => {
  async function cookieOf(
    headers: Record<string, string> = {},
    key = token,
    { base } = dashboard.api,
  ): Promise<{ cookie: string; attributes: string }> {
    const answer = await fetch(`${base}/dashboard/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ key }),
    })
    expect(answer.status).toBe(200)
    const [cookie = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ')
    return { cookie, attributes: attributes.join('; ') }
  }

  test('the cookie is unavailable to scripts and other sites, and needs the header of the page', async () => {
    const { cookie, attributes } = await cookieOf()
    expect(attributes).toBe('Path=/; HttpOnly; SameSite=Strict; Max-Age=43200')
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${dashboard.api.base}/me`, { headers: { cookie, ...headers } })).status
    expect(await statusOf({ 'x-queue-session': 'yes' })).toBe(200)
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ 'x-queue-session': 'yes', 'sec-fetch-site': 'cross-site' })).toBe(401)
    expect(await statusOf({ 'x-queue-session': 'yes', 'sec-fetch-site': 'same-site' })).toBe(401)
    expect(await statusOf({ 'x-queue-session': 'yes', cookie: `${cookie.slice(0, -2)}xx` })).toBe(401)
  })

  test('the cookie is Secure for a page that was loaded over TLS', async () => {
    const host = new URL(dashboard.api.base).host
    const { cookie, attributes } = await cookieOf({ origin: `https://${host}` })
    expect(cookie).toMatch(/^__Host-queue_session=/)
    expect(attributes).toMatch(/; Secure$/)
  })

  test('over TLS, only the cookie with the prefix counts, and of two with one name neither', async () => {
    const { port } = dashboard.api
    const [mine, other] = [(await cookieOf()).cookie, (await cookieOf()).cookie].map(
      (cookie) => cookie.split('=')[1] ?? '',
    )
    const statusOf = async (cookie: string, site: string): Promise<number> => {
      const head =
        `GET /me HTTP/1.1\r\nHost: queue.example.com\r\nX-Queue-Session: yes\r\nConnection: close\r\n` +
        `Cookie: ${cookie}\r\n${site}\r\n`
      return (await rawRequest(port, head)).status
    }
    const overTls = 'Sec-Fetch-Site: same-origin\r\n'
    expect(await statusOf(`__Host-queue_session=${mine}`, overTls)).toBe(200)
    expect(await statusOf(`queue_session=${mine}`, overTls)).toBe(401)
    expect(await statusOf(`queue_session=${other}; __Host-queue_session=${mine}`, overTls)).toBe(200)
    expect(await statusOf(`queue_session=${mine}`, '')).toBe(200)
    expect(await statusOf(`queue_session=${mine}; queue_session=${other}`, '')).toBe(401)
    expect(await statusOf(`__Host-queue_session=${mine}; __Host-queue_session=${other}`, overTls)).toBe(401)
  })

  /** The polled requests of the pages, their intervals, and how many seconds old a response may be, as in the dashboard's `api`. */
  const polls = [
    ['/queues?limit=200', 2_000, 2],
    ['/workers', 5_000, 2],
    ['/jobs?limit=50', 2_000, 2],
    ['/schedules?limit=200', 30_000, 10],
    ['/dead-letters?limit=6', 30_000, 5],
    ['/errors?limit=100&sort=count&from=2026-01-15T09:00:00.000Z', 10_000, 5],
    ['/attention', 10_000, 5],
    ['/operations?limit=50', 10_000, 5],
    ['/stats?step=minute', 10_000, 5],
    ['/stats?step=minute&queue=mail', 10_000, 5],
    ['/stats?by=queue&step=minute', 30_000, 5],
    ['/queues/mail/keys?limit=50', 30_000, 10],
  ] as const

  test('fifty who look cost the database five queries a second at most', async () => {
    const { database, serve } = dashboard
    const { text } = await makeKey(database, { id: 'viewers1', role: 'operate' })
    const watched = createQueue({ connectionString: database.urlAs('api') })
    const counted = countQueries(watched)
    const served = await serve(watched)
    const cookies = await Promise.all(Array.from({ length: 50 }, () => cookieOf({}, text, served)))
    const look = async ([list, , maxAge]: (typeof polls)[number], cookie: string): Promise<number> => {
      // On a busy machine the server would close an idle connection just when it is used again.
      const headers = {
        cookie,
        connection: 'close',
        'x-queue-session': 'yes',
        'cache-control': `max-age=${maxAge}`,
      }
      const answer = await fetch(`${served.base}${list}`, { headers })
      // An unread response keeps its connection open, and the server limits connections.
      await answer.arrayBuffer()
      return answer.status
    }
    const answers: number[] = []
    const failures: string[] = []
    const underWay = new Set<Promise<unknown>>()
    const timers: NodeJS.Timeout[] = []
    for (const [viewer, { cookie }] of cookies.entries()) {
      for (const poll of polls) {
        let isAsking = false
        // As the page: it asks again only after an answer. Otherwise a slow machine would only collect connections.
        const ask = (): void => {
          if (isAsking) return
          isAsking = true
          const asked = look(poll, cookie)
            .then(
              (status) => answers.push(status),
              (reason: unknown) => failures.push(inspect(reason)),
            )
            .finally(() => {
              isAsking = false
              underWay.delete(asked)
            })
          underWay.add(asked)
        }
        // Viewers arrive one after the other and poll from then on.
        const begin = (): void => {
          ask()
          timers.push(setInterval(ask, poll[1]))
        }
        timers.push(setTimeout(begin, viewer * arrivalMs))
      }
    }
    await new Promise((resolve) => setTimeout(resolve, cookies.length * arrivalMs))
    const before = counted()
    const beganAtMs = performance.now()
    await new Promise((resolve) => setTimeout(resolve, viewingMs))
    await eventually(() => answers.length > answersMin)
    for (const timer of timers) clearTimeout(timer)
    await Promise.all(underWay)
    const queries = counted() - before
    const seconds = (performance.now() - beganAtMs) / 1_000
    await served.close()
    await watched.close()
    // On a machine that is busy with other tests a connection may fail. What the others cost is the law.
    for (const failure of failures) process.stderr.write(`the fetch of a viewer failed: ${failure}\n`)
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(failures.length).toBeLessThan(answers.length / 100)
    process.stderr.write(
      `fifty who look got ${answers.length} answers, and cost ${(queries / seconds).toFixed(1)} queries a second\n`,
    )
    // Each list at its interval, at most every two seconds; revoked keys twice a second; the key and the sessions every ten seconds.
    // In a window that begins anywhere, each of these has up to one more.
    const sources = polls.length + 3
    expect(queries).toBeLessThanOrEqual(5 * seconds + sources)
  })

  test('the page is served at every path, and its files are compressed and immutable', async () => {
    const page = await fetch(`${dashboard.api.base}/dashboard/jobs/anything`)
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self' 'sha256-/)
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe-')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const html = await page.text()
    const [asset = ''] = /assets\/[\w.-]+\.js/.exec(html) ?? []
    const file = await fetch(`${dashboard.api.base}/dashboard/${asset}`, {
      headers: { 'accept-encoding': 'br' },
    })
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('content-encoding')).toBe('br')
    expect((await fetch(`${dashboard.api.base}/dashboard/assets/none.js`)).status).toBe(404)
    expect((await fetch(`${dashboard.api.base}/dashboard/jobs`, { method: 'POST' })).status).toBe(405)
    const again = await fetch(`${dashboard.api.base}/dashboard`, {
      headers: { 'if-none-match': page.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })
})

/** The time between the arrivals of two viewers. */
const arrivalMs = 37
/** The interval of most lists. */
const viewingMs = 10_000
/** They look for longer until so many were answered, which a slow machine needs. */
const answersMin = 500

/** Counts the queries to the database from now on. */
function countQueries(queue: Queue): () => number {
  const { pool } = databaseOf(queue)
  let queries = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    Object.assign(client, {
      query: (...given: unknown[]) => {
        queries += 1
        return query(...given)
      },
    })
  })
  return () => queries
}
