import type { z } from 'zod'
import { detailLengthMax, issueMessageLengthMax, issuePathLengthMax, issuesMax } from './limits.ts'
import { type ProblemSlug, problemTypes } from './problem-types.ts'

/** One invalid part of a request. */
export interface Issue {
  /** A JSON pointer (RFC 6901) into the body, or the name of the query parameter or header after a slash. */
  readonly path: string
  readonly message: string
}

/** What an occurrence adds to its type. */
export interface ProblemDetails {
  /** What is wrong with this request, and what to do. Not shown if the status is 5xx. */
  readonly detail?: string
  readonly issues?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  /** Additional members of the body. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A request that cannot be served, as an error to throw. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly slug: ProblemSlug
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>

  constructor(slug: ProblemSlug, details: ProblemDetails = {}) {
    super(
      details.detail ?? problemTypes[slug].detail,
      details.cause === undefined ? {} : { cause: details.cause },
    )
    const type = problemTypes[slug]
    this.slug = slug
    this.status = type.status
    this.issues = details.issues
    this.headers =
      type.retryAfterSeconds === undefined
        ? (details.headers ?? {})
        : { 'retry-after': String(type.retryAfterSeconds), ...details.headers }
    this.members = details.members ?? {}
  }
}

/** One finding of zod or of the queue. */
export interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The first findings as issues. The bound keeps the response to a hostile body small. */
export function toIssues(findings: readonly Finding[]): Issue[] {
  return findings.slice(0, issuesMax).map((finding) => ({
    path: cut(toPointer(finding.path), issuePathLengthMax),
    message: cut(finding.message, issueMessageLengthMax),
  }))
}

/** The findings of a schema. An unknown member is reported at its own path. */
export function findingsOf(error: z.ZodError): Finding[] {
  return error.issues.slice(0, issuesMax).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [issue]
    return issue.keys
      .slice(0, issuesMax)
      .map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
  })
}

/** A problem whose detail is the list of its issues. */
export function issuesProblem(slug: ProblemSlug, issues: readonly Issue[], cause?: unknown): Problem {
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return new Problem(slug, { detail: cut(lines.join('; '), detailLengthMax), issues, cause })
}

/** A JSON pointer (RFC 6901). The pointer to the whole document is the empty string. */
function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function cut(text: string, lengthMax: number): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.length <= lengthMax ? wellFormed : `${wellFormed.slice(0, lengthMax - 1).toWellFormed()}…`
}
