/**
 * The steps of the Dockerfile that do more than copy files. They are in a program so that a test can run the same steps
 * without a container engine and without a network:
 *
 *   node image-steps.ts prune          in the repository: prunes it for the build, and for each app
 *   node image-steps.ts install-build  in the tree of the build: installs the dependencies of the build
 *   node image-steps.ts build          in the tree of the build: builds each package after those that it needs
 *   node image-steps.ts install        in the folder with the trees of the apps: installs their production dependencies
 *   node image-steps.ts assemble FROM  in the same folder: adds compiled files, removes files that only a compiler reads
 *
 * It imports nothing but Node, because it runs before anything is installed.
 */
import { execFile } from 'node:child_process'
import { type Dirent, existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

/** The processes that have an image. */
export const imageApps = ['api', 'worker', 'migrate'] as const
export type ImageApp = (typeof imageApps)[number]

/** The packages in each image: its process, and in that of the migration also the command line, for the operator. */
const imagePackages: Readonly<Record<ImageApp, readonly string[]>> = {
  api: ['@queue/api-app'],
  worker: ['@queue/worker-app'],
  migrate: ['@queue/migrate-app', '@queue/cli'],
}

/** A program with its fixed arguments, its working directory, and its environment. */
export interface Tool {
  readonly directory: string
  readonly command: readonly [string, ...string[]]
  readonly env: NodeJS.ProcessEnv
}

/** A secret of the build: the certificate authority of a proxy that inspects TLS. Empty or absent without such a proxy. */
const authorityFile = '/run/secrets/ca'

/** No install script runs: that of the `node` package, which only development needs, would download a second Node. */
const installFlags = ['--frozen-lockfile', '--ignore-scripts', '--package-import-method=copy']

/** Prunes the repository into `out`: the folder `build` for the compiler, and a folder with the name of each app. */
export async function pruneRepository(turbo: Tool, out: string): Promise<void> {
  await run(turbo, [
    'prune',
    ...Object.values(imagePackages).flat(),
    '--docker',
    '--out-dir',
    path.join(out, 'build'),
  ])
  for (const app of imageApps) {
    const outDirectory = ['--out-dir', path.join(out, app)]
    await run(turbo, ['prune', ...imagePackages[app], '--production', '--docker', ...outDirectory])
  }
}

/** Installs the dependencies of the build. */
async function installForBuild(pnpm: Tool): Promise<void> {
  await run(pnpm, ['install', ...installFlags, '--filter=queue', ...builtPackages])
}

/** Builds the packages, each after those that it needs. */
async function build(pnpm: Tool): Promise<void> {
  await run(pnpm, [...builtPackages, '--workspace-concurrency=1', 'run', 'build'])
}

const builtPackages = ['--filter-prod=@queue/*-app...', '--filter-prod=@queue/cli...'] as const

/** Installs the production dependencies of a pruned app, from the frozen lockfile. */
export async function installForProduction(pnpm: Tool): Promise<void> {
  await run(pnpm, ['install', '--prod', ...installFlags])
}

/**
 * Adds the compiled files of its packages to a pruned and installed tree, links the command line into `bin`, and removes files
 * that only a compiler or a debugger reads. Makes the tree readable for the image's user, even if the checkout was made under a strict umask.
 */
export async function assembleTree(tree: string, compiled: string): Promise<void> {
  for (const group of ['apps', 'packages']) {
    for (const name of await readdir(path.join(tree, group))) {
      const dist = path.join(group, name, 'dist')
      await cp(path.join(compiled, dist), path.join(tree, dist), { recursive: true })
    }
  }
  await linkCommandLine(tree)
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  const developmentFile = /(?:\.map|\.d\.[cm]?ts|\.tsbuildinfo)$/
  await removeAll(entries.filter(holdsTypesOnly))
  await removeAll(entries.filter((entry) => entry.isFile() && developmentFile.test(entry.name)))
  await promisify(execFile)('chmod', ['-R', 'a+rX', tree])
}

/** Makes the command line a command of the image, if the image contains it. */
async function linkCommandLine(tree: string): Promise<void> {
  const program = 'packages/cli/dist/main.js'
  if (!existsSync(path.join(tree, program))) return
  await chmod(path.join(tree, program), 0o755)
  await mkdir(path.join(tree, 'bin'))
  await symlink(path.join('..', program), path.join(tree, 'bin/queue'))
}

/** Whether this is an installed package without code to run, a link to one, or a scope of such packages. */
function holdsTypesOnly({ name, parentPath }: Dirent): boolean {
  const isInstalled = ['node_modules', '.pnpm'].includes(path.basename(parentPath))
  return isInstalled && /^(?:@types(?:\+.*)?|undici-types(?:@.*)?)$/.test(name)
}

async function removeAll(entries: readonly Dirent[]): Promise<void> {
  const remove = ({ parentPath, name }: Dirent) =>
    rm(path.join(parentPath, name), { recursive: true, force: true })
  await Promise.all(entries.map(remove))
}

/** Runs the tool. If it fails, throws an error with its whole output. */
async function run({ directory, command, env }: Tool, args: readonly string[]): Promise<void> {
  const [program, ...allArgs] = [...command, ...args]
  const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 }
  await promisify(execFile)(program, allArgs, options).catch((cause: Readonly<Record<string, string>>) => {
    const output = `${cause['stdout'] ?? ''}${cause['stderr'] ?? ''}`
    throw new Error(`${[program, ...allArgs].join(' ')} failed:\n${output}`, { cause })
  })
}

/** A tool in the version that the repository pins, downloaded by npx. */
async function pinned(tool: 'turbo' | 'pnpm', directory: string): Promise<Tool> {
  const manifest = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
    readonly packageManager: string
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const version = tool === 'pnpm' ? manifest.packageManager : `turbo@${manifest.devDependencies['turbo']}`
  const authority = await stat(authorityFile).catch(() => undefined)
  const trustEnv = authority && authority.size > 0 ? { NODE_EXTRA_CA_CERTS: authorityFile } : {}
  return {
    directory,
    command: ['npx', '--yes', version],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ...trustEnv },
  }
}

const steps: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  prune: async () => pruneRepository(await pinned('turbo', '.'), 'pruned'),
  'install-build': async () => installForBuild(await pinned('pnpm', '.')),
  build: async () => build(await pinned('pnpm', '.')),
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
  if (step === undefined)
    throw new Error(`unknown step ${JSON.stringify(name)}; use one of ${Object.keys(steps).join(', ')}`)
  await step(argument)
}
