// Requests over all operations of the document: valid ones, and valid ones of which one part is changed.
import {
  document,
  type EncodedRequest,
  encodeRequest,
  sampleRequests,
  type ValidRequest,
} from '@queue/test-http'
import { carryOutOperation, databaseOf } from '@queue/core/internal'
import { insertJob } from '@queue/testing'
import { setTimeout as wait } from 'node:timers/promises'
import { type Random, repeated } from '../nemesis/random.ts'
import type { Attack } from './attack.ts'
import { expectSuccess, scheduleMembers } from './subjects.ts'

const callers = 16
const seedMax = 2 ** 31 - 1
/** Requests of an operation are drawn together, because what they are drawn from takes longer to make. */
const stockSize = 10
const pollMs = 20
const states = ['queued', 'retrying', 'running', 'succeeded', 'failed_permanent', 'cancelled'] as const

/** Sends them from several callers at once, while operations are carried out. */
export async function sendGenerated(attack: Attack): Promise<void> {
  const { api, database, rounds, random } = attack
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const known = await fill(attack)
  const drawn = operations.map((): ValidRequest[] => [])
  let isOver = false
  const carryOut = async (): Promise<void> => {
    while (!isOver)
      if ((await carryOutOperation(databaseOf(database.queue))) === undefined) await wait(pollMs)
    while ((await carryOutOperation(databaseOf(database.queue))) !== undefined);
  }
  const send = rounds(callers, async (n, draws) => {
    const { path, method, operation } = operations[n % operations.length] ?? random.pick(operations)
    const stock = drawn[n % operations.length] ?? []
    if (stock.length === 0)
      stock.push(...sampleRequests(operation, { seed: draws.between(0, seedMax), count: stockSize }))
    const request = stock.pop() ?? { path: {}, query: {}, header: {}, body: undefined }
    const knownPath = draws.chance(0.7) ? knownParameters(request.path, known, draws) : request.path
    const valid = encodeRequest(path, method, { ...request, path: knownPath })
    const { body } = await api.send(draws.chance(0.4) ? malformed(valid, draws) : valid)
    learn(known, { ...body, ...(body['operation'] as object | null) }, draws)
  }).finally(() => (isOver = true))
  await Promise.all([send, carryOut()])
}

/** What is there to be named in a path, by the name of the parameter. */
type Known = Readonly<Record<string, string[]>>

/** Fills the database with jobs in every state, dead letters and a schedule. */
async function fill({ api, database }: Attack): Promise<Known> {
  const jobs = []
  for (const status of [...states, ...states])
    jobs.push(await insertJob(database, { status, queue: 'default' }))
  const { rows } = await database.pool.query<{ id: string }>(`SELECT id FROM queue.dead_letter_jobs`)
  const body = { name: 'nightly', ...scheduleMembers }
  await expectSuccess(api, { method: 'POST', target: '/schedules', body })
  return {
    id: [...jobs, ...rows].map(({ id }) => id),
    name: ['nightly', 'default'],
    kind: ['send_email', 'webhook_delivery'],
    asset: ['swagger-ui.css'],
  }
}

/** What an answer has named takes the place of another, which may be gone by now. */
function learn(known: Known, body: Readonly<Record<string, unknown>>, random: Random): void {
  for (const [name, values] of Object.entries(known)) {
    const value = body[name]
    if (typeof value === 'string') values[random.between(0, values.length - 1)] = value
  }
}

function knownParameters(path: ValidRequest['path'], known: Known, random: Random): Record<string, unknown> {
  const entries = Object.entries(path).map(([name, value]) => [name, random.pick(known[name] ?? [value])])
  return Object.fromEntries(entries) as Record<string, unknown>
}

const oddValues: readonly unknown[] = [
  null,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'é'.repeat(300),
  [],
  {},
  true,
  '0000-00-00T00:00:00Z',
  '2026-02-30T00:00:00Z',
]
const oddHeaders: readonly (readonly [string, string])[] = [
  ['accept', 'text/html'],
  ['content-type', 'text/plain'],
  ['content-encoding', 'gzip'],
  ['if-match', '"'],
  ['if-none-match', 'W/"a", *'],
  ['idempotency-key', 'k'.repeat(300)],
  ['prefer', 'wait=-1, handling=;'],
  ['queue-tenant', '%zz'],
  ['last-event-id', 'x'],
  ['authorization', 'Basic !!'],
  ['cache-control', 'max-age=99999999999'],
]

/** The request with one part that is not as the document says. */
function malformed(request: EncodedRequest, random: Random): EncodedRequest {
  const change = random.pick(
    repeated([
      [6, changedBody],
      [2, changedQuery],
      [2, changedHeader],
    ]),
  )
  return change(request, random)
}

function changedBody(request: EncodedRequest, random: Random): EncodedRequest {
  const text = request.body ?? '{}'
  if (random.chance(0.1)) return { ...withBody(request, text.slice(0, random.between(0, text.length))) }
  const body = JSON.parse(text) as unknown
  const places = placesOf(body)
  if (places.length === 0) return withBody(request, JSON.stringify(random.pick(oddValues)))
  const { holder, name } = random.pick(places)
  if (random.chance(0.3)) Reflect.deleteProperty(holder, name)
  else if (random.chance(0.2)) Reflect.set(holder, 'no_such_member', 1)
  else Reflect.set(holder, name, random.pick(oddValues))
  return withBody(request, JSON.stringify(body))
}

/** Fetch sends no body with a GET. */
function withBody(request: EncodedRequest, body: string): EncodedRequest {
  return request.method === 'GET' ? request : { ...request, body }
}

interface Place {
  readonly holder: object
  readonly name: string
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [{ holder: value, name }, ...placesOf(member)])
}

function changedQuery(request: EncodedRequest, random: Random): EncodedRequest {
  const name = random.pick(['limit', 'cursor', 'status', 'tenant', 'from', 'metadata[a]', 'no_such'])
  const value = encodeURIComponent(String(random.pick(oddValues)).toWellFormed())
  const separator = request.target.includes('?') ? '&' : '?'
  return { ...request, target: `${request.target}${separator}${name}=${value}` }
}

function changedHeader(request: EncodedRequest, random: Random): EncodedRequest {
  return { ...request, headers: { ...request.headers, ...Object.fromEntries([random.pick(oddHeaders)]) } }
}
