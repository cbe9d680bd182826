import { createHash } from 'node:crypto'
import { jobFields } from '@queue/core/fields'
import type { Request } from 'express'
import { acceptLengthMax } from './limits.ts'
import { issuesProblem, Problem } from './problem.ts'

/**
 * Throws 406 unless the client accepts `mediaType`, and 431 for a longer Accept than anybody sends. To be asked before
 * any work is done.
 */
export function assertAccepted(req: Request, mediaType: string): void {
  const { accept } = req.headers
  // What nearly every client sends needs no negotiation.
  if (accept === undefined || accept === '*/*' || accept === mediaType) return
  if (accept.length > acceptLengthMax) {
    throw new Problem('headers_too_large', {
      detail: `Accept may have at most ${acceptLengthMax} characters`,
    })
  }
  if (req.accepts(mediaType) !== false) return
  throw new Problem('not_acceptable', { detail: `the answer is ${mediaType}` })
}

/**
 * The preferences of a Prefer header (RFC 7240) by their names in lower case; one without a value has the value ''.
 * The first of two with one name counts. Text that is no preference is ignored, as is the RFC's rule for those that
 * a server does not know.
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

/** Whether a request has more than one header of this name in lower case. Node keeps the first, or joins them. */
export function isRepeated(req: Request, name: string): boolean {
  const { rawHeaders } = req
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]
    if (given?.length === name.length && given.toLowerCase() === name) seen += 1
  }
  return seen > 1
}

/** A strong entity tag for this text. */
export function entityTagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Whether an If-None-Match header (RFC 9110, section 13.1.2) names this tag, or any at all. */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag)
}

/** The header by which a request names the tenant that it is about. */
export const tenantHeader = 'queue-tenant'

/** The tenant that a request names, percent-encoded where it is not plain ASCII; undefined when it names none. */
export function namedTenant({ headers }: Request): string | undefined {
  const given = headers[tenantHeader]
  if (given === undefined) return undefined
  const tenant = jobFields.tenantId.safeParse(decoded(String(given)))
  if (tenant.success) return tenant.data
  const message = 'is no tenant, or its percent-encoding is malformed'
  throw issuesProblem('invalid_header', [{ path: `/${tenantHeader}`, message }])
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
