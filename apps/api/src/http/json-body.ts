import { isUtf8 } from 'node:buffer'
import type { Request } from 'express'
import getRawBody from 'raw-body'
import {
  bodyBytesMax,
  bodyDepthMax,
  bodyDiscardedBytesMax,
  bodyMembersMax,
  bodyNodesMax,
  issuesMax,
} from './limits.ts'
import { issuesProblem, Problem, toIssues } from './problem.ts'
import type { ProblemSlug } from './problem-types.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

/**
 * Reads the text of a JSON body of at most `bytesMax` bytes. Throws 415 unless it is declared as uncompressed JSON in UTF-8; 413 as soon as it is known to
 * be too large; 400 if it has another transfer coding, is empty, is not UTF-8, or ends too early.
 */
export async function readJsonText(req: Request, bytesMax: number = bodyBytesMax): Promise<string> {
  assertJsonType(req.headers['content-type'])
  assertNotEncoded(req.headers['content-encoding'])
  assertChunkedAtMost(req.headers['transfer-encoding'])
  const bytes = await readBytes(req, bytesMax)
  if (bytes.length === 0)
    throw new Problem('unparsable_body', { detail: 'the body is empty: send a JSON document' })
  if (!isUtf8(bytes)) throw new Problem('unparsable_body', { detail: 'the body is not valid UTF-8' })
  return bytes.toString('utf8')
}

function assertJsonType(contentType: string | undefined): void {
  // Nearly every client sends exactly this, so nothing else has to be checked.
  if (contentType === 'application/json' || (contentType !== undefined && isJsonType(contentType))) return
  throw new Problem('unsupported_media_type', {
    headers: { accept: 'application/json' },
  })
}

/** Whether it is JSON, with UTF-8 as its only parameter. Parsed by hand, because a regular expression took quadratic time. */
function isJsonType(contentType: string): boolean {
  const parts = contentType.split(';', 4).map((part) => part.trim().toLowerCase())
  const [type = '', parameter = '', end = ''] = parts
  if (parts.length > 3 || type !== 'application/json' || end !== '') return false
  return parameter === '' || isUtf8Charset(parameter)
}

function isUtf8Charset(parameter: string): boolean {
  const [name = '', value = '', ...rest] = parameter.split('=', 3).map((part) => part.trim())
  return name === 'charset' && utf8Names.has(value) && rest.length === 0
}

const utf8Names = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"'])

function assertNotEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new Problem('unsupported_media_type', {
    detail: 'the body is encoded: send it without Content-Encoding',
    headers: { 'accept-encoding': 'identity' },
  })
}

/** Node decodes chunked bodies, and passes other transfer codings through undecoded. */
function assertChunkedAtMost(coding: string | undefined): void {
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw new Problem('bad_request', { detail: 'the transfer coding is not supported: use chunked' })
}

/** A body that is announced as too large is refused unread. Any other read error means that the body ended too early. */
async function readBytes(req: Request, bytesMax: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'] ?? null, limit: bytesMax })
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large')
      throw tooLarge(req, bytesMax)
    throw new Problem('unparsable_body', { detail: 'the body ended too early: send it again', cause })
  }
}

/**
 * Most clients read the response only after they have sent the whole body, so the rest is read and discarded, up to a bound.
 */
function tooLarge(req: Request, bytesMax: number): Problem {
  let discarded = 0
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > bodyDiscardedBytesMax) req.destroy()
  })
  req.resume()
  return new Problem('body_too_large', {
    detail: `a body can have at most ${bytesMax} bytes here`,
  })
}

const bounds = {
  depthMax: bodyDepthMax,
  nodesMax: bodyNodesMax,
  membersMax: bodyMembersMax,
  trapsMax: issuesMax,
}

export interface ParseOptions {
  /** Called with the number of values, before they are parsed. */
  readonly reserve?: (values: number) => void
  /** The problem of what would be changed or misread later. Default: `invalid_job`. */
  readonly refusedAs?: ProblemSlug | undefined
}

/**
 * Parses a JSON text. Throws 400 if it is not JSON, nested too deep, or has too many values or members; 422 if it contains something that
 * would be changed or misread later: a number that a double cannot represent exactly, or a member named `__proto__`.
 */
export function parseJson(text: string, { reserve, refusedAs = 'invalid_job' }: ParseOptions = {}): unknown {
  const scan = scanJson(text, bounds)
  if (scan.exceeds !== undefined)
    throw new Problem('unparsable_body', { detail: exceededDetails[scan.exceeds] })
  reserve?.(scan.values)
  const value = parse(text)
  if (scan.traps.length > 0) throw issuesProblem(refusedAs, toIssues(scan.traps))
  return value
}

const exceededDetails: Readonly<Record<NonNullable<JsonScan['exceeds']>, string>> = {
  depth: `the body is nested deeper than ${bodyDepthMax} levels`,
  nodes: `the body has more than ${bodyNodesMax} values`,
  members: `the body has objects with more than ${bodyMembersMax} members in all`,
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('unparsable_body', { detail: 'the body is not valid JSON', cause })
  }
}
