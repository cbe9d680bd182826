import { isDeepStrictEqual } from 'node:util'
import type { Faults, RepositoryFile } from './repository-file.ts'

interface Manifest {
  readonly name?: string
  readonly private?: boolean
  readonly bin?: unknown
  readonly license?: string
  readonly exports?: unknown
  readonly main?: string
  readonly types?: string
  readonly typesVersions?: unknown
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The layers of the repository: the packages of the repository that each package may depend on at run time. */
const allowedDependencies: Readonly<Record<string, readonly string[]>> = {
  '@queue/client': [],
  '@queue/commands': ['@queue/loop'],
  '@queue/cli': ['@queue/admin', '@queue/client', '@queue/commands', '@queue/core'],
  '@queue/admin': ['@queue/core', '@queue/outbox', '@queue/postgres'],
  '@queue/core': ['@queue/loop', '@queue/postgres'],
  '@queue/dev-postgres': [],
  '@queue/executor': ['@queue/core', '@queue/loop'],
  '@queue/handlers': ['@queue/core', '@queue/executor', '@queue/loop'],
  '@queue/loop': [],
  '@queue/outbox': ['@queue/core', '@queue/loop', '@queue/postgres'],
  '@queue/postgres': ['@queue/loop'],
  '@queue/telemetry': ['@queue/loop'],
  '@queue/service': ['@queue/core', '@queue/loop', '@queue/postgres', '@queue/telemetry'],
  '@queue/worker': ['@queue/core', '@queue/executor', '@queue/loop', '@queue/postgres'],
  '@queue/test-database': ['@queue/core', '@queue/dev-postgres', '@queue/loop', '@queue/postgres'],
  '@queue/test-http': [],
  '@queue/testing': [
    '@queue/core',
    '@queue/executor',
    '@queue/loop',
    '@queue/test-database',
    '@queue/worker',
  ],
  // It serves the files of the dashboard's bundle, and runs no code of it.
  '@queue/api-app': [
    '@queue/admin',
    '@queue/core',
    '@queue/dashboard',
    '@queue/postgres',
    '@queue/service',
    '@queue/telemetry',
  ],
  // It uses only the public API, as any other client.
  '@queue/dashboard': ['@queue/client'],
  '@queue/worker-app': [
    '@queue/core',
    '@queue/executor',
    '@queue/handlers',
    '@queue/outbox',
    '@queue/postgres',
    '@queue/service',
    '@queue/telemetry',
    '@queue/worker',
  ],
  '@queue/migrate-app': [
    '@queue/admin',
    '@queue/commands',
    '@queue/core',
    '@queue/outbox',
    '@queue/postgres',
    '@queue/service',
    '@queue/telemetry',
  ],
  '@queue/example-orders-service': ['@queue/client', '@queue/core', '@queue/dev-postgres', '@queue/outbox'],
  '@queue/example-recipes': ['@queue/core', '@queue/worker'],
  '@queue/example-tracing': [
    '@queue/api-app',
    '@queue/core',
    '@queue/dev-postgres',
    '@queue/service',
    '@queue/telemetry',
    '@queue/worker',
  ],
  '@queue/tooling': ['@queue/core', '@queue/dev-postgres', '@queue/executor', '@queue/service'],
  '@queue/infra': [],
  '@queue/chaos': [
    '@queue/core',
    '@queue/dev-postgres',
    '@queue/postgres',
    '@queue/test-database',
    '@queue/test-http',
    '@queue/testing',
    '@queue/worker',
  ],
  '@queue/bench': [
    '@queue/api-app',
    '@queue/core',
    '@queue/dev-postgres',
    '@queue/outbox',
    '@queue/postgres',
    '@queue/telemetry',
    '@queue/worker',
    '@queue/worker-app',
  ],
}

/** The packages that the tests of every package may use in addition. */
const testSupport: readonly string[] = [
  '@queue/dev-postgres',
  '@queue/test-database',
  '@queue/test-http',
  '@queue/testing',
]

/** The packages that the tests of single packages may use in addition. */
const allowedTestDependencies: Readonly<Record<string, readonly string[]>> = {
  '@queue/client': ['@queue/core', '@queue/worker'],
  '@queue/tooling': [
    '@queue/client',
    '@queue/outbox',
    '@queue/postgres',
    '@queue/telemetry',
    '@queue/worker',
  ],
}

/**
 * Packages whose objects an application passes to our libraries or gets from them. Two copies are not compatible, by types or at
 * run time, so a library uses the application's copy. `@types/pg` is a dependency of the libraries, with a version range.
 */
const sharedWithApplication = ['zod', 'pg', 'kysely']

const exactVersion = /^(?:workspace:\*|(?:npm:@?[^@]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?)$/

/**
 * Finds manifests that break a rule: dependencies have exact versions, `exports` has no wildcard, the licence is MIT, and a
 * package depends only on packages of lower layers, at run time and in its tests.
 */
export function findManifestFaults(files: readonly RepositoryFile[]): Faults {
  return files
    .filter(({ name }) => name === 'package.json' || name.endsWith('/package.json'))
    .flatMap(({ name, text }) => faultsOf(JSON.parse(text) as Manifest).map((fault) => `${name}: ${fault}`))
}

function faultsOf(manifest: Manifest): string[] {
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest
  const isLibrary = manifest.private !== true && manifest.bin === undefined
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies }
  const unpinned = Object.entries(all).filter(
    ([name, version]) => !exactVersion.test(version) && !(isLibrary && name === '@types/pg'),
  )
  const notPeers = isLibrary ? sharedWithApplication.filter((name) => name in dependencies) : []
  return [
    ...unpinned.map(([dependency, version]) => `${dependency} is not pinned exactly (${version})`),
    ...notPeers.map(
      (name) => `${name} must be a peer dependency with a range, because the application has its own copy`,
    ),
    ...(manifest.license === 'MIT' ? [] : ['the licence is not MIT']),
    ...(JSON.stringify(manifest.exports ?? {}).includes('*') ? ['exports has a wildcard'] : []),
    ...(isLibrary ? differencesFromExports(manifest) : []),
    ...forbiddenDependencies(manifest),
    ...scriptsWithOtherCompiler(manifest),
  ]
}

type Entries = Readonly<Record<string, { readonly types?: string; readonly default?: string }>>

/** The compiler with `moduleResolution: node10` reads none of `exports`: `main`, `types` and `typesVersions` say the same. */
function differencesFromExports({ exports, main, types, typesVersions }: Manifest): string[] {
  const { '.': mainEntry, ...others } = (exports ?? {}) as Entries
  if (mainEntry === undefined) return []
  const paths = Object.entries(others).map(([entry, file]) => [entry.slice('./'.length), [file.types]])
  const expected = {
    main: mainEntry.default,
    types: mainEntry.types,
    typesVersions: paths.length === 0 ? undefined : { '*': Object.fromEntries(paths) },
  }
  return isDeepStrictEqual({ main, types, typesVersions }, expected)
    ? []
    : ['main, types and typesVersions differ from exports']
}

/**
 * Finds scripts that would build with another version of the compiler. Two versions regard each other's output as out of date, so
 * one could read a package while the other is writing it.
 */
function scriptsWithOtherCompiler(manifest: Manifest): string[] {
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest
  const hasOwnCompiler = Object.entries({ ...dependencies, ...devDependencies }).some(
    ([name, version]) => name === 'typescript' || version.startsWith('npm:typescript@'),
  )
  if (manifest.name === 'queue' || !hasOwnCompiler) return []
  return Object.entries(scripts)
    .filter(([, command]) => /(?:^|\s)tsc\s/.test(command))
    .map(
      ([script]) =>
        `the script ${script} builds with the package's own compiler: it must use that of the root`,
    )
}

function forbiddenDependencies({ name = '', dependencies = {}, devDependencies = {} }: Manifest): string[] {
  const atRunTime = allowedDependencies[name]
  if (atRunTime === undefined) return name === 'queue' ? [] : [`${name} is missing in allowedDependencies`]
  const inTests = [...atRunTime, ...testSupport, ...(allowedTestDependencies[name] ?? [])]
  return [
    ...ownPackagesOutside(dependencies, atRunTime).map(
      (dependency) => `${name} must not depend on ${dependency}`,
    ),
    ...ownPackagesOutside(devDependencies, inTests).map(
      (dependency) => `tests of ${name} must not use ${dependency}`,
    ),
  ]
}

function ownPackagesOutside(
  dependencies: Readonly<Record<string, string>>,
  allowed: readonly string[],
): string[] {
  return Object.keys(dependencies).filter((name) => name.startsWith('@queue/') && !allowed.includes(name))
}
