/**
 * The steps of the Dockerfile that are more than copying. They are here, and not in the Dockerfile, so that a test can
 * perform these same steps without an engine and without a network:
 *
 *   node image-steps.ts prune          in the repository: cuts it down to what is compiled, and to what each app needs
 *   node image-steps.ts install-build  in what is compiled: installs all that compiling needs
 *   node image-steps.ts install        beside a folder for each app: installs its production dependencies
 *   node image-steps.ts assemble FROM  in the same place: adds compiled files, removes what only a compiler reads
 *
 * It imports nothing but Node, because it runs before anything is installed.
 */
import { execFile } from 'node:child_process'
import type { Dirent } from 'node:fs'
import { cp, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

/** The processes that have an image. */
export const imageApps = ['api', 'worker', 'migrate'] as const
export type ImageApp = (typeof imageApps)[number]

/** A program with the arguments that it always gets, the folder in which it runs, and its environment. */
export interface Tool {
  readonly directory: string
  readonly command: readonly [string, ...string[]]
  readonly env: NodeJS.ProcessEnv
}

/** A secret of the build: the certificate authority of a proxy that inspects TLS. Empty or absent elsewhere. */
const authorityFile = '/run/secrets/ca'

/** No install script runs: the `node` package, a convenience of development, would fetch a second Node. */
const installFlags = ['--frozen-lockfile', '--ignore-scripts', '--package-import-method=copy']

/** Cuts the repository down into `out`: `build` for the compiler, and a folder named like each app for its image. */
export async function pruneRepository(turbo: Tool, out: string): Promise<void> {
  const packages = imageApps.map((app) => `@queue/${app}-app`)
  await run(turbo, ['prune', ...packages, '--docker', '--out-dir', path.join(out, 'build')])
  for (const app of imageApps) {
    const into = ['--out-dir', path.join(out, app)]
    await run(turbo, ['prune', `@queue/${app}-app`, '--production', '--docker', ...into])
  }
}

/** Installs what compiling the apps needs. */
async function installForBuild(pnpm: Tool): Promise<void> {
  const filters = ['--filter=queue', '--filter-prod=@queue/*-app...', '--filter=@queue/client']
  await run(pnpm, ['install', ...installFlags, ...filters])
}

/** Installs what a pruned app needs at run time, from the frozen lockfile. */
export async function installForProduction(pnpm: Tool): Promise<void> {
  await run(pnpm, ['install', '--prod', ...installFlags])
}

/**
 * Completes a pruned and installed tree with the compiled files of its packages. What only a compiler or a debugger
 * reads goes. A checkout under a strict umask must not make the tree unreadable for the image's user.
 */
export async function assembleTree(tree: string, compiled: string): Promise<void> {
  for (const group of ['apps', 'packages']) {
    for (const name of await readdir(path.join(tree, group))) {
      const dist = path.join(group, name, 'dist')
      await cp(path.join(compiled, dist), path.join(tree, dist), { recursive: true })
    }
  }
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  const unread = /(?:\.map|\.d\.[cm]?ts|\.tsbuildinfo)$/
  await removeAll(entries.filter(holdsTypesOnly))
  await removeAll(entries.filter((entry) => entry.isFile() && unread.test(entry.name)))
  await promisify(execFile)('chmod', ['-R', 'a+rX', tree])
}

/** Whether this is an installed package, a link to one, or the scope of such, in which there is nothing to run. */
function holdsTypesOnly({ name, parentPath }: Dirent): boolean {
  const isInstalled = ['node_modules', '.pnpm'].includes(path.basename(parentPath))
  return isInstalled && /^(?:@types(?:\+.*)?|undici-types(?:@.*)?)$/.test(name)
}

async function removeAll(entries: readonly Dirent[]): Promise<void> {
  const remove = ({ parentPath, name }: Dirent) =>
    rm(path.join(parentPath, name), { recursive: true, force: true })
  await Promise.all(entries.map(remove))
}

/** Throws with all that the tool has printed when it fails. */
async function run({ directory, command, env }: Tool, args: readonly string[]): Promise<void> {
  const [program, ...all] = [...command, ...args]
  const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 }
  await promisify(execFile)(program, all, options).catch((cause: Readonly<Record<string, string>>) => {
    const output = `${cause['stdout'] ?? ''}${cause['stderr'] ?? ''}`
    throw new Error(`${[program, ...all].join(' ')} failed:\n${output}`, { cause })
  })
}

/** A tool in the version that the repository pins, fetched by npx. */
async function pinned(tool: 'turbo' | 'pnpm', directory: string): Promise<Tool> {
  const manifest = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
    readonly packageManager: string
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const version = tool === 'pnpm' ? manifest.packageManager : `turbo@${manifest.devDependencies['turbo']}`
  const authority = await stat(authorityFile).catch(() => undefined)
  const trust = authority && authority.size > 0 ? { NODE_EXTRA_CA_CERTS: authorityFile } : {}
  return {
    directory,
    command: ['npx', '--yes', version],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ...trust },
  }
}

const steps: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  prune: async () => pruneRepository(await pinned('turbo', '.'), 'pruned'),
  'install-build': async () => installForBuild(await pinned('pnpm', '.')),
  install: async () => {
    for (const app of imageApps) await installForProduction(await pinned('pnpm', app))
  },
  assemble: async (compiled) => {
    for (const app of imageApps) await assembleTree(app, compiled)
  },
}

if (import.meta.main) {
  const [name = '', argument = ''] = process.argv.slice(2)
  const step = steps[name]
  if (step === undefined) throw new Error(`a step is one of ${Object.keys(steps).join(', ')}`)
  await step(argument)
}
