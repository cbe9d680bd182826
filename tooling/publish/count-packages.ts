import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { testingPage } from './testing-page.ts'
import { emptyProject, newcomer, npmInstall, print, run, type Trial } from './trial.ts'

const workPackagesMax = 24
const testingPackagesMax = 40

/** Counts the packages that npm installs, for work and for tests. */
export async function countPackages(trial: Trial): Promise<void> {
  const env = await newcomer(trial, 'counts')
  const work = await emptyProject(trial, 'count-work')
  const own = ['zod', 'pg', 'kysely']
  await run(work, env, [...npmInstall, '@queue/core', '@queue/worker', ...own])
  const added = (await installed(work)).filter((name) => !own.includes(name))
  print(`@queue/core and @queue/worker add ${added.length} packages beside ${own.join(', ')}`)
  assert.ok(added.length <= workPackagesMax)

  const tests = await emptyProject(trial, 'count-testing')
  const { installation } = await testingPage(trial)
  await run(tests, env, ['sh', '-c', installation])
  const names = await installed(tests)
  print(`@queue/testing installs ${names.length} packages`)
  assert.ok(names.length <= testingPackagesMax)
  assert.deepEqual(
    names.filter((name) => name.includes('testcontainers')),
    [],
  )
}

/** The folders of the packages in a project, such as `pg` or `a/node_modules/b`. */
async function installed(project: string): Promise<string[]> {
  const file = path.join(project, 'node_modules/.package-lock.json')
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as { readonly packages: object }
  return Object.keys(packages).map((folder) => folder.slice('node_modules/'.length))
}
