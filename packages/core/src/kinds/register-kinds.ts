// Registers versions of kinds that are new or may be changed.
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
  hasUnfinishedJobs,
  keyOf,
  lockRegistry,
  type StoredKind,
  nextVersion,
  updateKind,
} from './kind-statements.ts'
import type { RegisterPolicy } from './register-policy.ts'
import { writersHaveEnded } from './writers-of-jobs.ts'

/**
 * The result of one registration. `kept`: the registry stays as it was, because a newer registration had replaced this
 * one, or because this is an older version. `refused`: see `RegisterPolicy.changes`.
 */
export interface RegisteredKind {
  readonly kind: string
  readonly version: number
  readonly outcome: 'new' | 'unchanged' | 'replaced' | 'kept' | 'refused'
  /** JSON pointers to the places where the schemas differ, up to 20. */
  readonly changedPaths: readonly string[]
  /** Places at which the definition checks more than JSON Schema can express, as pointers into the payload. */
  readonly unsaid: readonly string[]
  /** Set where the registration was refused. */
  readonly conflict?: KindConflict
}

/** How often a registration in use updates its `last_seen_at`. */
const seenEveryMs = 3_600_000
/** How many replaced registrations of one version are remembered. */
const supersededMax = 100

/**
 * Registers each of these versions and notifies the API, in one transaction: all or none. If nothing has changed, this
 * costs one read. Throws `InvalidInput` (`invalid_kind`) for a registration out of its bounds, and `KindConflictError`
 * where the policy refuses a change.
 */
export async function registerKinds(
  database: QueueDatabase,
  registrations: readonly KindRegistration[],
  policy: RegisterPolicy,
): Promise<RegisteredKind[]> {
  assertBatch(registrations)
  assertRegistrations(registrations)
  const stored = await findKinds(database, registrations)
  const isUpToDate = registrations.every((one) => isCurrent(one, stored.get(keyOf(one)), policy))
  if (isUpToDate) return registrations.map((one) => unchanged(one))
  const registered = await registerInside(database, registrations, policy)
  await notify(database, { channel: kindsChannel(database.schema), payloads: [''] })
  return registered
}

function assertBatch(registrations: readonly KindRegistration[]): void {
  const keys = new Set(registrations.map(keyOf))
  const issue = (message: string): InvalidInput => new InvalidInput('invalid_kind', [{ path: [], message }])
  if (registrations.length > registerKindsMax)
    throw issue(`one call can register at most ${registerKindsMax} versions`)
  if (keys.size < registrations.length) throw issue('contains a version of a kind twice')
}

/** Whether the registration needs no write. */
function isCurrent(
  registration: KindRegistration,
  stored: StoredKind | undefined,
  { restore }: RegisterPolicy,
): boolean {
  if (stored === undefined || (restore && stored.isRetired)) return false
  if (registration.isOlder) return true
  const isSame = digestOf(registration) === stored.digest
  return isSame && stored.seenMs < seenEveryMs && !addsSensitive(registration, stored)
}

function unchanged({ kind, version, unsaid, isOlder }: KindRegistration): RegisteredKind {
  return { kind, version, outcome: isOlder ? 'kept' : 'unchanged', changedPaths: [], unsaid }
}

/** Whether the registration declares a part as sensitive that the registry does not. */
function addsSensitive({ sensitive }: KindRegistration, stored: StoredKind): boolean {
  return sensitive !== null && !sensitive.every((pointer) => stored.sensitive?.includes(pointer))
}

async function registerInside(
  database: QueueDatabase,
  registrations: readonly KindRegistration[],
  policy: RegisterPolicy,
): Promise<RegisteredKind[]> {
  await lockRegistry(database)
  const inserted = await insertKinds(database, registrations, policy.by)
  await assertRoom(database)
  const stored = await findKinds(database, registrations, 'lock')
  const registered: RegisteredKind[] = []
  for (const one of registrations) {
    const key = keyOf(one)
    const previous = stored.get(key)
    if (previous === undefined) throw new Error('a kind that was just inserted is missing')
    registered.push(
      inserted.has(key)
        ? { ...unchanged(one), outcome: 'new' }
        : await renewKind({ database, policy, previous }, one),
    )
  }
  const conflicts = registered.flatMap(({ conflict }) => (conflict === undefined ? [] : [conflict]))
  if (conflicts.length > 0 && policy.onConflict !== 'skip') throw new KindConflictError(conflicts)
  return registered
}

interface Renewal {
  readonly database: QueueDatabase
  readonly policy: RegisterPolicy
  readonly previous: StoredKind
}

async function assertRoom(database: QueueDatabase): Promise<void> {
  if ((await countKinds(database)) <= registeredKindsMax) return
  const message = `the registry is full: it holds at most ${registeredKindsMax} versions of kinds`
  throw new InvalidInput('invalid_kind', [{ path: [], message }])
}

/** Updates an existing registration as far as the policy allows. */
async function renewKind(
  { database, policy, previous }: Renewal,
  one: KindRegistration,
): Promise<RegisteredKind> {
  const digest = digestOf(one)
  const sensitive = mergedSensitive(previous.sensitive, one.sensitive)
  const restored = policy.restore ? { retired_at: null } : {}
  const isSuperseded = previous.superseded.includes(digest)
  if (digest === previous.digest) {
    await updateKind(database, one, { stamp: 'seen', set: { sensitive, ...restored } })
    return { ...unchanged(one), outcome: 'unchanged' }
  }
  if (one.isOlder || (isSuperseded && !policy.restore)) {
    await updateKind(database, one, { stamp: 'none', set: { sensitive } })
    return { ...unchanged(one), outcome: 'kept' }
  }
  const changedPaths = differingPaths(JSON.parse(previous.schemaText) as JsonValue, one.payloadSchema)
  const refuses = policy.changes === 'refuse' && changedPaths.length > 0
  if (refuses && (await mayHaveUnfinishedJobs(database, one))) {
    const conflict = {
      kind: one.kind,
      version: one.version,
      changedPaths,
      nextVersion: await nextVersion(database, one),
    }
    return { ...unchanged(one), outcome: 'refused', changedPaths, conflict }
  }
  const superseded = [...previous.superseded.filter((other) => other !== digest), previous.digest]
  const history = { superseded: superseded.slice(-supersededMax), registered_by: policy.by }
  await updateKind(database, one, {
    stamp: 'registered',
    set: { ...columnsOf(one), ...history, sensitive, ...restored },
  })
  return { ...unchanged(one), outcome: 'replaced', changedPaths }
}

/** Whether a job needs the present schema of the version. A job of a transaction that has not ended counts, if it may be one. */
async function mayHaveUnfinishedJobs(database: QueueDatabase, one: KindRegistration): Promise<boolean> {
  if (await hasUnfinishedJobs(database, one)) return true
  return !(await writersHaveEnded(database)) || hasUnfinishedJobs(database, one)
}

/** The parts that either declares as sensitive: within a version, a part never stops being sensitive. Null declares nothing. */
function mergedSensitive(
  stored: readonly string[] | null,
  declared: readonly string[] | null,
): readonly string[] | null {
  if (stored === null || declared === null) return stored ?? declared
  return [...new Set([...stored, ...declared])]
}
