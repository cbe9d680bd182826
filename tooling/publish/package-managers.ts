import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { emptyFolder, newcomer, npmInstall, run, type Trial } from './trial.ts'

/** The packages of the managers that Node does not bring, by the name in the guide. pnpm is the one of this repository. */
const managerPackages: Readonly<Record<string, string>> = {
  'Yarn 4': '@yarnpkg/cli-dist@4.18.1',
  'Yarn 1': 'yarn@1.22.22',
  Bun: 'bun@1.4.5',
}

/** Installs a package manager. Resolves with a PATH that begins with it. */
export async function pathWith(trial: Trial, manager: string): Promise<string> {
  const inherited = process.env['PATH'] ?? ''
  if (manager === 'npm') return inherited
  const folder = await emptyFolder(trial, `manager-${manager.replaceAll(' ', '-').toLowerCase()}`)
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true }))
  const { packageManager } = JSON.parse(await readFile(path.join(trial.root, 'package.json'), 'utf8')) as {
    readonly packageManager: string
  }
  const source = manager === 'pnpm' ? packageManager : managerPackages[manager]
  assert.ok(source !== undefined, `the guide names ${manager}, whose package is unknown here`)
  await run(folder, await newcomer(trial, 'managers'), [...npmInstall, source])
  return [path.join(folder, 'node_modules/.bin'), inherited].join(path.delimiter)
}
