import type { Logger } from '@queue/telemetry'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { issuerKeysCheckMs, issuerKeysReadMsMin, issuerKeysStaleMs } from '../../http/limits.ts'
import { Problem } from '../../http/problem.ts'
import { readDiscovery } from './read-discovery.ts'
import { readDocument } from './read-document.ts'

/** The signing keys of an OpenID Connect issuer. */
export interface IssuerKeys {
  /** The key that a token names. Throws the errors of `jose` if there is none, and `issuer_unavailable`. */
  readonly find: JWTVerifyGetKey
  /** Changes whenever the keys change; undefined while they are unknown. */
  version(): string | undefined
  /** Reads the keys, so that a configuration error is logged before the first request. */
  warmUp(): void
}

export interface IssuerKeysOptions {
  readonly issuer: string
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

interface KeySet {
  readonly find: JWTVerifyGetKey
  readonly text: string
  readonly readAtMs: number
}

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

/**
 * The keys are read when they are first needed, again in the background once they are ten minutes old, and again when a token
 * names an unknown key, but at most every ten seconds. While the issuer is unavailable, known keys are used up to an age of one
 * hour. After that, and before the first read, no token is accepted.
 */
export function createIssuerKeys({ issuer, logger, nowMs }: IssuerKeysOptions): IssuerKeys {
  let known: KeySet | undefined
  let readStartedAtMs = Number.NEGATIVE_INFINITY
  let failure: unknown
  let reading: Promise<void> | undefined

  const read = async (): Promise<void> => {
    readStartedAtMs = nowMs()
    try {
      known = { ...(await readKeySet(issuer)), readAtMs: readStartedAtMs }
      failure = undefined
    } catch (error) {
      failure = error
      logger.warn('the keys of the OpenID Connect issuer cannot be read', { issuer, error })
    } finally {
      reading = undefined
    }
  }

  /** Resolves once the keys were read again. Does nothing if they were read just now. */
  const readAgain = async (): Promise<void> => {
    if (reading === undefined && nowMs() - readStartedAtMs < issuerKeysReadMsMin) return
    reading ??= read()
    return reading
  }

  const current = async (): Promise<KeySet> => {
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs() - known.readAtMs
    if (ageMs >= issuerKeysStaleMs) await readAgain()
    // In the background, a failure is only logged.
    else if (ageMs >= issuerKeysCheckMs) void readAgain()
    if (known === undefined || nowMs() - known.readAtMs >= issuerKeysStaleMs) throw unavailable(failure)
    return known
  }

  return {
    find: async (header, token) => {
      const first = await current()
      try {
        return await first.find(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      }
      await readAgain()
      if (failure !== undefined) throw unavailable(failure)
      return (await current()).find(header, token)
    },
    version: () =>
      known !== undefined && nowMs() - known.readAtMs < issuerKeysStaleMs ? known.text : undefined,
    warmUp: () => void readAgain(),
  }
}

function unavailable(cause: unknown): Problem {
  return new Problem('issuer_unavailable', { cause })
}

/** Reads the keys by the discovery document, which must name the issuer itself. */
async function readKeySet(issuer: string): Promise<Pick<KeySet, 'find' | 'text'>> {
  const { jwks_uri: uri } = await readDiscovery(issuer)
  const keySet = keySetSchema.parse(await readDocument(uri))
  return { find: createLocalJWKSet(keySet), text: JSON.stringify(keySet) }
}
