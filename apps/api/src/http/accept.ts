import type { Request } from 'express'
import { Problem } from './problem.ts'

/** Throws 406 unless the client accepts `mediaType`. To be asked before any work is done. */
export function assertAccepted(req: Request, mediaType: string): void {
  const { accept } = req.headers
  // What nearly every client sends needs no negotiation.
  if (accept === undefined || accept === '*/*' || accept === mediaType) return
  if (req.accepts(mediaType) !== false) return
  throw new Problem('not_acceptable', { detail: `the answer is ${mediaType}` })
}
