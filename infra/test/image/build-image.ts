import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createIgnoreRules } from './ignore-rules.ts'
import { type Instruction, parseDockerfile, type Stage } from './parse-dockerfile.ts'

/** What a stage has become: a folder in the place of its root file system, and how its process is to be run. */
export interface BuiltImage {
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly labels: string
  readonly user?: string
  readonly stopSignal?: NodeJS.Signals
  readonly entrypoint?: readonly string[]
  readonly healthcheck?: readonly string[]
}

export interface ImageBuilder {
  /** Builds the stages that a target needs, each once. */
  build(target: string): Promise<BuiltImage>
}

export interface ImageBuilderOptions {
  /** The root of the repository. */
  readonly context: string
  /** Where the stages go: a folder that any user can enter. */
  readonly directory: string
  /** In place of the one in the base image. */
  readonly node: string
}

/**
 * Performs the steps of infra/docker/Dockerfile without an engine: every stage is a folder, COPY copies between them,
 * and RUN runs in them, as this user and with this machine's npm cache and pnpm store in place of the cache mounts.
 * What it cannot stand in for is the base image, of which only Node is there; throws at an instruction or a flag that
 * it does not know, so that the file cannot outgrow its test.
 */
export async function createImageBuilder(options: ImageBuilderOptions): Promise<ImageBuilder> {
  const stages = parseDockerfile(
    await readFile(path.join(options.context, 'infra/docker/Dockerfile'), 'utf8'),
  )
  const bin = path.join(options.directory, 'base', 'bin')
  await mkdir(bin, { recursive: true })
  await cp(options.node, path.join(bin, 'node'))
  const built = new Map<string, Promise<BuiltImage>>()
  const build = (name: string): Promise<BuiltImage> => {
    const stage = stages.find((one) => one.name === name)
    if (stage === undefined) return Promise.reject(new Error(`there is no stage ${name}`))
    const image = built.get(name) ?? buildStage(stage, { ...options, bin, build })
    built.set(name, image)
    return image
  }
  return { build }
}

interface StageOptions extends ImageBuilderOptions, ImageBuilder {
  /** What is on the PATH of the base image. */
  readonly bin: string
}

async function buildStage(stage: Stage, options: StageOptions): Promise<BuiltImage> {
  const root = path.join(options.directory, stage.name)
  let image: BuiltImage = { ...(await baseOf(stage, options)), root }
  for (const instruction of stage.instructions) {
    image = { ...image, ...(await perform(instruction, image, options)) }
  }
  return image
}

async function baseOf({ base }: Stage, options: StageOptions): Promise<BuiltImage> {
  if (base.includes(':')) return { root: '', workdir: '/', env: { PATH: options.bin }, labels: '' }
  const image = await options.build(base)
  if (image.workdir !== '/') throw new Error(`${base} is built upon, and has files of its own`)
  return image
}

/** What an instruction changes of its image, beside the files. */
async function perform(
  { keyword, text }: Instruction,
  image: BuiltImage,
  options: StageOptions,
): Promise<Partial<BuiltImage>> {
  switch (keyword) {
    case 'ARG':
    case 'EXPOSE':
      return {}
    case 'LABEL':
      return { labels: image.labels + text }
    case 'ENV': {
      const [name = '', value = ''] = text.split('=', 2)
      // This machine's own caches are used instead.
      return value.startsWith(cacheFolder) ? {} : { env: { ...image.env, [name]: value } }
    }
    case 'USER':
      return { user: text }
    case 'STOPSIGNAL':
      return { stopSignal: text as NodeJS.Signals }
    case 'ENTRYPOINT':
      return { entrypoint: execForm(text) }
    case 'HEALTHCHECK':
      return { healthcheck: execForm(text.replace(/^.*?CMD\s+/, '')) }
    case 'WORKDIR':
      await mkdir(path.join(image.root, text), { recursive: true })
      return { workdir: text }
    case 'COPY':
      await copy(text, image, options)
      return {}
    case 'RUN':
      await run(text, image, options)
      return {}
    default:
      throw new Error(`the instruction ${keyword} is not known here`)
  }
}

/** Where npm and pnpm keep what they have fetched, in the build. */
const cacheFolder = '/var/cache/queue'

/** The form that needs no shell. */
function execForm(text: string): readonly string[] {
  if (!text.startsWith('[')) throw new Error(`this needs a shell: ${text}`)
  return JSON.parse(text) as readonly string[]
}

async function copy(text: string, image: BuiltImage, options: StageOptions): Promise<void> {
  const {
    stage,
    from = '',
    to = '',
  } = /^(?:--from=(?<stage>\S+)\s+)?(?<from>[^\s-]\S*)\s+(?<to>\S+)$/.exec(text)?.groups ?? {}
  if (from === '') throw new Error(`this form of COPY is not known here: ${text}`)
  const target = path.join(image.root, path.posix.resolve(image.workdir, to))
  if (stage === undefined) await copyContext(from, target, options)
  else await copyTree(path.join((await options.build(stage)).root, from), target)
}

async function copyContext(from: string, target: string, { context }: StageOptions): Promise<void> {
  const passes = createIgnoreRules(await readFile(path.join(context, '.dockerignore'), 'utf8'))
  const source = path.join(context, from)
  await cp(source, from === '.' ? target : path.join(target, from), {
    recursive: true,
    filter: (file) => {
      const name = path.relative(context, file).replaceAll(path.sep, '/')
      return name === '' || passes(name)
    },
  })
}

/** A link stays as it is: those of pnpm lead from folder to folder inside the tree. */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  await promisify(execFile)('cp', ['-R', '-P', `${source}/.`, target])
}

async function run(text: string, image: BuiltImage, options: StageOptions): Promise<void> {
  const { flags = '', script = '' } = /^(?<flags>(?:--\S+\s+)*)(?<script>.+)$/.exec(text)?.groups ?? {}
  if (/(?<![\w@./"$*])\/\w/.test(script))
    throw new Error(`an absolute path cannot be stood in for: ${script}`)
  const directory = path.join(image.root, image.workdir)
  const unmount = await mount(flags.split(/\s+/), image.root, options)
  await runScript(script, { directory, node: options.node, env: image.env })
  await unmount()
}

/** A folder of another stage is linked for as long as the script runs; caches are those of this machine. */
async function mount(flags: readonly string[], root: string, options: StageOptions) {
  const links: string[] = []
  for (const flag of flags.filter((one) => one !== '')) {
    if (flag === `--mount=type=cache,target=${cacheFolder}`) continue
    const {
      from,
      source = '',
      target = '',
    } = /^--mount=type=bind,from=(?<from>\w+),source=(?<source>[^,]+),target=(?<target>\/[\w/]+)$/.exec(flag)
      ?.groups ?? {}
    if (from === undefined) throw new Error(`the flag ${flag} is not known here`)
    links.push(path.join(root, target))
    await symlink(path.join((await options.build(from)).root, source), path.join(root, target))
  }
  return async () => {
    for (const link of links) await rm(link)
  }
}

interface ScriptOptions {
  readonly directory: string
  readonly node: string
  readonly env: Readonly<Record<string, string>>
}

async function runScript(script: string, { directory, node, env }: ScriptOptions): Promise<void> {
  const search = [path.dirname(node), process.env['PATH']].join(path.delimiter)
  const child = spawn('sh', ['-c', `umask 022; ${script}`], {
    cwd: directory,
    // What is in the cache is not asked for again: this machine may have no network any more.
    env: {
      ...withoutPackageManager(process.env),
      ...env,
      PATH: search,
      npm_config_prefer_offline: 'true',
      pnpm_config_prefer_offline: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`RUN ${script}\nended with ${code}:\n${output}`)
}

/** The settings of the pnpm and the turbo that run the tests are none of the build's. */
function withoutPackageManager(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /^(?:p?npm_|turbo_|node_options$|init_cwd$)/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)))
}
