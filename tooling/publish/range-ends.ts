import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { createTestDatabase } from '@queue/testing'
import { emptyProject, newcomer, npmInstall, print, run, type Trial } from './trial.ts'

/** The project's peer dependencies: both ends of the supported ranges. */
export const peerVersions = {
  newest: ['zod@4', 'pg@8', 'kysely@0.29'],
  oldest: ['zod@4.0.0', 'pg@8.11.0', 'kysely@0.28.0'],
}

/** Installs the packages as the documentation describes, with both ends of the ranges, and compiles and runs a program. */
export async function tryRangeEnds(trial: Trial): Promise<void> {
  for (const [end, peers] of Object.entries(peerVersions)) {
    await installAndRun(trial, end, peers)
    print(`installed, compiled and run with ${peers.join(', ')}`)
  }
}

async function installAndRun(trial: Trial, end: string, peers: readonly string[]): Promise<void> {
  const project = await emptyProject(trial, end)
  const env = await newcomer(trial, 'ranges')
  const ownPackages = ['@queue/core', '@queue/worker', '@queue/migrate-app']
  const compiler = ['typescript@5.9.3', '@types/node@24']
  await run(project, env, [...npmInstall, ...ownPackages, ...peers, ...compiler])
  for (const name of ['zod', 'pg', 'kysely']) {
    const installedCopies = JSON.parse(
      await run(project, env, ['npm', 'query', `#${name}`]),
    ) as readonly unknown[]
    // The migration runner is a program with its own dependencies. The libraries share those of the project.
    assert.ok(installedCopies.length <= 2, `${installedCopies.length} copies of ${name}`)
  }

  for (const name of ['deliver.ts', 'greet.ts'])
    await copyFile(path.join(trial.root, 'tooling/test/consumer', name), path.join(project, name))
  const own = ['--noEmit', '--declaration', '--allowImportingTsExtensions']
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', ...own]
  await run(project, env, ['npx', 'tsc', ...strict, 'deliver.ts'])

  const database = await createTestDatabase()
  try {
    const databaseEnv = { ...env, DATABASE_URL: database.url, QUEUE_SCHEMA: 'outside' }
    await run(project, databaseEnv, ['npx', 'queue-migrate', 'up'])
    const output = await run(project, databaseEnv, [process.execPath, 'deliver.ts'])
    assert.deepEqual(JSON.parse(output), {
      results: [null, { greeted: 2 }],
      guests: ['by kysely'],
      lost: null,
    })
  } finally {
    await database.close()
  }
}
