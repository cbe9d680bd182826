import type { AuditedAct } from '@queue/core'
import type { z } from 'zod'
import type { Load } from '../access/admission.ts'
import type { Services } from '../services.ts'
import type { RequiredPermission } from './principal.ts'
import type { ProblemSlug } from './problem-types.ts'
import type { RequestContext } from './request-context.ts'
import type { Answer } from './send.ts'

/**
 * One operation of the API: its name, parameters, responses and handler. Both the router and the OpenAPI document are generated
 * from these definitions, so neither has an operation that the other lacks.
 */
export interface Operation {
  readonly operationId: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path template with parameters in braces: `/jobs/{id}`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /**
   * The permission that the caller needs. `any`: no permission, but a credential. `none`: no credential; for probes and the
   * documentation, which show no jobs.
   */
  readonly permission: RequiredPermission
  /**
   * What its handler asks of the database, for which it is admitted before it begins. Default `light`. `none`: nothing, or it is
   * admitted for each of its reads, because it also waits for something else.
   */
  readonly load?: Load | 'none'
  /**
   * The action in the audit log. Absent for operations that only read, and for enqueues, whose record is the job itself.
   */
  readonly act?: AuditedAct
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** The headers that the operation reads, with lower-case names. */
  readonly headers?: z.ZodObject
  readonly body?: BodyDescription
  readonly successes: readonly SuccessDescription[]
  /** The problems of this operation, in addition to those that follow from its definition (see `problemsOf`). */
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
  /** The schema that validates the body. */
  readonly schema: Schema
  /** The schema in the OpenAPI document, if it is more detailed. */
  readonly documented?: z.ZodType
  /** The problem of a body that does not match the schema. Default `invalid_job`. */
  readonly refusedAs?: ProblemSlug
  readonly description: string
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface SuccessDescription {
  readonly status: number
  readonly description: string
  /** Response headers by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent for a response without content. */
  readonly content?: ContentDescription
}

export type ContentDescription =
  | { readonly mediaType: 'application/json'; readonly schema: z.ZodType; readonly example?: unknown }
  | { readonly mediaType: string; readonly schema?: undefined }

/** A request whose parts have been validated. */
export interface OperationRequest<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly headers: Headers
  readonly body: Body
  readonly context: RequestContext
}

/** The type of a part that the operation does not have. */
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

/** Declares an operation. The request of its handler is typed by the schemas. */
export function defineOperation<
  Params extends z.ZodObject = NoPart,
  Query extends z.ZodObject = NoPart,
  Headers extends z.ZodObject = NoPart,
  Body extends z.ZodType = z.ZodUndefined,
>(operation: TypedOperation<Params, Query, Headers, Body>): Operation {
  // The router parses each part with these schemas before it calls the handler.
  return operation
}

/** Every problem of an operation: its own, and those that follow from its definition. */
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
  'too_many_requests',
  'overloaded',
  'database_unavailable',
] as const

const bodyProblems = [
  'unparsable_body',
  'body_too_large',
  'unsupported_media_type',
  'too_many_bytes',
] as const

/** Problems of every operation. */
const commonProblems = [
  'not_acceptable',
  'request_timeout',
  'foreign_host',
  'headers_too_large',
  'internal',
  'timeout',
] as const

/** Problems of every operation that uses the database. */
export const databaseProblems = [
  'database_unavailable',
  'schema_mismatch',
] as const satisfies readonly ProblemSlug[]
