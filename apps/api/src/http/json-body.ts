import { isUtf8 } from 'node:buffer'
import type { Request } from 'express'
import getRawBody from 'raw-body'
import { bodyBytesMax, bodyDepthMax, bodyDiscardedBytesMax, bodyNodesMax, issuesMax } from './limits.ts'
import { issuesProblem, Problem, toIssues } from './problem.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

/**
 * The text of a JSON body. Throws 415 unless it is declared as JSON in UTF-8 and not compressed, 413 as soon as it
 * is known to be too large, 400 when it is compressed for its transfer, empty, not UTF-8, or breaks off.
 */
export async function readJsonText(req: Request): Promise<string> {
  assertJsonType(req.headers['content-type'])
  assertNotEncoded(req.headers['content-encoding'])
  assertChunkedAtMost(req.headers['transfer-encoding'])
  const bytes = await readBytes(req)
  if (bytes.length === 0) throw new Problem('unparsable_body', { detail: 'the body is empty' })
  if (!isUtf8(bytes)) throw new Problem('unparsable_body', { detail: 'the body is not UTF-8' })
  return bytes.toString('utf8')
}

function assertJsonType(contentType: string | undefined): void {
  // The form that nearly every client sends needs no closer check.
  if (contentType === 'application/json' || (contentType !== undefined && isJsonType(contentType))) return
  throw new Problem('unsupported_media_type', {
    detail: 'send the body as Content-Type: application/json, in UTF-8',
    headers: { accept: 'application/json' },
  })
}

/** Whether it is JSON, perhaps with the one parameter that says UTF-8. Taken apart by hand: a pattern was quadratic. */
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
    detail: 'send the body without a Content-Encoding',
    headers: { 'accept-encoding': 'identity' },
  })
}

/** Node takes a body apart that was sent in chunks, and lets other transfer codings through as they are. */
function assertChunkedAtMost(coding: string | undefined): void {
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw new Problem('bad_request', { detail: 'the only transfer coding that is understood is chunked' })
}

/** What is announced as too large is refused unread; anything else by which reading ends is a body that broke off. */
async function readBytes(req: Request): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'] ?? null, limit: bodyBytesMax })
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') throw tooLarge(req)
    throw new Problem('unparsable_body', { detail: 'the body broke off', cause })
  }
}

/**
 * Most clients read the answer only when they have sent all, so the rest of the body is read and thrown away; up to
 * a bound, for nobody may make us read for ever.
 */
function tooLarge(req: Request): Problem {
  let discarded = 0
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > bodyDiscardedBytesMax) req.destroy()
  })
  req.resume()
  return new Problem('body_too_large', { detail: `a body may have at most ${bodyBytesMax} bytes` })
}

const bounds = { depthMax: bodyDepthMax, nodesMax: bodyNodesMax, trapsMax: issuesMax }

/**
 * The value of a JSON text. Throws 400 when it is not JSON, nested too deep, or of too many values; 422 when it holds
 * what would be changed or misread further on: numbers that a double cannot hold exactly, and members named `__proto__`.
 */
export function parseJson(text: string): unknown {
  const scan = scanJson(text, bounds)
  if (scan.exceeds !== undefined) throw new Problem('unparsable_body', { detail: tooMuch[scan.exceeds] })
  const value = parse(text)
  if (scan.traps.length > 0) throw issuesProblem('invalid_job', toIssues(scan.traps))
  return value
}

const tooMuch: Readonly<Record<NonNullable<JsonScan['exceeds']>, string>> = {
  depth: `the body is nested deeper than ${bodyDepthMax} levels`,
  nodes: `the body has more than ${bodyNodesMax} values`,
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('unparsable_body', { detail: 'the body is not JSON', cause })
  }
}
