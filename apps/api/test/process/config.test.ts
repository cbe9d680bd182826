import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { ConfigError, type Environment, parseConfig } from '@queue/service'
import { configSchema } from '../../src/config.ts'
import { peerOf } from '../../src/trusted-proxies.ts'

const required = { DATABASE_URL: 'postgres://user@localhost/queue' }
const token = 'a-token-of-sufficient-length'

function parse(env: Environment) {
  return parseConfig(configSchema, { ...required, ...env })
}

function faultsOf(env: Environment): readonly string[] {
  try {
    parse(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.lines
    throw error
  }
}

describe('without a token the API is closed to others:', () => {
  test('it listens on a loopback address', () => {
    expect(parse({}).API_BIND_ADDR).toEqual({ host: '127.0.0.1', port: 8080 })
  })

  test.each(['127.0.0.1:1', '127.1.2.3:1', 'localhost:1', '[::1]:1'])('%s is one', (address) => {
    expect(parse({ API_BIND_ADDR: address }).API_TOKEN).toBeUndefined()
  })

  test.each(['0.0.0.0:8080', '[::]:8080', '10.0.0.1:8080', 'queue.example.com:8080', '[::2]:1'])(
    '%s is none, and refused with all ways out',
    (address) => {
      const [line, ...more] = faultsOf({ API_BIND_ADDR: address })
      expect(more).toEqual([])
      expect(line).toMatch(
        /^API_BIND_ADDR .* neither API_TOKEN nor API_KEYS is set: .*set API_TOKEN, or API_KEYS=yes, or API_OPEN=yes .*127\.0\.0\.1/,
      )
      expect(faultsOf({ API_BIND_ADDR: address, API_OPEN: 'no' })).toHaveLength(1)
      expect(faultsOf({ API_BIND_ADDR: address, API_OPEN: 'yes' })).toEqual([])
      expect(faultsOf({ API_BIND_ADDR: address, API_TOKEN: token })).toEqual([])
      expect(faultsOf({ API_BIND_ADDR: address, API_KEYS: 'yes' })).toEqual([])
    },
  )

  test.each(['', ' ', 'x', 'fifteen-letters'])('a token that is none (%j) opens nothing', (value) => {
    expect(faultsOf({ API_BIND_ADDR: '0.0.0.0:8080', API_TOKEN: value })[0]).toMatch(/^API_TOKEN is /)
  })
})

describe('API_LINK_SECRET', () => {
  test.each(['', ' ', 'x', 'fifteen-letters'])('set to %j is refused, and not taken for none', (value) => {
    expect(faultsOf({ API_LINK_SECRET: value })[0]).toMatch(/^API_LINK_SECRET is /)
  })
})

describe('API_KEY_RATE', () => {
  test.each([
    ['600/60', { count: 600, perSeconds: 60, burst: 600 }],
    [' 600/60/50 ', { count: 600, perSeconds: 60, burst: 50 }],
    ['', undefined],
  ])('%j is a rate', (value, parsed) => {
    expect(parse({ API_KEY_RATE: value }).API_KEY_RATE).toEqual(parsed)
  })

  test.each(['600', '600/0', '0/60', '1000/1/99', '600/60/x', '-1/1', '6e2/60'])('%j is refused', (value) => {
    expect(faultsOf({ API_KEY_RATE: value })).toEqual([
      expect.stringMatching(/^API_KEY_RATE .*; accepted: COUNT\/SECONDS/),
    ])
  })
})

describe('API_ALLOWED_HOSTS', () => {
  test.each([
    ['queue.example.com', ['queue.example.com']],
    [' A.example , *.Internal,10.1.2.3, fd00::1', ['a.example', '*.internal', '10.1.2.3', 'fd00::1']],
    ['*', 'any'],
    ['', undefined],
  ])('%j is a list', (value, parsed) => {
    expect(parse({ API_ALLOWED_HOSTS: value }).API_ALLOWED_HOSTS).toEqual(parsed)
  })

  test.each(['a:8080', 'http://a', 'a,,b', '*.', '*a', 'a b', 'a/b', '*,a'])('%j is refused', (value) => {
    expect(faultsOf({ API_ALLOWED_HOSTS: value })).toEqual([
      expect.stringMatching(/^API_ALLOWED_HOSTS .*; accepted: hosts without ports/),
    ])
  })
})

describe('API_TRUSTED_PROXIES', () => {
  const request = (forwarded: string | undefined, remoteAddress: string) =>
    ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage

  test.each([
    {
      name: 'a caller that is no proxy may write what it likes',
      forwarded: '203.0.113.9',
      peer: '198.51.100.1',
      client: '198.51.100.1',
    },
    { name: 'a proxy names its caller', forwarded: '203.0.113.9', peer: '10.1.2.3', client: '203.0.113.9' },
    {
      name: 'a proxy behind another',
      forwarded: '203.0.113.9, fd00::2',
      peer: '10.1.2.3',
      client: '203.0.113.9',
    },
    {
      name: 'what the client has written before that is not believed',
      forwarded: '127.0.0.1, ::1, 203.0.113.9',
      peer: '10.1.2.3',
      client: '203.0.113.9',
    },
    {
      name: 'an IPv4 address as IPv6',
      forwarded: '203.0.113.9',
      peer: '::ffff:10.1.2.3',
      client: '203.0.113.9',
    },
    { name: 'what is no address', forwarded: 'localhost', peer: '10.1.2.3', client: '10.1.2.3' },
    {
      name: 'what stands left of what is no address',
      forwarded: '203.0.113.9, unknown, 10.3.2.1',
      peer: '10.1.2.3',
      client: '10.3.2.1',
    },
    {
      name: 'what stands left of an empty member',
      forwarded: '203.0.113.9, ,fd00::2',
      peer: '10.1.2.3',
      client: 'fd00::2',
    },
    {
      name: 'an address with leading zeros, which others read as octal',
      forwarded: '203.0.113.9, 012.1.2.3',
      peer: '10.1.2.3',
      client: '10.1.2.3',
    },
    { name: 'a number', forwarded: '203.0.113.9, 167837955', peer: '10.1.2.3', client: '10.1.2.3' },
    {
      name: 'an address with a port',
      forwarded: '203.0.113.9:4711',
      peer: '10.1.2.3',
      client: '203.0.113.9',
    },
    {
      name: 'an IPv6 address with a port',
      forwarded: '[2001:db8::9]:4711, fd00::2',
      peer: '10.1.2.3',
      client: '2001:db8::9',
    },
    { name: 'one in brackets', forwarded: '[2001:db8::9]', peer: '10.1.2.3', client: '2001:db8::9' },
    { name: 'a tab', forwarded: '203.0.113.8\t,\t203.0.113.9\t', peer: '10.1.2.3', client: '203.0.113.9' },
    {
      name: 'another form of an IPv6 address',
      forwarded: '2001:0DB8:0:0:0:0:0:9',
      peer: '10.1.2.3',
      client: '2001:db8::9',
    },
    {
      name: 'an IPv4 address as IPv6, of the client',
      forwarded: '::ffff:cb00:7109',
      peer: '10.1.2.3',
      client: '203.0.113.9',
    },
    { name: 'a zone', forwarded: 'fe80::9%eth0, fd00::2%eth0', peer: '10.1.2.3', client: 'fe80::9' },
    {
      name: 'only proxies',
      forwarded: '10.3.2.1, fd00::2',
      peer: '10.1.2.3',
      client: '10.3.2.1',
    },
    { name: 'no header', forwarded: undefined, peer: '10.1.2.3', client: '10.1.2.3' },
  ])('$name', ({ forwarded, peer, client }) => {
    const { API_TRUSTED_PROXIES: clientOf } = parse({ API_TRUSTED_PROXIES: '10.0.0.0/8, fd00::2' })
    expect(clientOf?.(request(forwarded, peer))).toBe(client)
  })

  test.each([
    { networks: '::ffff:10.0.0.0/104', proxy: '10.1.2.3' },
    { networks: '::ffff:10.1.2.3', proxy: '10.1.2.3' },
    { networks: 'fe80::1%eth0', proxy: 'fe80::1%eth1' },
    { networks: 'FD00:0::/8', proxy: 'fd12::1' },
    { networks: 'uniquelocal', proxy: '192.168.3.4' },
    { networks: 'linklocal,loopback', proxy: '127.3.2.1' },
    { networks: '10.1.2.2/31', proxy: '10.1.2.3' },
    { networks: 'fd00::1/128,10.1.2.3/32', proxy: 'fd00::1' },
    { networks: '::127.0.0.0/104', proxy: '::127.3.2.1' },
  ])('$networks trusts $proxy, and no client', ({ networks, proxy }) => {
    const { API_TRUSTED_PROXIES: clientOf } = parse({ API_TRUSTED_PROXIES: networks })
    expect(clientOf?.(request('203.0.113.9', proxy))).toBe('203.0.113.9')
    expect(clientOf?.(request('203.0.113.9', '198.51.100.1'))).toBe('198.51.100.1')
  })

  test('an address has one form, also without proxies', () => {
    expect(peerOf(request(undefined, '::ffff:198.51.100.1'))).toBe('198.51.100.1')
    expect(peerOf(request(undefined, 'fe80::1%eth0'))).toBe('fe80::1')
  })

  test.each([
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/8,',
    '10.0.0.0/8;10.1.0.0/16',
    '*',
    '10',
    '::/129',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::ffff:10.0.0.0/8',
    '10.1.2.3/8',
    '10.1.2.3/31',
    '::ffff:10.1.2.3/104',
    'fd00::1/8',
    'fe80::1:0:0/80',
    '::127.0.0.1/104',
    '10.0.0.0/255.0.0.0',
    '010.0.0.1',
    '[fd00::1]',
    ',',
  ])('%j is refused', (value) => {
    expect(faultsOf({ API_TRUSTED_PROXIES: value })).toEqual([
      expect.stringMatching(/^API_TRUSTED_PROXIES .*; accepted: IP addresses and networks/),
    ])
  })
})

describe('API_OIDC_…', () => {
  const issuer = 'https://login.example.com/realms/a'
  const all = { API_OIDC_ISSUER: issuer, API_OIDC_AUDIENCE: 'queue', API_OIDC_ROLES: 'a=admin,b=c=read' }

  test('are an issuer with its claims, and close the API', () => {
    const parsed = parse({ ...all, API_BIND_ADDR: '0.0.0.0:1' })
    expect(parsed.API_OIDC_AUDIENCE).toEqual(['queue'])
    expect(Object.fromEntries(parsed.API_OIDC_ROLES ?? [])).toEqual({ a: 'admin', 'b=c': 'read' })
    expect(parsed.API_OIDC_ROLES_CLAIM).toBe('roles')
    expect(faultsOf({ ...all, API_OIDC_ISSUER: 'http://127.0.0.1:9/a' })).toEqual([])
  })

  test.each([
    'http://login.example.com',
    'http://10.0.0.1/',
    'ftp://a',
    'x',
    `${issuer}?a`,
    `${issuer}#a`,
    'https://u:p@a/',
  ])('an issuer %s is refused: who changes its answers could let anybody in', (url) => {
    expect(faultsOf({ ...all, API_OIDC_ISSUER: url })).toEqual([expect.stringMatching(/^API_OIDC_ISSUER /)])
  })

  test.each<[string, Environment]>([
    ['API_OIDC_AUDIENCE', { ...all, API_OIDC_AUDIENCE: '' }],
    ['API_OIDC_ROLES', { ...all, API_OIDC_ROLES: '' }],
    ['API_OIDC_ROLES', { ...all, API_OIDC_ROLES: 'admin' }],
    ['API_OIDC_ROLES', { ...all, API_OIDC_ROLES: 'a=root' }],
    ['API_OIDC_ROLES', { ...all, API_OIDC_ROLES: 'a=read,a=admin' }],
    ['API_OIDC_AUDIENCE', { ...all, API_OIDC_ISSUER: '' }],
    ['API_OIDC_TENANTS_CLAIM', { API_OIDC_TENANTS_CLAIM: 'tenants' }],
    ['API_OIDC_ALL_TENANTS', { ...all, API_OIDC_ALL_TENANTS: 'a' }],
    ['API_OIDC_ALL_TENANTS', { ...all, API_OIDC_TENANTS_CLAIM: 't', API_OIDC_ALL_TENANTS: 'x' }],
  ])('%s is refused where it would not do what it says (%j)', (name, env) => {
    expect(faultsOf(env)).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })
})
