// The version of a release. All packages, images and the chart have the same one.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The files beside the manifests of the packages that contain the version. The first group is what stands before it. */
const places: Readonly<Record<string, RegExp>> = {
  'package.json': /^(?<before> {2}"version": ")(?<version>[^"]+)/gm,
  'infra/docker/Dockerfile': /^(?<before>ARG VERSION=)(?<version>\S+)/gm,
  'infra/helm/Chart.yaml': /^(?<before>(?:version|appVersion): )(?<version>\S+)/gm,
}

export async function readVersion(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(root, 'packages/core/package.json'), 'utf8')) as {
    readonly version: string
  }
  return version
}

/** The places that have another version. A place without a version has another one. */
export async function findOtherVersions(root: string, version: string): Promise<string[]> {
  const faults = await Promise.all(
    Object.entries(places).map(async ([file, pattern]) => {
      const found = [...(await readFile(path.join(root, file), 'utf8')).matchAll(pattern)]
      const versions = new Set(found.map(({ groups }) => groups?.['version']))
      return versions.size === 1 && versions.has(version) ? [] : [`${file}: the version must be ${version}`]
    }),
  )
  return faults.flat()
}

export async function writeVersion(root: string, version: string): Promise<void> {
  for (const [file, pattern] of Object.entries(places)) {
    const text = await readFile(path.join(root, file), 'utf8')
    await writeFile(path.join(root, file), text.replaceAll(pattern, `$<before>${version}`))
  }
}
