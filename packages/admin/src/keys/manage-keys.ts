// The API keys, as the owner of the schema manages them: the role of no process may create one.
import { randomBytes, randomInt } from 'node:crypto'
import { sqlState, sqlStateOf } from '@queue/postgres'
import {
  type AuditedAct,
  InvalidInput,
  QueueError,
  type Rate,
  type KeyBounds,
  type KeyRole,
  type Permission,
} from '@queue/core'
import {
  type ConnectedDatabase,
  createKey as writeKey,
  digestSecret,
  formatApiKey,
  isWithinBounds,
  jobFields,
  keyIdLength,
  keySecretBytes,
  type KeyWrite,
  parseOrThrow,
  type QueueDatabase,
  roleActor,
  rotateKey as writeReplacement,
  writeAuditEntry,
} from '@queue/core/internal'
import { z } from 'zod'

/** A new key: its text, which is shown once, and its id and digest, which are stored. */
export interface MintedKey {
  readonly id: string
  readonly text: string
  readonly digest: Buffer
}

const idAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
const keyNameLengthMax = 100

/** Generates a key of 256 random bits. It works once `createKey` or `rotateKey` has stored it. */
export function mintKey(): MintedKey {
  const id = Array.from({ length: keyIdLength }, () => idAlphabet[randomInt(idAlphabet.length)]).join('')
  const secret = randomBytes(keySecretBytes)
  return { id, text: formatApiKey(id, secret), digest: digestSecret(secret) }
}

export interface CreateKeyRequest {
  readonly name: string
  readonly role: KeyRole
  /** Permissions in addition to those of its role. */
  readonly permissions?: readonly Permission[]
  /** The tenant, the queues and the kinds that the key is bound to; absent: all of them. */
  readonly tenantId?: string | undefined
  readonly queues?: readonly string[] | undefined
  readonly kinds?: readonly string[] | undefined
  /** Milliseconds from now; absent: the key does not expire. */
  readonly expiresInMs?: number | undefined
  /** The rate limit of its requests; absent: the API's limit for every key. */
  readonly rate?: Rate | undefined
}

/**
 * Writes a key from `mintKey`. Safe to repeat with the same key. Throws `invalid_options` for an invalid name or bound and
 * for a permission that reaches beyond the bounds, and `database_unavailable` if it is unknown whether the key was written.
 */
export async function createKey(
  connected: ConnectedDatabase,
  key: MintedKey,
  request: CreateKeyRequest,
): Promise<void> {
  const { name, role, permissions = [], expiresInMs, rate } = request
  if (name.trim() === '' || name.length > keyNameLengthMax) {
    const message = `must have 1 to ${keyNameLengthMax} characters`
    throw new InvalidInput('invalid_options', [{ path: ['name'], message }])
  }
  const { id, digest } = key
  const bounds = boundsOf(request)
  const outcome = await changeKey(connected, { act: 'key.create', id }, (database) =>
    writeKey(database, { id, digest, name, role, permissions, bounds, expiresInMs, rate }),
  )
  if (outcome === 'refused')
    throw new QueueError('invalid_options', `another key has the id ${id}: generate a new one`)
}

const boundFields = z.strictObject({
  tenantId: jobFields.tenantId.optional(),
  queues: z.array(jobFields.queue).min(1).optional(),
  kinds: z.array(jobFields.kind).min(1).optional(),
})

/** Refuses a permission that a bound key could never use, so that its owner learns of it now and not from a later request. */
function boundsOf({ tenantId, queues, kinds, permissions = [] }: CreateKeyRequest): KeyBounds {
  const checked = parseOrThrow(boundFields, { tenantId, queues, kinds }, 'invalid_options')
  const isBound = Object.values(checked).some((bound) => bound !== undefined)
  const beyond = permissions.find((permission) => isBound && !isWithinBounds(permission))
  if (beyond !== undefined) {
    const message = `${beyond} reaches beyond the bounds of any key`
    throw new InvalidInput('invalid_options', [{ path: ['permissions'], message }])
  }
  return { tenantId: checked.tenantId ?? null, queues: checked.queues ?? null, kinds: checked.kinds ?? null }
}

/**
 * Writes `key` as the replacement of another, which stays valid for `overlapMs` milliseconds. A replaced key that expires
 * passes its lifetime on to the new one. Throws `key_not_found`, also if the key has a replacement already.
 */
export async function rotateKey(
  connected: ConnectedDatabase,
  key: MintedKey,
  { replaces, overlapMs }: { readonly replaces: string; readonly overlapMs: number },
): Promise<void> {
  const { id, digest } = key
  const outcome = await changeKey(connected, { act: 'key.rotate', id: replaces }, (database) =>
    writeReplacement(database, { id, digest, replaces, overlapMs }),
  ).catch((error: unknown) => {
    // Another rotation of the key has committed while this one waited for it.
    if (sqlStateOf(error) === sqlState.uniqueViolation) return 'refused' as const
    throw error
  })
  if (outcome === 'refused') {
    const message = `there is no valid key ${replaces} that has not been replaced already`
    throw new QueueError('key_not_found', message)
  }
}

/**
 * Changes a key and writes the entry of the audit log in one transaction. A change that was made before has its entry
 * already: a command that repeats its change because the answer was lost writes no second one.
 */
function changeKey(
  connected: ConnectedDatabase,
  { act, id }: { readonly act: AuditedAct; readonly id: string },
  change: (database: QueueDatabase) => Promise<KeyWrite>,
): Promise<KeyWrite> {
  return connected.transaction(async (database) => {
    const outcome = await change(database)
    if (outcome === 'written') {
      const by = await roleActor(database)
      await writeAuditEntry(database, { act, by, change: { count: 1, target: id } })
    }
    return outcome
  })
}
