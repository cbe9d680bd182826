import type { Request } from 'express'

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
