import { setImmediate } from 'node:timers/promises'
import {
  InvalidInput,
  type JobDefinition,
  type JobOptions,
  type JobRequest,
  type KindInfo,
} from '@queue/core'
import {
  createRequest,
  decodeKindDefaults,
  keptPointers,
  type KindVersion,
  kindVersionsOf,
  registrationsOf,
  sensitiveOf,
} from '@queue/core/internal'
import { createSchemaCompiler, type FaultsOf } from '@queue/admin/payload-schemas'
import { kindLookupsMax, kindsMaxAgeMs, kindsMissAgeMs } from '../http/limits.ts'
import { issuesProblem, toIssues } from '../http/problem.ts'
import type { KnownVersion } from '../operations/kinds/kind.ts'
import { closestNames } from './closest-names.ts'

/** A kind whose jobs the API accepts. */
export interface AcceptedKind {
  /** A validated request for one job. Throws `InvalidInput`. */
  create(payload: unknown, options?: JobOptions): JobRequest
}

/** What is declared as sensitive today, by kind and version. A job also hides what was declared when it was written. */
export interface SensitiveParts {
  /** JSON pointers; empty where nothing is declared. */
  of(kind: string, version: number): readonly string[]
}

/**
 * Throws 422 for an unknown or retired kind, with the most similar names. The registry is asked before that, because another
 * process may just have registered the kind.
 */
export type FindKind = (kind: string) => Promise<AcceptedKind>

/** The kinds that the API accepts: those that it was started with, and those of the registry. */
export interface KindCatalogue {
  /** The definitions that it was started with. */
  readonly definitions: readonly JobDefinition[]
  /**
   * The result of `use`, which finds the kinds that it needs. Where it throws `InvalidInput`, the registry is asked for these kinds,
   * because another process may have changed one. If so, `use` is called once more.
   */
  using<Result>(use: (find: FindKind) => Promise<Result>): Promise<Result>
  /** Every kind by name, including retired ones, with its versions, newest first. */
  list(): Promise<readonly ListedKind[]>
  sensitive(): Promise<SensitiveParts>
  /** Makes the next use read the registry again. */
  expire(): void
}

export interface ListedKind {
  readonly kind: string
  readonly versions: readonly KnownVersion[]
}

/** `refuse`: 422. `accept`: the job is enqueued with any payload. */
export const unknownKindPolicies = ['refuse', 'accept'] as const

export interface KindCatalogueOptions {
  readonly definitions: readonly JobDefinition[]
  /** Reads the registry, or one kind of it. */
  readonly list: (kind?: string) => Promise<readonly KindInfo[]>
  readonly unknownKinds: (typeof unknownKindPolicies)[number]
  readonly onUncompilable: (kind: KindInfo, error: unknown) => void
  readonly nowMs: () => number
}

type Registry = ReadonlyMap<string, readonly KindInfo[]>

/**
 * Reads the registry at its first use, after a notification, and when it is 30 s old. While the registry cannot be read, the last
 * one is used. A schema is compiled once, at the first job of its version. Throws if two definitions have the same kind.
 */
export function createKindCatalogue(options: KindCatalogueOptions): KindCatalogue {
  const { definitions, unknownKinds } = options
  const builtIn = new Map(definitions.map((definition) => [definition.kind, definition]))
  if (builtIn.size < definitions.length) throw new Error('the catalogue defines a kind twice')
  const versions = createVersions(options)
  const registry = createRegistryCache(options)

  const acceptedKinds = perRegistry((registered) => {
    const kinds = new Map<string, Promise<AcceptedKind | undefined>>()
    return (kind: string): Promise<AcceptedKind | undefined> | undefined => {
      if (!kinds.has(kind) && (registered.has(kind) || builtIn.has(kind))) {
        const known = { definition: builtIn.get(kind), registered: registered.get(kind) }
        kinds.set(kind, acceptedKind({ kind, ...known, versions }))
      }
      return kinds.get(kind)
    }
  })

  const lookUp = createLookups(options)
  /** Whether the registry has changed for this kind. If it cannot be read, the last one is used. */
  const hasChanged = async (kind: string): Promise<boolean> => {
    const [known, latest] = await Promise.all([
      registry.read(kindsMaxAgeMs),
      lookUp(kind).catch(() => undefined),
    ])
    if (latest === undefined || isSameKind(known.get(kind) ?? [], latest)) return false
    registry.expire()
    return true
  }
  const hasChangedAny = async (kinds: Iterable<string>): Promise<boolean> => {
    for (const kind of kinds) {
      if (await hasChanged(kind)) return true
    }
    return false
  }
  const find: FindKind = async (kind) => {
    // Built-in kinds can be enqueued even if the registry cannot be read.
    const cached = await registry.read(kindsMaxAgeMs).catch((error: unknown) => {
      if (builtIn.has(kind)) return noKinds
      throw error
    })
    const accepted = await acceptedKinds(cached)(kind)
    if (accepted !== undefined) return accepted
    if (unknownKinds === 'refuse') await hasChanged(kind)
    const latest = await registry.read(unknownKinds === 'refuse' ? kindsMaxAgeMs : kindsMissAgeMs)
    const acceptedByNow = await acceptedKinds(latest)(kind)
    if (acceptedByNow !== undefined) return acceptedByNow
    if (unknownKinds === 'accept' && !latest.has(kind)) return anyVersionOf(kind)
    throw unknownKind(kind, { builtIn, latest })
  }

  return {
    definitions,
    using: async (use) => {
      const found: string[] = []
      const noted: FindKind = (kind) => {
        found.push(kind)
        return find(kind)
      }
      try {
        return await use(noted)
      } catch (error) {
        if (!(error instanceof InvalidInput) || !(await hasChangedAny(new Set(found)))) throw error
        return await use(find)
      }
    },
    list: async () => {
      const registered = await registry.read(kindsMissAgeMs)
      const names = new Set([...builtIn.keys(), ...registered.keys()])
      return [...names]
        .toSorted()
        .map((kind) => ({ kind, versions: knownVersions(builtIn.get(kind), registered.get(kind)) }))
    },
    sensitive: async () => {
      const registered = await registry.read(kindsMaxAgeMs)
      return { of: (kind, version) => sensitiveParts(kind, version, { builtIn, registered }) }
    },
    expire: registry.expire,
  }
}

const noKinds: Registry = new Map()

/** The result of `make` for a registry, computed once for each registry that is read. */
function perRegistry<Result>(make: (registered: Registry) => Result): (registered: Registry) => Result {
  const cache = new WeakMap<Registry, Result>()
  return (registered) => {
    const result = cache.get(registered) ?? make(registered)
    cache.set(registered, result)
    return result
  }
}

interface AcceptedKindParts {
  readonly kind: string
  readonly definition: JobDefinition | undefined
  readonly registered: readonly KindInfo[] | undefined
  readonly versions: RegisteredVersions
}

/** All versions of a kind. If a definition has a version, its zod schema takes precedence over the registered one. */
async function acceptedKind({
  kind,
  definition,
  registered = [],
  versions: { versionOf, grantSteps },
}: AcceptedKindParts): Promise<AcceptedKind | undefined> {
  const own = definition === undefined ? [] : kindVersionsOf(definition)
  const others = registered.filter(
    (known) => known.retiredAt === null && own.every(({ version }) => version !== known.version),
  )
  if (definition !== undefined && others.length === 0) return definition
  const versions = [...own]
  for (const other of others) versions.push(await versionOf(other))
  if (versions.length === 0) return undefined
  const enqueueable = { kind, versions: withDefaultsOfNewest(versions) }
  return {
    create: (payload, options) => {
      grantSteps()
      return createRequest(enqueueable, payload, options ?? {})
    },
  }
}

/**
 * The versions, newest first, each with the defaults of the newest: as in code, where only the newest definition has any. Who still
 * sends an older payload gets the queue that today's release serves.
 */
function withDefaultsOfNewest(versions: readonly KindVersion[]): KindVersion[] {
  const newestFirst = versions.toSorted((a, b) => b.version - a.version)
  const [newest] = newestFirst
  if (newest === undefined) return []
  return newestFirst.map(({ version, sensitive, faultsOf }) => ({ ...newest, version, sensitive, faultsOf }))
}

function knownVersions(
  definition: JobDefinition | undefined,
  registered: readonly KindInfo[] = [],
): readonly KnownVersion[] {
  const own = definition === undefined ? [] : registrationsOf(definition)
  const missing = own.filter(({ version }) => registered.every((known) => known.version !== version))
  return [...registered, ...missing.map((version) => ({ ...version, retiredAt: null }))].toSorted(
    (a, b) => b.version - a.version,
  )
}

interface KindSources {
  readonly builtIn: ReadonlyMap<string, JobDefinition>
  readonly registered: Registry
}

/** What the registry and the definition declare for this version. */
function sensitiveParts(
  kind: string,
  version: number,
  { builtIn, registered }: KindSources,
): readonly string[] {
  const ofRegistry = registered.get(kind)?.find((registration) => registration.version === version)?.sensitive
  const definition = builtIn.get(kind)
  const ofDefinition = definition && sensitiveOf(definition, version)
  return [...(ofRegistry ?? []), ...(ofDefinition ?? [])]
}

function unknownKind(
  kind: string,
  { builtIn, latest }: { readonly builtIn: ReadonlyMap<string, unknown>; readonly latest: Registry },
) {
  if (latest.has(kind)) {
    return issuesProblem(
      'unknown_kind',
      toIssues([{ path: ['kind'], message: 'is retired: new jobs of this kind are not accepted' }]),
    )
  }
  const live = [...latest].flatMap(([name, versions]) =>
    versions.some((version) => version.retiredAt === null) ? [name] : [],
  )
  const closest = closestNames(kind, [...builtIn.keys(), ...live])
  const message =
    closest.length === 0 ? 'is not a known kind' : `is not a known kind; closest: ${closest.join(', ')}`
  return issuesProblem('unknown_kind', toIssues([{ path: ['kind'], message }]))
}

/** An unknown kind that accepts any payload and any version. */
function anyVersionOf(kind: string): AcceptedKind {
  const defaults = decodeKindDefaults({})
  return {
    create: (payload, options = {}) => {
      const version = { ...defaults, version: options.version ?? 1, sensitive: null, faultsOf: () => [] }
      return createRequest({ kind, versions: [version] }, payload, options)
    },
  }
}

/** The validation of registered versions. */
interface RegisteredVersions {
  /** Compiles the schema of a version once, in a turn of its own. */
  versionOf(info: KindInfo): Promise<KindVersion>
  /** See `SchemaCompiler`. */
  grantSteps(): void
}

function createVersions({ onUncompilable }: KindCatalogueOptions): RegisteredVersions {
  const compiler = createSchemaCompiler()
  const cache = new Map<string, { readonly digest: string; readonly faultsOf: FaultsOf }>()
  const faultsOfKind = async (info: KindInfo): Promise<FaultsOf> => {
    const key = `${info.kind}/${info.version}`
    const cached = cache.get(key)
    if (cached?.digest === info.digest) return cached.faultsOf
    await setImmediate()
    const faultsOf = compileOrAccept(info)
    await setImmediate()
    // V8 compiles the code of the check when it runs for the first time.
    compiler.grantSteps()
    faultsOf({})
    cache.set(key, { digest: info.digest, faultsOf })
    return faultsOf
  }
  const compileOrAccept = (info: KindInfo): FaultsOf => {
    try {
      return compiler.compile(info.payloadSchema)
    } catch (error) {
      onUncompilable(info, error)
      return () => []
    }
  }
  const versions = new WeakMap<KindInfo, KindVersion>()
  const versionOf = async (info: KindInfo): Promise<KindVersion> => {
    const existing = versions.get(info)
    if (existing !== undefined) return existing
    const { version, defaults } = info
    const sensitive = keptPointers(info.sensitive)
    const faultsOf = await faultsOfKind(info)
    const created = { ...decodeKindDefaults(defaults), version, sensitive, faultsOf }
    versions.set(info, created)
    return created
  }
  return { versionOf, grantSteps: compiler.grantSteps }
}

/** Whether two lists of the versions of a kind let the API accept the same jobs. */
function isSameKind(known: readonly KindInfo[], latest: readonly KindInfo[]): boolean {
  const textOf = (versions: readonly KindInfo[]): string =>
    JSON.stringify(
      versions.map(({ version, digest, sensitive, retiredAt }) => [version, digest, sensitive, retiredAt]),
    )
  return textOf(known) === textOf(latest)
}

/**
 * Reads single kinds from the registry, one after the other, so that requests for kinds that do not exist cannot load the database.
 * Requests that wait for the same kind share one read. Beyond a number of waiting kinds, the result is undefined.
 */
function createLookups({ list }: KindCatalogueOptions) {
  const waiting = new Map<string, Promise<readonly KindInfo[]>>()
  let last: Promise<unknown> = Promise.resolve()
  return async (kind: string): Promise<readonly KindInfo[] | undefined> => {
    const shared = waiting.get(kind)
    if (shared !== undefined) return shared
    if (waiting.size >= kindLookupsMax) return undefined
    const lookup = last.then(() => {
      // What is registered from here on may not be seen by this read.
      waiting.delete(kind)
      return list(kind)
    })
    waiting.set(kind, lookup)
    last = lookup.catch(() => undefined)
    return lookup
  }
}

/** The registry, cached. */
function createRegistryCache({ list, nowMs }: KindCatalogueOptions) {
  let latest: Registry | undefined
  let latestStartedMs = Number.NEGATIVE_INFINITY
  let isExpired = true
  let reading: Promise<Registry> | undefined

  const readAnew = (): Promise<Registry> => {
    const startedAtMs = nowMs()
    const read = list()
      .then((kinds) => {
        const registry: Registry = Map.groupBy(kinds, ({ kind }) => kind)
        if (startedAtMs >= latestStartedMs) {
          latest = registry
          latestStartedMs = startedAtMs
          // A read that began before the registry expired may not have seen what changed.
          isExpired = reading !== read
        }
        return registry
      })
      .finally(() => {
        if (reading === read) reading = undefined
      })
    return read
  }

  return {
    /** The registry, not older than this. If it cannot be read, the last one. Throws if it was never read. */
    read: async (ageMsMax: number): Promise<Registry> => {
      if (latest !== undefined && !isExpired && nowMs() - latestStartedMs < ageMsMax) return latest
      reading ??= readAnew()
      const previous = latest
      return previous === undefined ? reading : reading.catch(() => previous)
    },
    expire: () => {
      isExpired = true
      reading = undefined
    },
  }
}
