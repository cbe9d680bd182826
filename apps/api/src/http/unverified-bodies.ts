import type { Request } from 'express'
import { networkOf } from '../access/address-limiter.ts'
import { readJsonText } from './json-body.ts'
import { unverifiedBodiesMax, unverifiedBodyBytesMax, unverifiedBodyMsMax } from './limits.ts'
import { Problem } from './problem.ts'

/** Reads the bodies of requests whose sender has no verified credential yet, such as a sign-in. */
export interface UnverifiedBodies {
  /**
   * The text of a small JSON body from this address. Throws the problems of `readJsonText`, and 408 if the body does not arrive in
   * time, or if it is given up for another one.
   */
  read(req: Request, client: string | undefined): Promise<string>
}

/**
 * Anybody can send such bodies, so what they hold of a process is bounded: their size, their time and their number. Beyond the
 * number, the oldest of the network with the most is given up, so a flood from one address takes nothing from others. A body that
 * arrives with its headers is read at once.
 */
export function createUnverifiedBodies(): UnverifiedBodies {
  /** What gives up a body that is being read, by the network of its sender; the oldest first. */
  const reading = new Map<string, Set<() => void>>()
  let count = 0
  const giveUpOne = (): void => {
    const [most] = [...reading.values()].toSorted((a, b) => b.size - a.size)
    const [oldest] = most ?? []
    oldest?.()
  }
  return {
    read: async (req, client) => {
      const network = networkOf(client)
      const { promise: givenUp, reject } = Promise.withResolvers<never>()
      const end = (): void => {
        clearTimeout(timer)
        const others = reading.get(network)
        if (others?.delete(giveUp) !== true) return
        count -= 1
        if (others.size === 0) reading.delete(network)
      }
      // The rest of the request must not be read as the next one.
      const giveUp = (): void => {
        end()
        reject(new Problem('request_timeout', { headers: { connection: 'close' } }))
      }
      const timer = setTimeout(giveUp, unverifiedBodyMsMax)
      if (count >= unverifiedBodiesMax) giveUpOne()
      count += 1
      reading.set(network, (reading.get(network) ?? new Set()).add(giveUp))
      try {
        return await Promise.race([readJsonText(req, unverifiedBodyBytesMax), givenUp])
      } finally {
        end()
      }
    },
  }
}
