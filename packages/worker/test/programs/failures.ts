/** Twelve small programs that fail, each in several ways, and each time with other values. */
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { execFile } from 'node:child_process'
import { createDecipheriv, createHash } from 'node:crypto'
import { mkdir, open, readFile, rmdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { z } from 'zod'

/** The values in which two failures of the same cause differ. */
export interface Values {
  readonly n: number
  readonly id: string
  readonly word: string
}

/** The services that the failing programs connect to. */
export interface Endpoints {
  /** The URL of a test database, as its owner. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  /** A port on which connections are closed at once. */
  readonly closingPort: number
}

type Fail = (values: Values, endpoints: Endpoints) => unknown

/** Starts a server that closes every connection at once. */
export async function startClosingServer(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The tables that the program `pg` works with. */
export const failureTables = `
  CREATE TABLE customers (id int PRIMARY KEY, email text NOT NULL UNIQUE, age int CHECK (age > 0));
  CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers, total numeric(6,2), CHECK (total >= 0));
  INSERT INTO customers VALUES (1, 'ada@example.com', 36)`

const query =
  (text: (values: Values) => string): Fail =>
  async (values, { pool }) =>
    pool.query(text(values))
const parse =
  (schema: z.ZodType, input: (values: Values) => unknown): Fail =>
  (values) =>
    schema.parse(input(values))
const throwing =
  (message: (values: Values) => string): Fail =>
  (values) => {
    throw new Error(message(values))
  }
const wrap =
  (message: (values: Values) => string, cause: Fail): Fail =>
  async (values, endpoints) => {
    try {
      await cause(values, endpoints)
    } catch (error) {
      throw new Error(message(values), { cause: error })
    }
  }

class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused'
}
class QuotaExceeded extends Error {}

const user = z.object({
  name: z.string(),
  email: z.email(),
  age: z.int().min(18),
  tags: z.array(z.string().max(5)),
})
const good = { name: 'Ada', email: 'ada@example.com', age: 36, tags: [] }
const nothing = (): { readonly [name: string]: { readonly [name: string]: () => unknown } } => ({})
const missing = ({ id }: Values): string => `/tmp/no-such-place/${id}`

export const failures: Readonly<Record<string, readonly Fail[]>> = {
  files: [
    (values) => readFile(missing(values)),
    (values) => mkdir(missing(values)),
    () => readFile('/tmp'),
    () => mkdir('/tmp'),
    () => rmdir('/proc/self'),
    (values) => open(`/tmp/${'x'.repeat(300)}${values.id}`),
    (values) => readFile(`/etc/passwd/${values.id}`),
  ],
  json: [
    ({ n }) => JSON.parse(`{"a": ${n}`),
    ({ word }) => JSON.parse(word),
    () => JSON.parse(''),
    ({ n }) => JSON.parse(`[${n}, "\n"]`),
    () => JSON.stringify(1n),
    () => {
      const circle: Record<string, unknown> = {}
      circle['self'] = circle
      return JSON.stringify(circle)
    },
  ],
  types: [
    () => nothing()['customer']?.['email']?.() ?? (nothing()['order'] as never as { total: number }).total,
    () => (nothing()['order'] as never as { lines: unknown }).lines,
    () => (nothing()['order'] as never as { address: unknown }).address,
    () => (null as never as { address: unknown }).address,
    () => ((nothing()['order'] as never as { set: number }).set = 1),
    () => (nothing() as never as { pay: () => void }).pay(),
    () => (nothing() as never as { ship: () => void }).ship(),
    () => [...(7 as never as number[])],
    () => new (undefined as never as new () => unknown)(),
  ],
  engine: [
    ({ n }) => Reflect.construct(Array, [-n - 1]),
    ({ n }) => (1.5).toFixed(101 + n),
    ({ n }) => 'x'.repeat(-n - 1),
    ({ word }) => BigInt(word),
    ({ n }) => BigInt(n + 0.5),
    () => Number(Symbol('s')),
    () => decodeURIComponent('%'),
    () => Reflect.construct(RegExp, ['(']),
    () => new Date(Number.NaN).toISOString(),
    ({ n }) => new Intl.NumberFormat(`no locale ${n}`),
    () => {
      const recurse = (): number => recurse() + 1
      return recurse()
    },
  ],
  node: [
    ({ word }) => new URL(word),
    ({ n }) => Buffer.alloc(4).readUInt32BE(n + 10),
    ({ n }) => Buffer.from(n as never),
    ({ word }) => createHash(word),
    ({ n }) => createDecipheriv('aes-256-gcm', Buffer.alloc(n % 31), Buffer.alloc(12)),
    ({ word }) => gunzipSync(word),
    ({ n }) => assert.equal(n, n + 1),
    ({ n }) => assert.ok(n < 0, `a balance of ${n} is not below zero`),
    ({ n }) =>
      Promise.any([n, n + 1].map((one) => Promise.reject(new RangeError(`replica ${one} is behind`)))),
    ({ n }) => sleep(60_000, undefined, { signal: AbortSignal.abort(new Error(`stopped after ${n} ms`)) }),
  ],
  processes: [
    ({ id }) => promisify(execFile)(`/no/such/program-${id}`),
    ({ n }) => promisify(execFile)('/bin/sh', ['-c', `exit ${(n % 7) + 1}`]),
  ],
  pg: [
    query(({ n }) => `INSERT INTO customers VALUES (1, 'a${n}@example.com', 1)`),
    query(({ n }) => `INSERT INTO customers VALUES (${n + 10}, 'ada@example.com', 1)`),
    query(({ n }) => `INSERT INTO customers VALUES (${n + 10}, NULL, 1)`),
    query(({ n, id }) => `INSERT INTO customers VALUES (${n + 10}, '${id}', ${-n})`),
    query(({ n }) => `INSERT INTO orders VALUES (${n}, ${n + 1_000}, 1)`),
    query(({ n }) => `INSERT INTO orders VALUES (${n}, 1, ${-1 - (n % 10)})`),
    query(({ n }) => `INSERT INTO orders VALUES (${n}, 1, ${n + 10_000})`),
    query(({ n }) => `SELECT ${n} FROM invoices`),
    query(({ n }) => `SELECT ${n} FROM refunds`),
    query(({ n }) => `SELECT street, ${n} FROM customers`),
    query(({ n }) => `SELECT city, ${n} FROM customers`),
    query(({ n }) => `SELECT no_such_function(${n})`),
    query(({ n }) => `SELECT ${n} FORM customers`),
    query(({ n }) => `SELECT ${n} / 0`),
    query(({ word }) => `SELECT '${word}'::int`),
    query(({ word }) => `SELECT '${word}'::uuid`),
    query(({ word }) => `SELECT '${word}'::timestamptz`),
    query(({ word }) => `SELECT '{${word}'::jsonb`),
    query(({ n }) => `SELECT 2147483647 + ${n + 1}`),
    query(({ n }) => `SET LOCAL statement_timeout = 1; SELECT pg_sleep(${n + 1})`),
  ],
  'pg connections': [
    ({ id }, { databaseUrl }) => connectTo(databaseUrl, (url) => (url.pathname = `/no-${id}`)),
    ({ id }, { databaseUrl }) => connectTo(databaseUrl, (url) => (url.username = `nobody-${id}`)),
    (_values, { databaseUrl }) => connectTo(databaseUrl, (url) => (url.port = '1')),
    (_values, { databaseUrl, closingPort }) =>
      connectTo(databaseUrl, (url) => (url.port = String(closingPort))),
  ],
  fetch: [
    ({ id }) => fetch(`http://127.0.0.1:1/orders/${id}`),
    ({ id }, { closingPort }) => fetch(`http://127.0.0.1:${closingPort}/orders/${id}`),
    ({ word }) => fetch(word),
    ({ word }) => fetch(`gopher://${word}/`),
    ({ n }) => fetch('http://127.0.0.1:1', { signal: AbortSignal.abort(new Error(`no answer for ${n} ms`)) }),
    // oxlint-disable-next-line unicorn/no-invalid-fetch-options -- It is to fail.
    ({ n }) => fetch('http://127.0.0.1:1', { method: 'GET', body: String(n) }),
    ({ n }) => new Response(`<html>${n}`).json(),
    ({ n }) => new Headers({ [`a b${n}`]: 'c' }),
    ({ n }) => new Response(null, { status: 600 + n }),
  ],
  zod: [
    parse(user, ({ n }) => ({ ...good, name: n })),
    parse(user, ({ word }) => ({ ...good, email: word })),
    parse(user, ({ n }) => ({ ...good, age: -n })),
    parse(user, ({ word }) => ({ ...good, age: word })),
    parse(user, ({ n, word }) => ({
      ...good,
      tags: [...Array.from({ length: n % 4 }, () => 'a'), word.repeat(9)],
    })),
    parse(user, ({ word }) => word),
    parse(z.strictObject({ a: z.string() }), ({ id }) => ({ a: 'b', [id]: 1 })),
    parse(z.enum(['a', 'b']), ({ id }) => id),
    parse(z.object({ to: z.url() }), ({ word }) => ({ to: word })),
  ],
  shop: [
    throwing(({ n }) => `order ${n} is not paid`),
    throwing(({ n }) => `order ${n} is not packed`),
    throwing(({ id }) => `customer ${id} is blocked`),
    throwing(({ id }) => `customer ${id} has moved`),
    throwing(({ word }) => `the coupon "${word}" has expired`),
    throwing(({ word }) => `the coupon '${word}' is unknown`),
    throwing(({ n, word }) => `cannot ship ${n} kg to '${word}': too heavy`),
    throwing(({ n }) => `rate limit: ${n}/s, retry at 2026-01-${10 + (n % 20)}T09:30:00.${100 + (n % 900)}Z`),
    throwing(({ word }) => `mail to ${word}@example.com bounced`),
    (values) => {
      throw new PaymentRefused(`card ending in ${1_000 + (values.n % 9_000)} was refused`)
    },
    (values) => {
      throw new QuotaExceeded(`${values.n} of 10 used`)
    },
  ],
  wrapped: [
    wrap(
      ({ n }) => `sync ${n} failed`,
      (values) => readFile(missing(values)),
    ),
    wrap(
      ({ n }) => `sync ${n} failed`,
      ({ word }) => JSON.parse(word),
    ),
    wrap(
      ({ n }) => `sync ${n} failed`,
      ({ word }) => new URL(word),
    ),
    wrap(
      ({ n }) => `sync ${n} failed`,
      () => (null as never as { rows: unknown }).rows,
    ),
  ],
  thrown: [
    ({ n }) => Promise.reject(`text ${n}`),
    ({ n }) => Promise.reject(n),
    ({ n }) => Promise.reject({ reason: n }),
    () => Promise.reject(null),
  ],
}

async function connectTo(databaseUrl: string, change: (url: URL) => void): Promise<void> {
  const url = new URL(databaseUrl)
  change(url)
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } finally {
    await client.end().catch(() => undefined)
  }
}
