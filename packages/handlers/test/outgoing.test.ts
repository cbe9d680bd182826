import { execFile } from 'node:child_process'
import type { LookupFunction } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from 'undici'
import { refusalOfAddress } from '../src/outgoing/address-rules.ts'
import { type OutgoingSeams, createOutgoingClient } from '../src/outgoing/outgoing-client.ts'
import { NoPublicAddress, RefusedRequest } from '../src/outgoing/outgoing-url.ts'
import { retryAfterMs } from '../src/outgoing/responses.ts'
import { outgoingSettingsSchema } from '../src/settings.ts'
import { hostileUrls } from './support/hostile-urls.ts'
import { type HttpSink, startHttpSink, status } from './support/http-sink.ts'

let sink: HttpSink
let sinkV6: HttpSink | undefined

beforeAll(async () => {
  sink = await startHttpSink()
  // A machine may have no IPv6.
  sinkV6 = await startHttpSink(status(200), '::1', sink.port).catch(() => undefined)
})

afterAll(async () => {
  await sink.close()
  await sinkV6?.close()
})

const connections = (): number => sink.connections() + (sinkV6?.connections() ?? 0)

/** Resolves every name to these addresses, and counts its calls. */
function resolver(...answers: readonly string[]) {
  let calls = 0
  const lookup: LookupFunction = (_, options, callback) => {
    const address = answers[Math.min(calls, answers.length - 1)] ?? ''
    calls += 1
    const addresses = address.split(' ').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }))
    if (options.all === true) callback(null, addresses)
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
  return { lookup, calls: () => calls }
}

async function get(url: string, settings: object = {}, seams: OutgoingSeams = {}): Promise<unknown> {
  const client = createOutgoingClient(
    outgoingSettingsSchema.parse({ ports: [sink.port], ...settings }),
    seams,
  )
  try {
    const signal = AbortSignal.timeout(20_000)
    const response = await client.send({ method: 'GET', url, headers: {}, signal })
    response.body.destroy()
    return response.statusCode
  } catch (error) {
    return error
  } finally {
    await client.close()
  }
}

describe('a request that a payload asks for', () => {
  test('makes no connection for any of more than 300 hostile URLs', async () => {
    const urls = hostileUrls(sink.port)
    expect(new Set(urls).size).toBeGreaterThan(300)
    for (const url of urls) {
      const result = await get(url, {}, { lookup: resolver('127.0.0.1 ::1').lookup })
      const isRefused = result instanceof RefusedRequest || result instanceof NoPublicAddress
      expect([url, result, isRefused]).toEqual([url, result, true])
    }
    expect(connections()).toBe(0)
  })

  test('would reach the sinks with many of these URLs without the rules', async () => {
    const isLocalUrl = (url: string) =>
      /^(127\.|0\.0\.0\.0$|\[::1?\]|\[::ffff:7f)/.test(URL.parse(url)?.hostname ?? '')
    const urls = hostileUrls(sink.port).filter((url) => url.startsWith('http:') && isLocalUrl(url))
    const reach = async (url: string): Promise<number> => {
      const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(20_000) })
      await body.dump()
      return statusCode
    }
    const statuses = await Promise.all(urls.map((url) => reach(url).catch(() => 0)))
    expect(statuses.filter((one) => one === 200).length).toBeGreaterThan(20)
  })

  test('makes no connection with the variables of a proxy set, not even to the proxy', async () => {
    const proxy = await startHttpSink()
    const before = connections()
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const proxies = Object.fromEntries(names.map((name) => [name, proxy.url]))
    const program = fileURLToPath(new URL('programs/request-hostile-urls.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@queue/source', program, String(sink.port)],
      { env: { ...proxies, NODE_USE_ENV_PROXY: '1' } },
    )
    expect(JSON.parse(stdout)).toEqual({ refused: hostileUrls(sink.port).length, allowed: 200 })
    expect([proxy.connections(), connections() - before]).toEqual([0, 1])
    await proxy.close()
  })

  test('connects to the very address that was checked, whatever the name resolves to afterwards', async () => {
    const refusalOf = (address: string) => (address === '127.0.0.1' ? 'loopback' : undefined)
    const before = connections()
    // Nothing listens on the address that passes the check.
    const { lookup, calls } = resolver('127.0.0.2', '127.0.0.1')
    const url = `http://rebinding.example:${sink.port}/`
    expect(await get(url, {}, { lookup, refusalOf })).not.toBe(200)
    expect([calls(), connections() - before]).toEqual([1, 0])
    // A name with a forbidden address is not requested at its other address either.
    const mixed = resolver('127.0.0.2 127.0.0.1')
    expect(await get(url, {}, { lookup: mixed.lookup, refusalOf })).toBeInstanceOf(NoPublicAddress)
    expect(connections() - before).toBe(0)
  })

  test('is told the same of a name that leads inside, of one that nobody has, and of one that cannot be resolved', async () => {
    const failing =
      (code: string): LookupFunction =>
      (hostname, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code }), [])
    const lookups = [
      resolver('10.0.0.7').lookup,
      resolver('127.0.0.1 8.8.8.8').lookup,
      failing('ENOTFOUND'),
      failing('EAI_AGAIN'),
    ]
    const messages = await Promise.all(
      lookups.map(async (lookup) => {
        const error = await get(`http://billing.internal:${sink.port}/`, {}, { lookup })
        return error instanceof Error ? `${error.name}: ${error.message} ${String(error.cause)}` : error
      }),
    )
    expect([...new Set(messages)]).toEqual([
      expect.stringMatching(/^NoPublicAddress: billing\.internal has no public address/),
    ])
  })

  test('checks each new connection of one client', async () => {
    const { lookup } = resolver('127.0.0.1', '127.0.0.1', '10.0.0.1')
    let isOpen = true
    const client = createOutgoingClient(outgoingSettingsSchema.parse({ ports: [sink.port] }), {
      lookup,
      refusalOf: (address) => (isOpen && address === '127.0.0.1' ? undefined : refusalOfAddress(address)),
    })
    const send = () =>
      client.send({
        method: 'GET',
        url: `http://one.example:${sink.port}/`,
        headers: {},
        signal: AbortSignal.timeout(20_000),
      })
    const first = await send()
    first.body.destroy()
    isOpen = false
    await expect(send()).rejects.toBeInstanceOf(NoPublicAddress)
    await client.close()
  })

  test('reaches only the hosts and ports of OUTGOING_ALLOW, by name and by address', async () => {
    const { lookup } = resolver('127.0.0.1')
    const allow = [`127.0.0.1:${sink.port}`, `images.internal:${sink.port}`]
    for (const host of ['127.0.0.1', 'images.internal', 'IMAGES.internal', '0x7f.1'])
      expect([host, await get(`http://${host}:${sink.port}/`, { allow, ports: [80] }, { lookup })]).toEqual([
        host,
        200,
      ])
    expect(await get(`http://other.internal:${sink.port}/`, { allow }, { lookup })).toBeInstanceOf(
      NoPublicAddress,
    )
    for (const host of ['127.0.0.2', 'images.internal.', 'user@images.internal'])
      expect(await get(`http://${host}:${sink.port}/`, { allow }, { lookup })).toBeInstanceOf(RefusedRequest)
  })

  test('is sent only to allowed ports', async () => {
    const { lookup } = resolver('8.8.8.8')
    for (const port of [22, 25, 6_379, 5_432])
      expect(await get(`http://example.com:${port}/`, { ports: [80, 443] }, { lookup })).toBeInstanceOf(
        RefusedRequest,
      )
  })

  test('gives a redirect as the answer, and does not follow it', async () => {
    const target = await startHttpSink()
    sink.answer(status(302, { location: target.url }))
    expect(await get(sink.url, { allow: [`127.0.0.1:${sink.port}`, `127.0.0.1:${target.port}`] })).toBe(302)
    expect(target.connections()).toBe(0)
    await target.close()
  })
})

test('public addresses of both families are not refused', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1'])
    expect(refusalOfAddress(address)).toBeUndefined()
})

test('Retry-After is seconds or a date, and never more than a day', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const cases: readonly (readonly [string | undefined, number | undefined])[] = [
    ['7', 7_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['99999999999999999999', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [field, ms] of cases) expect([field, retryAfterMs(field, now)]).toEqual([field, ms])
})
