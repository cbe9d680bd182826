import { z } from 'zod'
import { entityTagOf, matchesEntityTag } from './headers.ts'
import { sharedMsMax } from './limits.ts'
import { defineOperation, type Operation, type OperationRequest } from './operation.ts'
import type { Answer } from './send.ts'
import type { SharedAnswer } from './shared-answers.ts'

const sharedHeaders = z.object({
  'if-none-match': z.string().optional().meta({ description: 'The ETag of an earlier response.' }),
  'cache-control': z
    .string()
    .optional()
    .meta({
      description:
        `\`max-age=N\` allows a response that is up to N seconds old, at most ${sharedMsMax / 1_000}. Clients that poll ` +
        'then share one database read. By default, the response is current.',
    }),
})

/**
 * A read that many clients poll. Its response has an entity tag: a client that already has it gets 304. Callers of one scope
 * that allow some age share one response. The response may depend only on the parameters, the scope and the permission
 * payload:read of its caller.
 */
export function shared(operation: Operation): Operation {
  const { load = 'light' } = operation
  const [success, ...others] = operation.successes
  if (success === undefined || others.length > 0 || operation.headers !== undefined || load === 'none') {
    throw new TypeError(
      `${operation.operationId} cannot be shared: it has several responses, or headers, or no load`,
    )
  }
  return defineOperation({
    ...operation,
    headers: sharedHeaders,
    successes: [
      {
        ...success,
        headers: {
          ...success.headers,
          ETag: 'Entity tag of the response. It changes whenever the response changes.',
        },
      },
      {
        status: 304,
        description: 'The response has not changed since the version in If-None-Match.',
        headers: { ETag: 'Entity tag of the response.' },
      },
    ],
    load: 'none',
    handle: async (request, services) => {
      const { 'if-none-match': ifNoneMatch, 'cache-control': cacheControl } = request.headers
      const name = nameOf(operation, request)
      const maxAgeMs = maxAgeMsOf(cacheControl)
      const make = async () => answerText(await operation.handle(request, services))
      // Each is admitted for itself, so that nobody waits for the turn of another caller.
      const read = () => services.shared.take(name, { maxAgeMs, make })
      const { text, etag } =
        services.shared.find(name, maxAgeMs) ?? (await services.admission.run(request.context, load, read))
      const headers = { etag, 'cache-control': 'private, no-cache' }
      if (matchesEntityTag(ifNoneMatch, etag)) return { status: 304, headers }
      return { status: 200, headers, contentType: 'application/json; charset=utf-8', text }
    },
  })
}

function nameOf({ operationId }: Operation, { params, query, context }: OperationRequest): string {
  const isWhole = context.principal?.permissions.has('payload:read') ?? false
  return JSON.stringify([operationId, params, query, isWhole])
}

function answerText(answer: Answer): SharedAnswer {
  if (!('json' in answer)) throw new TypeError('only JSON responses can be shared')
  const text = JSON.stringify(answer.json)
  return { text, etag: entityTagOf(text) }
}

/** The max-age of a Cache-Control header (RFC 9111, section 5.2.1) in milliseconds; 0 without one. */
export function maxAgeMsOf(header = ''): number {
  const seconds = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i.exec(header)?.[1]
  return seconds === undefined ? 0 : Number(seconds) * 1_000
}
