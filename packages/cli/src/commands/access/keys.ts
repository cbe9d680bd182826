import type { CreateKeyRequest } from '@queue/admin'
import type { Key } from '@queue/client'
import {
  choice,
  type Column,
  duration,
  exitCodes,
  type Failure,
  someOf,
  text,
  texts,
  usageFailure,
  type Valued,
} from '@queue/commands'
import type { Queue, Rate } from '@queue/core'
import { keyRoles, parseRate, permissions, rateForm } from '@queue/core/plain'
import { type AnyClient, backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { defineCommand } from '../../command.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { toSeconds } from '../reads/jobs.ts'

const keysOf = backendCall<undefined, Promise<Key[]>>({
  api: (client) => client.keys(),
  database: async (queue) => toWire(await queue.keys.list()),
})

const revokeOne = backendCall<string, Promise<void>>({
  api: (client, id) => client.revokeKey(id),
  // In the name of the database role, because somebody who changes who may call the API leaves an entry in the audit log.
  database: async (queue, id) => {
    const { databaseOf, roleActor } = await import('@queue/core/internal')
    return queue.actAs(await roleActor(databaseOf(queue))).keys.revoke(id)
  },
})

const columns: readonly Column<Key>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name, shrinks: true },
  { title: 'role', of: (key) => [key.role, ...key.permissions].join(','), shrinks: true },
  { title: 'created', of: ({ created_at: at }) => toSeconds(at) },
  { title: 'bound to', of: boundsOf, shrinks: true },
  { title: 'rate', of: ({ rate }) => rate && `${rate.count}/${rate.per_seconds}/${rate.burst}` },
  { title: 'last used', of: ({ last_used_at: at }) => toSeconds(at) },
  { title: 'expires', of: ({ expires_at: at }) => toSeconds(at) },
  { title: 'revoked', of: ({ revoked_at: at }) => toSeconds(at) },
]

export const listKeys = defineCommand({
  name: 'keys list',
  summary: 'list API keys, without their secrets',
  arguments: [],
  options: {},
  examples: [{ line: 'queue keys list', description: 'All API keys, and when each was last used' }],
  async run({ connect, print }) {
    const data = await keysOf(await connect(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const revokeKeys = defineCommand({
  name: 'keys revoke',
  summary: 'revoke API keys permanently: every API process refuses them within a second',
  arguments: [{ name: 'KEY_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue keys revoke KEY_ID', description: 'Revoke one key' }],
  run: (context) =>
    eachArgument(context, async (backend, id) => {
      const { print } = context
      await revokeOne(backend, id)
      await (print.isJson ? print.json({ revoked: id }) : print.raw(`${id} is revoked\n`))
    }),
})

function boundsOf({ tenant_id: tenant, queues, kinds }: Key): string | null {
  const bounds = [
    ...(tenant === null ? [] : [`tenant ${tenant}`]),
    ...(queues === null ? [] : [`queues ${queues.join(',')}`]),
    ...(kinds === null ? [] : [`kinds ${kinds.join(',')}`]),
  ]
  return bounds.join('; ') || null
}

/** A call that only the owner of the tables may make: the role of no process may, so the API cannot. */
function ownerCall<Input, Result>(database: (queue: Queue, input: Input) => Promise<Result>) {
  return backendCall<Input, Promise<Result>>({
    api: (_client: AnyClient) => Promise.reject(databaseNeeded()),
    database,
  })
}

function databaseNeeded(): Failure {
  return failureOf({
    error: 'database_required',
    detail: 'the API cannot create or rotate keys, because its database role must not',
    exitCode: exitCodes.usage,
    advice: 'set DATABASE_URL, or give --database URL, with the role that owns the tables',
  })
}

interface NewKey {
  readonly id: string
  /** The key itself, which is shown only here. */
  readonly key: string
}

const createOne = ownerCall<CreateKeyRequest, NewKey>(async (queue, request) => {
  const admin = await import('@queue/admin')
  const { databaseOf } = await import('@queue/core/internal')
  const key = admin.mintKey()
  await admin.createKey(databaseOf(queue), key, request)
  return { id: key.id, key: key.text }
})

interface Rotation {
  readonly replaces: string
  readonly overlapMs: number
}

const rotateOne = ownerCall<Rotation, NewKey>(async (queue, rotation) => {
  const admin = await import('@queue/admin')
  const { databaseOf } = await import('@queue/core/internal')
  const key = admin.mintKey()
  await admin.rotateKey(databaseOf(queue), key, rotation)
  return { id: key.id, key: key.text }
})

const lifetimeMsMax = 9_999 * 86_400_000

/** A time for which a key is valid. */
function lifetime(summary: string): Valued<number> {
  const option = duration('DURATION', summary)
  const read = (input: string): number => {
    const ms = option.read(input)
    if (ms > 0 && ms <= lifetimeMsMax) return ms
    throw usageFailure('is not a duration above 0 and up to 9999d')
  }
  return { ...option, read }
}

function rateOption(summary: string): Valued<Rate> {
  const read = (input: string): Rate => {
    const parsed = parseRate(input)
    if (parsed !== undefined) return parsed
    throw usageFailure(`is not a rate; a rate is ${rateForm}`)
  }
  return { value: 'RATE', summary, read }
}

export const createKeys = defineCommand({
  name: 'keys create',
  summary: 'create an API key and print it, only this once; only in the database, by the owner of the tables',
  arguments: [{ name: 'NAME' }],
  options: {
    role: choice('ROLE', keyRoles, 'role of the key, required'),
    permission: someOf('PERMISSION', permissions, 'further permissions'),
    tenant: text('TENANT', 'bind the key to this tenant'),
    queue: texts('QUEUE', 'bind the key to these queues'),
    kind: texts('KIND', 'bind the key to these kinds'),
    'expires-in': lifetime('how long the key is valid, such as 90d; default: it does not expire'),
    'rate-limit': rateOption(
      'rate limit of its requests, such as 600/60 or 600/60/50; default: API_KEY_RATE of the API',
    ),
  },
  examples: [
    { line: 'queue keys create shop --role enqueue', description: 'A key that can only enqueue' },
    {
      line: 'queue keys create report --role read --permission payload:read --expires-in 90d',
      description: 'A key that also reads payloads, for 90 days',
    },
    {
      line: 'queue keys create acme --role operate --tenant acme --queue mail,push --rate-limit 600/60',
      description: 'A key bound to a tenant and two queues, with at most 600 requests a minute',
    },
  ],
  async run({ args: [name = ''], values, connect, print }) {
    const { role, permission, tenant, queue, kind, 'expires-in': expiresInMs, 'rate-limit': limit } = values
    if (role === undefined) throw usageFailure('a key needs a role', `give --role: ${keyRoles.join(', ')}`)
    const created = await createOne(await connect('database'), {
      name,
      role,
      permissions: permission ?? [],
      tenantId: tenant,
      queues: queue,
      kinds: kind,
      expiresInMs,
      rate: limit,
    })
    await (print.isJson ? print.json(created) : print.line(created.key))
  },
})

const overlapMsDefault = 24 * 3_600_000

export const rotateKeys = defineCommand({
  name: 'keys rotate',
  summary:
    'replace an API key by a new one, and print that, only this once; only in the database, as keys create',
  arguments: [{ name: 'KEY_ID' }],
  options: { grace: lifetime('how long the old key stays valid; default: 24h') },
  examples: [
    { line: 'queue keys rotate KEY_ID --grace 1h', description: 'The old key is valid for another hour' },
  ],
  async run({ args: [replaces = ''], values, connect, print }) {
    const { grace: overlapMs = overlapMsDefault } = values
    const created = await rotateOne(await connect('database'), { replaces, overlapMs })
    await (print.isJson ? print.json({ ...created, replaces }) : print.line(created.key))
  },
})
