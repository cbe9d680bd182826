import { createHash } from 'node:crypto'
import { jobFields } from '@queue/core/internal'
import type { Request } from 'express'
import { acceptLengthMax } from './limits.ts'
import { issuesProblem, Problem } from './problem.ts'

/**
 * Throws 406 unless the client accepts `mediaType`, and 431 if its Accept header is too long. Call it before any work is done.
 */
export function assertAccepted(req: Request, mediaType: string): void {
  const { accept } = req.headers
  // Nearly every client sends one of these, so the negotiation is skipped.
  if (accept === undefined || accept === '*/*' || accept === mediaType) return
  if (accept.length > acceptLengthMax) {
    throw new Problem('headers_too_large', {
      detail: `the headers are too large: Accept can have at most ${acceptLengthMax} characters`,
    })
  }
  if (req.accepts(mediaType) !== false) return
  throw new Problem('not_acceptable', { detail: `the response is ${mediaType}: accept this media type` })
}

/**
 * The preferences of a Prefer header (RFC 7240), with names in lower case. A preference without a value has the value ''. If a
 * name occurs twice, the first one counts. Malformed and unknown preferences are ignored, as the RFC demands.
 */
export function parsePrefer(header: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const part of header?.split(',') ?? []) {
    const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;"]*)))?/.exec(part)
    const name = match?.[1]?.toLowerCase()
    if (name !== undefined && !preferences.has(name)) preferences.set(name, match?.[2] ?? match?.[3] ?? '')
  }
  return preferences
}

/** Whether a request has more than one header with this lower-case name. Node keeps only the first, or joins them. */
export function isRepeated(req: Request, name: string): boolean {
  const { rawHeaders } = req
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]
    if (header?.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count > 1
}

/** A strong entity tag of this text. */
export function entityTagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Whether an If-None-Match or If-Match header (RFC 9110, section 13.1) matches this tag. */
export function matchesEntityTag(condition: string | undefined, tag: string): boolean {
  if (condition === undefined) return false
  if (condition.trim() === '*') return true
  return condition.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag)
}

/** The header that restricts a request to one tenant. */
export const tenantHeader = 'queue-tenant'

/** The tenant of the Queue-Tenant header, percent-encoded if it is not plain ASCII; undefined without the header. */
export function requestedTenant({ headers }: Request): string | undefined {
  const value = headers[tenantHeader]
  if (value === undefined) return undefined
  const tenant = jobFields.tenantId.safeParse(decoded(String(value)))
  if (tenant.success) return tenant.data
  const message = 'is not a valid tenant, or its percent-encoding is malformed'
  throw issuesProblem('invalid_header', [{ path: `/${tenantHeader}`, message }])
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
