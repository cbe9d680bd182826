import type { AuditedAct } from '@queue/core'
import type { Request } from 'express'
import type { z } from 'zod'
import type { Services } from '../services.ts'
import type { Needed } from './principal.ts'
import type { ProblemSlug } from './problem.ts'
import type { RequestContext } from './request-context.ts'
import type { Answer } from './send.ts'

/**
 * One operation of the API: what it is called, what it takes and gives, and what it does. The router and the OpenAPI
 * document are both made of these, so that neither can have one that the other lacks.
 */
export interface Operation {
  readonly operationId: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With parameters in braces: `/jobs/{id}`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /**
   * What its caller must be allowed to do. `any`: nothing beyond having a credential. `none`: everybody may call it, without
   * credentials: probes, and the documentation, which tells nothing of the jobs.
   */
  readonly permission: Needed
  /**
   * What it is called in the audit log, where it changes the course of something. Absent from what only reads, and from the
   * enqueues: a job is its own record.
   */
  readonly act?: AuditedAct
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** The headers that it reads, by their names in lower case. */
  readonly headers?: z.ZodObject
  readonly body?: BodyDescription
  readonly successes: readonly SuccessDescription[]
  /** The problems of its own, beside those that follow from what it takes (see `problemsOf`). */
  readonly problems: readonly ProblemSlug[]
  handle(request: OperationRequest, services: Services): Answer | Promise<Answer>
}

export type Tag =
  | 'Jobs'
  | 'Dead letters'
  | 'Operations'
  | 'Schedules'
  | 'Queues'
  | 'Workers'
  | 'Kinds'
  | 'Keys'
  | 'Audit'
  | 'Monitoring'
  | 'Documentation'

export interface BodyDescription<Schema extends z.ZodType = z.ZodType> {
  /** What a body is parsed with. */
  readonly schema: Schema
  /** What the document shows, where that says more than the schema. */
  readonly documented?: z.ZodType
  /** How a body that its schema refuses is called; default `invalid_job`. */
  readonly refusedAs?: ProblemSlug
  readonly description: string
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface SuccessDescription {
  readonly status: number
  readonly description: string
  /** Header names with what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent where there is no content. */
  readonly content?: ContentDescription
}

export type ContentDescription =
  | { readonly mediaType: 'application/json'; readonly schema: z.ZodType; readonly example?: unknown }
  | { readonly mediaType: string; readonly schema?: undefined }

/** A request whose parts have passed their schemas. */
export interface OperationRequest<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly headers: Headers
  readonly body: Body
  readonly raw: Request
  readonly context: RequestContext
}

/** What an operation is that takes no such part. */
type NoPart = z.ZodObject<Record<string, never>>

type TypedOperation<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Headers extends z.ZodObject,
  Body extends z.ZodType,
> = Omit<Operation, 'params' | 'query' | 'headers' | 'body' | 'handle'> & {
  readonly params?: Params
  readonly query?: Query
  readonly headers?: Headers
  readonly body?: BodyDescription<Body>
  handle(
    request: OperationRequest<z.output<Params>, z.output<Query>, z.output<Headers>, z.output<Body>>,
    services: Services,
  ): Answer | Promise<Answer>
}

/** Declares an operation; its handler is given what the schemas make of a request. */
export function defineOperation<
  Params extends z.ZodObject = NoPart,
  Query extends z.ZodObject = NoPart,
  Headers extends z.ZodObject = NoPart,
  Body extends z.ZodType = z.ZodUndefined,
>(operation: TypedOperation<Params, Query, Headers, Body>): Operation {
  // The router parses each part with the operation's own schema before it calls the handler.
  return operation
}

/** Every way in which an operation can fail: its own, and those that follow from what it takes. */
export function problemsOf(operation: Operation): ReadonlySet<ProblemSlug> {
  return new Set<ProblemSlug>([
    ...operation.problems,
    'bad_request',
    ...(operation.query === undefined ? [] : ['invalid_query' as const]),
    ...(operation.headers === undefined ? [] : ['invalid_header' as const]),
    ...(operation.body === undefined ? [] : [...bodyProblems, operation.body.refusedAs ?? 'invalid_job']),
    ...(operation.permission === 'none' ? [] : guardedProblems),
    ...(operation.method === 'get' ? [] : ['foreign_origin' as const]),
    ...commonProblems,
  ])
}

const guardedProblems = [
  'invalid_header',
  'unauthorized',
  'forbidden',
  'out_of_scope',
  'issuer_unavailable',
  'rate_limited',
  'too_many_unknown_keys',
  'database_unavailable',
] as const

const bodyProblems = [
  'unparsable_body',
  'body_too_large',
  'unsupported_media_type',
  'too_many_bytes',
] as const

/** The problems that every operation can have. */
const commonProblems = [
  'not_acceptable',
  'request_timeout',
  'foreign_host',
  'headers_too_large',
  'internal',
  'timeout',
] as const

/** The problems of every operation that uses the database. */
export const databaseProblems = [
  'database_unavailable',
  'schema_mismatch',
] as const satisfies readonly ProblemSlug[]
