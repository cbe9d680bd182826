import type { Request } from 'express'
import { readJsonText } from './json-body.ts'
import { unverifiedBodiesMax, unverifiedBodyBytesMax, unverifiedBodyMsMax } from './limits.ts'
import { Problem } from './problem.ts'

/** Reads the bodies of requests whose sender has no verified credential yet, such as a sign-in. */
export interface UnverifiedBodies {
  /**
   * The text of a small JSON body. Throws the problems of `readJsonText`, and 408 if the body does not arrive in time, or if it is
   * the slowest of too many.
   */
  read(req: Request): Promise<string>
}

/**
 * Anybody can send such bodies, so what they hold of a process is bounded: their size, their time and their number. A body that
 * arrives with its headers is read at once, so even a flood of slow ones does not keep it out.
 */
export function createUnverifiedBodies(): UnverifiedBodies {
  /** Gives up a body that is being read; the oldest first. */
  const reading = new Set<() => void>()
  return {
    read: async (req) => {
      const { promise: givenUp, reject } = Promise.withResolvers<never>()
      // The rest of the request must not be read as the next one.
      const giveUp = (): void => {
        reading.delete(giveUp)
        reject(new Problem('request_timeout', { headers: { connection: 'close' } }))
      }
      const timer = setTimeout(giveUp, unverifiedBodyMsMax)
      const [oldest] = reading
      if (reading.size >= unverifiedBodiesMax) oldest?.()
      reading.add(giveUp)
      try {
        return await Promise.race([readJsonText(req, unverifiedBodyBytesMax), givenUp])
      } finally {
        clearTimeout(timer)
        reading.delete(giveUp)
      }
    },
  }
}
