import { afterAll, expect, test } from '@jest/globals'
import { encodeCursor } from '../../src/database/cursor.ts'
import { encodeLogCursor } from '../../src/domain/log-line.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { queue } = world
const id = '01900000-0000-7000-8000-000000000000'
const position = `2026-01-01T00:00:00.000000Z ${id}`

interface List {
  readonly cursor: string
  read(cursor: string): Promise<unknown>
}

const lists: Readonly<Record<string, List>> = {
  jobs: {
    cursor: Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'),
    read: (cursor) => queue.list({ cursor }),
  },
  operations: { cursor: id, read: (cursor) => queue.operations.list({ cursor }) },
  logs: { cursor: encodeLogCursor({ leaseToken: 1, line: 1 }), read: (cursor) => queue.logs(id, { cursor }) },
  audit: { cursor: encodeCursor('audit', position), read: (cursor) => queue.audit.list({ cursor }) },
  deadLetters: {
    cursor: encodeCursor('dead_letters', position),
    read: (cursor) => queue.deadLetters.list({ cursor }),
  },
  errors: {
    cursor: encodeCursor('errors', '["last","2026-01-01T00:00:00.000000Z","k"]'),
    read: (cursor) => queue.errors({ cursor }),
  },
  limits: {
    cursor: encodeCursor('limits', 'mail queue '),
    read: (cursor) => queue.limits.list({ cursor }),
  },
  queues: { cursor: encodeCursor('queues', 'mail'), read: (cursor) => queue.listQueues({ cursor }) },
  schedules: {
    cursor: encodeCursor('schedules', 'mail'),
    read: (cursor) => queue.schedules.list({ cursor }),
  },
}

test.each(Object.keys(lists))('the list of %s takes its own cursors and refuses all others', async (name) => {
  for (const [other, { cursor }] of Object.entries(lists)) {
    const answer = await lists[name]?.read(cursor).then(
      () => 'taken',
      (error: { code: string }) => error.code,
    )
    expect(`${other}: ${answer}`).toBe(`${other}: ${other === name ? 'taken' : 'invalid_cursor'}`)
  }
})
