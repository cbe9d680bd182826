import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** What every part of `pnpm try:install` needs. */
export interface Trial {
  /** The root of the repository. */
  readonly root: string
  /** A temporary folder, for the projects. */
  readonly directory: string
  /** The registry on this machine, to which the packages are published. */
  readonly registryUrl: string
}

export type Command = readonly [string, ...string[]]

/** Runs a command. Resolves with its output. If it fails, the error contains the output. */
export async function run(cwd: string, env: NodeJS.ProcessEnv, command: Command): Promise<string> {
  const [program, ...args] = command
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The text of an .npmrc that chooses the registry at `url`. */
export const npmrc = (url: string): string =>
  `registry=${url}/\n${url.replace('http:', '')}/:_authToken=anybody\n`

/** What a package manager would read from this machine or this process instead of from its new home. */
const isForeign = (name: string): boolean =>
  /^(?:npm_|pnpm_|yarn_|bun_|xdg_|node_options$|node_test|test_database_url$|init_cwd$)/i.test(name)

/**
 * The environment of somebody whose package managers have nothing in their caches, and use the registry of the trial. The home is a
 * new folder of this name.
 */
export async function newcomer({ directory, registryUrl }: Trial, name: string): Promise<NodeJS.ProcessEnv> {
  const home = path.join(directory, 'homes', name)
  await mkdir(home, { recursive: true })
  await writeFile(path.join(home, '.npmrc'), npmrc(registryUrl))
  const own = Object.entries(process.env).filter(([variable]) => !isForeign(variable))
  return {
    ...Object.fromEntries(own),
    HOME: home,
    // Yarn 1 and Bun.
    npm_config_registry: registryUrl,
    // Yarn 4 reads no .npmrc, and refuses registries without TLS.
    YARN_NPM_REGISTRY_SERVER: registryUrl,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    NEXT_TELEMETRY_DISABLED: '1',
  }
}

/** Creates an empty folder for a project. Resolves with its path. */
export async function emptyFolder({ directory }: Trial, name: string): Promise<string> {
  const folder = path.join(directory, name)
  await mkdir(folder, { recursive: true })
  return folder
}

/** Creates a folder for a project of ES modules. Resolves with its path. */
export async function emptyProject(trial: Trial, name: string): Promise<string> {
  const project = await emptyFolder(trial, name)
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  return project
}

export const npmInstall: Command = ['npm', 'install', '--no-audit', '--no-fund']
