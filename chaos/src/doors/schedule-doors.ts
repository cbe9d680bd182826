// The ways in which a schedule comes into being. Its job is enqueued at once, so that it shows the options.
import { type Door, type DoorDeps, partsOf, refusalOf, told } from './doors.ts'
import type { Document } from './drawn-document.ts'
import { defaultsOf, kinds } from './kinds.ts'
import type { Options } from './option-model.ts'
import { librarySpelling, snakeSpelling, wireOptions } from './spelling.ts'

const everyMs = 86_400_000
const codes = ['invalid_schedule']

type Write = (document: Document) => Promise<{ readonly status: number; readonly body: Options }>

/** The ways, by name. The name of a schedule is that of its call. */
export function createScheduleDoors(deps: DoorDeps): Readonly<Record<string, Door>> {
  const { queue, request } = deps
  const run = (document: Document) => queue.schedules.runNow(document.call)
  const library = (write: (document: Document) => Promise<unknown>): Door => ({
    spelling: librarySpelling,
    codes,
    defaultsOf,
    send: async (document) => {
      try {
        await write(document)
      } catch (error) {
        return refusalOf(error)
      }
      return { jobId: (await run(document)).job.id }
    },
  })
  const wire = (write: Write): Door => ({
    spelling: snakeSpelling,
    codes,
    defaultsOf,
    send: async (document) => {
      const answer = await write(document)
      if (answer.status >= 300) return told(answer)
      return told(await request('POST', `/schedules/${document.call}/run-now`, {}))
    },
  })
  return {
    'schedule of the library': library((document) => queue.schedules.create(libraryScheduleOf(document))),
    'sync of the library': library((document) =>
      queue.schedules.sync([libraryScheduleOf(document)], { source: document.call, revision: 1 }),
    ),
    'schedule of the API': wire((document) => request('POST', '/schedules', wireScheduleOf(document))),
    'sync of the API': wire((document) =>
      request('POST', '/schedules/sync', {
        source: document.call,
        revision: 1,
        schedules: [wireScheduleOf(document)],
      }),
    ),
  }
}

function libraryScheduleOf(document: Document) {
  return { name: document.call, everyMs, ...partsOf(document) }
}

function wireScheduleOf(document: Document): Options {
  const { call, kind } = document
  return {
    name: call,
    every_ms: everyMs,
    kind: kinds[kind].kind,
    payload: { text: call },
    ...wireOptions(document),
  }
}
