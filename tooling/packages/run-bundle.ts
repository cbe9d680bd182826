import { execFile } from 'node:child_process'
import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../guide/run-guide.ts'

const run = promisify(execFile)

/** The builds of docs/bundling.md, by the folder that each writes, and the program in it. */
export const bundles = {
  esm: 'worker.mjs',
  cjs: 'worker.cjs',
  webpack: 'worker.cjs',
  rolldown: 'worker.mjs',
} as const
export type BundleName = keyof typeof bundles

/** What the bundled program prints if everything in it works. */
export const bundleAnswer = {
  description: 'every second, UTC',
  pausedReason: null,
  livez: 200,
  hasMetrics: true,
}

/** The program that is bundled. It is JavaScript that compiles as TypeScript too. */
export async function programToBundle(root: string): Promise<string> {
  return readFile(path.join(root, 'tooling/test/consumer/bundled.js'), 'utf8')
}

/** The builds that docs/bundling.md shows. */
export async function buildScripts(root: string): Promise<Record<string, string>> {
  const blocks = blocksOf(await readFile(path.join(root, 'docs/bundling.md'), 'utf8'))
  const files = blocks.flatMap((block) => (block.type === 'file' ? [[block.name, block.text] as const] : []))
  return Object.fromEntries(files.filter(([name]) => name.startsWith('build-')))
}

/** Builds a bundle in a project, and moves it to a folder that has nothing else. Resolves with what the bundler says. */
export async function buildBundle(project: string, name: BundleName, deployed: string): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [`build-${name}.mjs`], {
    cwd: project,
    env: { PATH: process.env['PATH'] },
  })
  await rm(deployed, { recursive: true, force: true })
  await cp(path.join(project, name), deployed, { recursive: true })
  return stdout + stderr
}

/** Runs the program of a bundle. Resolves with the values that it prints, one in each line. */
export async function runBundle(deployed: string, name: BundleName, databaseUrl: string): Promise<unknown[]> {
  return runProgram(deployed, bundles[name], databaseUrl)
}

/** Runs a program in its folder. Resolves with the values that it prints, one in each line. */
export async function runProgram(folder: string, file: string, databaseUrl: string): Promise<unknown[]> {
  const env = { DATABASE_URL: databaseUrl, PATH: process.env['PATH'] }
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env, timeout: 60_000 })
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}
