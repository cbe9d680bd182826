import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  assembleTree,
  type ImageApp,
  imageApps,
  installForProduction,
  pruneRepository,
} from '../../docker/image-steps.ts'
import { containerMsMax, type Container, type Image, type Images, type StartOptions } from './image.ts'

const repository = path.resolve(import.meta.dirname, '..', '..', '..')
const bin = path.join(repository, 'node_modules', '.bin')

/** The user of the image. Only root can switch to it; other accounts start the process as themselves. */
const imageUser = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {}

/** The folder with the files that an image adds to its base. */
export function treeOf(directory: string, app: ImageApp): string {
  return path.join(directory, app, 'json')
}

/**
 * Creates the files of each image in `directory` with the steps of the Dockerfile, but without a network: packages come from
 * the store of this repository's installation, and compiled files from its build.
 */
export async function makeTrees(directory: string): Promise<Images> {
  await pruneRepository(
    { directory: repository, command: [path.join(bin, 'turbo')], env: withoutTelemetry() },
    directory,
  )
  const env = await offline()
  for (const app of imageApps) {
    const tree = treeOf(directory, app)
    await installForProduction({ directory: tree, command: [pnpm()], env })
    await assembleTree(tree, repository)
    // In the image the engine creates this folder.
    await chmod(path.dirname(tree), 0o755)
  }
  const node = await copyNode(path.join(directory, 'bin'))
  const image = (app: ImageApp): Image => ({
    start: (options) => startTree(path.join(treeOf(directory, app), 'apps', app), node, options),
  })
  return { api: image('api'), worker: image('worker'), migrate: image('migrate') }
}

function withoutTelemetry(): NodeJS.ProcessEnv {
  return { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
}

/** The pnpm that runs the tests. */
function pnpm(): string {
  const program = process.env['npm_execpath'] ?? ''
  return path.basename(program).startsWith('pnpm') ? program : 'pnpm'
}

/** The environment for pnpm without a network. The minimum age of packages cannot be checked then. */
async function offline(): Promise<NodeJS.ProcessEnv> {
  const state = JSON.parse(await readFile(path.join(repository, 'node_modules/.modules.yaml'), 'utf8')) as {
    readonly storeDir: string
  }
  return {
    ...process.env,
    pnpm_config_offline: 'true',
    pnpm_config_store_dir: state.storeDir,
    pnpm_config_minimum_release_age: '0',
  }
}

/** Copies the Node of these tests to a folder where the user of the image can run it. */
async function copyNode(directory: string): Promise<string> {
  await mkdir(directory)
  const node = path.join(directory, 'node')
  await cp(process.execPath, node)
  await chmod(directory, 0o755)
  await chmod(node, 0o755)
  return node
}

/** Starts a process as the image does: with its folder, user and entry point, and no other environment. */
function startTree(workdir: string, node: string, options: StartOptions): Container {
  const [program, ...first] = options.command ?? ['node', 'dist/main.js']
  if (program !== 'node') throw new Error(`only node can be run here, not ${program}`)
  const child = spawn(node, [...first, ...(options.args ?? [])], {
    cwd: workdir,
    env: { HOME: '/', NODE_ENV: 'production', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: containerMsMax,
    killSignal: 'SIGKILL',
    ...imageUser,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return {
    signal: (name) => void child.kill(name),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
  }
}
