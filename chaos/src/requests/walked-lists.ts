import { carryOutOperation, databaseOf } from '@queue/core/internal'
import type { TestDatabase } from '@queue/testing'
import type { Attack } from './attack.ts'
import type { Members } from './checked-api.ts'
import { type Failures, failingQueue, logLines } from './failing-jobs.ts'
import { createJob, createSchedule, expectSuccess, kind, queue } from './subjects.ts'

/** How many items of its own each list has. */
export const present = 18
const longPageMax = 100

/** A list, and what is there during the whole attack: each item with the members by which it can be filtered. */
export interface WalkedList {
  readonly path: string
  readonly filters: Readonly<Record<string, readonly string[]>>
  keyOf(item: Members): string
  /** The most items of a page, where more than these are in the list. */
  readonly pageMax?: number
  /** The items by their keys, each with the values of the filters that select it. */
  readonly items: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** Fills the lists that a caller walks, and describes what is there all along. */
export async function fillLists(attack: Attack, failures: Failures): Promise<WalkedList[]> {
  return [
    await fillJobs(attack),
    ...(await fillFailures(attack.database, failures)),
    ...(await fillNames(attack)),
    ...(await fillRecords(attack)),
  ]
}

type Values = Readonly<Record<string, string>>

const range = Array.from({ length: present }, (_, n) => n)
const before = ['2999-01-01T00:00:00Z']
const after = ['2000-01-01T00:00:00Z']
const idOf = ({ id }: Members): string => String(id)
const nameOf = ({ name }: Members): string => String(name)

function allWith(keys: readonly string[], values: Values = {}): Map<string, Values> {
  return new Map(keys.map((key) => [key, values]))
}

async function readKeys({ pool }: TestDatabase, text: string): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(text)
  return rows.map(({ key }) => key)
}

async function fillJobs({ api, random }: Attack): Promise<WalkedList> {
  const items = new Map<string, Values>()
  for (const n of range) {
    const [key, tenant, part] = [`k${n % 2}`, `t${n % 3}`, `p${n % 5}`]
    const { id } = await createJob(api, random, { key, tenant_id: tenant, metadata: { part } })
    items.set(id, { kind, queue, status: 'queued', key, tenant, 'metadata[part]': part })
  }
  const filters = {
    status: ['queued'],
    kind: [kind],
    queue: [queue],
    key: ['k0', 'k1'],
    tenant: ['t0', 't1', 't2'],
    'metadata[part]': ['p0', 'p1', 'p2'],
    created_after: after,
    created_before: before,
  }
  return { path: '/jobs', filters, keyOf: idOf, items }
}

async function fillFailures(database: TestDatabase, failures: Failures): Promise<WalkedList[]> {
  const failed = await failures.fail(present)
  const groups = `SELECT fingerprint || ' ' || queue AS key FROM queue.job_errors WHERE queue = '${failingQueue}'`
  return [
    {
      path: '/dead-letters',
      filters: { queue: [failingQueue], dead_lettered_after: after, dead_lettered_before: before },
      keyOf: ({ job_id: id }) => String(id),
      items: allWith(failed, { queue: failingQueue }),
    },
    {
      path: '/errors',
      filters: { sort: ['last', 'first', 'count'], queue: [failingQueue] },
      keyOf: ({ fingerprint, queue: name }) => `${String(fingerprint)} ${String(name)}`,
      items: allWith(await readKeys(database, groups), { queue: failingQueue }),
    },
    {
      path: `/jobs/${failures.loggedId()}/logs`,
      filters: { level: ['debug', 'info'] },
      keyOf: ({ attempt, line }) => `${String(attempt)}/${String(line)}`,
      items: allWith(Array.from({ length: logLines }, (_, line) => `1/${line + 1}`)),
    },
  ]
}

async function fillNames({ api }: Attack): Promise<WalkedList[]> {
  const names = range.map((n) => `walked-${n}`)
  const limits = names.map((name, n) => ({ queue: name, scope: n % 2 === 0 ? 'queue' : 'each_key' }))
  for (const name of names) await createSchedule(api, name)
  for (const limit of limits)
    await expectSuccess(api, { method: 'PUT', target: '/limits', body: { ...limit, max_running: 5 } })
  return [
    { path: '/schedules', filters: { kind: [kind] }, keyOf: nameOf, items: allWith(names) },
    {
      path: '/limits',
      filters: { scope: ['queue', 'each_key'] },
      keyOf: ({ queue: name, scope, name: of }) => `${String(name)} ${String(scope)} ${String(of)}`,
      items: new Map(limits.map(({ queue: name, scope }) => [`${name} ${scope} null`, { scope }])),
    },
    { path: '/queues', filters: {}, keyOf: nameOf, items: allWith([queue]) },
  ]
}

/** What was done: operations that have ended, and the audit log as it is by now. */
async function fillRecords({ api, database }: Attack): Promise<WalkedList[]> {
  const none = { filter: { queue: 'none' } }
  for (const _ of range) await expectSuccess(api, { method: 'POST', target: '/jobs/delete', body: none })
  while ((await carryOutOperation(databaseOf(database.queue))) !== undefined);
  const operations = `SELECT id::text AS key FROM queue.operations WHERE filter @> '{"queue":"none"}'`
  const entries = await readKeys(database, `SELECT id::text || ' ' || act AS key FROM queue.audit_log`)
  return [
    {
      path: '/operations',
      pageMax: longPageMax,
      filters: { state: ['succeeded'] },
      keyOf: idOf,
      items: allWith(await readKeys(database, operations)),
    },
    {
      path: '/audit',
      pageMax: longPageMax,
      filters: { act: ['schedule.sync', 'limit.set'], from: after, to: before },
      keyOf: idOf,
      items: new Map(
        entries.map((entry) => {
          const [id = '', act = ''] = entry.split(' ')
          return [id, { act }]
        }),
      ),
    },
  ]
}
