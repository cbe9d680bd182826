import type { Faults, RepositoryFile } from './repository-file.ts'

interface Manifest {
  readonly name?: string
  readonly private?: boolean
  readonly bin?: unknown
  readonly license?: string
  readonly exports?: unknown
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The layers, declared here alone: which packages of ours each may need at run time. */
const mayDependOn: Readonly<Record<string, readonly string[]>> = {
  '@queue/client': [],
  '@queue/cli': ['@queue/client', '@queue/core'],
  '@queue/admin': ['@queue/core', '@queue/outbox', '@queue/postgres'],
  '@queue/core': ['@queue/loop', '@queue/postgres'],
  '@queue/dev-postgres': [],
  '@queue/executor': ['@queue/core', '@queue/loop'],
  '@queue/handlers': ['@queue/core', '@queue/executor', '@queue/loop'],
  '@queue/loop': [],
  '@queue/outbox': ['@queue/core', '@queue/loop', '@queue/postgres'],
  '@queue/postgres': ['@queue/loop'],
  '@queue/telemetry': ['@queue/loop'],
  '@queue/service': ['@queue/core', '@queue/postgres', '@queue/telemetry'],
  '@queue/worker': ['@queue/core', '@queue/executor', '@queue/loop', '@queue/postgres'],
  '@queue/test-database': ['@queue/core', '@queue/dev-postgres', '@queue/postgres'],
  '@queue/testing': ['@queue/core', '@queue/executor', '@queue/test-database', '@queue/worker'],
  // The bundle alone, as files: the dashboard has no code that a process runs.
  '@queue/api-app': [
    '@queue/admin',
    '@queue/core',
    '@queue/dashboard',
    '@queue/postgres',
    '@queue/service',
    '@queue/telemetry',
  ],
  // It asks the public API, as any other client, and is told no more.
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

/** What the tests of every package may need beside that. */
const testSupport: readonly string[] = ['@queue/dev-postgres', '@queue/test-database', '@queue/testing']

/** What the tests of some need in addition. */
const testsMayDependOn: Readonly<Record<string, readonly string[]>> = {
  '@queue/cli': ['@queue/admin'],
  '@queue/client': ['@queue/core', '@queue/worker'],
  '@queue/tooling': ['@queue/client', '@queue/outbox', '@queue/postgres', '@queue/worker'],
}

/**
 * What an application hands to our libraries, or is handed by them. Two copies do not fit each other, by their types or
 * at run time, so a library takes the application's. `@types/pg` comes with the libraries, in any version that fits.
 */
const sharedWithApplication = ['zod', 'pg', 'kysely']

const exactVersion = /^(?:workspace:\*|(?:npm:@?[^@]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?)$/

/**
 * Every package pins its dependencies exactly, exports nothing by a wildcard, carries the licence, and needs only
 * the packages of ours below it, at run time and in its tests.
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
  const loose = Object.entries(all).filter(
    ([name, version]) => !exactVersion.test(version) && !(isLibrary && name === '@types/pg'),
  )
  const second = isLibrary ? sharedWithApplication.filter((name) => name in dependencies) : []
  return [
    ...loose.map(([dependency, version]) => `${dependency} is not pinned exactly (${version})`),
    ...second.map((name) => `${name} has to be a peer with a range: an application has a copy of its own`),
    ...(manifest.license === 'MIT' ? [] : ['the licence is not MIT']),
    ...(JSON.stringify(manifest.exports ?? {}).includes('*') ? ['exports has a wildcard'] : []),
    ...forbiddenDependencies(manifest),
    ...scriptsOfAnotherCompiler(manifest),
  ]
}

/**
 * Two versions of the compiler take each other's output for out of date: while one of them writes a package anew,
 * the other reads half of it.
 */
function scriptsOfAnotherCompiler(manifest: Manifest): string[] {
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest
  const hasItsOwn = Object.entries({ ...dependencies, ...devDependencies }).some(
    ([name, version]) => name === 'typescript' || version.startsWith('npm:typescript@'),
  )
  if (manifest.name === 'queue' || !hasItsOwn) return []
  return Object.entries(scripts)
    .filter(([, command]) => /(?:^|\s)tsc\s/.test(command))
    .map(
      ([script]) =>
        `the script ${script} builds with a compiler of its own: it has to name the one of the root`,
    )
}

function forbiddenDependencies({ name = '', dependencies = {}, devDependencies = {} }: Manifest): string[] {
  const atRunTime = mayDependOn[name]
  if (atRunTime === undefined) return name === 'queue' ? [] : [`${name} has no place in the layers yet`]
  const inTests = [...atRunTime, ...testSupport, ...(testsMayDependOn[name] ?? [])]
  return [
    ...oursOutside(dependencies, atRunTime).map((dependency) => `${name} must not depend on ${dependency}`),
    ...oursOutside(devDependencies, inTests).map(
      (dependency) => `tests of ${name} must not use ${dependency}`,
    ),
  ]
}

function oursOutside(dependencies: Readonly<Record<string, string>>, allowed: readonly string[]): string[] {
  return Object.keys(dependencies).filter((name) => name.startsWith('@queue/') && !allowed.includes(name))
}
