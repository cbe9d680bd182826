// Enters versions of kinds into the registry, where they are new or may be changed.
import { notify } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { InvalidInput, type KindConflict, KindConflictError } from '../domain/errors.ts'
import type { JsonValue } from '../domain/json.ts'
import { registeredKindsMax, registerKindsMax } from '../domain/limits.ts'
import { differingPaths } from './differing-paths.ts'
import { assertRegistrations, digestOf, type KindRegistration } from './kind-registration.ts'
import { kindsChannel } from './kinds-channel.ts'
import {
  columnsOf,
  countKinds,
  findKinds,
  insertKinds,
  isCarried,
  keyOf,
  type KnownKind,
  nextVersion,
  updateKind,
} from './kind-statements.ts'

export interface RegisterPolicy {
  /** Who registers: what the registry shows. */
  readonly by: string
  /**
   * What becomes of another schema for a version that exists. `replace`: it takes the place of the old one. `refuse`: it
   * does so as long as no live job and no dead letter is of that version.
   */
  readonly changes: 'replace' | 'refuse'
  /** Also what was replaced or retired comes back. A process that was started again must not want this. */
  readonly restore?: boolean
  /** Where one is refused: `throw` registers nothing (`KindConflictError`), `skip` registers the others. Default `throw`. */
  readonly onConflict?: 'throw' | 'skip'
}

/**
 * What became of one registration. `kept`: something newer has replaced it before, or it is an older version, and the
 * registry stays as it was. `refused`: see `RegisterPolicy.changes`.
 */
export interface RegisteredKind {
  readonly kind: string
  readonly version: number
  readonly outcome: 'new' | 'unchanged' | 'replaced' | 'kept' | 'refused'
  /** JSON pointers to where the schemas differ, up to 20. */
  readonly changedPaths: readonly string[]
  /** Where JSON Schema cannot say what the definition checks, as pointers into the payload. */
  readonly unsaid: readonly string[]
  /** Present where it was refused. */
  readonly conflict?: KindConflict
}

/** A registration says that it is still in use, once an hour. */
const seenEveryMs = 3_600_000
/** How many replaced registrations of one version are remembered. */
const supersededMax = 100

/**
 * Registers these versions, each once, and tells the API: in a transaction, all or none. Equal ones cost a read. Throws `InvalidInput`
 * (`invalid_kind`) for a registration out of its bounds, `KindConflictError` where the policy refuses a change.
 */
export async function registerKinds(
  database: QueueDatabase,
  registrations: readonly KindRegistration[],
  policy: RegisterPolicy,
): Promise<RegisteredKind[]> {
  assertFew(registrations)
  assertRegistrations(registrations)
  const known = await findKinds(database, registrations)
  const isSettled = registrations.every((one) => isFresh(one, known.get(keyOf(one)), policy))
  if (isSettled) return registrations.map((one) => unchanged(one))
  const registered = await registerInside(database, registrations, policy)
  await notify(database, { channel: kindsChannel(database.schema), payloads: [''] })
  return registered
}

function assertFew(registrations: readonly KindRegistration[]): void {
  const keys = new Set(registrations.map(keyOf))
  const issue = (message: string): InvalidInput => new InvalidInput('invalid_kind', [{ path: [], message }])
  if (registrations.length > registerKindsMax)
    throw issue(`one call registers at most ${registerKindsMax} versions`)
  if (keys.size < registrations.length) throw issue('names a version of a kind twice')
}

function isFresh(one: KindRegistration, known: KnownKind | undefined, { restore }: RegisterPolicy): boolean {
  if (known === undefined || (restore && known.isRetired)) return false
  if (one.isOlder) return true
  return digestOf(one) === known.digest && known.seenMs < seenEveryMs && !addsSensitive(one, known)
}

function unchanged({ kind, version, unsaid, isOlder }: KindRegistration): RegisteredKind {
  return { kind, version, outcome: isOlder ? 'kept' : 'unchanged', changedPaths: [], unsaid }
}

/** Whether it says of something that it is sensitive of which the registry does not say so. */
function addsSensitive({ sensitive }: KindRegistration, known: KnownKind): boolean {
  return sensitive !== null && !sensitive.every((one) => known.sensitive?.includes(one))
}

async function registerInside(
  database: QueueDatabase,
  registrations: readonly KindRegistration[],
  policy: RegisterPolicy,
): Promise<RegisteredKind[]> {
  const inserted = await insertKinds(database, registrations, policy.by)
  await assertRoom(database)
  const known = await findKinds(database, registrations, 'lock')
  const registered: RegisteredKind[] = []
  for (const one of registrations) {
    const key = keyOf(one)
    const before = known.get(key)
    if (before === undefined) throw new Error('a kind that was just inserted is not there')
    registered.push(
      inserted.has(key)
        ? { ...unchanged(one), outcome: 'new' }
        : await renewKind({ database, policy, before }, one),
    )
  }
  const conflicts = registered.flatMap(({ conflict }) => (conflict === undefined ? [] : [conflict]))
  if (conflicts.length > 0 && policy.onConflict !== 'skip') throw new KindConflictError(conflicts)
  return registered
}

interface Renewal {
  readonly database: QueueDatabase
  readonly policy: RegisterPolicy
  readonly before: KnownKind
}

async function assertRoom(database: QueueDatabase): Promise<void> {
  if ((await countKinds(database)) <= registeredKindsMax) return
  const message = `the registry holds at most ${registeredKindsMax} versions of kinds`
  throw new InvalidInput('invalid_kind', [{ path: [], message }])
}

/** Brings a registration up to date, where it may be. */
async function renewKind(
  { database, policy, before }: Renewal,
  one: KindRegistration,
): Promise<RegisteredKind> {
  const digest = digestOf(one)
  const sensitive = mergedSensitive(before.sensitive, one.sensitive)
  const revived = policy.restore ? { retired_at: null } : {}
  const isSuperseded = before.superseded.includes(digest)
  if (digest === before.digest) {
    await updateKind(database, one, { stamp: 'seen', set: { sensitive, ...revived } })
    return { ...unchanged(one), outcome: 'unchanged' }
  }
  if (one.isOlder || (isSuperseded && !policy.restore)) {
    await updateKind(database, one, { stamp: 'none', set: { sensitive } })
    return { ...unchanged(one), outcome: 'kept' }
  }
  const changedPaths = differingPaths(JSON.parse(before.schemaText) as JsonValue, one.payloadSchema)
  const refuses = policy.changes === 'refuse' && changedPaths.length > 0
  if (refuses && (await isCarried(database, one))) {
    const conflict = {
      kind: one.kind,
      version: one.version,
      changedPaths,
      nextVersion: await nextVersion(database, one),
    }
    return { ...unchanged(one), outcome: 'refused', changedPaths, conflict }
  }
  const superseded = [...before.superseded.filter((other) => other !== digest), before.digest]
  const history = { superseded: superseded.slice(-supersededMax), registered_by: policy.by }
  await updateKind(database, one, {
    stamp: 'registered',
    set: { ...columnsOf(one), ...history, sensitive, ...revived },
  })
  return { ...unchanged(one), outcome: 'replaced', changedPaths }
}

/** What either says is sensitive: within a version it never becomes less. Null says nothing. */
function mergedSensitive(
  known: readonly string[] | null,
  given: readonly string[] | null,
): readonly string[] | null {
  if (known === null || given === null) return known ?? given
  return [...new Set([...known, ...given])]
}
