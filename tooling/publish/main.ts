/**
 * `pnpm try:install`: publishes every package to a temporary registry on this machine, and uses them from projects outside of the
 * workspace, as each part below describes. Arguments choose parts. Needs a network, because all other packages are downloaded.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { packPackages } from '../packages/pack-packages.ts'
import { countPackages } from './count-packages.ts'
import { followGuide } from './follow-guide.ts'
import { startLocalRegistry } from './local-registry.ts'
import { tryMatrix } from './matrix.ts'
import { tryNext } from './next-standalone.ts'
import { tryRangeEnds } from './range-ends.ts'
import { tryTestingPage } from './testing-page.ts'
import { npmrc, print, run, type Trial } from './trial.ts'

const parts: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  ranges: tryRangeEnds,
  managers: followGuide,
  testing: tryTestingPage,
  counts: countPackages,
  matrix: tryMatrix,
  next: tryNext,
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)
for (const name of chosen) assert.ok(name in parts, `the parts are ${Object.keys(parts).join(', ')}`)

const root = path.resolve(import.meta.dirname, '..', '..')
const directory = await mkdtemp(path.join(tmpdir(), 'queue-publish-'))
try {
  const registry = await startLocalRegistry(path.join(directory, 'registry'))
  const server = await startEmbeddedPostgres()
  // Every test database of this process is on this server.
  process.env['TEST_DATABASE_URL'] = server.url
  try {
    await publish({ root, directory, registryUrl: registry.url })
    for (const name of chosen) {
      const started = performance.now()
      await parts[name]?.({ root, directory, registryUrl: registry.url })
      print(`${name}: ${((performance.now() - started) / 1_000).toFixed(0)} s`)
    }
  } finally {
    await server.stop()
    await registry.stop()
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

/** Publishes all packages. The registry is named twice, so that no other can be meant. */
async function publish({ registryUrl }: Trial): Promise<void> {
  const userConfig = path.join(directory, 'npmrc')
  await writeFile(userConfig, npmrc(registryUrl))
  const env = { ...process.env, npm_config_userconfig: userConfig }
  const toRegistry = ['--registry', registryUrl]
  // The projects use the names of the repository, as its documents do, and not those of release.json.
  for (const { name, version, tarball } of await packPackages(root, directory)) {
    await run(directory, env, ['npm', 'publish', tarball, ...toRegistry])
    const published = await run(directory, env, ['npm', 'view', name, 'version', ...toRegistry])
    assert.equal(published.trim(), version)
    print(`published ${name}@${version}`)
  }
}
