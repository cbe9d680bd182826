import type { Logger } from '@queue/telemetry'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { issuerKeysCheckMs, issuerKeysReadMsMin, issuerKeysStaleMs } from '../../http/limits.ts'
import { Problem } from '../../http/problem.ts'
import { readDiscovery } from './read-discovery.ts'
import { readDocument } from './read-document.ts'

/** The keys that an OpenID Connect issuer signs with. */
export interface IssuerKeys {
  /** The key that a token names. Throws what `jose` throws where there is none, and `issuer_unavailable`. */
  readonly find: JWTVerifyGetKey
  /** Another one whenever the issuer has other keys than before; undefined while they are not known. */
  version(): string | undefined
  /** Reads them, so that a fault of the configuration is in the log before the first request. */
  warmUp(): void
}

export interface IssuerKeysOptions {
  readonly issuer: string
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
}

interface KeySet {
  readonly find: JWTVerifyGetKey
  readonly text: string
  readonly readAtMs: number
}

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

/**
 * The keys are read at the first need, again beside the requests once they are ten minutes old, and again when a token
 * names one that is not among them; never more often than every ten seconds, whatever tokens name. While the issuer does
 * not answer, those that are known go on to count, up to an age of an hour; then, and before the first answer, nobody is let in.
 */
export function createIssuerKeys({ issuer, logger, nowMs }: IssuerKeysOptions): IssuerKeys {
  let known: KeySet | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY
  let failure: unknown
  let reading: Promise<void> | undefined

  const read = async (): Promise<void> => {
    askedAtMs = nowMs()
    try {
      known = { ...(await readKeySet(issuer)), readAtMs: askedAtMs }
      failure = undefined
    } catch (error) {
      failure = error
      logger.warn('the keys of the OpenID Connect issuer cannot be read', { issuer, error })
    } finally {
      reading = undefined
    }
  }

  /** Resolves once the keys were read again, or not, because they were asked for just now. */
  const readAgain = async (): Promise<void> => {
    if (reading === undefined && nowMs() - askedAtMs < issuerKeysReadMsMin) return
    reading ??= read()
    return reading
  }

  const current = async (): Promise<KeySet> => {
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs() - known.readAtMs
    if (ageMs >= issuerKeysStaleMs) await readAgain()
    // Who needs the answer hears of a failure then.
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

/** By the discovery document of the issuer, which has to name the issuer itself. */
async function readKeySet(issuer: string): Promise<Pick<KeySet, 'find' | 'text'>> {
  const { jwks_uri: uri } = await readDiscovery(issuer)
  const keySet = keySetSchema.parse(await readDocument(uri))
  return { find: createLocalJWKSet(keySet), text: JSON.stringify(keySet) }
}
