import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import { networkEnvironment } from '@queue/dev-postgres'
import { type ImageApp, imageApps } from '../docker/image-steps.ts'
import { containerMsMax, type Container, type Images, type StartOptions } from '../test/image/image.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

/**
 * Programs that build images, and take the same arguments for most of it. podman builds by buildah; buildah alone runs
 * no image.
 */
export type Engine = 'docker' | 'podman' | 'buildah'

/** The engine that answers on this machine. */
export function findEngine(): Engine | undefined {
  const engines = ['docker', 'podman', 'buildah'] as const
  return engines.find((engine) => spawnSync(engine, ['version'], { stdio: 'ignore' }).status === 0)
}

/** What an image says of itself. */
export interface ImageConfig {
  readonly User: string
  readonly WorkingDir: string
  readonly Entrypoint: readonly string[]
  readonly Env: readonly string[]
  readonly Labels: Readonly<Record<string, string>>
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] } | undefined
}

const imageName = (app: ImageApp): string => `localhost/queue-${app}:test`

/**
 * Builds the images from the Dockerfile. NODE_IMAGE names another base image; the authority that NODE_EXTRA_CA_CERTS
 * names, and the proxies of this machine, are used for the build as well.
 */
export async function buildImages(engine: Engine): Promise<void> {
  for (const app of imageApps) {
    const args = ['build', '--file=infra/docker/Dockerfile', `--target=${app}`, `--tag=${imageName(app)}`]
    const all = [...args, ...buildOptions(engine), '.']
    await promisify(execFile)(engine, all, { cwd: repository, maxBuffer: 256 * 1024 * 1024 })
  }
}

function buildOptions(engine: Engine): string[] {
  const { NODE_IMAGE: base = '', NODE_EXTRA_CA_CERTS: authority = '' } = process.env
  const proxies = Object.keys(networkEnvironment()).filter((name) => /_proxy$/i.test(name))
  return [
    ...proxies.map((name) => `--build-arg=${name}`),
    ...(base === '' ? [] : [`--build-arg=NODE_IMAGE=${base}`]),
    ...(authority === '' ? [] : [`--secret=id=ca,src=${authority}`]),
    // HEALTHCHECK is not in the OCI's format. Debian's buildah mounts the wrong layer of a stage that it has cached.
    ...(engine === 'docker' ? [] : ['--format=docker', '--layers=false']),
  ]
}

export async function inspectImage(engine: Engine, app: ImageApp): Promise<ImageConfig> {
  if (engine === 'buildah') {
    const { stdout } = await promisify(execFile)('buildah', ['inspect', '--type=image', imageName(app)])
    return (JSON.parse(stdout) as { readonly Docker: { readonly config: ImageConfig } }).Docker.config
  }
  const { stdout } = await promisify(execFile)(engine, ['image', 'inspect', imageName(app)])
  // podman tells of the health check beside the rest of the configuration.
  const [image] = JSON.parse(stdout) as readonly {
    readonly Config: Omit<ImageConfig, 'Healthcheck'>
    readonly Healthcheck?: ImageConfig['Healthcheck']
  }[]
  if (image === undefined) throw new Error(`there is no image ${imageName(app)}`)
  return { Healthcheck: image.Healthcheck, ...image.Config }
}

/** The built images, each run as the documents recommend it. `shared` is mounted where it is, to be read. */
export function engineImages(engine: Engine, shared: string): Images {
  const image = (app: ImageApp) => ({
    start: (options: StartOptions) => startContainer(engine, { ...options, app, shared }),
  })
  return { api: image('api'), worker: image('worker'), migrate: image('migrate') }
}

interface ContainerOptions extends StartOptions {
  readonly app: ImageApp
  readonly shared: string
}

function startContainer(
  engine: Engine,
  { app, shared, env, args = [], command }: ContainerOptions,
): Container {
  const name = `queue-${app}-${randomUUID()}`
  const [entrypoint, ...first] = command ?? []
  const child = spawn(
    engine,
    // The health check is run by the test that needs its answer, and not by the engine's clock.
    ['run', '--rm', `--name=${name}`, '--no-healthcheck', '--network=host', `--volume=${shared}:${shared}:ro`]
      .concat(['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges'])
      .concat(engine === 'podman' ? ['--read-only-tmpfs=false'] : [])
      .concat(Object.entries(env).map(([key, value]) => `--env=${key}=${value}`))
      .concat(entrypoint === undefined ? [] : [`--entrypoint=${entrypoint}`])
      .concat(imageName(app), first, args),
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: containerMsMax, killSignal: 'SIGKILL' },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return {
    // One that has ended already cannot be told to.
    signal: (signal) => void execFile(engine, ['kill', `--signal=${signal}`, name], () => undefined),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
  }
}
