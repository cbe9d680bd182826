import { z } from 'zod'
import { entityTagOf, matchesEntityTag } from './headers.ts'
import { sharedMsMax } from './limits.ts'
import { defineOperation, type Operation, type OperationRequest } from './operation.ts'
import type { Answer } from './send.ts'
import type { SharedAnswer } from './shared-answers.ts'

const sharedHeaders = z.object({
  'if-none-match': z.string().optional().meta({ description: 'The ETag of an earlier answer.' }),
  'cache-control': z
    .string()
    .optional()
    .meta({
      description:
        `With max-age=N the answer may be N seconds old, ${sharedMsMax / 1_000} at most: those who poll share one read of the ` +
        'database. Without it the answer is as of now.',
    }),
})

/**
 * A read that many callers poll. Its answer has an entity tag; a caller who has that answer is sent no content; and
 * callers of one scope who let it be a moment old are given the same one. It may depend on the parameters, the scope, and
 * whether payloads may be read, and on nothing else of its caller.
 */
export function shared(operation: Operation): Operation {
  const [success, ...others] = operation.successes
  if (success === undefined || others.length > 0 || operation.headers !== undefined) {
    throw new TypeError(`${operation.operationId} has more than one answer, or headers`)
  }
  return defineOperation({
    ...operation,
    headers: sharedHeaders,
    successes: [
      { ...success, headers: { ...success.headers, ETag: 'Changes whenever the answer does.' } },
      {
        status: 304,
        description: 'The answer is the one that If-None-Match names.',
        headers: { ETag: 'The same.' },
      },
    ],
    handle: async (request, services) => {
      const { 'if-none-match': known, 'cache-control': cacheControl } = request.headers
      const { text, etag } = await services.shared.take(nameOf(operation, request), {
        maxAgeMs: maxAgeMsOf(cacheControl),
        make: async () => answerText(await operation.handle(request, services)),
      })
      const headers = { etag, 'cache-control': 'private, no-cache' }
      if (matchesEntityTag(known, etag)) return { status: 304, headers }
      return { status: 200, headers, contentType: 'application/json; charset=utf-8', text }
    },
  })
}

function nameOf({ operationId }: Operation, { params, query, context }: OperationRequest): string {
  const isWhole = context.principal?.permissions.has('payload:read') ?? false
  return JSON.stringify([operationId, params, query, isWhole])
}

function answerText(answer: Answer): SharedAnswer {
  if (!('json' in answer)) throw new TypeError('only JSON is shared')
  const text = JSON.stringify(answer.json)
  return { text, etag: entityTagOf(text) }
}

/** How old an answer may be, by a Cache-Control header (RFC 9111, section 5.2.1); 0 where it does not say. */
export function maxAgeMsOf(header = ''): number {
  const seconds = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i.exec(header)?.[1]
  return seconds === undefined ? 0 : Number(seconds) * 1_000
}
