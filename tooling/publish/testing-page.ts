import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathWith } from './package-managers.ts'
import { emptyProject, newcomer, print, run, type Trial } from './trial.ts'

/** The blocks of docs/testing.md that need a registry: the installation, and the settings that pnpm needs for it. */
export async function testingPage({ root }: Trial) {
  const text = await readFile(path.join(root, 'docs/testing.md'), 'utf8')
  const block = (start: RegExp) => new RegExp(`^\`\`\`${start.source}(?<text>[^\`]*)^\`\`\`$`, 'm').exec(text)
  const installation = block(/sh\n/)?.groups?.['text'] ?? ''
  const workspace = block(/yaml\n# pnpm-workspace\.yaml\n/)?.groups?.['text'] ?? ''
  return { installation, workspace }
}

/** Starts a test database. */
const program = [
  "import { createTestDatabase } from '@queue/testing'",
  'const database = await createTestDatabase()',
  'await database.close()',
].join('\n')

/** Installs @queue/testing with pnpm by the settings of docs/testing.md, so that no install script runs, and starts a database. */
export async function tryTestingPage(trial: Trial): Promise<void> {
  const project = await emptyProject(trial, 'testing-page')
  const env = { ...(await newcomer(trial, 'testing-page')), PATH: await pathWith(trial, 'pnpm') }
  const { installation, workspace } = await testingPage(trial)
  await writeFile(path.join(project, 'pnpm-workspace.yaml'), workspace)
  await run(project, env, ['sh', '-c', installation.replace('npm install', 'pnpm add')])
  await writeFile(path.join(project, 'database.js'), program)
  await run(project, env, [process.execPath, 'database.js'])
  print('pnpm: a test database without the install script')
}
