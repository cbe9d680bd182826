import type { Request } from 'express'
import { acceptLengthMax } from './limits.ts'
import { Problem } from './problem.ts'

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
