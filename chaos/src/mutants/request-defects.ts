import type { SourceDefect } from './source-defect.ts'

/** A defect of the API, and the fault by which the attack of requests must detect it. */
interface RequestDefect extends SourceDefect {
  readonly fault: RegExp
}

/** One defect for each law of the attack. None hides another, so all are planted in the same processes. */
export const requestDefects: readonly RequestDefect[] = [
  {
    name: 'an answer has a member that is not in the document',
    edits: [
      {
        module: 'apps/api/src/operations/access/get-me.ts',
        find: 'json: encodeMe(context.principal ?? anonymous)',
        replace: 'json: { ...encodeMe(context.principal ?? anonymous), no_such: 1 }',
      },
    ],
    fault: /^GET \/me was answered 200, against the document: .*no_such/,
  },
  {
    name: 'a page begins with the last item of the page before',
    edits: [
      {
        module: 'packages/core/src/schedules/read-schedules.ts',
        find: 's.name > ${after}',
        replace: 's.name >= ${after}',
      },
    ],
    fault: /^walks: \/schedules by .* has shown walked-\d+ \d+ times/,
  },
  {
    name: 'a partial change writes back what it has read without a lock',
    edits: [
      {
        module: 'packages/core/src/schedules/read-schedules.ts',
        find: 'ORDER BY s.name FOR UPDATE',
        replace: 'ORDER BY s.name',
      },
    ],
    fault: /^partial changes: \/schedules\/.* is lost of/,
  },
  {
    name: 'an edit compares the tag with what it has read only',
    edits: [
      {
        module: 'apps/api/src/operations/acts/edit-job.ts',
        find: '...(dependsOnRead && { ifUpdatedAt: current.updatedAt })',
        replace: '',
      },
    ],
    fault: /^entity tags: .* of 4 edits with one tag [2-4] were taken/,
  },
  {
    name: 'who sends a tag gets an answer of some seconds ago',
    edits: [
      {
        module: 'apps/api/src/http/shared-operation.ts',
        find: 'const maxAgeMs = maxAgeMsOf(cacheControl)',
        replace: 'const maxAgeMs = ifNoneMatch === undefined ? maxAgeMsOf(cacheControl) : 5_000',
      },
    ],
    fault: /^entity tags: .* shows version/,
  },
  {
    name: 'a repeated request is told that its job is new',
    edits: [
      {
        module: 'apps/api/src/operations/enqueue/create-job.ts',
        find: 'const isNew = !enqueued.replayed && enqueued.conflict === undefined',
        replace: 'const isNew = enqueued.conflict === undefined',
      },
    ],
    fault: /^keys: .* requests were told that their job is new/,
  },
  {
    name: 'a request is carried out twice',
    edits: [
      {
        module: 'apps/api/src/operations/acts/duplicate-job.ts',
        find: 'const view =',
        replace: 'await services.queue.duplicate(params.id)\n    const view =',
      },
    ],
    fault: /^keys: .* that was answered has made 2/,
  },
]

export const allRequestDefects: SourceDefect = {
  name: 'every defect of the attack of requests',
  edits: requestDefects.flatMap(({ edits }) => edits),
}
