import type { Key } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import type { Column } from '../output/table.ts'
import { toSeconds } from './jobs.ts'

const keysOf = eitherWay<undefined, Promise<Key[]>>({
  api: (client) => client.keys(),
  database: async (queue) => toWire(await queue.keys.list()),
})

const revokeOne = eitherWay<string, Promise<void>>({
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
  summary: 'list the keys of the API, without their secrets',
  arguments: [],
  options: {},
  examples: [{ line: 'queue keys list', says: 'Whose keys there are, and when each was last used' }],
  async run({ door, print }) {
    const data = await keysOf(await door(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const revokeKeys = defineCommand({
  name: 'keys revoke',
  summary: 'revoke keys for good: every API refuses them within a second',
  arguments: [{ name: 'KEY_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue keys revoke KEY_ID', says: 'Shut out whoever has this key' }],
  async run({ words, door, print, signal }) {
    const way = await door()
    for (const id of words) {
      signal.throwIfAborted()
      await revokeOne(way, id)
      await (print.isJson ? print.json({ revoked: id }) : print.raw(`${id} is revoked\n`))
    }
  },
})
