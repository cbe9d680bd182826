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
 * Programs that build images and accept mostly the same arguments. podman builds with buildah. buildah by itself does not
 * run images.
 */
export type Engine = 'docker' | 'podman' | 'buildah'

/** The first engine that answers on this machine. */
export function findEngine(): Engine | undefined {
  const engines = ['docker', 'podman', 'buildah'] as const
  return engines.find((engine) => spawnSync(engine, ['version'], { stdio: 'ignore' }).status === 0)
}

/** The configuration of an image. */
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
 * Builds the images from the Dockerfile. NODE_IMAGE names another base image. The build also uses the certificate authority
 * in NODE_EXTRA_CA_CERTS and the proxies of this machine.
 */
export async function buildImages(engine: Engine): Promise<void> {
  for (const app of imageApps) {
    const args = ['build', '--file=infra/docker/Dockerfile', `--target=${app}`, `--tag=${imageName(app)}`]
    await promisify(execFile)(engine, [...args, ...buildOptions(engine), '.'], {
      cwd: repository,
      maxBuffer: 256 * 1024 * 1024,
    })
  }
}

function buildOptions(engine: Engine): string[] {
  const { NODE_IMAGE: base = '', NODE_EXTRA_CA_CERTS: authority = '' } = process.env
  const proxies = Object.keys(networkEnvironment()).filter((name) => /_proxy$/i.test(name))
  return [
    ...proxies.map((name) => `--build-arg=${name}`),
    ...(base === '' ? [] : [`--build-arg=NODE_IMAGE=${base}`]),
    ...(authority === '' ? [] : [`--secret=id=ca,src=${authority}`]),
    // The OCI format has no HEALTHCHECK. Debian's buildah mounts the wrong layer of a cached stage.
    ...(engine === 'docker' ? [] : ['--format=docker', '--layers=false']),
  ]
}

export async function inspectImage(engine: Engine, app: ImageApp): Promise<ImageConfig> {
  if (engine === 'buildah') {
    const { stdout } = await promisify(execFile)('buildah', ['inspect', '--type=image', imageName(app)])
    return (JSON.parse(stdout) as { readonly Docker: { readonly config: ImageConfig } }).Docker.config
  }
  const { stdout } = await promisify(execFile)(engine, ['image', 'inspect', imageName(app)])
  // podman reports the health check outside of the rest of the configuration.
  const [image] = JSON.parse(stdout) as readonly {
    readonly Config: Omit<ImageConfig, 'Healthcheck'>
    readonly Healthcheck?: ImageConfig['Healthcheck']
  }[]
  if (image === undefined) throw new Error(`there is no image ${imageName(app)}`)
  return { Healthcheck: image.Healthcheck, ...image.Config }
}

/** The built images, run as the documents recommend. The folder `shared` is mounted read-only at the same path. */
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
    // The test that needs the health check runs it itself, so the engine must not run it periodically.
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
    // Errors are ignored, because the container may have ended already.
    signal: (signal) => void execFile(engine, ['kill', `--signal=${signal}`, name], () => undefined),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
  }
}
