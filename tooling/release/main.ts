/**
 * `pnpm release --dry-run` packs and validates the packages, writes their SBOMs, and prints what a release would publish and sign.
 * With `--skip-checks` it leaves publint and attw to `pnpm check`, which runs them as well.
 * `pnpm release packages` and `pnpm release images` do it, in the release workflow. `pnpm release version` prepares a release.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, promisify } from 'node:util'
import { findPackageFaults } from '../packages/check-packages.ts'
import { type PackedPackage, packPackages } from '../packages/pack-packages.ts'
import { findReleaseFaults } from './find-release-faults.ts'
import {
  buildCommand,
  type Command,
  type ImageRelease,
  imageTargets,
  inOrderOfNeed,
  publishCommand,
  signFileCommand,
  signImageCommands,
} from './plan.ts'
import { prepareVersion } from './prepare-version.ts'
import { readReleaseSettings, type ReleaseSettings } from './release-settings.ts'
import { readVersion } from './versions.ts'
import { writeSboms } from './write-sboms.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

interface Release {
  readonly settings: ReleaseSettings
  readonly version: string
  /** The folder for everything that is written. */
  readonly out: string
  readonly dryRun: boolean
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    'skip-checks': { type: 'boolean', default: false },
    out: { type: 'string', default: path.join(root, '.data/release') },
  },
})

const usage = 'usage: pnpm release --dry-run | packages | images | version [--out FOLDER] [--skip-checks]'

await main()

async function main(): Promise<void> {
  const [part, ...more] = positionals
  const parts = { packages: releasePackages, images: releaseImages }
  if (more.length > 0 || (part === undefined && !values['dry-run'])) throw new Error(usage)
  if (part === 'version') return print(await prepareVersion(root, new Date().toISOString().slice(0, 10)))
  if (part !== undefined && !(part in parts)) throw new Error(usage)
  const release = await startRelease()
  for (const [name, releasePart] of Object.entries(parts)) {
    if (part === undefined || part === name) await releasePart(release)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function startRelease(): Promise<Release> {
  const faults = await findReleaseFaults(root)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const version = await readVersion(root)
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env
  const dryRun = values['dry-run']
  if (!dryRun && (GITHUB_REF_TYPE !== 'tag' || GITHUB_REF_NAME !== `v${version}`))
    throw new Error(`only the workflow of the tag v${version} releases this version`)
  const out = path.resolve(values.out)
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  return { settings: await readReleaseSettings(root), version, out, dryRun }
}

async function releasePackages(release: Release): Promise<void> {
  const { settings, out, dryRun } = release
  const { scope, publishConfig } = settings
  const packages = inOrderOfNeed(
    await packPackages(root, out, { scope, publishConfig, repository: repositoryUrl() }),
  )
  await validate(packages, out)
  const names = packages.map(({ ownName }) => ownName)
  const sboms = await writeSboms(root, { names, scope, destination: out })
  for (const packed of packages) {
    if (!dryRun && (await isPublished(packed))) print(`${packed.name}@${packed.version} is published already`)
    else await carryOut(publishCommand(packed.tarball), release)
  }
  for (const sbom of sboms.values()) await carryOut(signFileCommand(sbom), release)
}

/** The address of the repository for which the workflow runs. Elsewhere packages name none. */
function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
  return GITHUB_REPOSITORY === undefined ? undefined : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
}

async function workspaceName(folder: string): Promise<string> {
  const manifest = await readFile(path.join(root, folder, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { readonly name: string }).name
}

/** Throws where a package has a fault, or where npm would refuse to publish it. */
async function validate(packages: readonly PackedPackage[], out: string): Promise<void> {
  const work = path.join(out, 'validate')
  const faults = await Promise.all(
    packages.map(async (packed) => [
      ...(values['skip-checks'] ? [] : await findPackageFaults(packed, work)),
      ...(await run([...publishCommand(packed.tarball), '--dry-run']).then(
        () => [],
        (error: unknown) => [`${packed.name}: ${String(error)}`],
      )),
    ]),
  )
  await rm(work, { recursive: true, force: true })
  if (faults.flat().length > 0) throw new Error(faults.flat().join('\n'))
  const checkers = values['skip-checks'] ? 'npm' : 'publint, attw and npm'
  print(`validated ${packages.length} packages with ${checkers}`)
}

async function run([program, ...args]: Command): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout
}

/** A release that was stopped halfway is repeated. A registry that does not answer is an error of the publication that follows. */
async function isPublished({ name, version }: PackedPackage): Promise<boolean> {
  const found = await run(['npm', 'view', `${name}@${version}`, 'version']).catch(() => '')
  return found.trim() === version
}

async function releaseImages(release: Release): Promise<void> {
  const { settings, version, out, dryRun } = release
  if (!dryRun && settings.images.startsWith('registry.example/'))
    throw new Error('release.json: `images` must name your registry')
  const revision = (await run(['git', 'rev-parse', 'HEAD'])).trim()
  const names = await Promise.all(imageTargets.map((target) => workspaceName(`apps/${target}`)))
  const sboms = await writeSboms(root, { names, scope: settings.scope, destination: out })
  for (const [index, target] of imageTargets.entries()) {
    const image = `${settings.images}${target}`
    const metadataFile = path.join(out, `${target}.json`)
    await carryOut(buildCommand({ target, image, version, revision, metadataFile }), release)
    const digest = dryRun ? 'sha256:…' : await digestIn(metadataFile)
    const sbom = sboms.get(names[index] ?? '') ?? ''
    for (const command of signImageCommands(image, digest, sbom)) await carryOut(command, release)
  }
}

async function digestIn(metadataFile: ImageRelease['metadataFile']): Promise<string> {
  const metadata = JSON.parse(await readFile(metadataFile, 'utf8')) as {
    readonly 'containerimage.digest': string
  }
  return metadata['containerimage.digest']
}

/** Runs a command with the output of this process, or in a dry run prints it. */
async function carryOut(command: Command, { dryRun }: Release): Promise<void> {
  const text = command.join(' ').replaceAll(`${root}${path.sep}`, '')
  print(dryRun ? `would run: ${text}` : text)
  if (dryRun) return
  const [program, ...args] = command
  const [code] = await once(spawn(program, args, { cwd: root, stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error(`failed: ${text}`)
}
