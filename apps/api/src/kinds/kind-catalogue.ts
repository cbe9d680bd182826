import type { JobDefinition, JobOptions, JobRequest, KindInfo } from '@queue/core'
import {
  createRequest,
  decodeKindDefaults,
  everythingSensitive,
  type KindVersion,
  kindVersionsOf,
} from '@queue/core/fields'
import { registrationsOf } from '@queue/core/workers'
import { kindsMaxAgeMs, kindsMissAgeMs } from '../http/limits.ts'
import { issuesProblem, toIssues } from '../http/problem.ts'
import type { KnownVersion } from '../wire/kind.ts'
import { closestNames } from './closest-names.ts'
import { createSchemaCompiler, type FaultsOf } from './compile-schema.ts'

/** A kind that the API takes jobs of. */
export interface TakenKind {
  /** A validated request for one job. Throws `InvalidInput`. */
  create(payload: unknown, options?: JobOptions): JobRequest
}

/** What part of payloads is sensitive, by kind and version. */
export interface SensitiveParts {
  /** JSON pointers; the whole payload where nothing is known. */
  of(kind: string, version: number): readonly string[]
}

/** The kinds that the API takes: those that it was started with, and those of the registry. */
export interface KindCatalogue {
  /** The definitions that it was started with. */
  readonly definitions: readonly JobDefinition[]
  /** Throws 422 for a kind that there is not, or no longer, naming the closest ones. */
  find(kind: string): Promise<TakenKind>
  /** Every kind with its versions, the newest first, retired ones too, by name. */
  list(): Promise<readonly KnownKind[]>
  sensitive(): Promise<SensitiveParts>
  /** What is known of the registry may be old: the next use reads it again. */
  expire(): void
}

export interface KnownKind {
  readonly kind: string
  readonly versions: readonly KnownVersion[]
}

/** `refuse`: 422. `accept`: a job of it is taken as it is. */
export const unknownKindPolicies = ['refuse', 'accept'] as const

export interface KindCatalogueOptions {
  readonly definitions: readonly JobDefinition[]
  /** Reads the registry. */
  readonly list: () => Promise<readonly KindInfo[]>
  readonly unknownKinds: (typeof unknownKindPolicies)[number]
  readonly onUncompilable: (kind: KindInfo, error: unknown) => void
  readonly nowMs: () => number
}

type Registry = ReadonlyMap<string, readonly KindInfo[]>

/**
 * Reads the registry at its first use, when a notification has expired it, and otherwise when it is 30 s old; while it cannot
 * be read, what was known holds. A schema is compiled once, at the first job of its version. Throws when two definitions
 * share a kind.
 */
export function createKindCatalogue(options: KindCatalogueOptions): KindCatalogue {
  const { definitions, unknownKinds } = options
  const builtIn = new Map(definitions.map((definition) => [definition.kind, definition]))
  if (builtIn.size < definitions.length) throw new Error('the catalogue defines a kind twice')
  const versionOf = createVersions(options)
  const registry = createRegistryCache(options)

  const taken = perRegistry((known) => {
    const kinds = new Map<string, TakenKind | undefined>()
    return (kind: string): TakenKind | undefined => {
      if (!kinds.has(kind) && (known.has(kind) || builtIn.has(kind))) {
        kinds.set(
          kind,
          takenKind({ kind, definition: builtIn.get(kind), registered: known.get(kind), versionOf }),
        )
      }
      return kinds.get(kind)
    }
  })

  return {
    definitions,
    find: async (kind) => {
      // A registry that cannot be read is in nobody's way who enqueues what was there from the start.
      const known = await registry.read(kindsMaxAgeMs).catch((error: unknown) => {
        if (builtIn.has(kind)) return noKinds
        throw error
      })
      const found = taken(known)(kind)
      if (found !== undefined) return found
      const latest = await registry.read(kindsMissAgeMs)
      const foundLate = taken(latest)(kind)
      if (foundLate !== undefined) return foundLate
      if (unknownKinds === 'accept' && !latest.has(kind)) return anyVersionOf(kind)
      throw unknownKind(kind, { builtIn, latest })
    },
    list: async () => {
      const known = await registry.read(kindsMissAgeMs)
      const names = new Set([...builtIn.keys(), ...known.keys()])
      return [...names]
        .toSorted()
        .map((kind) => ({ kind, versions: knownVersions(builtIn.get(kind), known.get(kind)) }))
    },
    sensitive: async () => {
      const known = await registry.read(kindsMaxAgeMs)
      return { of: (kind, version) => sensitiveParts(kind, version, { builtIn, known }) }
    },
    expire: registry.expire,
  }
}

const noKinds: Registry = new Map()

/** What `make` gives for a registry, made once for each that is read. */
function perRegistry<Made>(make: (known: Registry) => Made): (known: Registry) => Made {
  const cached = new WeakMap<Registry, Made>()
  return (known) => {
    const made = cached.get(known) ?? make(known)
    cached.set(known, made)
    return made
  }
}

interface TakenParts {
  readonly kind: string
  readonly definition: JobDefinition | undefined
  readonly registered: readonly KindInfo[] | undefined
  readonly versionOf: (info: KindInfo) => KindVersion
}

/** The versions of a kind together: for one that a definition has, its zod schema judges. */
function takenKind({ kind, definition, registered = [], versionOf }: TakenParts): TakenKind | undefined {
  const own = definition === undefined ? [] : kindVersionsOf(definition)
  const others = registered.filter(
    (one) => one.retiredAt === null && own.every(({ version }) => version !== one.version),
  )
  if (definition !== undefined && others.length === 0) return definition
  const versions = [...own, ...others.map(versionOf)].toSorted((a, b) => b.version - a.version)
  if (versions.length === 0) return undefined
  return { create: (payload, given) => createRequest({ kind, versions }, payload, given ?? {}) }
}

function knownVersions(
  definition: JobDefinition | undefined,
  registered: readonly KindInfo[] = [],
): readonly KnownVersion[] {
  const own = definition === undefined ? [] : registrationsOf(definition)
  const missing = own.filter(({ version }) => registered.every((one) => one.version !== version))
  return [...registered, ...missing.map((one) => ({ ...one, retiredAt: null }))].toSorted(
    (a, b) => b.version - a.version,
  )
}

interface Known {
  readonly builtIn: ReadonlyMap<string, JobDefinition>
  readonly known: Registry
}

/** What both say, where both say something: a value is shown only if nobody calls it sensitive. */
function sensitiveParts(kind: string, version: number, { builtIn, known }: Known): readonly string[] {
  const registered = known.get(kind)?.find((one) => one.version === version)?.sensitive
  const own = builtIn.get(kind)?.sensitive
  const said = [registered, own].filter((one) => one !== undefined && one !== null)
  return said.length === 0 ? everythingSensitive : said.flat()
}

function unknownKind(
  kind: string,
  { builtIn, latest }: { readonly builtIn: ReadonlyMap<string, unknown>; readonly latest: Registry },
) {
  if (latest.has(kind)) {
    return issuesProblem(
      'unknown_kind',
      toIssues([{ path: ['kind'], message: 'is retired: no jobs of it are taken' }]),
    )
  }
  const live = [...latest].flatMap(([name, versions]) =>
    versions.some((one) => one.retiredAt === null) ? [name] : [],
  )
  const closest = closestNames(kind, [...builtIn.keys(), ...live])
  const message =
    closest.length === 0 ? 'is no known kind' : `is no known kind; closest: ${closest.join(', ')}`
  return issuesProblem('unknown_kind', toIssues([{ path: ['kind'], message }]))
}

/** A kind of which nothing is known: any payload is one of whatever version is said. */
function anyVersionOf(kind: string): TakenKind {
  const defaults = decodeKindDefaults({})
  return {
    create: (payload, options = {}) => {
      const version = { ...defaults, version: options.version ?? 1, faultsOf: () => [] }
      return createRequest({ kind, versions: [version] }, payload, options)
    },
  }
}

/** What judges the payloads of registered versions, compiled once for each schema. */
function createVersions({ onUncompilable }: KindCatalogueOptions): (info: KindInfo) => KindVersion {
  const compiler = createSchemaCompiler()
  const compiled = new Map<string, { readonly schema: string; readonly faultsOf: FaultsOf }>()
  const faultsOfKind = (info: KindInfo): FaultsOf => {
    const key = `${info.kind}/${info.version}`
    const schema = JSON.stringify(info.payloadSchema)
    const known = compiled.get(key)
    if (known?.schema === schema) return known.faultsOf
    const faultsOf = compileOrAccept(info)
    compiled.set(key, { schema, faultsOf })
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
  return (info) => {
    const known = versions.get(info)
    if (known !== undefined) return known
    const { version, defaults } = info
    const made = { ...decodeKindDefaults(defaults), version, faultsOf: faultsOfKind(info) }
    versions.set(info, made)
    return made
  }
}

/** The registry as it was last read. */
function createRegistryCache({ list, nowMs }: KindCatalogueOptions) {
  let known: Registry | undefined
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<Registry> | undefined

  const readAnew = async (): Promise<Registry> => {
    const startedAtMs = nowMs()
    try {
      known = Map.groupBy(await list(), ({ kind }) => kind)
      readAtMs = startedAtMs
      return known
    } finally {
      reading = undefined
    }
  }

  return {
    /** The registry as it was at most so long ago. While it cannot be read, as it was. Throws when it never was. */
    read: async (ageMsMax: number): Promise<Registry> => {
      if (known !== undefined && nowMs() - readAtMs < ageMsMax) return known
      reading ??= readAnew()
      const before = known
      return before === undefined ? reading : reading.catch(() => before)
    },
    expire: () => {
      readAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
