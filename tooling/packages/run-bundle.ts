import { execFile } from 'node:child_process'
import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../guide/run-guide.ts'

const run = promisify(execFile)

/** The builds of docs/bundling.md, by the folder that each writes, and the program in it. */
export const bundles = { esm: 'worker.mjs', cjs: 'worker.cjs', webpack: 'worker.cjs' } as const
export type BundleName = keyof typeof bundles

/** What the bundled program prints if everything in it works. */
export const bundleAnswer = {
  description: 'every second, UTC',
  pausedReason: null,
  livez: 200,
  hasMetrics: true,
}

/** The files of a project that is to be bundled: a worker, and the builds that docs/bundling.md shows. */
export async function filesToBundle(root: string): Promise<Record<string, string>> {
  const blocks = blocksOf(await readFile(path.join(root, 'docs/bundling.md'), 'utf8'))
  const builds = blocks.flatMap((block) => (block.type === 'file' ? [[block.name, block.text]] : []))
  const program = await readFile(path.join(root, 'tooling/test/consumer/bundled.js'), 'utf8')
  return { ...Object.fromEntries(builds), 'worker.js': program }
}

/** Builds a bundle in a project, and moves it to a folder that has nothing else. */
export async function buildBundle(project: string, name: BundleName, deployed: string): Promise<void> {
  await run(process.execPath, [`build-${name}.mjs`], { cwd: project, env: { PATH: process.env['PATH'] } })
  await rm(deployed, { recursive: true, force: true })
  await cp(path.join(project, name), deployed, { recursive: true })
}

/** Runs the program of a bundle. Resolves with what it prints. */
export async function runBundle(deployed: string, name: BundleName, databaseUrl: string): Promise<unknown> {
  const env = { DATABASE_URL: databaseUrl, PATH: process.env['PATH'] }
  const { stdout } = await run(process.execPath, [bundles[name]], { cwd: deployed, env, timeout: 60_000 })
  return JSON.parse(stdout)
}
