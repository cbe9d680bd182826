import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Scope } from '@queue/core'
import { anonymous, type Principal } from '../http/principal.ts'
import { jobLinkMs, linkReadsBurst, linkReadsPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import type { KeyCache } from './key-cache.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** Links that read one job without credentials. Sensitive values of the job are masked. */
export interface JobLinks {
  /** Creates a link on behalf of this caller. */
  make(jobId: string, creator: Principal | undefined): { readonly link: string; readonly expiresAt: Date }
  /**
   * The job of a link; undefined if the link is invalid or has expired, or if its creator can no longer read the job. Throws
   * `too_many_link_reads`.
   */
  open(link: string): Promise<LinkedJob | undefined>
}

/** The job of a link, in the scope of its creator. */
export interface LinkedJob {
  readonly id: string
  readonly scope: Scope | undefined
}

export interface JobLinksOptions {
  readonly secret: string
  /** API_TOKEN. Links that were created with it become invalid when it changes. */
  readonly token: string | undefined
  /** The token issuer. Links of its subjects become invalid when it changes. Absent: there is none. */
  readonly issuer?: string | undefined
  /** To check that the key of a creator is still valid. Absent: there are no keys. */
  readonly keys: KeyCache | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

const linkPattern =
  /^([0-9a-f-]{36})\.(key-[a-z0-9]{8}|subject-[\w-]*|token|anyone)\.(\d{13})\.([A-Za-z0-9_-]{43})$/

/**
 * A link is `<job>.<creator>.<expiry>.<HMAC-SHA-256 of these>`. Nothing is stored. It becomes invalid when the key of its creator
 * is revoked or expires, when the token that it was created with changes, and when the secret changes. The link of a subject
 * contains its tenant, and expires with the token of the subject.
 */
export function createJobLinks({ secret, token, issuer, keys, nowMs }: JobLinksOptions): JobLinks {
  const reads = createTokenBuckets({ burst: linkReadsBurst, perSecond: linkReadsPerSecond, nowMs })
  /** Signatures are compared as text, because two bits of the last base64url character are unused. */
  const sign = (text: string): string => {
    const hmac = createHmac('sha256', secret)
    const credential = text.includes('.token.') ? token : text.includes('.subject-') ? issuer : ''
    return hmac.update(`${text} ${credential}`).digest('base64url')
  }
  /** The scope in which the creator can read; undefined if it can no longer read. */
  const readScopeOf = async (creator: string): Promise<Pick<LinkedJob, 'scope'> | undefined> => {
    const unscoped = { scope: undefined }
    if (creator === 'token') return token === undefined ? undefined : unscoped
    if (creator === 'anyone') return token === undefined && keys === undefined ? unscoped : undefined
    if (creator.startsWith('subject-'))
      return issuer === undefined ? undefined : { scope: scopeOfSubject(creator) }
    const key = await keys?.find(creator.slice('key-'.length))
    return key?.permissions.includes('jobs:read') ? { scope: key.scope } : undefined
  }
  return {
    make: (jobId, creator) => {
      const expiresAtMs = Math.min(nowMs() + jobLinkMs, creator?.expiresAtMs ?? Number.POSITIVE_INFINITY)
      const text = `${jobId}.${creatorOf(creator)}.${expiresAtMs}`
      return { link: `${text}.${sign(text)}`, expiresAt: new Date(expiresAtMs) }
    },
    open: async (link) => {
      const [, id = '', creator = '', expiresAtMs, signature = ''] = linkPattern.exec(link) ?? []
      const actual = Buffer.from(signature)
      const expected = Buffer.from(sign(`${id}.${creator}.${expiresAtMs}`))
      if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined
      if (nowMs() >= Number(expiresAtMs)) return undefined
      // A link can be passed on to anybody, and each read costs a query.
      if (!reads.take(`${id}.${creator}`)) throw new Problem('too_many_link_reads')
      const scope = await readScopeOf(creator)
      return scope && { id, ...scope }
    },
  }
}

function creatorOf({ who, scope }: Principal = anonymous): string {
  if (who.type === 'key') return `key-${who.id}`
  if (who.type === 'subject') return `subject-${Buffer.from(scope?.tenantId ?? '').toString('base64url')}`
  return who.type
}

function scopeOfSubject(creator: string): Scope | undefined {
  const tenantId = Buffer.from(creator.slice('subject-'.length), 'base64url').toString()
  return tenantId === '' ? undefined : { tenantId }
}
