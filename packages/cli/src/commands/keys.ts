import type { Key } from '@queue/client'
import { defineCommand } from '../command.ts'
import { backendCall } from '../backends/backend.ts'
import { toWire } from '../backends/wire.ts'
import type { Column } from '../output/table.ts'
import { eachArgument } from './each-argument.ts'
import { toSeconds } from './jobs.ts'

const keysOf = backendCall<undefined, Promise<Key[]>>({
  api: (client) => client.keys(),
  database: async (queue) => toWire(await queue.keys.list()),
})

const revokeOne = backendCall<string, Promise<void>>({
  api: (client, id) => client.revokeKey(id),
  database: (queue, id) => queue.keys.revoke(id),
})

const columns: readonly Column<Key>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name, shrinks: true },
  { title: 'role', of: ({ role, permissions }) => [role, ...permissions].join(','), shrinks: true },
  { title: 'created', of: ({ created_at: at }) => toSeconds(at) },
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
