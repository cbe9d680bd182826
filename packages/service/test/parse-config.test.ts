import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import {
  bindAddress,
  ConfigError,
  databaseVariables,
  type Environment,
  logVariables,
  parseConfig,
  poolVariables,
  secret,
} from '../src/index.ts'

const schema = z.object({ ...databaseVariables, ...poolVariables, ...logVariables })
const dayMs = 86_400_000
const url = 'postgres://app:hunter2@db:5432/queue'

function ms({ min, max }: { readonly min: number; readonly max: number }) {
  return z.int().min(min).max(max).meta({ unit: 'ms', description: 'd' })
}

function linesOf(parse: () => unknown): readonly string[] {
  try {
    parse()
  } catch (error) {
    if (error instanceof ConfigError) return error.lines
    throw error
  }
  return []
}

function faultsOf(env: Environment): readonly string[] {
  return linesOf(() => parseConfig(schema, env))
}

describe('defaults', () => {
  test('are the documented ones', () => {
    expect(parseConfig(schema, { DATABASE_URL: url })).toEqual({
      DATABASE_URL: url,
      QUEUE_SCHEMA: 'queue',
      pool: { poolMax: 10, acquireTimeoutMs: 5_000, idleTimeoutMs: 300_000 },
      DATABASE_POOLER: 'none',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      NODE_ENV: 'development',
    })
  })

  test('apply to empty and blank variables', () => {
    const env = { DATABASE_URL: url, QUEUE_SCHEMA: '', DATABASE_POOL_MAX: '  ', LOG_LEVEL: '\n' }
    expect(parseConfig(schema, env)).toMatchObject({
      QUEUE_SCHEMA: 'queue',
      pool: { poolMax: 10 },
      LOG_LEVEL: 'info',
    })
  })
})

describe('an invalid variable', () => {
  test('is reported with its name, its value, the problem, and the accepted values', () => {
    expect(faultsOf({ DATABASE_URL: url, DATABASE_POOL_MAX: 'many' })).toEqual([
      'DATABASE_POOL_MAX "many" is not a whole number; accepted: a whole number from 1 to 1000',
    ])
  })

  test('is reported together with all the others, one line each', () => {
    const lines = faultsOf({ QUEUE_SCHEMA: 'Bad Name', LOG_LEVEL: 'loud', DATABASE_POOL_MAX: '0' })
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'QUEUE_SCHEMA',
      'DATABASE_POOL_MAX',
      'LOG_LEVEL',
    ])
    expect(lines.every((line) => !line.includes('\n'))).toBe(true)
  })

  test('ends the process with code 2', () => {
    expect(new ConfigError(['x']).exitCode).toBe(2)
  })

  test('with a very long value is shown in part', () => {
    expect(faultsOf({ DATABASE_URL: url, LOG_LEVEL: 'x'.repeat(10_000) })[0]?.length).toBeLessThan(300)
  })

  test('that breaks a rule across variables is also reported', () => {
    const pair = z
      .object({
        LEASE_MS: ms({ min: 1, max: 100 }).default(30),
        BEAT_MS: ms({ min: 1, max: 100 }).default(10),
      })
      .refine((config) => config.BEAT_MS <= config.LEASE_MS / 3, {
        path: ['BEAT_MS'],
        message: 'is more than a third of LEASE_MS',
      })
    expect(parseConfig(pair, {})).toEqual({ LEASE_MS: 30, BEAT_MS: 10 })
    expect(linesOf(() => parseConfig(pair, { BEAT_MS: '11' }))).toEqual([
      'BEAT_MS "11" is more than a third of LEASE_MS; accepted: whole milliseconds from 1 to 100',
    ])
    expect(linesOf(() => parseConfig(pair, { LEASE_MS: '29' }))).toEqual([
      'BEAT_MS (default: 10) is more than a third of LEASE_MS; accepted: whole milliseconds from 1 to 100',
    ])
  })
})

describe('a group', () => {
  const settings = z
    .object({
      leaseMs: ms({ min: 1, max: 100 }).default(30).meta({ variable: 'LEASE_MS' }),
      beatMs: ms({ min: 1, max: 100 }).default(10).meta({ variable: 'BEAT_MS' }),
      queues: z
        .array(z.string().regex(/^[a-z]+$/, 'must be a-z'))
        .max(3)
        .prefault(['mail'])
        .meta({ variable: 'QUEUES', description: 'd' }),
      seed: z.int().default(7),
    })
    .refine(({ leaseMs, beatMs }) => beatMs <= leaseMs / 3, {
      path: ['beatMs'],
      message: 'must be at most a third of leaseMs',
    })
  const config = z.object({ worker: settings, ...databaseVariables })
  const given = { DATABASE_URL: url }

  test('is read from the variables that its settings name; the others keep their defaults', () => {
    const env = { ...given, LEASE_MS: '90', BEAT_MS: '30', QUEUES: 'a, b', seed: '8', SEED: '8' }
    expect(parseConfig(config, env).worker).toEqual({ leaseMs: 90, beatMs: 30, queues: ['a', 'b'], seed: 7 })
    expect(parseConfig(config, given).worker).toEqual({ leaseMs: 30, beatMs: 10, queues: ['mail'], seed: 7 })
  })

  test('keeps its rules, with the names of the variables', () => {
    expect(linesOf(() => parseConfig(config, { ...given, BEAT_MS: '11' }))).toEqual([
      'BEAT_MS "11" must be at most a third of LEASE_MS; accepted: whole milliseconds from 1 to 100',
    ])
  })

  test('is not checked by its rules while one of its values is invalid', () => {
    expect(linesOf(() => parseConfig(config, { ...given, LEASE_MS: '0' }))).toEqual([
      'LEASE_MS "0" is too small; accepted: whole milliseconds from 1 to 100',
    ])
  })

  test.each([
    ['a,B', 'names "B", which must be a-z'],
    ['a,,b', 'names "", which must be a-z'],
    ['a,a', 'has an item twice'],
    ['a,b,c,d', 'is too large'],
  ])('has a list whose invalid item is named: %j', (value, fault) => {
    expect(linesOf(() => parseConfig(config, { ...given, QUEUES: value }))).toEqual([
      `QUEUES ${JSON.stringify(value)} ${fault}; accepted: at most 3, separated by commas`,
    ])
  })

  test('is reported together with everything else', () => {
    expect(linesOf(() => parseConfig(config, { LEASE_MS: 'x', QUEUES: 'B' }))).toHaveLength(3)
  })
})

describe('DATABASE_URL', () => {
  test.each([
    'postgres://db/queue',
    'postgresql://app:p%40ss@db:5432/queue?sslmode=require',
    'POSTGRES://app@[::1]:5432/queue',
    'postgres://app@%2Fvar%2Frun%2Fpostgresql/queue',
    'postgres:///queue?host=/var/run/postgresql',
    'postgres://app:p%40ss@db-a:5432,db-b:5433/queue?target_session_attrs=read-write',
    'postgres:///queue?host=db-a,db-b&port=5432,5433',
  ])('%s is accepted unchanged', (value) => {
    expect(parseConfig(schema, { DATABASE_URL: value }).DATABASE_URL).toBe(value)
  })

  test.each([
    '',
    'db',
    'mysql://app:hunter2@db/queue',
    'postgres://app:hunter2@db:port/x',
    'postgres://a:hunter2%zz@h/d',
    'postgres://a:hunter2@h,,i/d',
    'postgres://a:hunter2@h,i:port/d',
  ])('%j is refused, and never shown', (value) => {
    const [line, ...more] = faultsOf({ DATABASE_URL: value })
    expect(more).toEqual([])
    expect(line).toMatch(/^DATABASE_URL .*; accepted: postgres:\/\/user:password@host:port\/database/)
    expect(line).not.toContain('hunter2')
  })
})

test.each([
  ['target_session_attrs=standby', 'target_session_attrs=standby'],
  ['load_balance_hosts=random', 'load_balance_hosts=random'],
])('%s, which is not supported, is refused by name', (parameter, named) => {
  expect(faultsOf({ DATABASE_URL: `postgres://a,b/queue?${parameter}` })[0]).toContain(named)
})

describe('the TLS parameters of DATABASE_URL', () => {
  const existingFile = encodeURIComponent(fileURLToPath(import.meta.url))

  test.each(['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'])(
    'sslmode=%s is accepted, with the file of an authority',
    (mode) => {
      const value = `${url}?sslmode=${mode}&sslrootcert=${existingFile}`
      expect(parseConfig(schema, { DATABASE_URL: value }).DATABASE_URL).toBe(value)
    },
  )

  test.each([
    ['sslmode=verify_full', /an invalid sslmode: it must be one of disable, /],
    [
      'sslmode=verify-full&sslrootcert=/nothing/ca.crt',
      /in sslrootcert the path of a file that cannot be read/,
    ],
    [`sslrootcert=${existingFile}&sslkey=/nothing/key`, /in sslkey the path of a file that cannot be read/],
  ])('%s is refused at the start', (parameters, fault) => {
    const [line, ...more] = faultsOf({ DATABASE_URL: `postgres://app:hunter2@db/queue?${parameters}` })
    expect(more).toEqual([])
    expect(line).toMatch(fault)
    expect(line).not.toContain('hunter2')
  })
})

describe('QUEUE_SCHEMA', () => {
  test.each(['queue', '_q1', 'a'.repeat(56)])('%s is accepted', (value) => {
    expect(parseConfig(schema, { DATABASE_URL: url, QUEUE_SCHEMA: value }).QUEUE_SCHEMA).toBe(value)
  })

  test.each(['Queue', '1q', 'a"b', 'a b', 'pg_queue', 'information_schema', 'a'.repeat(57), 'q;drop'])(
    '%s is refused',
    (value) => {
      expect(faultsOf({ DATABASE_URL: url, QUEUE_SCHEMA: value })).toHaveLength(1)
    },
  )
})

describe('a secret in a file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'queue-config-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function file(content: string): Promise<string> {
    const path = join(folder, `secret-${content.length}`)
    await writeFile(path, content)
    return path
  }

  test('is read, without the white space around it', async () => {
    expect(parseConfig(schema, { DATABASE_URL_FILE: await file(`${url}\n`) }).DATABASE_URL).toBe(url)
  })

  test('is checked like the variable itself, and never shown', async () => {
    const [line] = faultsOf({ DATABASE_URL_FILE: await file('mysql://app:hunter2@db') })
    expect(line).toMatch(/^DATABASE_URL does not begin/)
    expect(line).not.toContain('hunter2')
  })

  test('together with the variable is refused', async () => {
    const [line] = faultsOf({ DATABASE_URL: url, DATABASE_URL_FILE: await file(url) })
    expect(line).toMatch(/^DATABASE_URL_FILE and DATABASE_URL are both set/)
  })

  test('with two lines is refused, because a URL would lose its line break', async () => {
    const [line, ...more] = faultsOf({
      DATABASE_URL_FILE: await file('postgres://app:hunter2@db/queue\n# old'),
    })
    expect(more).toEqual([])
    expect(line).toMatch(/^DATABASE_URL has a line break; accepted: postgres:/)
    expect(line).not.toContain('hunter2')
    expect(faultsOf({ DATABASE_URL: 'postgres://app@db/qu\neue' })).toHaveLength(1)
  })

  test('that is missing, empty or a folder is refused by name', async () => {
    const paths = [join(folder, 'nothing'), await file(' \n'), folder]
    const lines = paths.flatMap((path) => faultsOf({ DATABASE_URL_FILE: path }))
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^DATABASE_URL_FILE ".*nothing" cannot be read \(ENOENT\)/)
    expect(lines[1]).toMatch(/is an empty file/)
    expect(lines[2]).toMatch(/cannot be read \(EISDIR\)/)
  })
})

describe('an incomplete secret is refused, and does not count as unset', () => {
  const guarded = z.object({ TOKEN: secret.optional().meta({ description: 'd' }), ...databaseVariables })
  const env = { DATABASE_URL: url }

  test.each(['', '  ', '\n'])('set and empty (%j)', (value) => {
    expect(linesOf(() => parseConfig(guarded, { ...env, TOKEN: value }))).toEqual([
      'TOKEN is set and empty; accepted: at least 16 characters without line breaks',
    ])
  })

  test.each(['', ' '])('its file set and empty (%j)', (value) => {
    const [line, ...more] = linesOf(() => parseConfig(guarded, { ...env, TOKEN_FILE: value }))
    expect(more).toEqual([])
    expect(line).toMatch(/^TOKEN_FILE is set and empty; accepted: /)
  })

  test.each(['x', 'fifteen-letters'])('too short to be one (%j)', (value) => {
    expect(linesOf(() => parseConfig(guarded, { ...env, TOKEN: value }))).toEqual([
      'TOKEN is shorter than 16 characters; accepted: at least 16 characters without line breaks',
    ])
  })

  test('while a secret that is not set is unset', () => {
    expect(parseConfig(guarded, env).TOKEN).toBeUndefined()
  })
})

describe('kinds of variables', () => {
  const kinds = z.object({
    COUNT: z.int().min(-5).max(1_000).default(4).meta({ description: 'd' }),
    MODE: z.enum(['auto', 'never']).default('auto').meta({ description: 'd' }),
    NOTIFY: z.boolean().default(true).meta({ description: 'd' }),
    LISTEN: z.boolean().optional().meta({ description: 'd', unset: 'on' }),
    STALL: z
      .union([ms({ min: 100, max: 1_000 }), z.literal(0)])
      .default(300)
      .meta({ description: 'd' }),
    AHEAD: z
      .union([z.literal('auto'), z.int().min(0).max(9)])
      .default('auto')
      .meta({ description: 'd' }),
    SPEED: z.number().min(0.001).max(10).default(1).meta({ description: 'd' }),
    KEEP: z
      .int()
      .min(0)
      .max(36_500 * dayMs)
      .default(7 * dayMs)
      .meta({ description: 'd', unit: 'duration' }),
    BIND: bindAddress.prefault('0.0.0.0:8080').meta({ description: 'd' }),
    TOKEN: secret.optional().meta({ description: 'd' }),
    PREFIX: z.string().default('worker').meta({ description: 'd' }),
  })

  test('have typed values', () => {
    const config: {
      COUNT: number
      MODE: 'auto' | 'never'
      NOTIFY: boolean
      LISTEN?: boolean | undefined
      STALL: number
      AHEAD: 'auto' | number
      SPEED: number
      KEEP: number
      BIND: { host: string; port: number }
      TOKEN?: string | undefined
      PREFIX: string
    } = parseConfig(kinds, {})
    expect(config).toEqual({
      COUNT: 4,
      MODE: 'auto',
      NOTIFY: true,
      LISTEN: undefined,
      STALL: 300,
      AHEAD: 'auto',
      SPEED: 1,
      KEEP: 604_800_000,
      BIND: { host: '0.0.0.0', port: 8080 },
      TOKEN: undefined,
      PREFIX: 'worker',
    })
  })

  test.each([
    ['COUNT', '-5', -5],
    ['COUNT', ' 007 ', 7],
    ['MODE', 'NEVER', 'never'],
    ['NOTIFY', 'off', false],
    ['NOTIFY', 'TRUE', true],
    ['NOTIFY', '0', false],
    ['LISTEN', 'on', true],
    ['LISTEN', 'OFF', false],
    ['STALL', '0', 0],
    ['AHEAD', 'AUTO', 'auto'],
    ['AHEAD', '9', 9],
    ['SPEED', '0.5', 0.5],
    ['STALL', '100', 100],
    ['KEEP', '0', 0],
    ['KEEP', '0d', 0],
    ['KEEP', '500ms', 500],
    ['KEEP', '30s', 30_000],
    ['KEEP', '90m', 5_400_000],
    ['KEEP', '12h', 43_200_000],
    ['KEEP', '36500d', 3_153_600_000_000],
    ['BIND', '127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['BIND', '[::1]:8080', { host: '::1', port: 8080 }],
    ['BIND', 'localhost:65535', { host: 'localhost', port: 65_535 }],
    ['NOTIFY', 'yes', true],
    ['NOTIFY', 'no', false],
    ['TOKEN', ' sixteen-letters! ', 'sixteen-letters!'],
  ])('%s accepts %j', (name, value, parsed) => {
    expect(parseConfig(kinds, { [name]: value })).toMatchObject({ [name]: parsed })
  })

  test.each([
    ['COUNT', '1.5'],
    ['COUNT', '1e3'],
    ['COUNT', '0x10'],
    ['COUNT', '-6'],
    ['COUNT', '1001'],
    ['COUNT', '9'.repeat(400)],
    ['COUNT', '٤'],
    ['MODE', 'sometimes'],
    ['NOTIFY', 'maybe'],
    ['LISTEN', 'maybe'],
    ['STALL', '99'],
    ['AHEAD', '10'],
    ['AHEAD', 'many'],
    ['SPEED', '0'],
    ['SPEED', 'fast'],
    ['SPEED', '0x10'],
    ['SPEED', '1e3'],
    ['STALL', '-1'],
    ['KEEP', '7'],
    ['KEEP', 'd'],
    ['KEEP', '7 d'],
    ['KEEP', '1.5h'],
    ['KEEP', '-1d'],
    ['KEEP', '7D'],
    ['KEEP', '7weeks'],
    ['KEEP', '7constructor'],
    ['KEEP', '0constructor'],
    ['KEEP', '36501d'],
    ['KEEP', `${'9'.repeat(400)}d`],
    ['BIND', '8080'],
    ['BIND', ':8080'],
    ['BIND', 'localhost'],
    ['BIND', 'localhost:'],
    ['BIND', 'localhost:65536'],
    ['BIND', '::1:8080'],
    ['BIND', '[::1]'],
    ['BIND', '[localhost]:80'],
    ['BIND', '300.0.0.1:80'],
    ['BIND', '1.2.3:80'],
    ['BIND', 'a b:80'],
    ['BIND', 'http://localhost:80'],
    ['TOKEN', 'two lines of\na secret'],
  ])('%s refuses %j', (name, value) => {
    const lines = linesOf(() => parseConfig(kinds, { [name]: value }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^${name} .*; accepted: `))
  })

  test("a secret's value is never shown", () => {
    expect(linesOf(() => parseConfig(kinds, { TOKEN: 'hunter2-hunter2\nx' }))).toEqual([
      'TOKEN has a line break; accepted: at least 16 characters without line breaks',
    ])
  })
})
